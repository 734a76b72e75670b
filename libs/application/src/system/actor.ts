import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditLog, Operator } from '#domain/operator';

export interface Actor {
  /** `operator:<email>`, `ops`, … */
  actor: string;
  requestId: string | null;
}

const acting = new AsyncLocalStorage<Actor>();

export function actAs<T>(actor: Actor, work: () => T): T {
  return acting.run(actor, work);
}

/** Returns `ops` outside {@link actAs}. */
export function currentActor(): Actor {
  return acting.getStore() ?? { actor: 'ops', requestId: null };
}

/** Records what {@link currentActor} did. `applicationId` is null when the action concerns no application. */
export async function recordAction(
  audit: AuditLog,
  action: string,
  subject: string,
  applicationId: string | null = null,
): Promise<void> {
  await audit.record({ applicationId, action, subject, ...currentActor() });
}

/** Records what an operator did who signs in: the request has no session yet. */
export async function recordSignIn(audit: AuditLog, { email }: Operator, action: string): Promise<void> {
  const operator = `operator:${email}`;
  await audit.record({ applicationId: null, ...currentActor(), actor: operator, action, subject: operator });
}
