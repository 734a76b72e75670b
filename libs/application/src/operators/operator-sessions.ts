import { createHmac, hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AuditLog,
  Clock,
  OperatorRepository,
  OperatorSessionRepository,
  type Operator,
  type OperatorSession,
} from '#domain';
import type { SessionView } from '#operator-api';
import { currentActor } from '../actor.js';
import { isSecret, newSecret } from '../oauth/sign-in-attempts.js';
import { OperatorDevices, type OperatorDevice } from './operator-devices.js';
import { OperatorSettings } from './operator-settings.js';
import { toOperatorView } from './operator-view.js';

/** A session that a request has proven to belong to. */
export interface ProvenSession extends OperatorSession {
  /** What every change has to bring along: a page of another site can send the cookie, but does not know this. */
  csrfToken: string;
}

/** A session that has just begun. */
export interface BegunSession {
  /** For the cookie, and nowhere else. */
  secret: string;
  /** For a cookie of its own, which outlives the session; null: the operator has no password. */
  device: OperatorDevice | null;
  view: SessionView;
}

/** Requests write that they were here this often, milliseconds. */
const TOUCH_EVERY_MS = 60_000;

/** Sessions of operators: in the database, so that they end at once wherever they are ended. */
@Injectable()
export class OperatorSessions {
  constructor(
    private readonly sessions: OperatorSessionRepository,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly settings: OperatorSettings,
    private readonly devices: OperatorDevices,
  ) {}

  /** Begins a session with a new secret, whatever the browser had before. It is a login, and recorded as one. */
  async begin(operator: Operator): Promise<BegunSession> {
    const nowMs = this.clock.nowMs();
    const lastLoginAt = new Date(nowMs);
    const secret = newSecret();
    const endsAt = new Date(nowMs + this.settings.sessionMs);
    const idleUntil = new Date(Math.min(nowMs + this.settings.sessionIdleMs, endsAt.getTime()));
    const secretHash = hashOf(secret);
    await this.sessions.create({ secretHash, operatorId: operator.id, idleUntil, endsAt });
    await this.operators.loggedIn(operator.id, lastLoginAt);
    await this.audit.record({
      applicationId: null,
      actor: `operator:${operator.email}`,
      action: 'operator.login',
      subject: `operator:${operator.email}`,
      requestId: currentActor().requestId,
    });
    const session = { operator: { ...operator, lastLoginAt }, secretHash, idleUntil, endsAt };
    const device = await this.devices.issue(operator);
    return { secret, device, view: toSessionView({ ...session, csrfToken: csrfTokenOf(secret) }) };
  }

  /**
   * The session of a cookie; null when there is none, or it is over.
   * @param isAttended moves its end on; a page that asks by itself, with nobody using it, does not
   */
  async prove(secret: string, isAttended = true): Promise<ProvenSession | null> {
    if (!isSecret(secret)) return null;
    const session = await this.sessions.find(hashOf(secret));
    const nowMs = this.clock.nowMs();
    if (session === null || nowMs >= session.idleUntil.getTime() || nowMs >= session.endsAt.getTime()) return null;
    const idleUntil = isAttended ? await this.movedOn(session, nowMs) : session.idleUntil;
    return { ...session, idleUntil, csrfToken: csrfTokenOf(secret) };
  }

  /** Logs out. */
  async end({ secretHash, operator }: OperatorSession): Promise<void> {
    await this.sessions.end(secretHash);
    const subject = `operator:${operator.email}`;
    await this.audit.record({ applicationId: null, ...currentActor(), action: 'operator.logout', subject });
  }

  private async movedOn({ secretHash, idleUntil, endsAt }: OperatorSession, nowMs: number): Promise<Date> {
    const later = new Date(Math.min(nowMs + this.settings.sessionIdleMs, endsAt.getTime()));
    if (later.getTime() - idleUntil.getTime() < TOUCH_EVERY_MS) return idleUntil;
    await this.sessions.touch(secretHash, later);
    return later;
  }
}

export function toSessionView({ operator, csrfToken, idleUntil, endsAt }: ProvenSession): SessionView {
  return {
    operator: toOperatorView(operator),
    csrfToken,
    idleUntil: idleUntil.toISOString(),
    endsAt: endsAt.toISOString(),
  };
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Follows from the secret of the cookie, which the database does not hold. */
function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('operator-csrf').digest('base64url');
}
