import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ClaimedSync } from '#domain/sync';
import { openPersistence, type Persistence } from './persistence.js';
import { changed, newSyncedCalendar, openChannel, subscribe, takeSync } from './webhook-fixture.js';

/** Three processes on one database. */
let processes: Persistence[];
const some = (n: number) => processes[n % processes.length] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  const others = [1, 2].map(() => openPersistence({ testDatabase: first.testDatabase }));
  processes = [first, ...(await Promise.all(others))];
});

afterAll(async () => {
  for (const one of processes.toReversed()) await one.close();
});

/** No look is due but those that a test makes. */
beforeEach(() => some(0).admin('delete from synced_calendar'));

const SYNC = { limit: 100, leaseMs: 60_000, coalesceMs: 2_000 };
const NOTHING = { syncToken: 'next', nextSyncInMs: 600_000, compose: null };
const CHANGED = { ...NOTHING, compose: changed };

/** Seconds to the next sync; the number of requests so far. */
async function row(id: string): Promise<{ due_in: number; syncRequests: number; sync_token: string | null }> {
  const [found] = await some(0).admin<{ due_in: number; syncRequests: number; sync_token: string | null }>(
    'select extract(epoch from next_sync_at - clock_timestamp())::float8 as due_in, sync_requests::int as "syncRequests", sync_token ' +
      'from synced_calendar where id = $1',
    [id],
  );
  return found as { due_in: number; syncRequests: number; sync_token: string | null };
}

/** A calendar at rest: its first look is over. */
async function quietCalendar() {
  const fixture = await newSyncedCalendar(some(0));
  await some(0).syncedCalendars.complete(await takeSync(some(0), fixture.syncedCalendarId), NOTHING);
  return fixture;
}

const messages = (calendarId: string) =>
  some(0).admin<{ id: string; endpoint_id: string; body: string }>(
    'select m.id, m.endpoint_id, m.body from webhook_message m join webhook_endpoint e on e.id = m.endpoint_id ' +
      'where e.synced_calendar_id = $1 order by m.created_at',
    [calendarId],
  );

