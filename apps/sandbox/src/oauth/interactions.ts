import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Bounds the memory of unfinished sign-ins. */
const MAX_SIGN_INS = 1_000;

/** A request during the pages of a sign-in. */
export interface Interaction<Request, User> {
  readonly id: string;
  readonly request: Request;
  /** null until the user chooses an account. */
  user: User | null;
}

export class Interactions<Request, User> {
  readonly #interactions = new LRUCache<string, Interaction<Request, User>>({ max: MAX_SIGN_INS });

  begin(request: Request): Interaction<Request, User> {
    const interaction = { id: randomBytes(24).toString('base64url'), request, user: null };
    this.#interactions.set(interaction.id, interaction);
    return interaction;
  }

  find(id: string | null): Interaction<Request, User> | undefined {
    return this.#interactions.get(id ?? '');
  }

  end({ id }: Interaction<Request, User>): void {
    this.#interactions.delete(id);
  }

  clear(): void {
    this.#interactions.clear();
  }
}
