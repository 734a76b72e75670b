import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A token endpoint on loopback that counts its calls. */
export interface TokenEndpoint {
  readonly url: string;
  /** Refresh tokens, in the order in which they came. */
  readonly calls: string[];
  /** How long it thinks before it answers, milliseconds. */
  latencyMs: number;
  /** Status and body for a refresh token; a new access token at every call unless the test says otherwise. */
  answer: (refreshToken: string, call: number) => { status: number; body: object };
  close(): Promise<void>;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint: TokenEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    calls: [],
    latencyMs: 0,
    answer: (_, call) => ({ status: 200, body: { access_token: `access-${call}`, expires_in: 3_600 } }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
    const refreshToken = new URLSearchParams(text).get('refresh_token') ?? '';
    const call = endpoint.calls.push(refreshToken);
    await delay(endpoint.latencyMs);
    const { status, body } = endpoint.answer(refreshToken, call);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
  return endpoint;
}
