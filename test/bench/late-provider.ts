/**
 * A stand-in for a provider as a process of its own: the first GET of a URL with a token is answered by the sandbox that
 * it was told of, every further one from memory, so many milliseconds after it came.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const latencyMs = Number(process.argv[2]);
let sandboxUrl = '';
const learned = new Map<string, Buffer>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '';
  const { authorization = '', prefer = '' } = request.headers;
  const key = `${authorization} ${url}`;
  const known = learned.get(key);
  if (known !== undefined) {
    setTimeout(() => send(response, 200, known), latencyMs);
    return;
  }
  const system = await fetch(sandboxUrl + url, { headers: { authorization, prefer: String(prefer) } });
  const body = Buffer.from(await system.arrayBuffer());
  if (system.status === 200) learned.set(key, body);
  send(response, system.status, body);
}

function send(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', 'content-length': body.length });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});
// Those who call it decide how long a connection lasts.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
process.on('message', (url: string) => (sandboxUrl = url));
process.on('disconnect', () => process.exit());
