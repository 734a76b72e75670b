import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedReconciliation } from '#domain/channels';
import { SYSTEM } from '#persistence';
import { DUE_RECONCILIATIONS } from '../../libs/persistence/src/repositories/synced-calendar.statements.js';
import { nodesOf, type ExplainedRow } from '../support/query-plan.js';
import { openPersistence, type Persistence } from './persistence.js';
import { newSyncedCalendar, openChannel, subscribe } from './webhook-fixture.js';

/** Three schedulers on one database. */
let schedulers: Persistence[];
const some = (n: number) => schedulers[n % schedulers.length] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  const others = [1, 2].map(() => openPersistence({ testDatabase: first.testDatabase }));
  schedulers = [first, ...(await Promise.all(others))];
});

afterAll(async () => {
  for (const one of schedulers.toReversed()) await one.close();
});

beforeEach(() => some(0).admin('delete from synced_calendar'));

const RECONCILIATION = { limit: 100, leaseMs: 60_000 };
const LIVE = {
  subscriptionId: 's',
  resourceId: 'r',
  expiresAt: new Date('2026-12-01T00:00:00Z'),
  renewAt: new Date('2026-11-29T00:00:00Z'),
};

const dueIn = async (syncedCalendarId: string) =>
  (
    await some(0).admin<{ s: number }>(
      'select extract(epoch from reconcile_at - clock_timestamp())::float8 as s from synced_calendar where id = $1',
      [syncedCalendarId],
    )
  )[0]?.s;

/** The upkeep of a calendar, and it is nobody else's. */
async function take(syncedCalendarId: string, n = 0): Promise<ClaimedReconciliation> {
  await some(0).admin('update synced_calendar set reconcile_at = clock_timestamp() where id = $1', [syncedCalendarId]);
  const [reconciliation] = await some(n).channels.claimReconciliations(RECONCILIATION);
  if (reconciliation?.syncedCalendarId !== syncedCalendarId) throw new Error('The upkeep was not due');
  return reconciliation;
}

describe('upkeep', () => {
  it('says what is wanted and what is there', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const bare = await take(fixture.syncedCalendarId);
    expect(bare).toEqual({
      syncedCalendarId: fixture.syncedCalendarId,
      leaseId: expect.any(String),
      asks: '0',
      failures: 0,
      applicationId: fixture.application.applicationId,
      accountId: fixture.account.id,
      calendarId: fixture.calendarId,
      providerType: 'CALDAV',
      isWanted: false,
      isActive: true,
      channels: [],
    });
    const opened = await some(0).channels.open(bare, { token: 'tökén' });
    await subscribe(some(0), fixture);
    await some(0).accounts.setStatus(fixture.application, fixture.account.id, 'EXPIRED', 'password_rejected');
    expect(await take(fixture.syncedCalendarId)).toMatchObject({
      isWanted: true,
      isActive: false,
      channels: [
        {
          id: opened?.channelId,
          token: 'tökén',
          state: 'opening',
          subscriptionId: null,
          resourceId: null,
          expiresAt: null,
          renewAt: null,
          isMissingNotifications: false,
          createdAt: expect.any(Date),
        },
      ],
    });
  });

  it('F31 F35 is one scheduler’s at a time', async () => {
    const { application, syncedCalendarId } = await newSyncedCalendar(some(0));
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, n) => some(n).channels.claimReconciliation(application, syncedCalendarId, 60_000)),
    );
    expect(taken.filter((one) => one !== null)).toHaveLength(1);
    expect(await some(0).channels.claimReconciliations(RECONCILIATION)).toEqual([]);
    const [reconciliation] = taken.filter((one) => one !== null) as [ClaimedReconciliation];
    expect(await some(0).channels.completeReconciliation(reconciliation, 0)).toBe(true);
    const claims = await Promise.all([0, 1, 2].map((n) => some(n).channels.claimReconciliations(RECONCILIATION)));
    expect(claims.flat()).toHaveLength(1);
    expect(await some(0).channels.claimReconciliation(application, 'x', 1)).toBeNull();
  });

  it('F31 F35 of a scheduler that slept past its lease changes nothing', async () => {
    const { syncedCalendarId } = await newSyncedCalendar(some(0));
    const late = await take(syncedCalendarId);
    const opened = await some(0).channels.open(late, { token: 't' });
    const next = await take(syncedCalendarId, 1);
    const channelId = opened?.channelId as string;
    expect(await some(0).channels.open(late, { token: 't' })).toBeNull();
    expect(await some(0).channels.live(late, channelId, LIVE)).toBe(false);
    expect(await some(0).channels.closed(late, channelId)).toBe(false);
    expect(await some(0).channels.completeReconciliation(late, 1)).toBe(false);
    expect(await some(0).channels.closed(next, channelId)).toBe(true);
    expect(await some(0).channels.delete(late)).toBe(false);
    expect((await take(syncedCalendarId)).channels).toEqual([]);
  });

  it('is due when it was said, or at once when there was a reason meanwhile', async () => {
    const fixture = await newSyncedCalendar(some(0));
    expect(await dueIn(fixture.syncedCalendarId)).toBeGreaterThan(30);
    const endpoint = await subscribe(some(0), fixture);
    const reconciliation = await take(fixture.syncedCalendarId);
    await some(1).endpoints.remove(fixture.application, endpoint.id, fixture.account.id);
    expect(await dueIn(fixture.syncedCalendarId)).toBeGreaterThan(30);
    await some(0).channels.completeReconciliation(reconciliation, 600_000);
    expect(await dueIn(fixture.syncedCalendarId)).toBeLessThanOrEqual(0);
    await some(0).channels.completeReconciliation(await take(fixture.syncedCalendarId), 600_000);
    expect(await dueIn(fixture.syncedCalendarId)).toBeGreaterThan(500);
    await some(0).syncedCalendars.requestSyncOfAccount(fixture.application, fixture.account.id);
    expect(await dueIn(fixture.syncedCalendarId)).toBeLessThanOrEqual(0);
  });
});

