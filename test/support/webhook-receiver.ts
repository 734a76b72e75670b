import { Webhook } from 'standardwebhooks';
import { assertDocumentedMessage } from './documented-answers.js';
import { FaultServer, type Fault, type FaultServerOptions } from './fault-server.js';
import { answer } from './faults.js';
import { eventually } from './processes.js';

/** A request that a receiver got, whatever it answered. */
export interface Receipt {
  path: string;
  /** `webhook-id` */
  id: string;
  headers: Record<string, string>;
  /** As it came. */
  body: Buffer;
  /** Milliseconds since the epoch, when the whole of it was there. */
  atMs: number;
}

/** A place of an application where webhooks arrive. It keeps what it gets, and misbehaves as told. */
export class WebhookReceiver {
  /** In the order of arrival. */
  readonly receipts: Receipt[] = [];

  private constructor(private readonly server: FaultServer) {}

  static async start(options?: FaultServerOptions): Promise<WebhookReceiver> {
    return new WebhookReceiver(await FaultServer.start(options));
  }

  /** What `EGRESS_ALLOW` of the sender has to hold. */
  get egressAllow(): string {
    return new URL(this.server.origin).host;
  }

  /** Connections that are open now. */
  get openConnections(): number {
    return this.server.openConnections;
  }

  /**
   * Opens an endpoint, or changes what it does from its next request on: its answers come one after the other, the last
   * one for good. Makers of bad ones are in `faults.ts`.
   * @returns its URL
   */
  endpoint(path: string, ...responses: Fault[]): string {
    const [first, ...others] = (responses.length === 0 ? [answer(204)] : responses).map((fault) =>
      this.recorded(fault),
    );
    if (first !== undefined) this.server.route(path, first, ...others);
    return this.server.origin + path;
  }

  at(path: string): Receipt[] {
    return this.receipts.filter((receipt) => receipt.path === path);
  }

  /** Distinct ids, in the order of their first arrival. */
  ids(path?: string): string[] {
    return [...new Set((path === undefined ? this.receipts : this.at(path)).map(({ id }) => id))];
  }

  /** Waits until so many different messages have come. @returns all that came until then, repeats too */
  async receives(messages: number, path?: string, timeoutMs?: number): Promise<Receipt[]> {
    await eventually(
      `${messages} messages`,
      () => (this.ids(path).length >= messages ? true : undefined),
      timeoutMs === undefined ? {} : { timeoutMs },
    );
    const received = path === undefined ? [...this.receipts] : this.at(path);
    for (const { headers, body } of received) assertDocumentedMessage(headers, body);
    return received;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /** The fault gets its turn when the whole request is there. */
  private recorded(fault: Fault): Fault {
    return (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const headers = request.headers as Record<string, string>;
        this.receipts.push({
          path: new URL(request.url ?? '/', this.server.origin).pathname,
          id: headers['webhook-id'] ?? '',
          headers,
          body: Buffer.concat(pieces),
          atMs: Date.now(),
        });
        fault(request, response);
      });
    };
  }
}

/** What a receipt says. @throws when the standardwebhooks package does not take it for genuine */
export function verified(receipt: Receipt, secret: string): unknown {
  return new Webhook(secret).verify(receipt.body, receipt.headers);
}
