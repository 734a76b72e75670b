import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exposition } from '#platform/telemetry';
import { openPersistence, type Persistence } from './persistence.js';
import { changed, claim, delivered, failed, newSyncedCalendar, record, subscribe } from './webhook-fixture.js';

let persistence: Persistence;

beforeAll(async () => {
  persistence = await openPersistence();
});
afterAll(() => persistence.close());

/** How often the lag was measured, and the sum of it in seconds. */
async function measured(): Promise<{ count: number; seconds: number }> {
  const { body } = await exposition(undefined);
  const of = (name: string) =>
    Number(new RegExp(`^calendar_change_lag_seconds_${name}{.*} (\\S+)$`, 'm').exec(body)?.[1] ?? 0);
  return { count: of('count'), seconds: of('sum') };
}

const syncSoon = async () => {
  await persistence.admin('update synced_calendar set next_sync_at = clock_timestamp()');
  return (await persistence.syncedCalendars.claimSyncs({ limit: 1, leaseMs: 60_000, coalesceMs: 0 }))[0]!;
};

/** @returns id of the message */
async function tell(sync: Awaited<ReturnType<typeof syncSoon>>): Promise<string> {
  const result = { syncToken: 'next', nextSyncInMs: 600_000, compose: changed };
  return (await persistence.syncedCalendars.complete(sync, result))![0]!.id;
}

describe('the lag of a change', () => {
  it('runs from its first sync request, through syncs that fail, to the first attempt, and is measured by no other', async () => {
    const fixture = await newSyncedCalendar(persistence);
    await subscribe(persistence, fixture);
    await persistence.syncedCalendars.requestSync([fixture.syncedCalendarId]);
    await persistence.admin("update synced_calendar set sync_requested_at = sync_requested_at - interval '100 s'");
    await persistence.syncedCalendars.requestSync([fixture.syncedCalendarId]);
    await persistence.syncedCalendars.defer(await syncSoon(), 0);
    const first = await tell(await syncSoon());
    expect(await measured()).toEqual({ count: 0, seconds: 0 });
    await record(persistence, await claim(persistence, first), delivered);
    const after = await measured();
    expect(after.count).toBe(1);
    expect(Math.floor(after.seconds / 10)).toBe(10);

    await persistence.syncedCalendars.requestSync([fixture.syncedCalendarId]);
    const second = await tell(await syncSoon());
    await record(persistence, await claim(persistence, second), failed());
    await record(persistence, await claim(persistence, second), delivered);
    expect((await measured()).count).toBe(1);
  });

  it('runs from the sync request that came during a sync', async () => {
    const { syncedCalendarId } = await newSyncedCalendar(persistence);
    await persistence.admin('delete from synced_calendar where id <> $1', [syncedCalendarId]);
    const sync = await syncSoon();
    await persistence.syncedCalendars.requestSync([syncedCalendarId]);
    await persistence.admin("update synced_calendar set sync_requested_at = sync_requested_at - interval '50 s'");
    await persistence.syncedCalendars.complete(sync, { syncToken: 'a', nextSyncInMs: 600_000, compose: null });
    await syncSoon();
    const [row] = await persistence.admin<{ seconds: number; sync_requested_at: Date | null }>(
      'select extract(epoch from clock_timestamp() - change_detected_at)::float8 as seconds, sync_requested_at from synced_calendar',
    );
    expect(Math.floor((row?.seconds ?? 0) / 10)).toBe(5);
    expect(row?.sync_requested_at).toBeNull();
  });
});
