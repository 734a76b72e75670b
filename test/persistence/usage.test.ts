import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InstallationStats } from '#domain/system';
import { ReadingPlanRepository, RequestLedgerRepository, POLLED, READS, type RequestCount } from '#domain/usage';
import { openPersistence, type Persistence } from './persistence.js';
import { newSyncedCalendar, openChannel, subscribe, takeSync, type SyncedCalendarFixture } from './webhook-fixture.js';

const CLIENT = '123456789012-abc.apps.googleusercontent.com';
const PROJECT = '123456789012';
const EPOCH = new Date(0);

let persistence: Persistence;
let ledger: RequestLedgerRepository;
let plans: ReadingPlanRepository;

beforeAll(async () => {
  persistence = await openPersistence();
  ledger = persistence.module.get(RequestLedgerRepository);
  plans = persistence.module.get(ReadingPlanRepository);
});
afterAll(() => persistence.close());
beforeEach(async () => {
  for (const table of ['application', 'reading_plan']) await persistence.admin(`delete from ${table}`);
});

describe('the ledger of requests', () => {
  const count = (given: Partial<RequestCount> = {}): RequestCount => ({
    ...{ providerType: 'GOOGLE', project: PROJECT, cause: 'call', requests: 1 },
    ...given,
  });
  const today = new Date().toISOString().slice(0, 10);

  it('adds up by the hour, and tells an application of its own days', async () => {
    const [mine, theirs] = [await persistence.newApplication(), await persistence.newApplication()];
    await ledger.add(mine, []);
    await ledger.add(mine, [count(), count({ cause: 'sync', requests: 3 })]);
    await ledger.add(theirs, [count({ requests: 50 })]);
    await ledger.add(mine, [count({ requests: 4 })]);
    await persistence.admin(
      "insert into provider_request_count select application_id, hour - interval '1 day', provider_type, 'other', cause, 10 " +
        'from provider_request_count where application_id = $1',
      [mine.applicationId],
    );
    const [first, ...rest] = await ledger.daily(mine, EPOCH);
    expect(first).toEqual({ date: today, providerType: 'GOOGLE', cause: 'call', requests: 5 });
    expect(rest).toMatchObject([{ cause: 'sync', requests: 3 }, { requests: 10 }, { requests: 10 }]);
    expect(await ledger.daily(mine, new Date(`${today}T00:00:00Z`))).toHaveLength(2);
    expect(await ledger.dailyByProject(new Date(`${today}T00:00:00Z`))).toContainEqual({
      ...{ date: today, providerType: 'GOOGLE', project: PROJECT, cause: 'call', requests: 55 },
    });
  });

  it('leaves out an application that is gone, and takes from many processes at once', async () => {
    const mine = await persistence.newApplication();
    const gone = { applicationId: '0197a000-0000-7000-8000-000000000000' };
    await ledger.add(gone, [count()]);
    expect(await ledger.daily(gone, EPOCH)).toEqual([]);
    const own = (['call', 'check', 'sync'] as const).map((cause) => count({ cause }));
    await Promise.all(Array.from({ length: 20 }, (_, n) => ledger.add(mine, n % 2 === 0 ? own : own.toReversed())));
    expect(await ledger.daily(mine, EPOCH)).toMatchObject(own.map(({ cause }) => ({ cause, requests: 20 })));
  });
});

/** A subscribed calendar of a Google account, with a live channel. */
async function pushedCalendar(): Promise<SyncedCalendarFixture> {
  const application = await persistence.newApplication();
  const account = await persistence.newAccount(application, {
    ...{ providerType: 'GOOGLE', serverUrl: null, providerAccountId: 'person', authorizedScopes: ['openid'] },
  });
  await persistence.credentials.put(application, account.id, {
    ...{ kind: 'oauth', clientId: CLIENT, accessToken: 'a', refreshToken: 'r', expiresAt: null },
  });
  const { syncedCalendarId } = await persistence.syncedCalendars.register(application, account.id, 'c');
  await subscribe(persistence, { application, syncedCalendarId });
  const { reconciliation, channelId } = await openChannel(persistence, application, syncedCalendarId);
  const [renewAt, expiresAt] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000)) as [Date, Date];
  const facts = { subscriptionId: channelId, resourceId: null, expiresAt, renewAt };
  await persistence.channels.live(reconciliation, channelId, facts);
  await persistence.admin("update provider_channel set created_at = created_at - interval '2 hours' where id = $1", [
    channelId,
  ]);
  return { application, account, syncedCalendarId, calendarId: 'c' };
}

const setAgo = (column: string, { syncedCalendarId }: SyncedCalendarFixture, minutes: number) =>
  persistence.admin(
    `update synced_calendar set ${column} = clock_timestamp() - $2 * interval '1 minute' where id = $1`,
    [syncedCalendarId, minutes],
  );

