import { setTimeout as sleep } from 'node:timers/promises';
import { CalendarSyncService, type ChangeDetector, type SyncIntervals } from '#application/sync';
import { ReadingPlans } from '#application/usage';
import { MemoryReadingPlans } from '#domain/testing/memory-usage';
import type { ClaimedSync } from '#domain/sync';
import { DomainError, type JsonValue } from '#domain/system';
import { CalendarSyncRunner } from '../../apps/worker/src/calendar-sync/calendar-sync-runner.js';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { newSyncedCalendar, subscribe, type SyncedCalendarFixture } from '../persistence/webhook-fixture.js';
import { eventually } from '../support/processes.js';

const HOUR_MS = 3_600_000;
const NEVER: SyncIntervals = {
  pushed: { min: HOUR_MS, max: HOUR_MS },
  polled: { min: HOUR_MS, max: HOUR_MS },
  recentlyChanged: { min: HOUR_MS, max: HOUR_MS },
};
const SOON: SyncIntervals = {
  pushed: { min: 50, max: 60 },
  polled: { min: 50, max: 60 },
  recentlyChanged: { min: 50, max: 60 },
};

const NO_PLANS = new ReadingPlans(new MemoryReadingPlans(), { nowMs: () => Date.now() });

/** Three processes on one database. */
let processes: Persistence[];
const runners: CalendarSyncRunner[] = [];
const some = (n: number) => processes[n % processes.length] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  const others = [1, 2].map(() => openPersistence({ testDatabase: first.testDatabase }));
  processes = [first, ...(await Promise.all(others))];
});

afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  await some(0).admin('delete from synced_calendar');
});

afterAll(async () => {
  for (const one of processes.toReversed()) await one.close();
});

/** Versions of calendars, as their provider has them. */
class Versions {
  readonly now = new Map<string, number>();
  /** Every look, in the order in which they began. */
  readonly syncs: string[] = [];
  readonly calls = new Map<string, (signal: AbortSignal) => Promise<unknown>>();

  change(calendarId: string): void {
    this.now.set(calendarId, this.version(calendarId) + 1);
  }

  version(calendarId: string): number {
    return this.now.get(calendarId) ?? 0;
  }

  /** What stands for the reads of a provider. */
  reader(): ChangeDetector {
    const since = async ({ calendarId }: ClaimedSync, { sync }: { sync: JsonValue | null }, signal: AbortSignal) => {
      this.syncs.push(calendarId);
      const seen = this.version(calendarId);
      await this.calls.get(calendarId)?.(signal);
      const kind = sync === null ? 'initial' : sync === seen ? 'unchanged' : 'changed';
      return { kind, sync: seen, window: null } as const;
    };
    return { since } as unknown as ChangeDetector;
  }

  of(calendarId: string): number {
    return this.syncs.filter((id) => id === calendarId).length;
  }
}

interface Given {
  intervals?: SyncIntervals;
  coalesceMs?: number;
  leaseMs?: number;
  slots?: number;
  periodMs?: number;
}

function startRunner(versions: Versions, n = 0, given: Given = {}): CalendarSyncRunner {
  const { intervals = NEVER, coalesceMs = 200, leaseMs = 60_000, slots = 20, periodMs = 20 } = given;
  const { syncedCalendars, channels } = some(n);
  const clock = { nowMs: () => Date.now() };
  const syncs = new CalendarSyncService(syncedCalendars, channels, versions.reader(), NO_PLANS, clock, intervals);
  const runner = new CalendarSyncRunner(syncedCalendars, syncs, () => undefined, {
    slots,
    leaseMs,
    coalesceMs,
    periodMs,
  });
  runner.onApplicationBootstrap();
  runners.push(runner);
  return runner;
}

/** Somebody subscribed to it, and the first look is over. */
async function subscribed(versions: Versions): Promise<SyncedCalendarFixture> {
  const fixture = await newSyncedCalendar(some(0));
  await subscribe(some(0), fixture);
  await eventually('the first look', async () => ((await cursorOf(fixture)) === null ? undefined : true));
  expect(versions.of(fixture.calendarId)).toBe(1);
  return fixture;
}

