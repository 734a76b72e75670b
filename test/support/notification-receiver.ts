import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChannelRequest } from '#domain/channels';
import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from './processes.js';

/** A push as it came. */
export interface ReceivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Where providers push to. It answers as it has to, and keeps what it gets. */
export class PushReceiver {
  /** In the order of arrival. */
  readonly received: ReceivedPush[] = [];
  /** Whether it repeats what it is asked to, before a provider pushes. */
  consents = true;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PushReceiver> {
    const server = createServer();
    const receiver = new PushReceiver(server);
    server.on('request', (request, response) => {
      const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://receiver');
      const question = searchParams.get('validationToken');
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        if (question === null) receiver.received.push({ path, headers: request.headers, body });
        if (question === null || !receiver.consents) response.writeHead(202).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end(question);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** A request for a channel of its own. */
  channel(): ChannelRequest {
    const origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return {
      channelId: randomUUID(),
      token: randomBytes(32).toString('base64url'),
      notificationUrl: `${origin}/notifications`,
      lifecycleUrl: `${origin}/lifecycle`,
    };
  }

  /** Waits until what came, read by `read`, holds what is wanted. */
  async receives<T>(
    what: string,
    read: (push: ReceivedPush) => T[],
    isWanted: (notification: T) => boolean,
  ): Promise<T> {
    return eventually(what, () => this.received.flatMap(read).find(isWanted));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