describe('upkeep of very many calendars', () => {
  it('F38 reads those that are due by the index, under row-level security and without statistics', async () => {
    const { syncedCalendarId } = await newSyncedCalendar(some(0));
    await some(0).admin(
      'insert into synced_calendar (id, application_id, end_user_account_id, calendar_id, calendar_hash, sync_requests, next_sync_at, ' +
        'reconcile_requests, reconcile_at, created_at) ' +
        'select gen_random_uuid(), application_id, end_user_account_id, calendar_id, int4send(n), 0, now(), 0, ' +
        "now() + case when n <= 100 then interval '-1 minute' else interval '1 hour' end, now() " +
        'from synced_calendar, generate_series(1, 20000) as n where id = $1',
      [syncedCalendarId],
    );
    const { rows } = await some(0).database.write<ExplainedRow>(SYSTEM, {
      text: `explain (analyze, format json) ${DUE_RECONCILIATIONS}`,
      values: [50],
    });
    const reads = nodesOf(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined);
    expect(
      reads.map((node) => [node['Node Type'], node['Index Name'], node['Actual Rows'] * node['Actual Loops']]),
    ).toEqual([['Index Scan', 'synced_calendar_reconcile_at_index', 50]]);
  });
});

describe('an upkeep that fails', () => {
  it('F31 is counted, and the one that succeeds ends the count', async () => {
    const { syncedCalendarId } = await newSyncedCalendar(some(0));
    const first = await take(syncedCalendarId);
    await some(0).channels.completeReconciliation(first, 60_000, first.failures + 1);
    const second = await take(syncedCalendarId, 1);
    expect(second.failures).toBe(1);
    await some(1).channels.completeReconciliation(second, 60_000, second.failures + 1);
    const third = await take(syncedCalendarId, 2);
    expect(third.failures).toBe(2);
    await some(2).channels.completeReconciliation(third, 60_000);
    expect((await take(syncedCalendarId)).failures).toBe(0);
  });
});

describe('the channels of an account', () => {
  it('are taken together, but for those that somebody else has and for calendars without any', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { application, account } = fixture;
    const register = async (calendarId: string) =>
      (await some(0).syncedCalendars.register(application, account.id, calendarId)).syncedCalendarId;
    const [free, taken] = [await register('free'), await register('taken')];
    for (const id of [free, taken]) {
      const { reconciliation, channelId } = await openChannel(some(0), application, id);
      await some(0).channels.live(reconciliation, channelId, LIVE);
      if (id === free) await some(0).channels.completeReconciliation(reconciliation, 600_000);
    }
    const reconciliations = await some(1).channels.claimReconciliationsOfAccount(application, account.id, 60_000);
    expect(reconciliations).toMatchObject([{ syncedCalendarId: free, channels: [LIVE] }]);
    expect(await some(2).channels.claimReconciliationsOfAccount(application, account.id, 60_000)).toEqual([]);
    const stranger = await some(0).newApplication();
    expect(await some(2).channels.claimReconciliationsOfAccount(stranger, account.id, 60_000)).toEqual([]);
    expect(await some(2).channels.claimReconciliationsOfAccount(application, 'x', 60_000)).toEqual([]);
  });
});

