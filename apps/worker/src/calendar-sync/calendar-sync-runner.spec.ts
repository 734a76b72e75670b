import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { CalendarSyncService } from '#application/sync';
import type { ClaimedSync, SyncedCalendarRepository } from '#domain/sync';
import type { QueuedMessage } from '#domain/webhooks';
import { CalendarSyncRunner } from './calendar-sync-runner.js';

const HOUR_MS = 3_600_000;

const warnings = jest.spyOn(Logger.prototype, 'warn');
beforeEach(() => {
  warnings.mockReset();
  warnings.mockReturnValue(undefined);
});

/** A pump over looks that are due; `make` stands for a look. */
function fixture(
  due: string[],
  make: (id: string, signal: AbortSignal) => Promise<QueuedMessage[] | null>,
  { slots = 3, leaseMs = HOUR_MS, longAfterMs = HOUR_MS } = {},
) {
  const claims: number[] = [];
  const ends: string[] = [];
  const end = (how: string) => async (sync: ClaimedSync) => ends.push(`${how} ${sync.syncedCalendarId}`) > 0;
  const calendars = {
    claimSyncs: jest.fn(async ({ limit }: { limit: number }) => {
      claims.push(limit);
      return due.splice(0, limit).map((id) => ({ syncedCalendarId: id }) as ClaimedSync);
    }),
    extend: jest.fn(async (_look: ClaimedSync, _leaseMs: number) => true),
    release: end('given back'),
    defer: end('put off'),
  };
  const syncs = { sync: (sync: ClaimedSync, signal: AbortSignal) => make(sync.syncedCalendarId, signal) };
  const onNewMessages = jest.fn();
  const runner = new CalendarSyncRunner(
    calendars as unknown as SyncedCalendarRepository,
    syncs as unknown as CalendarSyncService,
    onNewMessages,
    { slots, longAfterMs, leaseMs, coalesceMs: 2_000, periodMs: HOUR_MS },
  );
  return { runner, calendars, claims, ends, onNewMessages };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

const ids = (count: number) => Array.from({ length: count }, (_, n) => `calendar-${n}`);

describe('CalendarSyncRunner', () => {
  it('runs all syncs that are due, as many at a time as it has slots for', async () => {
    const made: string[] = [];
    let [running, most] = [0, 0];
    const all = Promise.withResolvers<void>();
    const { runner, claims } = fixture(ids(10), async (id) => {
      most = Math.max(most, (running += 1));
      await new Promise(setImmediate);
      running -= 1;
      if (made.push(id) === 10) all.resolve();
      return [];
    });
    await runner.wake();
    await all.promise;
    await runner.stop();
    expect(new Set(made)).toEqual(new Set(ids(10)));
    expect(most).toBe(3);
    expect(Math.max(...claims)).toBe(3);
  });

  it('passes by syncs that take long, unless these are too many, and counts them no more when they end', async () => {
    const begun: string[] = [];
    const [most, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hanging = Promise.withResolvers<QueuedMessage[]>();
    const { runner, claims } = fixture(
      ids(20),
      (id) => {
        begun.push(id);
        if (begun.length === 9) most.resolve();
        if (begun.length === 20) all.resolve();
        return hanging.promise;
      },
      { slots: 1, longAfterMs: 1 },
    );
    await runner.wake();
    await most.promise;
    await runner.wake();
    expect(begun).toEqual(ids(9));
    hanging.resolve([]);
    await all.promise;
    await runner.stop();
    expect(Math.max(...claims)).toBe(1);
  });

  it('finds what is due without being woken', async () => {
    const made = Promise.withResolvers<string>();
    const { runner } = fixture(['calendar'], async (id) => {
      made.resolve(id);
      return [];
    });
    runner.onApplicationBootstrap();
    expect(await made.promise).toBe('calendar');
    await runner.stop();
  });

  it('claims again when it was woken while it claimed', async () => {
    const { runner, calendars } = fixture([], async () => []);
    await Promise.all([runner.wake(), runner.wake(), runner.wake()]);
    expect(calendars.claimSyncs).toHaveBeenCalledTimes(2);
    await runner.stop();
  });

  it('says which messages there are, and when there are none it does not', async () => {
    const messages = [{ id: 'message', endpointId: 'endpoint' }];
    for (const [made, calls] of [
      [messages, [[messages]]],
      [[], []],
      [null, []],
    ] as [QueuedMessage[] | null, unknown[]][]) {
      const { runner, onNewMessages } = fixture(['calendar'], async () => made);
      await runner.wake();
      await runner.stop();
      expect(onNewMessages.mock.calls).toEqual(calls);
    }
  });

  it('holds on to a sync that takes long', async () => {
    const extended = Promise.withResolvers<void>();
    const { runner, calendars } = fixture(['calendar'], () => extended.promise.then(() => []), { leaseMs: 3 });
    calendars.extend.mockImplementation(async (_look, leaseMs) => {
      expect(leaseMs).toBe(3);
      extended.resolve();
      return true;
    });
    await runner.wake();
    await extended.promise;
    await runner.stop();
  });

  it("F5 abandons a sync that is somebody else's by now, and leaves it to them", async () => {
    const broken = Promise.withResolvers<void>();
    const { runner, calendars, ends } = fixture(
      ['calendar'],
      (_id, signal) => untilAborted(signal).finally(() => broken.resolve()),
      { leaseMs: 3 },
    );
    calendars.extend.mockResolvedValue(false);
    await runner.wake();
    await broken.promise;
    await runner.stop();
    expect(ends).toEqual([]);
  });

  it('defers a sync that ends in an error of its own, and goes on with the others', async () => {
    const { runner, ends } = fixture(['bad', 'good'], async (id) => {
      if (id === 'bad') throw new TypeError('ours');
      return [];
    });
    await runner.wake();
    await runner.stop();
    expect(ends).toEqual(['put off bad']);
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it('F16 goes on when the database was away', async () => {
    const made = Promise.withResolvers<string>();
    const { runner, calendars } = fixture(['calendar'], async (id) => {
      made.resolve(id);
      return [];
    });
    calendars.claimSyncs.mockRejectedValueOnce(new Error('database away'));
    await expect(runner.wake()).rejects.toThrow('database away');
    await runner.wake();
    expect(await made.promise).toBe('calendar');
    await runner.stop();
  });

  it('F2 gives back what is under way when it is stopped, and what it was just claiming', async () => {
    const { runner, calendars, ends } = fixture(ids(3), (_id, signal) => untilAborted(signal), { slots: 4 });
    const claiming = Promise.withResolvers<ClaimedSync[]>();
    await runner.wake();
    calendars.claimSyncs.mockReturnValue(claiming.promise);
    const waking = runner.wake();
    const stopped = runner.stop();
    claiming.resolve([{ syncedCalendarId: 'late' } as ClaimedSync]);
    await Promise.all([waking, stopped]);
    expect(new Set(ends)).toEqual(new Set([...ids(3), 'late'].map((id) => `given back ${id}`)));
  });
});