describe('a watched calendar', () => {
  it('is there once, whoever watches it, and is synced at once', async () => {
    const { application, account, calendarId, syncedCalendarId } = await newSyncedCalendar(some(0));
    const again = await Promise.all(
      Array.from({ length: 12 }, (_, n) => some(n).syncedCalendars.register(application, account.id, calendarId)),
    );
    expect(new Set(again.map((one) => one.syncedCalendarId))).toEqual(new Set([syncedCalendarId]));
    const long = await some(0).syncedCalendars.register(application, account.id, 'x'.repeat(10_000));
    expect(long.syncedCalendarId).not.toBe(syncedCalendarId);
    expect(await some(0).syncedCalendars.claimSyncs(SYNC)).toContainEqual({
      syncedCalendarId,
      leaseId: expect.any(String),
      syncRequests: '0',
      applicationId: application.applicationId,
      accountId: account.id,
      calendarId,
      providerType: 'CALDAV',
      syncToken: null,
      failingForMs: null,
      trigger: 'schedule',
      isPushed: false,
      readingPriority: null,
      quotaOwner: 'https://dav.example.org',
      stalledCount: 0,
      traceparent: null,
    });
  });

  it.each(['x', '0197a000-0000-7000-8000-000000000000'])('needs an account, which %j is not', async (id) => {
    const application = await some(0).newApplication();
    await expect(some(0).syncedCalendars.register(application, id, 'c')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('goes with its account, and so do its subscriptions', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const { id } = await subscribe(some(0), fixture);
    await some(0).accounts.delete(fixture.application, fixture.account.id);
    await expect(some(0).endpoints.get(fixture.application, id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await row(fixture.syncedCalendarId)).toBeUndefined();
  });
});

describe('sync requests', () => {
  it('W19 are counted, 1,000 of them at once, and make one sync due within two seconds', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await quietCalendar()).syncedCalendarId);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        // In an order of its own each: statements that meet must not wait in a circle.
        some(n).syncedCalendars.requestSync(
          Array.from({ length: 25 }, (_, k) => ids[(n % 2 === 0 ? k : 24 - k) % 5] as string),
        ),
      ),
    );
    for (const id of ids) {
      const { syncRequests, due_in: dueIn } = await row(id);
      expect(syncRequests).toBe(200);
      expect(dueIn).toBeLessThanOrEqual(2);
    }
    await some(0).admin("update synced_calendar set next_sync_at = next_sync_at - interval '2 seconds' where id = $1", [
      ids[0],
    ]);
    const syncs = await Promise.all([0, 1, 2, 3].map((n) => some(n).syncedCalendars.claimSyncs({ ...SYNC, limit: 1 })));
    expect(syncs.flat().filter((sync) => sync.syncedCalendarId === ids[0])).toHaveLength(1);
  });

  it('do not move a sync that is due earlier', async () => {
    const { syncedCalendarId } = await quietCalendar();
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    await some(0).admin("update synced_calendar set next_sync_at = next_sync_at - interval '1 second'");
    const before = (await row(syncedCalendarId)).due_in;
    await some(0).syncedCalendars.requestSync([syncedCalendarId, 'x', '0197a000-0000-7000-8000-000000000000']);
    expect((await row(syncedCalendarId)).due_in).toBeLessThanOrEqual(before);
    await some(0).syncedCalendars.requestSync([]);
    expect((await row(syncedCalendarId)).syncRequests).toBe(2);
  });

  it('come by the name of a calendar, and for all of an account, its channels too', async () => {
    const { application, account, calendarId, syncedCalendarId } = await quietCalendar();
    expect(await some(0).syncedCalendars.requestSyncOfCalendar(application, account.id, calendarId)).toBe(true);
    expect(await some(0).syncedCalendars.requestSyncOfCalendar(application, account.id, 'not watched')).toBe(false);
    expect(await some(0).syncedCalendars.requestSyncOfCalendar(application, 'x', calendarId)).toBe(false);
    expect((await row(syncedCalendarId)).syncRequests).toBe(1);
    expect(await some(0).syncedCalendars.requestSyncOfCalendar(application, account.id, 'primary')).toBe(true);
    await some(0).syncedCalendars.requestSyncOfAccount(application, account.id);
    await some(0).syncedCalendars.requestSyncOfAccount(application, 'x');
    expect((await row(syncedCalendarId)).syncRequests).toBe(3);
    expect((await some(0).channels.claimReconciliations(SYNC)).map((one) => one.syncedCalendarId)).toContain(
      syncedCalendarId,
    );
  });

  it('W19 that come during a sync make another one due within two seconds; without any, the timer goes on', async () => {
    const { syncedCalendarId } = await quietCalendar();
    const sync = await takeSync(some(0), syncedCalendarId);
    await some(1).syncedCalendars.requestSync([syncedCalendarId]);
    expect((await row(syncedCalendarId)).due_in).toBeGreaterThan(2);
    await some(0).syncedCalendars.complete(sync, NOTHING);
    expect((await row(syncedCalendarId)).due_in).toBeLessThanOrEqual(2);
    await some(0).syncedCalendars.complete(await takeSync(some(0), syncedCalendarId), NOTHING);
    expect((await row(syncedCalendarId)).due_in).toBeGreaterThan(500);
  });
});

