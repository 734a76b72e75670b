/** A client as its provider has registered it. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
}

export interface ClientsSnapshot<Client> {
  clients: Client[];
  /** Ids. */
  deleted: string[];
}

export class Clients<Client extends OAuthClient> {
  readonly #clients = new Map<string, Client>();
  readonly #deleted = new Set<string>();

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
    this.#deleted.add(clientId);
    return true;
  }

  snapshot(): ClientsSnapshot<Client> {
    return { clients: this.all(), deleted: [...this.#deleted] };
  }

  restore({ clients, deleted }: ClientsSnapshot<Client>): void {
    this.clear();
    for (const client of clients) this.put(client);
    for (const clientId of deleted) this.#deleted.add(clientId);
  }

  clear(): void {
    this.#clients.clear();
    this.#deleted.clear();
  }
}