describe('the calendars of a project', () => {
  const OWNER = { providerType: 'GOOGLE', quotaOwner: PROJECT } as const;

  it('are counted with their notifications and with the requests of the project', async () => {
    const [late, early, silent] = [await pushedCalendar(), await pushedCalendar(), await pushedCalendar()];
    await setAgo('notified_at', late, 5);
    await setAgo('notified_at', early, 60);
    await setAgo('notified_at', silent, 90);
    const polled = await persistence.syncedCalendars.register(late.application, late.account.id, 'polled');
    await subscribe(persistence, { application: late.application, ...polled });
    const add = (cause: RequestCount['cause'], requests: number) =>
      ledger.add(late.application, [{ providerType: 'GOOGLE', project: PROJECT, cause, requests }]);
    await add('call', 7);
    await add('sync', 5);
    await ledger.add(late.application, [{ providerType: 'GOOGLE', project: 'idle', cause: 'call', requests: 2 }]);
    const owners = await plans.owners();
    expect(owners).toContainEqual({
      ...OWNER,
      ...{ pushed: 3, polled: 1, notifiedLately: 1, notifiedBefore: 1, calls: 7, requests: 12 },
      ...{ isStrained: false, isHurried: false },
    });
    expect(owners).toContainEqual(expect.objectContaining({ quotaOwner: 'idle', pushed: 0, requests: 2 }));
  });

  it('of accounts that have expired are not', async () => {
    const { application, account } = await pushedCalendar();
    await persistence.accounts.setStatus(application, account.id, 'EXPIRED', 'invalid_grant');
    expect(await plans.owners()).toEqual([]);
  });

  it('at a server belong to its origin', async () => {
    const { application, syncedCalendarId } = await newSyncedCalendar(persistence);
    await subscribe(persistence, { application, syncedCalendarId });
    expect(await plans.owners()).toMatchObject([
      { providerType: 'CALDAV', quotaOwner: 'https://dav.example.org', pushed: 0, polled: 1 },
    ]);
    expect(await takeSync(persistence, syncedCalendarId)).toMatchObject({
      ...{ quotaOwner: 'https://dav.example.org', isPushed: false, readingPriority: null },
    });
  });

  it('become near by silence, youth of the channel, use, and then by their last change', async () => {
    const [changed, old, used, young] = [
      await pushedCalendar(),
      await pushedCalendar(),
      await pushedCalendar(),
      await pushedCalendar(),
    ] as const;
    await setAgo('created_at', changed, 90);
    await setAgo('changed_at', changed, 10);
    await setAgo('created_at', old, 60);
    await persistence.health.recordUse(used.application, used.account.id, new Date());
    await persistence.admin(
      'update provider_channel set created_at = clock_timestamp() where synced_calendar_id = $1',
      [young.syncedCalendarId],
    );
    const sync = async (one: SyncedCalendarFixture) =>
      (await takeSync(persistence, one.syncedCalendarId)).readingPriority;
    const order = [await sync(young), await sync(used), await sync(changed), await sync(old)];
    expect(order.map((each) => each?.priority)).toEqual([0, 1, 2, 2]);
    for (const [index, own] of order.entries()) expect(await plans.priorityOf(OWNER, index + 1)).toEqual(own);
    expect(await plans.priorityOf(OWNER, 5)).toBeNull();
  });

  it('are all due within ten minutes where notifications are missing, once an hour', async () => {
    const { syncedCalendarId } = await pushedCalendar();
    await persistence.admin("update synced_calendar set next_sync_at = clock_timestamp() + interval '1 hour'");
    expect(await plans.hurry(OWNER)).toBe(0);
    await plans.replace([{ ...PLAN, ...OWNER }]);
    expect(await plans.hurry(OWNER)).toBe(1);
    const [due] = await persistence.admin<{ minutes: number }>(
      'select extract(epoch from next_sync_at - clock_timestamp())::float8 / 60 as minutes from synced_calendar where id = $1',
      [syncedCalendarId],
    );
    expect(due?.minutes).toBeGreaterThan(0.9);
    expect(due?.minutes).toBeLessThanOrEqual(10);
    expect(await plans.owners()).toMatchObject([{ isHurried: true }]);
    expect(await plans.hurry(OWNER)).toBe(0);
    // A new plan does not forget it.
    await plans.replace([{ ...PLAN, ...OWNER }]);
    expect(await plans.hurry(OWNER)).toBe(0);
  });

  it('are brought forward where they are read later than an interval allows', async () => {
    const { syncedCalendarId } = await pushedCalendar();
    const minutesFrom = async (minutes: number) => {
      const set = `update synced_calendar set next_sync_at = clock_timestamp() + interval '${minutes} minutes'`;
      await persistence.admin(set);
      const count = await plans.bringForward(OWNER, READS.hurried);
      const [due] = await persistence.admin<{ minutes: number }>(
        'select extract(epoch from next_sync_at - clock_timestamp())::float8 / 60 as minutes from synced_calendar where id = $1',
        [syncedCalendarId],
      );
      return { count, minutes: due?.minutes ?? 0 };
    };
    expect(await minutesFrom(22)).toMatchObject({ count: 0 });
    const { count, minutes } = await minutesFrom(30);
    expect(count).toBe(1);
    expect(minutes).toBeGreaterThan(18.5);
    expect(minutes).toBeLessThanOrEqual(23);
    expect(await plans.bringForward({ ...OWNER, quotaOwner: 'other' }, READS.hurried)).toBe(0);
    await takeSync(persistence, syncedCalendarId);
    expect(await minutesFrom(30)).toMatchObject({ count: 0 });
  });
});

