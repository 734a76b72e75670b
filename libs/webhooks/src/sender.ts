import { EgressError, parseRetryAfter, type Egress, type EgressFailure, type OutboundRequest } from '#egress';
import { answerText } from './answer-text.js';
import { deliveryHeaders, signatureHeaders } from './delivery-headers.js';
import { secretsInForce } from './endpoint-secrets.js';
import { MAX_RETRY_AFTER_MS } from './verdict.js';
import { WebhookTransport, type AttemptResult, type WebhookDelivery } from './transport.js';

/** Wall clock of an attempt, name resolution and the receiver's whole answer included, milliseconds. */
export const DEFAULT_ATTEMPT_TIMEOUT_MS = 15_000;
/** More of an answer is not read. */
const READ_BYTES = 64 * 1_024;
/** More of it is not kept. */
const KEPT_BYTES = 1_024;

export interface WebhookSenderOptions {
  timeoutMs?: number;
  /** Milliseconds since the epoch. */
  nowMs: () => number;
  /** For durations: a clock that nobody sets. */
  monotonicMs?: () => number;
}

/**
 * Makes attempts. To one endpoint keep below the connections of a pool of the egress (eight) at once: an attempt that has to
 * wait for a connection waits out of its own time, under the timestamp that it was signed with.
 */
export class WebhookSender extends WebhookTransport {
  readonly #timeoutMs: number;
  readonly #nowMs: () => number;
  readonly #monotonicMs: () => number;

  constructor(
    private readonly egress: Egress,
    { timeoutMs = DEFAULT_ATTEMPT_TIMEOUT_MS, nowMs, monotonicMs = () => performance.now() }: WebhookSenderOptions,
  ) {
    super();
    this.#timeoutMs = timeoutMs;
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Signs and sends one message, once. Redirects are not followed. */
  override async attempt(
    { message, endpoint, identity }: WebhookDelivery,
    signal?: AbortSignal,
  ): Promise<AttemptResult> {
    const startedAtMs = this.#nowMs();
    const startMs = this.#monotonicMs();
    const signature = signatureHeaders(message, secretsInForce(endpoint.secrets, startedAtMs), startedAtMs);
    const answer = await this.#exchange({
      method: 'POST',
      url: endpoint.url,
      headers: deliveryHeaders(signature, identity),
      body: message.body,
      timeoutMs: this.#timeoutMs,
      firstByteMs: this.#timeoutMs,
      // An answer that announces to be large is an answer still; how much of it is read is decided while reading.
      maxBytes: Number.POSITIVE_INFINITY,
      tellsTrace: true,
      poolKey: `webhook-endpoint:${endpoint.id}`,
      signal,
    });
    const durationMs = Math.round(this.#monotonicMs() - startMs);
    return { startedAt: new Date(startedAtMs), durationMs, ...answer };
  }

  async #exchange(request: OutboundRequest): Promise<Omit<AttemptResult, 'startedAt' | 'durationMs'>> {
    const pieces: Buffer[] = [];
    let status: number | null = null;
    let retryAfterMs: number | null = null;
    let failure: EgressFailure | null = null;
    try {
      const answer = await this.egress.stream(request);
      status = answer.status;
      retryAfterMs = parseRetryAfter(answer.headers['retry-after'], this.#nowMs(), MAX_RETRY_AFTER_MS);
      await readInto(pieces, answer.chunks);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      failure = error.failure;
    }
    return { status, failure, responseText: answerText(Buffer.concat(pieces), KEPT_BYTES), retryAfterMs };
  }
}

/** Leaving the loop early destroys the connection: the rest is not waited for. */
async function readInto(pieces: Buffer[], chunks: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes > READ_BYTES) return;
  }
}
