import type { SignatureHeaders } from './signature.js';

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
