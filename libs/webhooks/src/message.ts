import type { AccountEventType, OutboxMessage, ProviderType } from '#domain/accounts';
import { isUuid } from '#domain/system';

/** `unknown`: the provider reported a change without saying which. */
export const CALENDAR_EVENT_TYPES = ['calendar.event.changed', 'calendar.event.unknown'] as const;
export type CalendarEventType = (typeof CALENDAR_EVENT_TYPES)[number];

export const TEST_EVENT_TYPE = 'webhook.test';

/** Created once, stored, and sent unchanged with every attempt. */
export interface WebhookMessage {
  /** `webhook-id`, by which receivers detect duplicates. */
  id: string;
  eventType: CalendarEventType | AccountEventType | typeof TEST_EVENT_TYPE;
  /** JSON in UTF-8: the exact bytes that are signed and sent. */
  body: Buffer;
}

export interface CalendarChange {
  eventType: CalendarEventType;
  changeDetectedAt: Date;
  endUserAccountId: string;
  calendarId: string;
  webhookSubscriptionId: string;
  providerType: ProviderType;
}

/**
 * Body below 1 KiB; `timestamp` in RFC 3339, UTC, with milliseconds. `isEnriched`: the application opted in. Contains
 * no event data: receivers read it with their sync token.
 */
export function calendarMessage(uuid: string, change: CalendarChange, { isEnriched = false } = {}): WebhookMessage {
  const { eventType, changeDetectedAt, endUserAccountId, calendarId, webhookSubscriptionId, providerType } = change;
  return message(uuid, eventType, {
    eventType,
    timestamp: changeDetectedAt.toISOString(),
    ...(isEnriched ? { endUserAccountId, calendarId, webhookSubscriptionId, providerType } : {}),
  });
}

export function accountMessage(uuid: string, { eventType, payload }: OutboxMessage): WebhookMessage {
  return message(uuid, eventType, payload);
}

export function testMessage(uuid: string, sentAt: Date): WebhookMessage {
  return message(uuid, TEST_EVENT_TYPE, { eventType: TEST_EVENT_TYPE, timestamp: sentAt.toISOString() });
}

function message(uuid: string, eventType: WebhookMessage['eventType'], payload: object): WebhookMessage {
  return { id: messageIdOf(uuid), eventType, body: Buffer.from(JSON.stringify(payload)) };
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62²² > 2¹²⁸ */
const LENGTH = 22;
const PREFIX = 'msg_';

/**
 * `msg_` and a UUID in base 62: ordered by time for version 7 (compared by bytes), without the full stop that separates
 * signed parts. @throws TypeError for an invalid UUID (RFC 9562 §4)
 */
export function messageIdOf(uuid: string): string {
  if (!isUuid(uuid)) throw new TypeError('A message id is made of a UUID');
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let digits = '';
  for (; digits.length < LENGTH; rest /= 62n) digits = `${DIGITS[Number(rest % 62n)]}${digits}`;
  return PREFIX + digits;
}

export function isMessageId(text: string): boolean {
  return /^msg_[0-9A-Za-z]{22}$/.test(text);
}

/** In lower case; null when {@link messageIdOf} cannot have created the id. */
export function uuidOf(messageId: string): string | null {
  if (!isMessageId(messageId)) return null;
  const digits = [...messageId.slice(PREFIX.length)];
  const bits = digits.reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
  if (bits >> 128n > 0n) return null;
  return bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
