import { randomUUIDv7 } from 'node:crypto';
import type { GuardedEgress } from '#egress';
import { calendarMessage, classifyAttempt, WebhookSender, type EndpointSecrets, type WebhookDelivery } from '#webhooks';

/** A message about a calendar, as the service would send it to a receiver of the documentation. */
export function recipeDelivery(subscriptionId: string, url: string, secrets: EndpointSecrets): WebhookDelivery {
  const about = {
    eventType: 'calendar.event.changed',
    changeDetectedAt: new Date(),
    endUserAccountId: 'account',
    calendarId: 'ada@example.com',
    webhookSubscriptionId: subscriptionId,
    providerType: 'GOOGLE',
  } as const;
  return {
    message: calendarMessage(randomUUIDv7(), about),
    endpoint: { ...{ id: subscriptionId, applicationId: 'application', url, rateLimit: null }, secrets },
    identity: about,
    isByHand: false,
  };
}

/** Sends it, at that time. @returns status and what becomes of the message, in two words */
export async function attemptOnce(egress: GuardedEgress, sent: WebhookDelivery, nowMs = Date.now()): Promise<string> {
  const result = await new WebhookSender(egress, { nowMs: () => nowMs }).attempt(sent);
  return `${result.status} ${classifyAttempt(result).kind}`;
}
