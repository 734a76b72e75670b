import type { AccountEventType, OutboxMessage, ProviderType } from '#domain';
import { messageIdOf } from './message-id.js';

/** What is told about a calendar. `unknown`: the provider reported a change, and its nature cannot be told. */
export const CALENDAR_EVENT_TYPES = ['calendar.event.changed', 'calendar.event.unknown'] as const;
export type CalendarEventType = (typeof CALENDAR_EVENT_TYPES)[number];

/** Nothing has happened: somebody wants to see that messages arrive. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** Made once, stored, and sent as it is with every attempt. */
export interface WebhookMessage {
  /** `webhook-id`: receivers know a message that they have had already by it. */
  id: string;
  eventType: CalendarEventType | AccountEventType | typeof TEST_EVENT_TYPE;
  /** JSON in UTF-8: the very bytes that are signed and sent. */
  body: Buffer;
}

export interface CalendarChange {
  eventType: CalendarEventType;
  /** When it was noticed. */
  noticedAt: Date;
  endUserAccountId: string;
  calendarId: string;
  webhookSubscriptionId: string;
  providerType: ProviderType;
}

/**
 * `{ eventType, timestamp }` and nothing else, below 1 KiB; `timestamp` in RFC 3339, UTC, with milliseconds. For
 * applications that opted in (`isEnriched`) it also names `endUserAccountId`, `calendarId`, `webhookSubscriptionId` and
 * `providerType`. Nothing of an event is in either: receivers read it by their sync token.
 * @param uuid of the message, see {@link messageIdOf}
 */
export function calendarMessage(uuid: string, change: CalendarChange, { isEnriched = false } = {}): WebhookMessage {
  const { eventType, noticedAt, endUserAccountId, calendarId, webhookSubscriptionId, providerType } = change;
  return message(uuid, eventType, {
    eventType,
    timestamp: noticedAt.toISOString(),
    ...(isEnriched ? { endUserAccountId, calendarId, webhookSubscriptionId, providerType } : {}),
  });
}

/** What the outbox holds, as it is. @param uuid of the message, see {@link messageIdOf} */
export function accountMessage(uuid: string, { eventType, payload }: OutboxMessage): WebhookMessage {
  return message(uuid, eventType, payload);
}

/** `{ eventType, timestamp }`. @param uuid of the message, see {@link messageIdOf} */
export function testMessage(uuid: string, sentAt: Date): WebhookMessage {
  return message(uuid, TEST_EVENT_TYPE, { eventType: TEST_EVENT_TYPE, timestamp: sentAt.toISOString() });
}

function message(uuid: string, eventType: WebhookMessage['eventType'], payload: object): WebhookMessage {
  return { id: messageIdOf(uuid), eventType, body: Buffer.from(JSON.stringify(payload)) };
}
