import { EgressError, parseRetryAfter, type Egress, type EgressFailure, type OutboundRequest } from '#egress';
import { secretsInForce, type SigningSecret } from './endpoint-secrets.js';
import { MAX_RETRY_AFTER_MS } from './delivery-policy.js';
import { WebhookTransport, type AttemptResult, type WebhookDelivery } from './transport.js';
import { isMessageId, type WebhookMessage } from './message.js';

/** Includes name resolution and the whole response. */
export const DEFAULT_ATTEMPT_TIMEOUT_MS = 15_000;
const READ_BYTES = 64 * 1_024;
const KEPT_BYTES = 1_024;

export interface WebhookSenderOptions {
  timeoutMs?: number;
  nowMs: () => number;
  monotonicMs?: () => number;
}

/**
 * Allow fewer attempts per endpoint than connections per pool (eight): waiting for one uses up the time limit and ages
 * the signed timestamp.
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

  override async attempt(
    { message, endpoint, identity }: WebhookDelivery,
    signal?: AbortSignal,
  ): Promise<AttemptResult> {
    const startedAtMs = this.#nowMs();
    const startMs = this.#monotonicMs();
    const signature = signatureHeaders(message, secretsInForce(endpoint.secrets, startedAtMs), startedAtMs);
    const response = await this.#exchange({
      method: 'POST',
      url: endpoint.url,
      headers: deliveryHeaders(signature, identity),
      body: message.body,
      timeoutMs: this.#timeoutMs,
      firstByteMs: this.#timeoutMs,
      // A large response still counts; `readInto` limits how much of it is read.
      maxBytes: Number.POSITIVE_INFINITY,
      sendsTraceparent: true,
      poolKey: `webhook-endpoint:${endpoint.id}`,
      signal,
    });
    const durationMs = Math.round(this.#monotonicMs() - startMs);
    return { startedAt: new Date(startedAtMs), durationMs, ...response };
  }

  async #exchange(request: OutboundRequest): Promise<Omit<AttemptResult, 'startedAt' | 'durationMs'>> {
    const pieces: Buffer[] = [];
    let status: number | null = null;
    let retryAfterMs: number | null = null;
    let failure: EgressFailure | null = null;
    try {
      const response = await this.egress.stream(request);
      status = response.status;
      retryAfterMs = parseRetryAfter(response.headers['retry-after'], this.#nowMs(), MAX_RETRY_AFTER_MS);
      await readInto(pieces, response.chunks);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      failure = error.failure;
    }
    return { status, failure, responseText: responseText(Buffer.concat(pieces), KEPT_BYTES), retryAfterMs };
  }
}

/** Leaving the loop early destroys the connection. */
async function readInto(pieces: Buffer[], chunks: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes > READ_BYTES) return;
  }
}

/** Control characters except tab, line feed and carriage return; and marks that change the text direction. */
const UNSAFE = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Truncates to `maxBytes` in UTF-8. Replaces characters unsafe for a database or terminal by U+FFFD. */
export function responseText(body: Uint8Array, maxBytes: number): string {
  const text = decoded(body.subarray(0, maxBytes), body.length > maxBytes).replace(UNSAFE, '\ufffd');
  const bytes = Buffer.from(text); // replacements may make it longer than the input
  return decoded(bytes.subarray(0, maxBytes), bytes.length > maxBytes);
}

/** @param isCut drops an incomplete character at the end instead of replacing it */
function decoded(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}

export interface SignatureHeaders {
  'webhook-id': string;
  /** Seconds since the epoch. */
  'webhook-timestamp': string;
  /** `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once per secret, separated by spaces. */
  'webhook-signature': string;
}

/**
 * Standard Webhooks 1.0.0, "Signature scheme". Each attempt gets a new signature: receivers reject timestamps more than
 * five minutes off.
 * @throws TypeError without a secret, or for an id that could be confused with the parts after it
 */
export function signatureHeaders(
  { id, body }: Pick<WebhookMessage, 'id' | 'body'>,
  secrets: readonly SigningSecret[],
  atMs: number,
): SignatureHeaders {
  if (secrets.length === 0) throw new TypeError('A message is never sent unsigned');
  if (!isMessageId(id)) throw new TypeError('Not a message id');
  const timestamp = String(Math.floor(atMs / 1_000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets
      .map((secret) => `v1,${secret.mac(`${id}.${timestamp}.`, body).toString('base64')}`)
      .join(' '),
  };
}

/** The subject of a message, sent in headers because the body only says that something changed. null is not sent. */
export interface DeliveryIdentity {
  /** null for messages to an application's endpoint. */
  webhookSubscriptionId: string | null;
  endUserAccountId: string | null;
  /** null for messages about accounts. */
  calendarId: string | null;
}

const ALWAYS = {
  'content-type': 'application/json',
  'user-agent': 'unified-calendar-webhooks',
  // Compressing a tiny response gains nothing.
  'accept-encoding': 'identity',
};

/** Names in lower case. The signature covers id and body, not the identity. */
export function deliveryHeaders(signature: SignatureHeaders, identity: DeliveryIdentity): Record<string, string> {
  return { ...ALWAYS, ...signature, ...identityHeaders(identity) };
}

/** Headers common to all attempts of a message, names in lower case. */
export function lastingHeaders(messageId: string, identity: DeliveryIdentity): Record<string, string> {
  return { ...ALWAYS, 'webhook-id': messageId, ...identityHeaders(identity) };
}

export function identityHeaders(identity: DeliveryIdentity): Record<string, string> {
  const about = {
    'x-webhook-subscription-id': identity.webhookSubscriptionId,
    'x-end-user-account-id': identity.endUserAccountId,
    'x-calendar-id': identity.calendarId,
  };
  return Object.fromEntries(Object.entries(about).flatMap(([name, id]) => (id === null ? [] : [[name, sendable(id)]])));
}

/** Percent-encodes characters of provider ids that a header cannot carry (RFC 9110 §5.5). No known id has any. */
function sendable(id: string): string {
  return id.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
