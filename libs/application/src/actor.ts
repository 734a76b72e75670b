import { AsyncLocalStorage } from 'node:async_hooks';

/** Who does something, for the audit log. */
export interface Actor {
  /** `operator:<email>`, `ops`, … */
  actor: string;
  requestId: string | null;
}

const acting = new AsyncLocalStorage<Actor>();

/** Whatever `work` records was done by `actor`. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return acting.run(actor, work);
}

/** The command line, unless somebody else is known. */
export function currentActor(): Actor {
  return acting.getStore() ?? { actor: 'ops', requestId: null };
}