describe('a sync', () => {
  it('tells every subscription that wants the type, once, and moves the cursor on', async () => {
    const fixture = await newSyncedCalendar(some(0));
    const [a, b] = [await subscribe(some(0), fixture), await subscribe(some(0), fixture)];
    await subscribe(some(0), fixture, { eventTypes: ['calendar.event.unknown'] });
    await subscribe(some(0), { ...fixture, syncedCalendarId: (await quietCalendarOf(fixture)).syncedCalendarId });
    const sync = await takeSync(some(0), fixture.syncedCalendarId);
    const made = await some(0).syncedCalendars.complete(sync, CHANGED);
    const stored = await messages(fixture.syncedCalendarId);
    expect(made).toEqual(stored.map(({ id, endpoint_id: endpointId }) => ({ id, endpointId })));
    const bodies = stored.map(({ body }) => JSON.parse(body).for as string);
    expect(bodies.sort()).toEqual([a.id, b.id].sort());
    expect((await row(fixture.syncedCalendarId)).sync_token).toBe('next');
    expect(await takeSync(some(0), fixture.syncedCalendarId)).toMatchObject({ syncToken: 'next' });
  });

  async function quietCalendarOf({ application, account }: Awaited<ReturnType<typeof quietCalendar>>) {
    return some(0).syncedCalendars.register(application, account.id, 'another');
  }

  it('says whether the application wants to be told whose calendar it is', async () => {
    const fixture = await newSyncedCalendar(some(0));
    await subscribe(some(0), fixture);
    const seen: boolean[] = [];
    for (const isEnriched of [true, false]) {
      await some(0).applications.update(fixture.application.applicationId, { enrichesWebhooks: isEnriched });
      await some(0).syncedCalendars.complete(await takeSync(some(0), fixture.syncedCalendarId), {
        ...NOTHING,
        compose: (target) => {
          seen.push(target.isEnriched);
          return changed(target);
        },
      });
    }
    expect(seen).toEqual([true, false]);
  });

  it('that is the first one can be made before anybody is told, once, whoever asks', async () => {
    const { application, account } = await quietCalendar();
    const first = (id: string) => some(0).syncedCalendars.claimInitialSync(application, id, 60_000);
    const { syncedCalendarId } = await some(0).syncedCalendars.register(application, account.id, 'fresh');
    const sync = (await first(syncedCalendarId)) as ClaimedSync;
    expect(sync).toMatchObject({ syncedCalendarId, calendarId: 'fresh', accountId: account.id, syncToken: null });
    expect(await some(1).syncedCalendars.claimInitialSync(application, syncedCalendarId, 60_000)).toBe('busy');
    expect((await row(syncedCalendarId)).due_in).toBeGreaterThan(50);
    expect(await some(0).syncedCalendars.release(sync)).toBe(true);
    const again = (await first(syncedCalendarId)) as ClaimedSync;
    await some(0).syncedCalendars.complete(again, NOTHING);
    expect(await first(syncedCalendarId)).toBe('done');
    for (const none of [randomUUID(), 'none']) await expect(first(none)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('F5 whose lease was lost writes nothing', async () => {
    const fixture = await quietCalendar();
    await subscribe(some(0), fixture);
    const late = await takeSync(some(0), fixture.syncedCalendarId);
    const next = await takeSync(some(1), fixture.syncedCalendarId);
    let composed = 0;
    const compose = (target: Parameters<typeof changed>[0]) => {
      composed += 1;
      return changed(target);
    };
    expect(await some(0).syncedCalendars.complete(late, { ...NOTHING, syncToken: 'late', compose })).toBeNull();
    expect(await some(0).syncedCalendars.complete(late, { ...NOTHING, syncToken: 'late' })).toBeNull();
    expect(await some(0).syncedCalendars.extend(late, 1)).toBe(false);
    expect(await some(0).syncedCalendars.defer(late, 1)).toBe(false);
    expect([composed, await messages(fixture.syncedCalendarId)]).toEqual([0, []]);
    expect(await some(1).syncedCalendars.complete(next, CHANGED)).toHaveLength(1);
    expect(await row(fixture.syncedCalendarId)).toMatchObject({ sync_token: 'next' });
  });

  it('whose messages cannot be made keeps its cursor', async () => {
    const fixture = await quietCalendar();
    await subscribe(some(0), fixture);
    const sync = await takeSync(some(0), fixture.syncedCalendarId);
    const broken = () => {
      throw new Error('no message');
    };
    await expect(
      some(0).syncedCalendars.complete(sync, { ...NOTHING, syncToken: 'lost', compose: broken }),
    ).rejects.toThrow('no message');
    expect(await some(0).syncedCalendars.complete(sync, CHANGED)).toHaveLength(1);
  });

  it('can be made longer, and is due again when its process died', async () => {
    const { syncedCalendarId } = await quietCalendar();
    const sync = await takeSync(some(0), syncedCalendarId);
    expect(await some(0).syncedCalendars.extend(sync, 3_600_000)).toBe(true);
    expect((await row(syncedCalendarId)).due_in).toBeGreaterThan(3_000);
    expect(await some(0).syncedCalendars.extend(sync, 0)).toBe(true);
    const [taken] = await some(1).syncedCalendars.claimSyncs(SYNC);
    expect(taken).toMatchObject({ syncedCalendarId });
    expect(taken?.leaseId).not.toBe(sync.leaseId);
  });

  it('that failed is due later or at a sync request, and it is known since when', async () => {
    const { syncedCalendarId } = await quietCalendar();
    expect(await some(0).syncedCalendars.defer(await takeSync(some(0), syncedCalendarId), 600_000)).toBe(true);
    expect((await row(syncedCalendarId)).due_in).toBeGreaterThan(500);
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    expect((await row(syncedCalendarId)).due_in).toBeLessThanOrEqual(2);
    const second = await takeSync(some(0), syncedCalendarId);
    expect(second).toMatchObject({ failingForMs: expect.any(Number), syncToken: 'next' });
    await some(0).syncedCalendars.defer(second, 600_000);
    const third: ClaimedSync = await takeSync(some(0), syncedCalendarId);
    expect(third.failingForMs).toBeGreaterThan(second.failingForMs ?? Infinity);
    await some(0).syncedCalendars.complete(third, NOTHING);
    expect((await takeSync(some(0), syncedCalendarId)).failingForMs).toBeNull();
  });

  it('is not made of an account that is not ACTIVE, and that does not keep others waiting', async () => {
    const expired = await newSyncedCalendar(some(0));
    await some(0).accounts.setStatus(expired.application, expired.account.id, 'EXPIRED', 'password_rejected');
    const { syncedCalendarId } = await newSyncedCalendar(some(0));
    const syncs = await some(0).syncedCalendars.claimSyncs({ ...SYNC, limit: 1 });
    expect(syncs.map((sync) => sync.syncedCalendarId)).toEqual([syncedCalendarId]);
    await some(0).accounts.setStatus(expired.application, expired.account.id, 'ACTIVE', 'reconnected');
    expect(await some(0).syncedCalendars.claimSyncs(SYNC)).toEqual([]);
    await some(0).syncedCalendars.requestSyncOfAccount(expired.application, expired.account.id);
    await some(0).admin("update synced_calendar set next_sync_at = next_sync_at - interval '2 seconds'");
    expect(await some(0).syncedCalendars.claimSyncs(SYNC)).toHaveLength(1);
  });

  it('is made by one of many processes, of each calendar', async () => {
    const calendars = await Promise.all(Array.from({ length: 30 }, () => newSyncedCalendar(some(0))));
    const syncs = await Promise.all(
      Array.from({ length: 12 }, (_, n) => some(n).syncedCalendars.claimSyncs({ ...SYNC, limit: 5 })),
    );
    const found = syncs.flat().map((sync) => sync.syncedCalendarId);
    expect(new Set(found).size).toBe(found.length);
    found.push(...(await some(0).syncedCalendars.claimSyncs(SYNC)).map((sync) => sync.syncedCalendarId));
    expect(found.sort()).toEqual(calendars.map(({ syncedCalendarId }) => syncedCalendarId).sort());
  });

  it('knows whether a live channel tells of changes', async () => {
    const { application, syncedCalendarId } = await quietCalendar();
    const pushed = async () => {
      const sync = await takeSync(some(0), syncedCalendarId);
      await some(0).syncedCalendars.complete(sync, NOTHING);
      return sync.isPushed;
    };
    const { reconciliation, channelId } = await openChannel(some(0), application, syncedCalendarId);
    expect(await pushed()).toBe(false);
    const live = (inMs: number) => {
      const expiresAt = new Date(Date.now() + inMs);
      const facts = { subscriptionId: 's', resourceId: null, expiresAt, renewAt: expiresAt };
      return some(0).channels.live(reconciliation, channelId, facts);
    };
    await live(3_600_000);
    expect(await pushed()).toBe(true);
    await live(-1_000);
    expect(await pushed()).toBe(false);
  });

  it('F7 counts the processes that it cost in a row', async () => {
    const { syncedCalendarId } = await quietCalendar();
    const stalledCount: number[] = [];
    for (let count = 0; count < 4; count += 1)
      stalledCount.push((await takeSync(some(count), syncedCalendarId)).stalledCount);
    expect(stalledCount).toEqual([0, 1, 2, 3]);
    await some(0).syncedCalendars.complete(await takeSync(some(0), syncedCalendarId), NOTHING);
    expect((await takeSync(some(0), syncedCalendarId)).stalledCount).toBe(0);
  });

  it('F2 that is given back is due at once, and no failure', async () => {
    const { syncedCalendarId } = await quietCalendar();
    const sync = await takeSync(some(0), syncedCalendarId);
    expect(await some(0).syncedCalendars.release(sync)).toBe(true);
    expect(await some(0).syncedCalendars.release(sync)).toBe(false);
    const [again] = await some(1).syncedCalendars.claimSyncs(SYNC);
    expect(again).toMatchObject({ syncedCalendarId, failingForMs: null, stalledCount: 0 });
  });

  it('knows what made it due, until one has not failed', async () => {
    const { application, account, calendarId, syncedCalendarId } = await quietCalendar();
    const trigger = async (end: 'finish' | 'put off') => {
      const sync = await takeSync(some(0), syncedCalendarId);
      if (end === 'finish') await some(0).syncedCalendars.complete(sync, NOTHING);
      else await some(0).syncedCalendars.defer(sync, 0);
      return sync.trigger;
    };
    expect(await trigger('finish')).toBe('schedule');
    await some(0).syncedCalendars.requestSyncOfCalendar(application, account.id, calendarId);
    expect(await trigger('put off')).toBe('internal');
    expect(await trigger('finish')).toBe('internal');
    expect(await trigger('finish')).toBe('schedule');
    await some(0).syncedCalendars.requestSync([syncedCalendarId, syncedCalendarId]);
    await some(0).syncedCalendars.requestSyncOfAccount(application, account.id);
    expect(await trigger('put off')).toBe('notification');
    expect(await trigger('finish')).toBe('notification');
    expect(await trigger('finish')).toBe('schedule');
    await some(0).syncedCalendars.requestSyncAfterGap(syncedCalendarId);
    expect((await row(syncedCalendarId)).due_in).toBeLessThanOrEqual(2);
    expect(await trigger('finish')).toBe('schedule');
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    await some(0).syncedCalendars.requestSyncAfterGap(syncedCalendarId);
    expect(await trigger('finish')).toBe('notification');
    const unseen = await takeSync(some(0), syncedCalendarId);
    await some(0).syncedCalendars.requestSyncAfterGap(syncedCalendarId);
    await some(0).syncedCalendars.requestSyncAfterGap('x');
    await some(0).syncedCalendars.complete(unseen, NOTHING);
    expect((await row(syncedCalendarId)).due_in).toBeLessThanOrEqual(2);
    expect(await trigger('finish')).toBe('schedule');
    const under = await takeSync(some(0), syncedCalendarId);
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    await some(0).syncedCalendars.complete(under, NOTHING);
    expect(await trigger('finish')).toBe('notification');
  });

  it('begins at once after a calm, and two seconds after the one before it began, unless told otherwise', async () => {
    const { syncedCalendarId } = await quietCalendar();
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    expect((await row(syncedCalendarId)).due_in).toBeGreaterThan(0);
    await some(0).admin(
      "update synced_calendar set next_sync_at = next_sync_at + interval '1 hour', coalesce_until = clock_timestamp()",
    );
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    const [sync] = await some(0).syncedCalendars.claimSyncs({ ...SYNC, coalesceMs: 0 });
    expect(sync).toMatchObject({ syncedCalendarId });
    await some(0).syncedCalendars.complete(sync as ClaimedSync, NOTHING);
    await some(0).syncedCalendars.requestSync([syncedCalendarId]);
    expect(await some(0).syncedCalendars.claimSyncs(SYNC)).toHaveLength(1);
  });

  it('is due at once when it is asked for, although times are kept in milliseconds', async () => {
    const { syncedCalendarId } = await quietCalendar();
    await some(0).admin(
      "update synced_calendar set next_sync_at = next_sync_at + interval '1 hour', coalesce_until = clock_timestamp()",
    );
    for (let turn = 0; turn < 60; turn += 1) {
      await some(0).syncedCalendars.requestSync([syncedCalendarId]);
      const [sync] = await some(0).syncedCalendars.claimSyncs({ ...SYNC, coalesceMs: 0 });
      expect(sync).toMatchObject({ syncedCalendarId });
      await some(0).syncedCalendars.complete(sync as ClaimedSync, NOTHING);
    }
  });

  it('is made of four calendars of an account at a time, and of those of others', async () => {
    const { application, account } = await newSyncedCalendar(some(0));
    for (let count = 0; count < 9; count += 1)
      await some(0).syncedCalendars.register(application, account.id, `crowded ${count}`);
    const other = await newSyncedCalendar(some(0));
    const syncs: ClaimedSync[] = [];
    for (let n = 0; n < 6; n += 1) syncs.push(...(await some(n).syncedCalendars.claimSyncs({ ...SYNC, limit: 2 })));
    expect(syncs.filter(({ accountId }) => accountId === account.id)).toHaveLength(4);
    expect(syncs.map((sync) => sync.syncedCalendarId)).toContain(other.syncedCalendarId);
    await some(0).syncedCalendars.complete(syncs[0] as ClaimedSync, NOTHING);
    await some(0).admin(
      "update synced_calendar set next_sync_at = next_sync_at - interval '1 second' where sync_lease_id is null",
    );
    expect(await some(0).syncedCalendars.claimSyncs(SYNC)).toHaveLength(1);
  });
});
