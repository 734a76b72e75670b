import type { Memory } from '../state/memory.js';

/** A client registered at its provider. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
}

export class Clients<Client extends OAuthClient> {
  readonly #clients: Map<string, Client>;
  readonly #deleted: Map<string, true>;

  constructor(memory: Memory) {
    this.#clients = memory.collection('clients');
    this.#deleted = memory.collection('deletedClients');
  }

  /** Adds a client, or replaces the one with the same id. */
  put(client: Client): void {
    this.#clients.set(client.clientId, client);
    this.#deleted.delete(client.clientId);
  }

  find(clientId: string): Client | undefined {
    return this.#clients.get(clientId);
  }

  all(): Client[] {
    return [...this.#clients.values()];
  }

  wasDeleted(clientId: string): boolean {
    return this.#deleted.has(clientId);
  }

  delete(clientId: string): boolean {
    if (!this.#clients.delete(clientId)) return false;
    this.#deleted.set(clientId, true);
    return true;
  }
}