async function cursorOf({ syncedCalendarId }: SyncedCalendarFixture): Promise<string | null> {
  const [row] = await some(0).admin<{ sync_token: string | null }>(
    'select sync_token from synced_calendar where id = $1 and sync_lease_id is null',
    [syncedCalendarId],
  );
  return row?.sync_token ?? null;
}

/** Types of what was announced, in order. */
async function announced({ syncedCalendarId }: SyncedCalendarFixture): Promise<string[]> {
  const rows = await some(0).admin<{ event_type: string }>(
    'select m.event_type from webhook_message m join webhook_endpoint e on e.id = m.endpoint_id ' +
      'where e.synced_calendar_id = $1 order by m.id',
    [syncedCalendarId],
  );
  return rows.map((row) => row.event_type);
}

const announces = (fixture: SyncedCalendarFixture, count: number) =>
  eventually(`${count} messages`, async () => ((await announced(fixture)).length >= count ? true : undefined));

/** Nothing is due and nothing under way any more. */
const settled = ({ syncedCalendarId }: SyncedCalendarFixture) =>
  eventually('no look is due', async () => {
    const [row] = await some(0).admin<{ settled: boolean }>(
      "select sync_lease_id is null and next_sync_at > clock_timestamp() + interval '1 minute' as settled " +
        'from synced_calendar where id = $1',
      [syncedCalendarId],
    );
    return row?.settled === true ? true : undefined;
  });

