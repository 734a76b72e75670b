import { AsyncLocalStorage } from 'node:async_hooks';

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
