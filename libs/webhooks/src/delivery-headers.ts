import { isMessageId, type WebhookMessage } from './message.js';
import type { SigningSecret } from './endpoint-secrets.js';

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