describe('syncs of three workers', () => {
  it('W19 N47 tell of the last change of a burst, with few messages', async () => {
    const versions = new Versions();
    for (const n of [0, 1, 2]) startRunner(versions, n);
    const fixture = await subscribed(versions);
    for (let push = 0; push < 300; push += 1) {
      if (push % 10 === 0) versions.change(fixture.calendarId);
      await some(push).syncedCalendars.requestSync([fixture.syncedCalendarId]);
    }
    await settled(fixture);
    expect(JSON.parse((await cursorOf(fixture)) ?? '{}')).toMatchObject({ sync: 30 });
    const messages = await announced(fixture);
    expect(messages.length).toBeGreaterThanOrEqual(1);
    expect(messages.length).toBeLessThanOrEqual(30);
    const before = messages.length;
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => some(n).syncedCalendars.requestSync([fixture.syncedCalendarId])),
    );
    await settled(fixture);
    expect(await announced(fixture)).toHaveLength(before);
  });

  it('W19 tell of a change that comes while the one before it is being read', async () => {
    const versions = new Versions();
    for (const n of [0, 1, 2]) startRunner(versions, n);
    const fixture = await subscribed(versions);
    const reading = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    versions.calls.set(fixture.calendarId, async () => {
      reading.resolve();
      await read.promise;
    });
    versions.change(fixture.calendarId);
    await some(0).syncedCalendars.requestSync([fixture.syncedCalendarId]);
    await reading.promise;
    // What the look has read does not hold this one.
    versions.change(fixture.calendarId);
    await some(1).syncedCalendars.requestSync([fixture.syncedCalendarId]);
    read.resolve();
    await announces(fixture, 2);
    await settled(fixture);
    expect(await announced(fixture)).toEqual(['calendar.event.changed', 'calendar.event.changed']);
    expect(versions.of(fixture.calendarId)).toBe(3);
  });

  it('tell once of our own write that the provider reports, too', async () => {
    const versions = new Versions();
    for (const n of [0, 1, 2]) startRunner(versions, n);
    const fixture = await subscribed(versions);
    versions.change(fixture.calendarId);
    await some(0).syncedCalendars.requestSyncOfCalendar(fixture.application, fixture.account.id, fixture.calendarId);
    await announces(fixture, 1);
    await some(1).syncedCalendars.requestSync([fixture.syncedCalendarId]);
    await settled(fixture);
    expect(await announced(fixture)).toEqual(['calendar.event.changed']);
  });

  it('F30 find without a push what changed', async () => {
    const versions = new Versions();
    for (const n of [0, 1, 2]) startRunner(versions, n, { intervals: SOON });
    const fixture = await newSyncedCalendar(some(0));
    await subscribe(some(0), fixture);
    await eventually('the first look', async () => ((await cursorOf(fixture)) === null ? undefined : true));
    versions.change(fixture.calendarId);
    await announces(fixture, 1);
    expect(await announced(fixture)).toEqual(['calendar.event.changed']);
  });

  it('F35 are made once each, whoever is due first', async () => {
    const versions = new Versions();
    const fixtures: SyncedCalendarFixture[] = [];
    for (let count = 0; count < 30; count += 1) {
      const fixture = await newSyncedCalendar(some(count));
      await subscribe(some(count), fixture);
      fixtures.push(fixture);
    }
    for (const n of [0, 1, 2]) startRunner(versions, n, { slots: 3 });
    for (const fixture of fixtures) await settled(fixture);
    expect(versions.syncs.toSorted()).toEqual(fixtures.map(({ calendarId }) => calendarId).toSorted());
  });

  it('F5 are made by others when a worker stands still, and what that comes to later is nothing', async () => {
    const versions = new Versions();
    const paused = new Versions();
    const fixture = await newSyncedCalendar(some(0));
    await subscribe(some(0), fixture);
    const standing = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    paused.calls.set(fixture.calendarId, async () => {
      standing.resolve();
      await going.promise;
    });
    paused.now.set(fixture.calendarId, 99);
    // Its lease is not extended while it stands still: its end is near, and so is the next extension.
    const { syncedCalendars } = some(0);
    const [sync] = await syncedCalendars.claimSyncs({ limit: 1, leaseMs: 1, coalesceMs: 2_000 });
    const clock = { nowMs: () => Date.now() };
    const syncs = new CalendarSyncService(syncedCalendars, some(0).channels, paused.reader(), NO_PLANS, clock, NEVER);
    const late = syncs.sync(sync as ClaimedSync, new AbortController().signal);
    await standing.promise;
    startRunner(versions, 1);
    await settled(fixture);
    going.resolve();
    expect(await late).toBeNull();
    expect(JSON.parse((await cursorOf(fixture)) ?? '{}')).toMatchObject({ sync: 0 });
    expect(await announced(fixture)).toEqual([]);
  });

  it('F2 are given back by a worker that stops, and begun by another at once, as no failure', async () => {
    const versions = new Versions();
    const fixture = await newSyncedCalendar(some(0));
    await subscribe(some(0), fixture);
    const begun = Promise.withResolvers<void>();
    versions.calls.set(fixture.calendarId, async (signal) => {
      begun.resolve();
      await sleep(HOUR_MS, undefined, { signal });
    });
    const first = startRunner(versions, 0);
    await begun.promise;
    await first.stop();
    versions.calls.clear();
    startRunner(versions, 1);
    await settled(fixture);
    expect([versions.of(fixture.calendarId), await announced(fixture)]).toEqual([2, []]);
  });

  it('F33 that fail are announced when they succeed: nobody knows what changed meanwhile', async () => {
    const versions = new Versions();
    const fixture = await newSyncedCalendar(some(0));
    await subscribe(some(0), fixture);
    let failures = 0;
    versions.calls.set(fixture.calendarId, async () => {
      failures += 1;
      throw new DomainError('ProviderUnavailable', 'away');
    });
    startRunner(versions, 0);
    await eventually('a failure', async () => (failures > 0 ? true : undefined));
    versions.calls.clear();
    await some(0).syncedCalendars.requestSync([fixture.syncedCalendarId]);
    await announces(fixture, 1);
    expect(await announced(fixture)).toEqual(['calendar.event.unknown']);
  });

  it('of an account that has many calendars do not keep those of others waiting', async () => {
    const versions = new Versions();
    const crowd = await newSyncedCalendar(some(0));
    const hold = Promise.withResolvers<void>();
    for (let count = 0; count < 40; count += 1) {
      const calendarId = `crowded ${count}`;
      await some(0).syncedCalendars.register(crowd.application, crowd.account.id, calendarId);
      versions.calls.set(calendarId, () => hold.promise);
    }
    versions.calls.set(crowd.calendarId, () => hold.promise);
    const other = await newSyncedCalendar(some(0));
    for (const n of [0, 1, 2]) startRunner(versions, n, { slots: 5 });
    await settled(other);
    expect(versions.of(other.calendarId)).toBe(1);
    hold.resolve();
  });
});
