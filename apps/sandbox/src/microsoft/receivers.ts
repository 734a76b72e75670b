import { randomUUID } from 'node:crypto';
import { isReceiver, isUnreachable } from '../notifications/messages.js';

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
const TIMEOUT_MS = 10_000;

/** Validates a notification URL. @returns true when it repeated the token, as text and in time */
export async function consentsToNotifications(notificationUrl: string): Promise<boolean> {
  if (!isReceiver(notificationUrl)) return false;
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()}`;
  const url = new URL(notificationUrl);
  url.searchParams.append('validationToken', token);
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '' },
      ...{ redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) },
    });
    const type = response.headers.get('content-type') ?? '';
    return response.status === 200 && /^text\/plain\b/i.test(type) && (await response.text()) === token;
  } catch (error) {
    if (isUnreachable(error)) return false;
    throw error;
  }
}
