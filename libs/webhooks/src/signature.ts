import { isMessageId } from './message-id.js';
import type { WebhookMessage } from './message.js';
import type { SigningSecret } from './signing-secret.js';

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
