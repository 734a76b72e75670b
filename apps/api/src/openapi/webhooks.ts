import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCOUNT_EVENT_TYPES } from '#domain/accounts';
import { CALENDAR_EVENT_TYPES, TEST_EVENT_TYPE } from '#webhooks';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Webhooks = NonNullable<OpenAPIObject['webhooks']>;

const TIMESTAMP = '2026-11-21T10:00:00.000Z';
const ACCOUNT_ID = '01a1fd9f-0f0d-7e55-8c3a-3b7f3c2f9a10';
const SUBSCRIPTION_ID = '01a1fda8-2cab-7a30-bdad-18219983d7a3';
const EXTERNAL_ID = 'user-7';

const eventType = (known: readonly string[], description: string): object => ({
  type: 'string',
  description: `${description} Known values: ${known.map((one) => `\`${one}\``).join(', ')}. Later versions may add some.`,
  'x-extensible-enum': known,
  example: known[0],
});
const timestamp = { type: 'string', format: 'date-time', description: 'When it was noticed.', example: TIMESTAMP };
const text = (description: string, example: string): object => ({ type: 'string', description, example });
const refersTo = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const enriched = 'Only for applications whose messages say it in the body, too.';

/** Bodies of the messages that {@link webhooks} sends. */
export function webhookSchemas(): Schemas {
  return {
    CalendarEventMessage: {
      type: 'object',
      description: 'Something changed in a calendar: read its events with the sync token of your last read.',
      required: ['eventType', 'timestamp'],
      properties: {
        eventType: eventType(CALENDAR_EVENT_TYPES, 'Changed, or perhaps: which events is not known.'),
        timestamp,
        endUserAccountId: text(`The account. ${enriched}`, ACCOUNT_ID),
        calendarId: text(`The calendar. ${enriched}`, 'ada@example.com'),
        webhookSubscriptionId: text(`The subscription. ${enriched}`, SUBSCRIPTION_ID),
        providerType: refersTo('ProviderType'),
      },
    },
    AccountMessage: {
      type: 'object',
      description: 'Something happened to an account.',
      required: ['eventType', 'timestamp', 'endUserAccountId', 'externalId', 'providerType', 'status'],
      properties: {
        eventType: eventType(ACCOUNT_EVENT_TYPES, 'What happened.'),
        timestamp,
        endUserAccountId: text('The account.', ACCOUNT_ID),
        externalId: text('Your own id of the user; empty without one.', EXTERNAL_ID),
        providerType: refersTo('ProviderType'),
        status: refersTo('EndUserAccountStatus'),
        reason: text('Why the status changed.', 'consent_revoked'),
      },
    },
    TestMessage: {
      type: 'object',
      description: 'A test that you asked for.',
      required: ['eventType', 'timestamp'],
      properties: { eventType: eventType([TEST_EVENT_TYPE], 'That it is a test.'), timestamp },
    },
  };
}

const header = (name: string, description: string, example: string, required = true): object => ({
  ...{ name, in: 'header', required, description, schema: { type: 'string' }, example },
});

/** Standard Webhooks 1.0.0. */
const SIGNED = [
  header(
    'webhook-id',
    'The same whenever the message comes again: ignore it the second time.',
    'msg_02qUsqR9XzWjZ0yYwT1kbQ',
  ),
  header('webhook-timestamp', 'When it was sent, seconds since 1970. Refuse more than five minutes.', '1795255200'),
  header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256 over id, timestamp and body, joined by full stops; once per valid secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];
const ACCOUNT = header('x-end-user-account-id', 'The account.', ACCOUNT_ID, false);
const CALENDAR = [
  header('x-webhook-subscription-id', 'The subscription.', SUBSCRIPTION_ID),
  ACCOUNT,
  header('x-calendar-id', 'The calendar.', 'ada@example.com', false),
];

/** What the service sends to applications (OpenAPI 3.1 §4.8.1). */
export function webhooks(): Webhooks {
  return {
    calendarEvent: sent('CalendarEventMessage', 'A calendar changed', 'Calendar subscriptions', [
      ...SIGNED,
      ...CALENDAR,
    ]),
    accountEvent: sent('AccountMessage', 'An account changed', 'Webhook endpoints', [...SIGNED, ACCOUNT]),
    webhookTest: sent('TestMessage', 'A test', 'Webhook endpoints', SIGNED),
  };
}

const DELIVERY =
  'Verify the signature over the bytes as they came, and answer within 15 seconds. A message that was not accepted is ' +
  'sent again for days; one that was may come twice.';

function sent(schema: string, summary: string, tag: string, parameters: object[]): object {
  return {
    post: {
      operationId: `receive${schema}`,
      summary,
      description: DELIVERY,
      tags: [tag],
      security: [],
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema: refersTo(schema) } } },
      responses: {
        '2XX': { description: 'Accepted.' },
        '410': { description: 'Gone: nothing more is sent to this endpoint until it is enabled again.' },
        default: { description: 'Not accepted: it is sent again.' },
      },
    },
  };
}