/** A live channel, its upkeep over for ten minutes. */
async function liveChannel(): Promise<{ syncedCalendarId: string; channelId: string }> {
  const { application, syncedCalendarId } = await newSyncedCalendar(some(0));
  const { reconciliation, channelId } = await openChannel(some(0), application, syncedCalendarId);
  await some(0).channels.live(reconciliation, channelId, LIVE);
  await some(0).channels.completeReconciliation(reconciliation, 600_000);
  return { syncedCalendarId, channelId };
}

describe('a channel', () => {
  it('F32 is to be renewed when its provider says so, once however often it says so', async () => {
    const { syncedCalendarId, channelId } = await liveChannel();
    expect(await some(0).channels.renewSoon(channelId)).toBe(false);
    expect(await dueIn(syncedCalendarId)).toBeGreaterThan(500);
    await some(0).admin("update provider_channel set renewed_at = renewed_at - interval '2 minutes'");
    expect(await some(0).channels.renewSoon(channelId)).toBe(true);
    expect(await dueIn(syncedCalendarId)).toBeLessThanOrEqual(0);
    const reconciliation = await take(syncedCalendarId);
    expect(reconciliation.channels[0]!.renewAt!.getTime()).toBeLessThanOrEqual(Date.now());
    await some(0).channels.live(reconciliation, channelId, LIVE);
    await some(0).channels.completeReconciliation(reconciliation, 600_000);
    expect(await some(1).channels.renewSoon(channelId)).toBe(false);
    expect((await take(syncedCalendarId)).channels).toMatchObject([LIVE]);
    expect(await some(0).channels.renewSoon('x')).toBe(false);
  });

  it('F30 is silent after two finds in a row that it did not tell of', async () => {
    const { syncedCalendarId, channelId } = await liveChannel();
    const isMissingNotifications = async () =>
      (await take(syncedCalendarId)).channels.map((channel) => channel.isMissingNotifications);
    const find = async (wasPushed: boolean) => {
      await some(0).admin(
        'update synced_calendar set reconcile_lease_id = null, reconcile_at = clock_timestamp() + $1',
        ['10 minutes'],
      );
      await some(0).channels.recordFoundChange(syncedCalendarId, wasPushed);
      return dueIn(syncedCalendarId);
    };
    await find(false);
    await find(true);
    expect(await find(false)).toBeGreaterThan(500);
    expect(await isMissingNotifications()).toEqual([false]);
    expect(await find(false)).toBeLessThanOrEqual(0);
    expect(await isMissingNotifications()).toEqual([true]);
    // Nothing to add.
    expect(await find(false)).toBeGreaterThan(500);
    const reconciliation = await take(syncedCalendarId);
    await some(0).channels.live(reconciliation, channelId, LIVE);
    expect(await isMissingNotifications()).toEqual([false]);
    await some(0).channels.recordFoundChange('x', false);
  });

  it('F31 replaces the live one: there is never more than one, and the old one is to be closed', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { application, syncedCalendarId } = fixture;
    await subscribe(some(0), fixture);
    const { reconciliation, channelId: first } = await openChannel(some(0), application, syncedCalendarId);
    expect(await some(0).channels.live(reconciliation, first, LIVE)).toBe(true);
    const second = (await some(0).channels.open(reconciliation, { token: 'new' }))?.channelId as string;
    const longer = { ...LIVE, subscriptionId: 's2', expiresAt: new Date('2027-01-01T00:00:00Z') };
    expect(await some(0).channels.live(reconciliation, second, longer)).toBe(true);
    expect((await take(syncedCalendarId)).channels).toMatchObject([
      { id: first, state: 'closing', ...LIVE },
      { id: second, state: 'live', ...longer },
    ]);
    const [listed] = await some(0).endpoints.listSubscriptions(application, fixture.account.id, {
      limit: 9,
      after: null,
    });
    const { renewAt: _, ...shown } = longer;
    expect(listed).toMatchObject({ calendarId: fixture.calendarId, accountId: fixture.account.id, channel: shown });
  });

  it('is renewed in its place', async () => {
    const { application, syncedCalendarId } = await newSyncedCalendar(some(0));
    const { reconciliation, channelId } = await openChannel(some(0), application, syncedCalendarId);
    await some(0).channels.live(reconciliation, channelId, LIVE);
    const longer = { ...LIVE, expiresAt: new Date('2027-01-01T00:00:00Z') };
    await some(0).channels.live(reconciliation, channelId, longer);
    expect((await take(syncedCalendarId)).channels).toMatchObject([{ id: channelId, state: 'live', ...longer }]);
  });

  it('that is not there does not close the live one', async () => {
    const { application, syncedCalendarId } = await newSyncedCalendar(some(0));
    const { reconciliation, channelId } = await openChannel(some(0), application, syncedCalendarId);
    await some(0).channels.live(reconciliation, channelId, LIVE);
    expect(await some(0).channels.live(reconciliation, 'x', LIVE)).toBe(false);
    expect(await some(0).channels.live(reconciliation, syncedCalendarId, LIVE)).toBe(false);
    expect(await some(0).channels.closed(reconciliation, 'x')).toBe(false);
    expect((await take(syncedCalendarId)).channels).toMatchObject([{ id: channelId, state: 'live' }]);
  });

  it('F32 that the provider dropped is gone once, and its calendar is synced and seen after', async () => {
    const { application, syncedCalendarId } = await newSyncedCalendar(some(0));
    const { reconciliation, channelId } = await openChannel(some(0), application, syncedCalendarId);
    expect(await some(0).channels.lost(channelId)).toBe(false);
    await some(0).channels.live(reconciliation, channelId, LIVE);
    await some(0).channels.completeReconciliation(reconciliation, 600_000);
    const outcomes = await Promise.all(Array.from({ length: 6 }, (_, n) => some(n).channels.lost(channelId)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await some(0).channels.lost('x')).toBe(false);
    expect(await dueIn(syncedCalendarId)).toBeLessThanOrEqual(0);
    expect(await take(syncedCalendarId)).toMatchObject({ channels: [], asks: '1' });
    const [sync] = await some(0).admin<{ syncRequests: string }>(
      'select sync_requests as "syncRequests" from synced_calendar',
    );
    expect(sync?.syncRequests).toBe('1');
  });

  it('W3 is known by its id and token, the token encrypted at rest', async () => {
    const { application, syncedCalendarId } = await newSyncedCalendar(some(0));
    const { channelId } = await openChannel(some(0), application, syncedCalendarId);
    expect(await some(1).channels.keys([channelId, syncedCalendarId, 'x'])).toEqual([
      { channelId, syncedCalendarId, token: 'token of the channel' },
    ]);
    expect(await some(1).channels.keys(['x'])).toEqual([]);
    const [stored] = await some(0).admin<{ token: Buffer }>('select token from provider_channel');
    expect(stored?.token.includes('token of the channel')).toBe(false);
  });
});

