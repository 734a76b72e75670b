import { isMessageId, type WebhookMessage } from './message.js';
import type { SigningSecret } from './endpoint-secrets.js';

/** The three headers of Standard Webhooks. */
export interface SignatureHeaders {
  'webhook-id': string;
  /** Seconds since the epoch: when this attempt is made. */
  'webhook-timestamp': string;
  /** `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once per secret, separated by spaces. */
  'webhook-signature': string;
}

/**
 * Signs one attempt (Standard Webhooks 1.0.0, "Signature scheme"). Each attempt is signed anew: receivers refuse
 * timestamps that are more than five minutes off, and a retry can be a day late.
 * @param secrets the ones in force, at least one
 * @throws TypeError for no secret, or for an id that could be read as a part of what follows it
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

/** Whom a message is about. Headers, because the body says no more than that something changed; null is not sent. */
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
  // Of an answer that says yes or no there is nothing to save.
  'accept-encoding': 'identity',
};

/**
 * All headers of an attempt. The identity is not signed, the body and the id are.
 * @returns names in lower case
 */
export function deliveryHeaders(signature: SignatureHeaders, identity: DeliveryIdentity): Record<string, string> {
  return { ...ALWAYS, ...signature, ...identityHeaders(identity) };
}

/**
 * Those that all attempts of a message have in common: what is signed with, and when, is different each time.
 * @returns names in lower case
 */
export function lastingHeaders(messageId: string, identity: DeliveryIdentity): Record<string, string> {
  return { ...ALWAYS, 'webhook-id': messageId, ...identityHeaders(identity) };
}

/** @returns names in lower case, of what is known */
export function identityHeaders(identity: DeliveryIdentity): Record<string, string> {
  const about = {
    'x-webhook-subscription-id': identity.webhookSubscriptionId,
    'x-end-user-account-id': identity.endUserAccountId,
    'x-calendar-id': identity.calendarId,
  };
  return Object.fromEntries(Object.entries(about).flatMap(([name, id]) => (id === null ? [] : [[name, sendable(id)]])));
}

/** Ids are the providers'. What a header cannot carry (RFC 9110 §5.5) is percent-encoded; no known id needs it. */
function sendable(id: string): string {
  return id.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
