import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCOUNT_EVENT_TYPES, ACCOUNT_STATUSES, type AccountEventType } from '#domain/accounts';
import { PROVIDER_TYPES } from '#providers';
import { CALENDAR_EVENT_TYPES, TEST_EVENT_TYPE, type CalendarEventType } from '#webhooks';

type EventType = CalendarEventType | AccountEventType | typeof TEST_EVENT_TYPE;
type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const SUMMARIES: Record<EventType, string> = {
  'calendar.event.changed': 'Events of a calendar changed',
  'calendar.event.unknown': 'Events of a calendar may have changed',
  'enduseraccount.created': 'A user connected an account',
  'enduseraccount.updated': 'The status or the data of an account changed',
  'enduseraccount.deleted': 'An account was deleted',
  'enduseraccount.credential.updated': 'The credentials of an account were replaced',
  'webhook.test': 'A test that was asked for',
};

const DESCRIPTION =
  'Standard Webhooks: verify the signature over id, time and body with the secret of the endpoint, answer within 15 ' +
  'seconds, and expect a message twice. Other answers than 2xx, and no answer, are repeated for 28 hours.';

const text = (description: string, example: string) => ({ type: 'string', description, example });
const time = (description: string) => ({ ...text(description, '2026-11-21T10:00:00.000Z'), format: 'date-time' });
const codes = (values: readonly string[], description: string) => ({
  type: 'string',
  description: `${description} Later versions may add some.`,
  'x-extensible-enum': [...values],
});
const ACCOUNT_ID = text('The account.', '01a1fd9f-0f0d-7e55-8c3a-3b7f3c2f9a10');
const PROVIDER_TYPE = codes(PROVIDER_TYPES, 'Its provider.');

/** Bodies of messages, by the names of their schemas. */
export const MESSAGE_SCHEMAS = {
  CalendarEventMessage: {
    type: 'object',
    description:
      'It holds no event: read the events with the sync token of your last read. The ids are in the headers, and in the ' +
      'body for applications whose operator has set so.',
    required: ['eventType', 'timestamp'],
    properties: {
      eventType: codes(CALENDAR_EVENT_TYPES, 'What happened.'),
      timestamp: time('When the service found the change.'),
      endUserAccountId: ACCOUNT_ID,
      calendarId: text('The calendar.', 'ada@example.com'),
      webhookSubscriptionId: text('The subscription.', '01a1fda8-2cab-7a30-bdad-18219983d7a3'),
      providerType: PROVIDER_TYPE,
    },
  },
  AccountEventMessage: {
    type: 'object',
    description: 'An account of the application as it is after the event.',
    required: ['eventType', 'timestamp', 'endUserAccountId', 'externalId', 'providerType', 'status'],
    properties: {
      eventType: codes(ACCOUNT_EVENT_TYPES, 'What happened.'),
      timestamp: time('When it happened.'),
      endUserAccountId: ACCOUNT_ID,
      externalId: text("Id of the user in the application's own system; empty without one.", 'user-7'),
      providerType: PROVIDER_TYPE,
      status: codes(ACCOUNT_STATUSES, 'EXPIRED: the user has to connect the account again.'),
      reason: text('Why the status changed; only with a change of the status.', 'consent_revoked'),
    },
  },
  TestMessage: {
    type: 'object',
    description: 'Nothing happened.',
    required: ['eventType', 'timestamp'],
    properties: { eventType: codes([TEST_EVENT_TYPE], 'Always the same.'), timestamp: time('When it was asked for.') },
  },
} satisfies Schemas;

const HEADERS: [name: string, isAlways: boolean, schema: ReturnType<typeof text>][] = [
  ['webhook-id', true, text('The same whenever the message comes again.', 'msg_02qUsqR9XzWjZ0yYwT1kbQ')],
  ['webhook-timestamp', true, text('When this attempt was sent, seconds since 1970.', '1795255200')],
  ['webhook-signature', true, text('`v1,` and base64; several, with spaces, while a secret is replaced.', 'v1,K5oZ…')],
  ['x-webhook-subscription-id', false, text('The subscription of a calendar.', '01a1fda8-2cab-7a30-bdad-18219983d7a3')],
  ['x-end-user-account-id', false, text('The account.', '01a1fd9f-0f0d-7e55-8c3a-3b7f3c2f9a10')],
  ['x-calendar-id', false, text('The calendar, percent-encoded where a header cannot carry it.', 'ada@example.com')],
];

/** The messages to receivers, one for each event type. */
export function webhookOperations(): Webhooks {
  const of = (types: readonly EventType[], schema: keyof typeof MESSAGE_SCHEMAS) =>
    types.map((eventType) => [eventType, { post: operation(eventType, schema) }]);
  return Object.fromEntries([
    ...of(CALENDAR_EVENT_TYPES, 'CalendarEventMessage'),
    ...of(ACCOUNT_EVENT_TYPES, 'AccountEventMessage'),
    ...of([TEST_EVENT_TYPE], 'TestMessage'),
  ]) as Webhooks;
}

function operation(eventType: EventType, schema: keyof typeof MESSAGE_SCHEMAS) {
  return {
    operationId: `on${eventType.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: SUMMARIES[eventType],
    description: DESCRIPTION,
    tags: ['Webhook endpoints'],
    security: [],
    // OpenAPI Generator 7 leaves the operation out. What it makes of webhooks for Python does not compile.
    'x-internal': true,
    parameters: HEADERS.map(([name, required, { description, example, ...of }]) => ({
      ...{ name, in: 'header', required, description, example },
      schema: of,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: {
      '2XX': { description: 'Received.' },
      '410': { description: 'The endpoint is gone: it is disabled.' },
    },
  };
}
