/** An OAuth client of a project, as its console shows it. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
  /** Grants of a project in testing end after seven days. https://developers.google.com/identity/protocols/oauth2#expiration */
  publishing: 'production' | 'testing';
  /** Each refresh gives a new refresh token and ends the old one: not what Google does, but what a client must survive. */
  rotateRefreshTokens: boolean;
}

export interface ClientsSnapshot {
  clients: OAuthClient[];
  /** Ids. */
  deleted: string[];
}

export class ClientRegistry {
  readonly #clients = new Map<string, OAuthClient>();
  readonly #deleted = new Set<string>();

  /** A client with the same id takes the place of the old one. */
  put(client: OAuthClient): void {
    this.#clients.set(client.clientId, client);
    this.#deleted.delete(client.clientId);
  }

  find(clientId: string): OAuthClient | undefined {
    return this.#clients.get(clientId);
  }

  /** Google tells a client that was deleted from one that never was. */
  wasDeleted(clientId: string): boolean {
    return this.#deleted.has(clientId);
  }

  delete(clientId: string): boolean {
    if (!this.#clients.delete(clientId)) return false;
    this.#deleted.add(clientId);
    return true;
  }

  snapshot(): ClientsSnapshot {
    return { clients: [...this.#clients.values()], deleted: [...this.#deleted] };
  }

  restore({ clients, deleted }: ClientsSnapshot): void {
    this.clear();
    for (const client of clients) this.put(client);
    for (const clientId of deleted) this.#deleted.add(clientId);
  }

  clear(): void {
    this.#clients.clear();
    this.#deleted.clear();
  }
}
