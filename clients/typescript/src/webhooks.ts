import type { AccountEventType, EndUserAccountStatus, ProviderType } from './generated/types.gen.js';

/** Something changed in a calendar: read its events with the sync token of your last read. */
export interface CalendarEventMessage {
  /** `unknown`: something may have changed, and it cannot be told what. */
  eventType: 'calendar.event.changed' | 'calendar.event.unknown';
  /** When it was noticed. */
  timestamp: string;
  /** This and the following: only for applications whose bodies are enriched. Otherwise headers say it. */
  endUserAccountId?: string;
  calendarId?: string;
  webhookSubscriptionId?: string;
  providerType?: ProviderType;
}

/** Something happened to an account. */
export interface AccountMessage {
  eventType: AccountEventType;
  timestamp: string;
  endUserAccountId: string;
  externalId: string;
  providerType: ProviderType;
  status: EndUserAccountStatus;
  /** Why the status changed, e.g. `consent_revoked`. */
  reason?: string;
}

/** Somebody asked for it. */
export interface TestMessage {
  eventType: 'webhook.test';
  timestamp: string;
}

export type WebhookMessageBody = CalendarEventMessage | AccountMessage | TestMessage;

/** A delivery that is genuine. */
export interface VerifiedWebhook {
  /** The same whenever the message comes again. */
  id: string;
  sentAt: Date;
  body: WebhookMessageBody;
}

export interface Delivery {
  /** The bytes, or the text, as they came: not what a JSON parser made of them. */
  body: string | Uint8Array | ArrayBuffer;
  /** All headers of the request. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** `endpointSecret`, as it was shown: `whsec_…`. Several while one is being replaced. */
  secret: string | readonly string[];
  /** How far the time of sending may be off, seconds. @default 300 */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since the epoch. @default Date.now() */
  nowMs?: number | undefined;
}

/** Not genuine, or not now. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
/** A Svix server in between may use names of its own. */
const HEADER_PREFIXES = ['webhook', 'svix'];

/**
 * Whether a delivery comes from the service (Standard Webhooks): one of the signatures, by one of the secrets, over id,
 * time and body. Works wherever there is Web Crypto, which compares in constant time.
 * @throws WebhookVerificationError; Error for a secret that is none
 */
export async function verifyWebhook(delivery: Delivery): Promise<VerifiedWebhook> {
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, nowMs = Date.now() } = delivery;
  const { id, timestamp, signatures } = signedHeaders(delivery.headers);
  const sentAtMs = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  if (!(Math.abs(nowMs - sentAtMs) <= toleranceSeconds * 1_000)) {
    throw new WebhookVerificationError(`The time of sending is too far from now: '${timestamp}'.`);
  }
  const body = bytesOf(delivery.body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret;
  for (const key of await Promise.all(secrets.map(keyOf))) {
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
        return {
          id,
          sentAt: new Date(sentAtMs),
          body: JSON.parse(new TextDecoder().decode(body)) as WebhookMessageBody,
        };
      }
    }
  }
  throw new WebhookVerificationError('No signature matches.');
}

interface SignedHeaders {
  id: string;
  timestamp: string;
  signatures: Uint8Array<ArrayBuffer>[];
}

function signedHeaders(headers: Delivery['headers']): SignedHeaders {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const found = new Map(entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value[0] : value]));
  for (const prefix of HEADER_PREFIXES) {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => found.get(`${prefix}-${name}`));
    if (id && timestamp && signature) return { id, timestamp, signatures: signaturesIn(signature) };
  }
  throw new WebhookVerificationError('The headers webhook-id, webhook-timestamp and webhook-signature are required.');
}

/** Those of version 1; a receiver passes over what it does not know. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header.split(' ').flatMap((versioned) => {
    if (!versioned.startsWith('v1,')) return [];
    try {
      return [fromBase64(versioned.slice('v1,'.length))];
    } catch {
      return [];
    }
  });
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const base64 = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  let key: Uint8Array<ArrayBuffer>;
  try {
    key = fromBase64(base64);
  } catch {
    throw new Error('The secret of the endpoint is not base64.');
  }
  if (key.length === 0) throw new Error('The secret of the endpoint is empty.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(body: Delivery['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
