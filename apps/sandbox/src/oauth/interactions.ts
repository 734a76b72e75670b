import { randomBytes } from 'node:crypto';

const KEPT = 1000;

/** A request on its way through the pages of a sign-in. */
export interface Interaction<Request, User> {
  readonly id: string;
  readonly request: Request;
  /** null until an account is chosen. */
  user: User | null;
}

/** The sign-ins under way. The oldest go when there are more than a thousand. */
export class Interactions<Request, User> {
  readonly #interactions = new Map<string, Interaction<Request, User>>();

  begin(request: Request): Interaction<Request, User> {
    const interaction = { id: randomBytes(24).toString('base64url'), request, user: null };
    this.#interactions.set(interaction.id, interaction);
    for (const oldest of this.#interactions.keys()) {
      if (this.#interactions.size <= KEPT) break;
      this.#interactions.delete(oldest);
    }
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
