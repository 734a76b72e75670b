import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUIDv7 } from 'node:crypto';
import { openPersistence, type Persistence } from './persistence.js';
import {
  backlog,
  newSyncedCalendar,
  SECRETS,
  subscribe,
  tryClaim,
  type SyncedCalendarFixture,
} from './webhook-fixture.js';

let persistence: Persistence;

beforeAll(async () => {
  persistence = await openPersistence();
});

afterAll(() => persistence.close());

const NOBODY = '0197a000-0000-7000-8000-000000000000';
const message = (id: string) => ({ id, eventType: 'webhook.test', body: Buffer.from('{"eventType":"webhook.test"}') });
const notFound = expect.objectContaining({ code: 'NotFound' });

describe('endpoints', () => {
  it('are counted: the application’s own, and the subscriptions of a calendar', async () => {
    const fixture = await newSyncedCalendar(persistence);
    const other = await newSyncedCalendar(persistence);
    await subscribe(persistence, fixture);
    await subscribe(persistence, fixture);
    await subscribe(persistence, fixture, { syncedCalendarId: null });
    const count = (given = fixture.application, calendar: string | null = fixture.syncedCalendarId) =>
      persistence.endpoints.count(given, calendar);
    expect(await Promise.all([count(), count(fixture.application, null), count(other.application)])).toEqual([2, 1, 0]);
    expect(await count(other.application, other.syncedCalendarId)).toBe(0);
  });
});

describe('an application that is deleted', () => {
  it('takes its messages with it, however many there are, a few thousand in a statement', async () => {
    const [fixture, other] = [await newSyncedCalendar(persistence), await newSyncedCalendar(persistence)];
    const endpoint = await subscribe(persistence, fixture);
    await backlog(persistence, endpoint, 4_500);
    const [claimed] = await backlog(persistence, endpoint, 1);
    expect(await tryClaim(persistence, claimed!)).toMatchObject({ state: 'claimed' });
    const [kept] = await backlog(persistence, await subscribe(persistence, other), 1);
    await persistence.admin('create table bite (messages bigint)');
    await persistence.admin('grant insert on bite to public');
    await persistence.admin(
      'create function note_bite() returns trigger language plpgsql as ' +
        "'begin insert into bite select count(*) from gone; return null; end'",
    );
    await persistence.admin(
      'create trigger note_bite after delete on webhook_message referencing old table as gone ' +
        'for each statement execute function note_bite()',
    );
    expect(await persistence.applications.delete(fixture.application.applicationId)).toBe(true);
    const bites = await persistence.admin<{ messages: string }>('select messages from bite where messages > 0');
    expect(bites.map(({ messages }) => Number(messages))).toEqual([2_000, 2_000, 501]);
    expect(await persistence.admin('select id from webhook_message')).toEqual([{ id: kept }]);
    expect(await persistence.admin('select number from delivery_attempt')).toEqual([]);
    expect(await persistence.applications.delete(fixture.application.applicationId)).toBe(false);
  });
});

describe('a message that somebody adds', () => {
  it('is due at once, found by its endpoint alone, and claimed with whose calendar it is', async () => {
    const fixture = await newSyncedCalendar(persistence);
    const endpoint = await subscribe(persistence, fixture);
    const beside = await subscribe(persistence, fixture, { secrets: SECRETS });
    const id = randomUUIDv7();
    await persistence.messages.add(fixture.application, endpoint.id, message(id));
    expect(await persistence.messages.find(fixture.application, endpoint.id, id)).toEqual({
      ...{ id, endpointId: endpoint.id, eventType: 'webhook.test', state: 'pending', failureReason: null },
      ...{ nextAttemptAt: expect.any(Date), createdAt: expect.any(Date) },
    });
    const { application } = await newSyncedCalendar(persistence);
    for (const [owner, endpointId, messageId] of [
      [fixture.application, beside.id, id],
      [fixture.application, endpoint.id, NOBODY],
      [fixture.application, endpoint.id, 'x'],
      [application, endpoint.id, id],
    ] as const) {
      expect(await persistence.messages.find(owner, endpointId, messageId)).toBeNull();
    }
    expect((await persistence.messages.claimForQueue(1_000)).map((due) => due.id)).toContain(id);
    expect(await tryClaim(persistence, id)).toMatchObject({
      attempt: {
        ...{ body: message(id).body, webhookSubscriptionId: endpoint.id },
        ...{ endUserAccountId: fixture.account.id, calendarId: fixture.calendarId },
      },
    });
  });

  it('has an endpoint of the application', async () => {
    const fixture = await newSyncedCalendar(persistence);
    const other = await newSyncedCalendar(persistence);
    const endpoint = await subscribe(persistence, fixture);
    for (const [owner, endpointId] of [
      [other.application, endpoint.id],
      [fixture.application, NOBODY],
      [fixture.application, 'x'],
    ] as const) {
      await expect(persistence.messages.add(owner, endpointId, message(randomUUIDv7()))).rejects.toEqual(notFound);
    }
  });
});

describe('a calendar that is about to be subscribed to', () => {
  const reconciliationOf = async ({ application, syncedCalendarId }: SyncedCalendarFixture) => {
    const reconciliation = await persistence.channels.claimReconciliation(application, syncedCalendarId, 60_000);
    if (reconciliation === null) throw new Error('somebody else has it');
    return reconciliation;
  };
  const watchAgain = ({ application, account, calendarId }: SyncedCalendarFixture) =>
    persistence.syncedCalendars.register(application, account.id, calendarId);
  const isDue = async ({ syncedCalendarId }: SyncedCalendarFixture) => {
    const due = await persistence.channels.claimReconciliations({ limit: 1_000, leaseMs: 60_000 });
    return due.some((reconciliation) => reconciliation.syncedCalendarId === syncedCalendarId);
  };

  it('is not forgotten by the upkeep that saw its last subscription go', async () => {
    const fixture = await newSyncedCalendar(persistence);
    const reconciliation = await reconciliationOf(fixture);
    expect(await watchAgain(fixture)).toEqual({ syncedCalendarId: fixture.syncedCalendarId });
    expect(await persistence.channels.delete(reconciliation)).toBe(false);
    expect(await persistence.channels.completeReconciliation(reconciliation, 3_600_000)).toBe(true);
    expect(await isDue(fixture)).toBe(true);
  });

  it('is left alone until there is a subscription', async () => {
    const fixture = await newSyncedCalendar(persistence);
    const makeDue = () =>
      persistence.admin('update synced_calendar set reconcile_at = now() where id = $1', [fixture.syncedCalendarId]);
    await makeDue();
    await watchAgain(fixture);
    expect(await isDue(fixture)).toBe(false);
    await makeDue();
    expect(await isDue(fixture)).toBe(true);
  });

  it('is forgotten when nothing came of it', async () => {
    const fixture = await newSyncedCalendar(persistence);
    await watchAgain(fixture);
    expect(await persistence.channels.delete(await reconciliationOf(fixture))).toBe(true);
  });
});
