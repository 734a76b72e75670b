import type { Memory } from '../state/memory.js';

/** A client as its provider has registered it. */
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

  /** A client with the same id takes the place of the old one. */
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
