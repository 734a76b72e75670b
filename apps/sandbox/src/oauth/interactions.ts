import { randomBytes } from 'node:crypto';

/** A request on its way through the pages of a sign-in. */
export interface Interaction<Request, User> {
  readonly id: string;
  readonly request: Request;
  /** null until an account is chosen. */
  user: User | null;
}

/** The sign-ins under way. */
export class Interactions<Request, User> {
  readonly #interactions = new Map<string, Interaction<Request, User>>();

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