describe('a channel whose token cannot be opened', () => {
  it('is to be replaced, and keeps no other from being found or seen to', async () => {
    const opened = [];
    for (let count = 0; count < 2; count += 1) {
      const fixture = await newSyncedCalendar(some(0));
      const { reconciliation, channelId } = await openChannel(some(0), fixture.application, fixture.syncedCalendarId);
      await some(0).channels.live(reconciliation, channelId, LIVE);
      await some(0).channels.completeReconciliation(reconciliation, 0);
      opened.push(channelId);
    }
    const [spoilt, sound] = opened as [string, string];
    await some(0).admin("update provider_channel set token = 'x' where id = $1", [spoilt]);
    expect((await some(0).channels.keys(opened)).map(({ channelId }) => channelId)).toEqual([sound]);
    const channels = (await some(0).channels.claimReconciliations(RECONCILIATION)).flatMap(
      (reconciliation) => reconciliation.channels,
    );
    expect(channels.toSorted((a, b) => a.id.localeCompare(b.id))).toMatchObject([
      { id: spoilt, token: '', isMissingNotifications: true },
      { id: sound, isMissingNotifications: false },
    ]);
  });
});

describe('a calendar that nobody wants', () => {
  it('is forgotten when it has neither subscriptions nor channels', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { reconciliation, channelId } = await openChannel(some(0), fixture.application, fixture.syncedCalendarId);
    expect(await some(0).channels.delete(reconciliation)).toBe(false);
    await some(0).channels.closed(reconciliation, channelId);
    const endpoint = await subscribe(some(0), fixture);
    expect(await some(0).channels.delete(reconciliation)).toBe(false);
    await some(0).endpoints.remove(fixture.application, endpoint.id, fixture.account.id);
    // The removal was a reason for upkeep: the next one forgets it.
    expect(await some(0).channels.delete(reconciliation)).toBe(false);
    await some(0).channels.completeReconciliation(reconciliation, 0);
    expect(await some(0).channels.delete(await take(fixture.syncedCalendarId))).toBe(true);
    await expect(subscribe(some(0), fixture)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('W17 is never forgotten under a subscription that is being made', async () => {
    for (let round = 0; round < 25; round += 1) {
      const fixture = await newSyncedCalendar(some(0));
      const reconciliation = await take(fixture.syncedCalendarId);
      const [made, isDeltaExpired] = await Promise.all([
        subscribe(some(1), fixture).then(
          ({ id }) => id,
          () => null,
        ),
        some(0).channels.delete(reconciliation),
      ]);
      expect(made === null).toBe(isDeltaExpired);
      if (made !== null) expect(await some(0).endpoints.get(fixture.application, made)).toMatchObject({ id: made });
      await some(0).admin('delete from synced_calendar');
    }
  });
});
