interface Clients<Client> {
  find(clientId: string): Client | undefined;
  put(client: Client): void;
}

/** Registers other redirect URIs for a client, if there is one with this id. */
export function followRedirectUris<Client extends { redirectUris: readonly string[] }>(
  clients: Clients<Client>,
  clientId: string,
  redirectUris: readonly string[],
): void {
  const client = clients.find(clientId);
  if (client !== undefined) clients.put({ ...client, redirectUris });
}
