import { createHmac, hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AuditLog,
  OperatorRepository,
  OperatorSessionRepository,
  type Operator,
  type OperatorSession,
} from '#domain/operator';
import { Clock, DomainError } from '#domain/system';
import { recordAction, recordSignIn } from '../system/actor.js';
import { isSecret, newSecret } from '../oauth/authorization-requests.js';
import { currentBrowser } from './operator-browser.js';
import { OperatorDevices, type OperatorDevice } from './operator-devices.js';

export abstract class OperatorSettings {
  /** Address of the dashboard, without `/dashboard`. */
  abstract readonly operatorUrl: string;
  /** Maximum time between two requests of a session, milliseconds. */
  abstract readonly sessionIdleMs: number;
  /** Maximum length of a session, milliseconds. */
  abstract readonly sessionMs: number;
  /** false when operators sign in by single sign-on only. */
  abstract readonly hasPasswords: boolean;
  /** Page of the tracing system, with `{traceId}`. null without one. */
  abstract readonly traceUrl: string | null;
}

export interface AuthenticatedSession extends OperatorSession {
  /** Required by every change: another site can make the browser send the cookie, but does not know this token. */
  csrfToken: string;
}

export interface NewSession {
  secret: string;
  /** For a cookie that outlives the session. null when the operator has no password. */
  device: OperatorDevice | null;
  session: AuthenticatedSession;
}

export interface OwnSession extends Pick<OperatorSession, 'device' | 'network' | 'createdAt' | 'lastUsedAt'> {
  id: string;
  isCurrent: boolean;
}

/** Minimum time between two writes of the last use, milliseconds. */
const TOUCH_EVERY_MS = 60_000;
/** How long an authentication is recent enough to grant access or end sessions, milliseconds. */
const RECENT_MS = 5 * 60_000;

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

  /** Audited as a login. @param authenticatedAt time of the authentication; default now */
  async begin(operator: Operator, authenticatedAt?: Date): Promise<NewSession> {
    const nowMs = this.clock.nowMs();
    const createdAt = new Date(nowMs);
    const secret = newSecret();
    const endsAt = new Date(nowMs + this.settings.sessionMs);
    const begun = {
      secretHash: hashOf(secret),
      authenticatedAt: authenticatedAt ?? createdAt,
      createdAt,
      idleUntil: new Date(Math.min(nowMs + this.settings.sessionIdleMs, endsAt.getTime())),
      endsAt,
      ...currentBrowser(),
    };
    await this.sessions.create({ ...begun, operatorId: operator.id });
    await this.operators.recordSignIn(operator.id, createdAt);
    await recordSignIn(this.audit, operator, 'operator.login');
    const session = { ...begun, operator: { ...operator, lastSignInAt: createdAt }, lastUsedAt: createdAt };
    const device = await this.devices.issue(operator);
    return { secret, device, session: { ...session, csrfToken: csrfTokenOf(secret) } };
  }

  /** @param isUserActive false for requests without user activity, which do not extend the session */
  async authenticate(secret: string, isUserActive = true): Promise<AuthenticatedSession | null> {
    if (!isSecret(secret)) return null;
    const session = await this.find(hashOf(secret));
    if (session === null) return null;
    const nowMs = this.clock.nowMs();
    const idleUntil = isUserActive ? await this.extended(session, nowMs) : session.idleUntil;
    return { ...session, idleUntil, csrfToken: csrfTokenOf(secret) };
  }

  async find(secretHash: Buffer): Promise<OperatorSession | null> {
    const session = await this.sessions.find(secretHash);
    const nowMs = this.clock.nowMs();
    const isOver = session === null || nowMs >= session.idleUntil.getTime() || nowMs >= session.endsAt.getTime();
    return isOver ? null : session;
  }

  /** An unattended browser has a session too. @throws DomainError ReauthenticationRequired */
  assertRecent({ authenticatedAt }: OperatorSession): void {
    if (this.isRecent(authenticatedAt)) return;
    throw new DomainError('ReauthenticationRequired', 'Prove who you are once more: by password or single sign-on.');
  }

  isRecent(authenticatedAt: Date): boolean {
    return this.clock.nowMs() - authenticatedAt.getTime() < RECENT_MS;
  }

  /** ASVS 5.0 §7.2.4: renews the secret after a reauthentication. @throws DomainError Conflict for an ended session */
  async renew(session: OperatorSession): Promise<NewSession> {
    const secret = newSecret();
    const renewed = { secretHash: hashOf(secret), authenticatedAt: new Date(this.clock.nowMs()) };
    if (!(await this.sessions.renew(session.secretHash, renewed))) {
      throw new DomainError('Conflict', 'The session has ended meanwhile.');
    }
    await recordSignIn(this.audit, session.operator, 'operator.reauthenticated');
    return { secret, device: null, session: { ...session, ...renewed, csrfToken: csrfTokenOf(secret) } };
  }

  async end({ secretHash, operator }: OperatorSession): Promise<void> {
    await this.sessions.end(secretHash);
    await recordAction(this.audit, 'operator.logout', `operator:${operator.email}`);
  }

  async listOwn({ secretHash, operator }: OperatorSession): Promise<OwnSession[]> {
    return (await this.sessions.list(operator.id)).map((session) => ({
      id: idOf(session),
      device: session.device,
      network: session.network,
      createdAt: session.createdAt,
      lastUsedAt: session.lastUsedAt,
      isCurrent: session.secretHash.equals(secretHash),
    }));
  }

  /** @throws DomainError NotFound, also for a renewed session; Conflict for the current one */
  async endOwn({ secretHash, operator }: OperatorSession, sessionId: string): Promise<void> {
    const found = (await this.sessions.list(operator.id)).find((session) => idOf(session) === sessionId);
    if (found?.secretHash.equals(secretHash)) {
      throw new DomainError('Conflict', 'This is the session that you are using: sign out instead.');
    }
    const isEnded = found !== undefined && (await this.sessions.end(found.secretHash));
    if (!isEnded) throw new DomainError('NotFound', 'You have no session with this id.');
    await recordAction(this.audit, 'operator.session-ended', `operator:${operator.email}`);
  }

  async endOthers({ secretHash, operator }: OperatorSession): Promise<void> {
    await this.sessions.endOthers(operator.id, secretHash);
    await recordAction(this.audit, 'operator.other-sessions-ended', `operator:${operator.email}`);
  }

  /** Never shortens the session: the settings may have allowed more when it began. */
  private async extended({ secretHash, lastUsedAt, idleUntil, endsAt }: OperatorSession, nowMs: number): Promise<Date> {
    if (nowMs - lastUsedAt.getTime() < TOUCH_EVERY_MS) return idleUntil;
    const laterMs = Math.min(nowMs + this.settings.sessionIdleMs, endsAt.getTime());
    const extended = new Date(Math.max(laterMs, idleUntil.getTime()));
    await this.sessions.touch(secretHash, { idleUntil: extended, lastUsedAt: new Date(nowMs) });
    return extended;
  }
}

/** Public id, from which neither the secret nor its hash can be derived. */
function idOf({ secretHash }: OperatorSession): string {
  return createHmac('sha256', secretHash).update('operator-session-id').digest('base64url').slice(0, 22);
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Derived from the cookie's secret, which is not in the database. */
function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('operator-csrf').digest('base64url');
}
