import { randomUUIDv7 } from 'node:crypto';
import { Egress, type OutboundRequest, type OutboundStream } from '#egress';
import { messageIdOf } from './message.js';
import { WebhookSender, type WebhookSenderOptions } from './sender.js';
import { SigningSecret } from './endpoint-secrets.js';
import type { WebhookDelivery } from './transport.js';

const KIB = 1_024;

const delivery: WebhookDelivery = {
  message: { id: messageIdOf(randomUUIDv7()), eventType: 'calendar.event.changed', body: Buffer.from('{}') },
  endpoint: {
    id: 'endpoint',
    applicationId: 'application',
    url: 'https://hooks.example.com/',
    rateLimit: null,
    secrets: { active: SigningSecret.generate(), retiring: [] },
  },
  identity: { webhookSubscriptionId: null, endUserAccountId: 'account', calendarId: null },
  isByHand: false,
};

/** Answers with `total` KiB, one after the other, and counts those that were taken. */
class CountingEgress extends Egress {
  readonly requests: OutboundRequest[] = [];
  taken = 0;
  isDestroyed = false;

  constructor(private readonly total: number) {
    super();
  }

  override async stream(request: OutboundRequest): Promise<OutboundStream> {
    this.requests.push(request);
    return { status: 200, headers: {}, chunks: this.#chunks() };
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    try {
      for (; this.taken < this.total; this.taken += 1) yield Buffer.alloc(KIB, 'x');
    } finally {
      this.isDestroyed = this.taken < this.total;
    }
  }

  override request(): never {
    throw new Error('answers are streamed');
  }

  override check(): Promise<void> {
    return Promise.resolve();
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

async function attempted(total: number, options: Partial<WebhookSenderOptions> = {}) {
  const egress = new CountingEgress(total);
  const result = await new WebhookSender(egress, { nowMs: () => 0, ...options }).attempt(delivery);
  return { egress, result };
}

describe('WebhookSender', () => {
  it('W10 gives a receiver 15 s for its whole answer, unless told otherwise', async () => {
    const limits = async (options: Partial<WebhookSenderOptions>) =>
      (await attempted(1, options)).egress.requests.map(({ timeoutMs, firstByteMs }) => [timeoutMs, firstByteMs]);
    expect(await limits({})).toEqual([[15_000, 15_000]]);
    expect(await limits({ timeoutMs: 30_000 })).toEqual([[30_000, 30_000]]);
  });

  it('W10 reads an answer of 64 KiB to its end, and keeps 1 KiB of it', async () => {
    const { egress, result } = await attempted(64);
    expect([egress.taken, egress.isDestroyed]).toEqual([64, false]);
    expect(result).toMatchObject({ status: 200, failure: null, responseText: 'x'.repeat(KIB) });
  });

  it('W10 takes no more of a longer one, and destroys it', async () => {
    const { egress, result } = await attempted(1_000);
    expect([egress.taken, egress.isDestroyed]).toEqual([64, true]);
    expect(result).toMatchObject({ status: 200, failure: null, responseText: 'x'.repeat(KIB) });
  });
});
