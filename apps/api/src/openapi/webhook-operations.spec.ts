import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ACCOUNT_EVENT_TYPES, type OutboxMessage } from '#domain/accounts';
import { accountMessage, CALENDAR_EVENT_TYPES, calendarMessage, TEST_EVENT_TYPE, testMessage } from '#webhooks';
import { AccountEventPublisher } from '#application/accounts';
import { MESSAGE_SCHEMAS, webhookOperations } from './webhook-operations.js';

const UUID = '01a1fda8-2cab-7a30-bdad-18219983d7a3';
const NOW_MS = Date.UTC(2026, 10, 28);

/** Problems of a message, which the schema must name whole. */
function problemsOf(schema: keyof typeof MESSAGE_SCHEMAS, { body }: { body: Buffer }): unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const closed = { ...MESSAGE_SCHEMAS[schema], additionalProperties: false };
  const validate = ajv.compile(closed);
  return validate(JSON.parse(body.toString())) ? null : validate.errors;
}

describe('the webhooks of the document', () => {
  it('are one for each event type', () => {
    expect(Object.keys(webhookOperations())).toEqual([
      ...CALENDAR_EVENT_TYPES,
      ...ACCOUNT_EVENT_TYPES,
      TEST_EVENT_TYPE,
    ]);
  });

  it.each([false, true])('have the body of a change in a calendar (enriched: %s)', (isEnriched) => {
    const change = {
      eventType: 'calendar.event.changed' as const,
      changeDetectedAt: new Date(NOW_MS),
      ...{ endUserAccountId: UUID, calendarId: 'ada@example.com', webhookSubscriptionId: UUID, providerType: 'GOOGLE' },
    };
    expect(problemsOf('CalendarEventMessage', calendarMessage(UUID, change, { isEnriched }))).toBeNull();
  });

  it('have the body of an event of an account', async () => {
    const messages: OutboxMessage[] = [];
    const outbox = { append: async (_: unknown, message: OutboxMessage) => void messages.push(message) };
    const events = new AccountEventPublisher(outbox, { nowMs: () => NOW_MS });
    const account = { id: UUID, externalId: null, providerType: 'GOOGLE', status: 'EXPIRED' } as never;
    for (const reason of [undefined, 'consent_revoked' as const]) {
      await events.append({ applicationId: UUID }, 'enduseraccount.updated', account, reason);
    }
    for (const message of messages) expect(problemsOf('AccountEventMessage', accountMessage(UUID, message))).toBeNull();
    expect(messages).toHaveLength(2);
  });

  it('have the body of a test', () => {
    expect(problemsOf('TestMessage', testMessage(UUID, new Date(NOW_MS)))).toBeNull();
  });
});
