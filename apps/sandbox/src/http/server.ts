import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whole, type Delivery } from './delivery.js';
import { emptyResponse, type HttpRequest } from './message.js';

const MAX_BODY_BYTES = 1024 * 1024;

export type Handler = (request: HttpRequest) => Promise<Delivery>;

/** Server on one port. Reads bodies up to 1 MiB; an error of the handler becomes an empty 500. */
export class HttpServer {
  private constructor(
    private readonly server: Server,
    private readonly host: string,
  ) {}

  /** @param port 0 selects a free port */
  static async listen(host: string, port: number, handle: Handler): Promise<HttpServer> {
    const server = createServer((incoming, response) => void serve(incoming, response, handle));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return new HttpServer(server, host);
  }

  /** `http://127.0.0.1:4010`; the loopback address also when the server listens on every address. */
  get origin(): string {
    const { port } = this.server.address() as AddressInfo;
    const host = this.host === '0.0.0.0' ? '127.0.0.1' : this.host === '::' ? '::1' : this.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** Also ends open connections, because some never respond on purpose. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }
}

async function serve(incoming: IncomingMessage, response: ServerResponse, handle: Handler): Promise<void> {
  response.on('error', () => undefined); // the client disconnected; only the response is lost
  let deliver: Delivery;
  try {
    const body = await read(incoming);
    deliver =
      body === 'too-large'
        ? whole(emptyResponse(413, { connection: 'close' }))
        : await handle({ ...locationOf(incoming), headers: headersOf(incoming), body });
  } catch (error) {
    if (incoming.errored !== null) return;
    process.stderr.write(`${incoming.method} ${locationOf(incoming).path}: ${(error as Error).stack}\n`);
    deliver = whole(emptyResponse(500));
  }
  if (!response.destroyed) deliver(response);
}

async function read(incoming: IncomingMessage): Promise<Buffer | 'too-large'> {
  const pieces: Buffer[] = [];
  let size = 0;
  // Keeps the stream open when reading ends early, because the error response uses its connection.
  for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return 'too-large';
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function locationOf({ method = '', url = '' }: IncomingMessage): Pick<HttpRequest, 'method' | 'path' | 'query'> {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  return { method, path, query: new URLSearchParams(query) };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
