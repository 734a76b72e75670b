/** An app registration. */
export interface MicrosoftClient {
  /** A UUID. */
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
  /** Who may sign in with it: `any`, `organizations`, `consumers`, or the id of one directory. */
  audience: string;
}

export class MicrosoftClients {
  readonly #clients = new Map<string, MicrosoftClient>();

  /** A client with the same id takes the place of the old one. */
  put(client: MicrosoftClient): void {
    this.#clients.set(client.clientId, client);
  }

  find(clientId: string): MicrosoftClient | undefined {
    return this.#clients.get(clientId);
  }

  delete(clientId: string): boolean {
    return this.#clients.delete(clientId);
  }

  snapshot(): MicrosoftClient[] {
    return [...this.#clients.values()];
  }

  restore(clients: readonly MicrosoftClient[]): void {
    this.clear();
    for (const client of clients) this.put(client);
  }

  clear(): void {
    this.#clients.clear();
  }
}
