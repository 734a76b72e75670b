import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_EVERY_MS = 200;

/**
 * What a Service of Kubernetes is to its pods: each new connection is led to one that is ready; those that there are stay
 * where they are; and that a pod is no longer ready is known to it some time later.
 */
export class ClusterService {
  /** Ports of those that get connections. */
  private readonly pods = new Set<number>();
  private readonly sockets = new Set<Socket>();
  private turns = 0;
  private isClosed = false;

  private constructor(
    private readonly server: Server,
    private readonly removalDelayMs: number,
    readonly baseUrl: string,
  ) {
    server.on('connection', (client) => this.lead(client));
  }

  /** @param removalDelayMs how long a pod still gets connections that has said that it is not ready */
  static async start(removalDelayMs: number): Promise<ClusterService> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new ClusterService(server, removalDelayMs, `http://127.0.0.1:${port}`);
  }

  /** A process, by its port. It gets connections from when it is ready until some time after it no longer is. */
  add(port: number): void {
    void this.watch(port);
  }

  /** No new connection goes there from now on. */
  remove(port: number): void {
    this.pods.delete(port);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private async watch(port: number): Promise<void> {
    for (let wasReady = false; !this.isClosed; await sleep(PROBE_EVERY_MS)) {
      const isReady = await isReadyAt(port);
      if (isReady && !wasReady) this.pods.add(port);
      if (!isReady && wasReady) break;
      wasReady = isReady;
    }
    await sleep(this.removalDelayMs);
    this.remove(port);
  }

  private lead(client: Socket): void {
    this.turns += 1;
    const port = [...this.pods][this.turns % this.pods.size];
    if (port === undefined) {
      client.resetAndDestroy();
      return;
    }
    const pod = connect({ port, host: '127.0.0.1' });
    for (const [from, to] of [
      [client, pod],
      [pod, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => this.sockets.delete(from));
      from.pipe(to);
    }
  }
}

function isReadyAt(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
}
