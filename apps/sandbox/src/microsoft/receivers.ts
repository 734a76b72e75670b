import { randomUUID } from 'node:crypto';
import { EgressError, type Egress } from '#egress';

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Asks a notification URL for its consent. @returns whether it repeated the token, as text and in time */
export async function consentsToNotifications(egress: Egress, notificationUrl: string): Promise<boolean> {
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()}`;
  const url = new URL(notificationUrl);
  url.searchParams.append('validationToken', token);
  try {
    const { status, headers, body } = await egress.request({
      ...{ method: 'POST', url: url.href, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '' },
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES },
    });
    const type = String(headers['content-type'] ?? '');
    return status === 200 && /^text\/plain\b/i.test(type) && body.toString('utf8') === token;
  } catch (error) {
    if (error instanceof EgressError) return false;
    throw error;
  }
}
