import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What the server does with one request. Makers of the usual ones are in `faults.ts`. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

/** A request as it came, in the order of arrival. */
export interface SeenRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage['headers'];
  /** Local number of the connection, from 1. */
  connection: number;
}

export interface FaultServerOptions {
  /** Makes it an https server. */
  tls?: ServerOptions & { key: string; cert: string };
  /** Address to listen on; default `127.0.0.1`. */
  host?: '127.0.0.1' | '::1';
}

/**
 * An HTTP server on loopback that misbehaves as told: each path answers with its faults one after the other, the last
 * one for good. Without a route: 404. Counts connections, so that it also serves as a trap that nobody must touch.
 */
export class FaultServer {
  readonly requests: SeenRequest[] = [];
  #connections = 0;
  readonly #sockets = new Map<Socket, number>();
  readonly #routes = new Map<string, Fault[]>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
    private readonly host: string,
  ) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.set(socket, ++this.#connections);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined); // clients are expected to break off
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response));
  }

  static async start({ tls, host = '127.0.0.1' }: FaultServerOptions = {}): Promise<FaultServer> {
    const server = tls === undefined ? createHttpServer() : createHttpsServer(tls);
    server.on('tlsClientError', () => undefined); // clients are expected to refuse the certificate
    const faults = new FaultServer(server, tls === undefined ? 'http' : 'https', host);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    return faults;
  }

  /** Sets what a path (without query) does, from its next request on. */
  route(path: string, ...faults: [Fault, ...Fault[]]): this {
    this.#routes.set(path, faults);
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  get origin(): string {
    return `${this.scheme}://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  /** Connections accepted since the start. */
  get connectionCount(): number {
    return this.#connections;
  }

  /** Connections that are open now. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.#sockets.keys()) socket.destroy();
    await closed;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    this.requests.push({
      method: request.method ?? '',
      url,
      headers: request.headers,
      connection: this.#numberOf(request.socket),
    });
    response.on('error', () => undefined); // as above
    const faults = this.#routes.get(url.replace(/\?.*$/s, ''));
    const fault = faults !== undefined && faults.length > 1 ? faults.shift() : faults?.[0];
    if (fault === undefined) response.writeHead(404).end();
    else fault(request, response);
    request.resume();
  }

  /** An https request's socket is the TLS one; its connection was counted when TCP opened, in the same order. */
  #numberOf(socket: Socket): number {
    const raw = [...this.#sockets].find(([known]) => known === socket || known.remotePort === socket.remotePort);
    return raw?.[1] ?? 0;
  }
}
