import { once } from 'node:events';
import { Server, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createAcceptor,
  type AddressInfo,
  type ListenOptions,
  type Server as Acceptor,
} from 'node:net';

/** Connections that are taken in each turn of the event loop. */
const ACCEPTORS = 16;

/**
 * An HTTP server that takes many new connections in a turn of the event loop. libuv takes one from each listening socket
 * (`uv__server_io`): with turns of 40 ms that is 25 a second, and whoever opens a connection, a probe for one, waits behind
 * all the others who do. Linux spreads connections over sockets that listen on the same port (SO_REUSEPORT).
 */
export class AcceptingServer<
  Request extends typeof IncomingMessage = typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>> = typeof ServerResponse,
> extends Server<Request, Response> {
  private readonly acceptors: Acceptor[] = [];

  /** Resolves when it listens. @throws Error, also when somebody else has the port */
  async listenWidely(port: number, host?: string): Promise<void> {
    const address: ListenOptions = { port, host, reusePort: process.platform === 'linux' };
    // With SO_REUSEPORT nobody is told that a port is taken; without it, everybody is.
    if (address.reusePort && port !== 0) await free(address);
    // First: connections that come before it listens it would not keep account of, nor close.
    await listening(this, address);
    if (address.reusePort) await this.open({ ...address, port: portOf(this) });
  }

  private async open(address: ListenOptions): Promise<void> {
    for (let count = 1; count < ACCEPTORS; count += 1) {
      // As Node makes those of an HTTP server.
      const acceptor = createAcceptor({ allowHalfOpen: true, noDelay: true });
      this.acceptors.push(acceptor);
      acceptor.on('connection', (socket) => this.emit('connection', socket));
      await listening(acceptor, address);
      acceptor.on('error', (error) => this.emit('error', error));
    }
  }

  /** Calls back when all connections have ended. */
  override close(callback?: (error?: Error) => void): this {
    const closed = this.acceptors
      .splice(0)
      .map((acceptor) => new Promise<void>((resolve) => acceptor.close(() => resolve())));
    return super.close((error) => void Promise.all(closed).then(() => callback?.(error)));
  }
}

/** @throws Error when it is taken */
async function free(address: ListenOptions): Promise<void> {
  const probe = createAcceptor();
  await listening(probe, { ...address, reusePort: false });
  await new Promise((closed) => probe.close(closed));
}

async function listening(server: Acceptor, address: ListenOptions): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
}

function portOf(server: Acceptor): number {
  return (server.address() as AddressInfo).port;
}