const PLAN = {
  ...{ providerType: 'CALDAV', quotaOwner: 'https://dav.example.org', requestsPerDay: null, requestsUsed: 0 },
  ...{ calendars: 900, near: 0, lastNear: null, others: READS.far, polled: POLLED },
} as const;

describe('plans', () => {
  it('come back as stored, until others replace them', async () => {
    const google = {
      ...{ providerType: 'GOOGLE', quotaOwner: PROJECT, requestsPerDay: 900_000, requestsUsed: 3_000_000_000 },
      ...{ calendars: 10, near: 4, lastNear: { priority: 2, changedAt: new Date('2026-11-28T01:02:03Z') } },
      others: { min: 60_000, max: 70_000 },
      polled: null,
    } as const;
    await plans.replace([google, PLAN]);
    const plannedAt = expect.any(Date);
    const stored = (await plans.all()).toSorted((a, b) => a.quotaOwner.localeCompare(b.quotaOwner));
    expect(stored).toEqual([
      { ...google, plannedAt },
      { ...PLAN, plannedAt },
    ]);
    await plans.replace([google]);
    expect(await plans.all()).toMatchObject([{ quotaOwner: PROJECT }]);
    await plans.replace([]);
    expect(await plans.all()).toEqual([]);
  });

  it('remember for ten minutes that a server is overloaded', async () => {
    await newSyncedCalendar(persistence);
    await plans.strain(PLAN);
    expect(await plans.owners()).toMatchObject([{ isStrained: false }]);
    await plans.replace([PLAN]);
    await plans.strain(PLAN);
    await plans.replace([PLAN]);
    expect(await plans.owners()).toMatchObject([{ isStrained: true }]);
    await persistence.admin("update reading_plan set strained_until = clock_timestamp() - interval '1 second'");
    expect(await plans.owners()).toMatchObject([{ isStrained: false }]);
  });
});

describe('what is measured of the reads', () => {
  it('is the worst project, the part that is near, and the longest time without a read of a calendar that does not fail', async () => {
    const [read, failing] = [await pushedCalendar(), await pushedCalendar()];
    await setAgo('synced_at', read, 20);
    await setAgo('synced_at', failing, 90);
    await setAgo('failing_since', failing, 80);
    const google = { ...PLAN, providerType: 'GOOGLE', requestsPerDay: 1_000 } as const;
    await plans.replace([
      { ...google, quotaOwner: '1', requestsUsed: 250, calendars: 30, near: 10 },
      { ...google, quotaOwner: '2', requestsUsed: 950, calendars: 10, near: 10 },
      PLAN,
    ]);
    const { reads } = await persistence.module.get(InstallationStats).count(['GOOGLE']);
    expect(reads).toEqual([
      { providerType: 'GOOGLE', usedRatio: 0.95, nearRatio: 0.5, longestSeconds: expect.any(Number) },
    ]);
    expect(reads[0]?.longestSeconds).toBeGreaterThanOrEqual(1_200);
    expect(reads[0]?.longestSeconds).toBeLessThan(1_260);
  });
});

describe('a sync', () => {
  it('says when it succeeded, when it found a change, and when the provider told of one', async () => {
    const { syncedCalendarId } = await newSyncedCalendar(persistence).then(async (one) => {
      await subscribe(persistence, one);
      return one;
    });
    const row = async () => {
      const [found] = await persistence.admin<Record<'synced_at' | 'changed_at' | 'notified_at', Date | null>>(
        'select synced_at, changed_at, notified_at from synced_calendar',
      );
      return found;
    };
    await persistence.syncedCalendars.defer(await takeSync(persistence, syncedCalendarId), 1);
    expect(await row()).toEqual({ synced_at: null, changed_at: null, notified_at: null });
    const end = { syncToken: 'next', nextSyncInMs: 600_000 };
    await persistence.syncedCalendars.complete(await takeSync(persistence, syncedCalendarId), {
      ...end,
      compose: null,
    });
    expect(await row()).toEqual({ synced_at: expect.any(Date), changed_at: null, notified_at: null });
    const compose = () => ({ eventType: 'calendar.event.changed', body: Buffer.from('{}') }) as const;
    await persistence.syncedCalendars.complete(await takeSync(persistence, syncedCalendarId), { ...end, compose });
    await persistence.syncedCalendars.requestSync([syncedCalendarId]);
    const now = expect.any(Date);
    expect(await row()).toEqual({ synced_at: now, changed_at: now, notified_at: now });
  });
});
