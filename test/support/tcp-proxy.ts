import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the way to a server does to the bytes on it. Both directions, unless it says otherwise. */
export type NetworkConditions =
  | { type: 'clear' }
  /** Answers come that much later; how many bytes pass does not change. */
  | { type: 'latency'; ms: number }
  | { type: 'throttle'; bytesPerSecond: number }
  /** Nothing passes until the weather changes; then everything does. */
  | { type: 'hang' }
  /** Bytes go in and never come out. A connection that lost some is of no use afterwards. */
  | { type: 'swallow' }
  /** Connections that there are get an RST, new ones are refused. */
  | { type: 'refuse' };

const CLEAR: NetworkConditions = { type: 'clear' };
/** Past that a direction is no longer read from: its sender notices. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** The way to a server on loopback, which gets bad and good again while it is used. */
export class TcpProxy {
  private weather: NetworkConditions = CLEAR;
  private changed = Promise.withResolvers<void>();
  private readonly sockets = new Set<Socket>();
  private connections = 0;

  private constructor(
    private readonly server: Server,
    private targetPort: number,
    readonly port: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  /** @param targetPort of 127.0.0.1 */
  static async to(targetPort: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, targetPort, (server.address() as AddressInfo).port);
  }

  /** A URL of the server, by way of the proxy. */
  through(url: string): string {
    const way = new URL(url);
    way.hostname = '127.0.0.1';
    way.port = String(this.port);
    return way.href;
  }

  /** Where new connections lead from now on; those that there are stay where they are. */
  leadTo(targetPort: number): void {
    this.targetPort = targetPort;
  }

  /** Connections accepted since the start. */
  get connectionCount(): number {
    return this.connections;
  }

  /** Connections that are open now. */
  get openConnections(): number {
    return this.sockets.size / 2;
  }

  /** For those that are connected, too, at once. */
  async set(weather: NetworkConditions): Promise<void> {
    const before = this.weather;
    this.weather = weather;
    this.changed.resolve();
    this.changed = Promise.withResolvers();
    if (weather.type === 'refuse' && before.type !== 'refuse') {
      const closed = once(this.server, 'close');
      this.server.close();
      this.resetPeers();
      await closed;
    } else if (weather.type !== 'refuse' && before.type === 'refuse') {
      this.server.listen(this.port, '127.0.0.1');
      await once(this.server, 'listening');
    }
  }

  async clear(): Promise<void> {
    await this.set(CLEAR);
  }

  /** RST for everybody who is connected, at both ends; new connections are served. */
  resetPeers(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    await this.set({ type: 'refuse' });
  }

  private join(client: Socket): void {
    this.connections += 1;
    const target = connect({ port: this.targetPort, host: '127.0.0.1', allowHalfOpen: true });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      // Whatever ends one end abruptly ends the other in the same way.
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        if (!other.writableEnded) other.destroy();
      });
    }
    void this.carry(client, target, 'request');
    void this.carry(target, client, 'answer');
  }

  private async carry(from: Socket, to: Socket, direction: 'request' | 'answer'): Promise<void> {
    const waiting: { piece: Buffer | null; atMs: number }[] = [];
    let bytes = 0;
    let arrived = Promise.withResolvers<void>();
    const put = (piece: Buffer | null): void => {
      waiting.push({ piece, atMs: performance.now() });
      bytes += piece?.length ?? 0;
      if (bytes > MAX_WAITING_BYTES) from.pause();
      arrived.resolve();
    };
    from.on('data', put);
    from.on('end', () => put(null));
    from.on('close', () => arrived.resolve());
    while (!to.destroyed) {
      const next = waiting.shift();
      if (next === undefined) {
        if (from.destroyed) return;
        arrived = Promise.withResolvers();
        await arrived.promise;
        continue;
      }
      await this.pass(next.piece?.length ?? 0, next.atMs, direction);
      if (next.piece === null) {
        to.end();
        return;
      }
      bytes -= next.piece.length;
      if (bytes <= MAX_WAITING_BYTES) from.resume();
      if (this.weather.type !== 'swallow' && !to.destroyed) to.write(next.piece);
    }
  }

  /** Resolves when that many bytes may go on. */
  private async pass(bytes: number, arrivedAtMs: number, direction: 'request' | 'answer'): Promise<void> {
    for (;;) {
      const { weather, changed } = this;
      const waitMs = delayMs(weather, bytes, arrivedAtMs, direction);
      if (waitMs <= 0) return;
      if (weather.type === 'throttle') {
        await sleep(waitMs);
        return;
      }
      await (waitMs === Number.POSITIVE_INFINITY ? changed.promise : Promise.race([sleep(waitMs), changed.promise]));
    }
  }
}

function delayMs(
  weather: NetworkConditions,
  bytes: number,
  arrivedAtMs: number,
  direction: 'request' | 'answer',
): number {
  switch (weather.type) {
    case 'latency':
      return direction === 'answer' ? arrivedAtMs + weather.ms - performance.now() : 0;
    case 'throttle':
      return (bytes / weather.bytesPerSecond) * 1_000;
    case 'hang':
      return Number.POSITIVE_INFINITY;
    case 'clear':
    case 'swallow':
    case 'refuse':
      return 0;
  }
}
