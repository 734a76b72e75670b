import { EgressError, parseRetryAfter, type Egress, type EgressFailure, type OutboundRequest } from '#egress';
import { answerText } from './answer-text.js';
import { deliveryHeaders, type DeliveryIdentity } from './delivery-headers.js';
import { secretsInForce, type EndpointSecrets } from './endpoint-secrets.js';
import type { WebhookMessage } from './message.js';
import { MAX_RETRY_AFTER_MS } from './retry-schedule.js';
import { signatureHeaders } from './signature.js';

/** Wall clock of an attempt, name resolution and the receiver's whole answer included, milliseconds. */
export const DEFAULT_ATTEMPT_TIMEOUT_MS = 15_000;
/** More of an answer is not read. */
const READ_BYTES = 64 * 1_024;
/** More of it is not kept. */
const KEPT_BYTES = 1_024;

/** One message for one endpoint. */
export interface WebhookDelivery {
  message: Pick<WebhookMessage, 'id' | 'body'>;
  endpoint: WebhookEndpoint;
  identity: DeliveryIdentity;
}

export interface WebhookEndpoint {
  /** No two share a connection, whatever their URLs. */
  id: string;
  url: string;
  secrets: EndpointSecrets;
}

/** What came of an attempt. */
export interface AttemptResult {
  startedAt: Date;
  /** Whole milliseconds. */
  durationMs: number;
  /** null: none came. */
  status: number | null;
  /** Why there is no whole answer; null: there is, or more of it than is read. */
  failure: EgressFailure | null;
  /** The first KiB of the answer, safe to store; '' for none. */
  responseText: string;
  /** `Retry-After`, at most 24 h; null for none. */
  retryAfterMs: number | null;
}

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
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #nowMs: () => number;
  readonly #monotonicMs: () => number;

  constructor(
    private readonly egress: Egress,
    { timeoutMs = DEFAULT_ATTEMPT_TIMEOUT_MS, nowMs, monotonicMs = () => performance.now() }: WebhookSenderOptions,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Signs and sends one message, once. Redirects are not followed. Whatever the receiver does is a result; `signal` ends
   * the attempt with the failure `aborted`.
   */
  async attempt({ message, endpoint, identity }: WebhookDelivery, signal?: AbortSignal): Promise<AttemptResult> {
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
