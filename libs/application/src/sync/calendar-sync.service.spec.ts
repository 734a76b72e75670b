import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ProviderChannelRepository } from '#domain/channels';
import type { ClaimedSync, SyncResult, SyncedCalendarRepository } from '#domain/sync';
import { DomainError } from '#domain/system';
import type { QueuedMessage } from '#domain/webhooks';
import { MemoryReadingPlans } from '#domain/testing/memory-usage';
import { ReadingPlans } from '../usage/reading-plans.js';
import { CalendarSyncService, SYNC_INTERVALS } from './calendar-sync.service.js';
import {
  EMPTY_CURSOR,
  readSyncCursor,
  writeSyncCursor,
  type ChangeDetector,
  type SyncCursor,
  type DetectedChanges,
} from './change-detector.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const WINDOW = { startMs: 1, endMs: 2 };
const MESSAGE: QueuedMessage = { id: 'message', endpointId: 'endpoint' };
const signal = new AbortController().signal;

const NO_PLANS = new ReadingPlans(new MemoryReadingPlans(), { nowMs: () => NOW_MS });

const SYNC: ClaimedSync = {
  syncedCalendarId: 'watched',
  leaseId: 'lease',
  syncRequests: '3',
  applicationId: 'app',
  accountId: 'account',
  calendarId: 'calendar',
  providerType: 'GOOGLE',
  syncToken: null,
  failingForMs: null,
  trigger: 'schedule',
  isPushed: true,
  readingPriority: null,
  quotaOwner: '',
  stalledCount: 0,
  traceparent: null,
};

const cursor = (given: Partial<SyncCursor> = {}) => writeSyncCursor({ ...EMPTY_CURSOR, sync: 'before', ...given });

const errors = jest.spyOn(Logger.prototype, 'error');
const warnings = jest.spyOn(Logger.prototype, 'warn');
beforeEach(() => {
  for (const log of [errors, warnings]) {
    log.mockReset();
    log.mockReturnValue(undefined);
  }
});

/** What a look that sees this ends with. */
async function sync(
  given: Partial<ClaimedSync>,
  seen: Partial<DetectedChanges> | DomainError | TypeError,
  finished: QueuedMessage[] | null = [MESSAGE],
) {
  const ends: SyncResult[] = [];
  const deferred: number[] = [];
  const finds: unknown[] = [];
  const read: SyncCursor[] = [];
  const calendars = {
    async complete(_look: ClaimedSync, result: SyncResult) {
      ends.push(result);
      return finished;
    },
    async defer(_look: ClaimedSync, inMs: number) {
      deferred.push(inMs);
      return finished !== null;
    },
  };
  const channels = { recordFoundChange: async (...found: unknown[]) => void finds.push(found) };
  const changes = {
    async since(_look: ClaimedSync, from: SyncCursor) {
      read.push(from);
      if (seen instanceof Error) throw seen;
      return { kind: 'unchanged', sync: 'after', window: null, ...seen };
    },
  };
  const syncs = new CalendarSyncService(
    calendars as unknown as SyncedCalendarRepository,
    channels as unknown as ProviderChannelRepository,
    changes as unknown as ChangeDetector,
    NO_PLANS,
    { nowMs: () => NOW_MS },
    SYNC_INTERVALS,
  );
  const outcome = await syncs.sync({ ...SYNC, ...given }, signal);
  const [end] = ends;
  return {
    outcome,
    deferred,
    finds,
    read,
    next: end?.nextSyncInMs,
    cursor: end === undefined ? null : readSyncCursor(end.syncToken ?? ''),
    /** null: nothing; undefined: the look did not end well. */
    message:
      end === undefined
        ? undefined
        : (end.compose?.({
            id: '0197a000-0000-7000-8000-000000000000',
            endpointId: 'subscription',
            isEnriched: true,
          }) ?? null),
  };
}

const typeOf = async (...given: Parameters<typeof sync>) => {
  const { message } = await sync(...given);
  return message === undefined || message === null ? message : message.eventType;
};

describe('a sync', () => {
  it('announces a change, goes on behind it, and says whose calendar it is to those who want to know', async () => {
    const { outcome, message, cursor: after } = await sync({ syncToken: cursor() }, { kind: 'changed' });
    expect(outcome).toEqual([MESSAGE]);
    expect(JSON.parse(message!.body.toString())).toEqual({
      eventType: 'calendar.event.changed',
      timestamp: '2026-11-21T12:00:00.000Z',
      endUserAccountId: 'account',
      calendarId: 'calendar',
      webhookSubscriptionId: 'subscription',
      providerType: 'GOOGLE',
    });
    expect(after).toEqual({ sync: 'after', window: null, lastNotifiedAtMs: NOW_MS, isInitial: false, isLost: false });
  });

  it.each(['schedule', 'internal', 'notification'] as const)(
    'N47 announces nothing when nothing changed, by a %s',
    async (trigger) => {
      expect(await typeOf({ trigger, syncToken: cursor() }, {})).toBeNull();
    },
  );

  it('F33 announces once that a lost place was made anew', async () => {
    expect(await typeOf({ syncToken: cursor() }, { kind: 'resynced' })).toBe('calendar.event.unknown');
    const spoilt = await sync({ syncToken: '{' }, { kind: 'initial' });
    expect([spoilt.message!.eventType, spoilt.read]).toEqual(['calendar.event.unknown', [EMPTY_CURSOR]]);
  });

  describe('that is the first', () => {
    it('announces nothing, unless something was hinted at before it', async () => {
      expect(await typeOf({}, { kind: 'initial' })).toBeNull();
      expect(await typeOf({ trigger: 'internal' }, { kind: 'initial' })).toBe('calendar.event.changed');
      expect(await typeOf({ trigger: 'notification' }, { kind: 'initial' })).toBe('calendar.event.changed');
    });

    it('W19 is followed by one that announces what was hinted at meanwhile, and may be part of it', async () => {
      const first = await sync({}, { kind: 'initial' });
      const syncToken = writeSyncCursor(first.cursor!);
      expect(await typeOf({ syncToken, trigger: 'internal' }, {})).toBe('calendar.event.changed');
      const quiet = await sync({ syncToken }, {});
      expect(quiet.message).toBeNull();
      expect(await typeOf({ syncToken: writeSyncCursor(quiet.cursor!), trigger: 'internal' }, {})).toBeNull();
    });

    it('announces that nothing is known of the time before it, when it was tried in vain', async () => {
      expect(await typeOf({ failingForMs: 5_000 }, { kind: 'initial' })).toBe('calendar.event.unknown');
    });
  });

  describe('at a window', () => {
    it('announces a push whose change is not to be seen, but not one that follows a change', async () => {
      const push = { trigger: 'notification', syncToken: cursor({ window: WINDOW }) } as const;
      expect(await typeOf(push, { window: WINDOW })).toBe('calendar.event.unknown');
      const message = (minutesAgo: number) => ({
        ...push,
        syncToken: cursor({ window: WINDOW, lastNotifiedAtMs: NOW_MS - minutesAgo * MINUTE_MS }),
      });
      expect(await typeOf(message(4), { window: WINDOW })).toBeNull();
      // F34 A clock that was set back.
      expect(await typeOf(message(-4), { window: WINDOW })).toBeNull();
      expect(await typeOf(message(6), { window: WINDOW })).toBe('calendar.event.unknown');
    });

    it('announces nothing for our own writes outside of it', async () => {
      expect(
        await typeOf({ trigger: 'internal', syncToken: cursor({ window: WINDOW }) }, { window: WINDOW }),
      ).toBeNull();
    });
  });

  describe('without a sync request', () => {
    const next = async (given: Partial<ClaimedSync>, seen: Partial<DetectedChanges> = {}) =>
      (await sync(given, seen)).next;

    it('comes every eight to nine minutes with a channel', async () => {
      for (let round = 0; round < 50; round += 1) {
        const nextMs = await next({ syncToken: cursor() });
        expect(nextMs).toBeGreaterThanOrEqual(8 * MINUTE_MS);
        expect(nextMs).toBeLessThanOrEqual(9 * MINUTE_MS);
      }
    });

    it('comes within a minute without a channel, and twice as often after a change', async () => {
      const polled = { isPushed: false, syncToken: cursor() };
      expect(await next(polled)).toBeLessThanOrEqual(55_000);
      expect(await next(polled)).toBeGreaterThanOrEqual(45_000);
      expect(await next(polled, { kind: 'changed' })).toBeLessThanOrEqual(30_000);
      const lately = cursor({ lastNotifiedAtMs: NOW_MS - 9 * MINUTE_MS });
      expect(await next({ ...polled, syncToken: lately })).toBeLessThanOrEqual(30_000);
      const longAgo = cursor({ lastNotifiedAtMs: NOW_MS - 11 * MINUTE_MS });
      expect(await next({ ...polled, syncToken: longAgo })).toBeGreaterThanOrEqual(45_000);
    });
  });

  it('that is the first one for a new subscription announces nothing, and tells who asked of a failure', async () => {
    const ends: SyncResult[] = [];
    const givenBack = jest.fn();
    const calendars = {
      complete: async (_look: ClaimedSync, result: SyncResult) => void ends.push(result),
      release: givenBack,
    };
    const away = new DomainError('ProviderUnavailable', 'away');
    const since = jest.fn(async () => ({ kind: 'initial', sync: 'here', window: null }));
    const syncs = new CalendarSyncService(
      calendars as unknown as SyncedCalendarRepository,
      {} as ProviderChannelRepository,
      { since } as unknown as ChangeDetector,
      NO_PLANS,
      { nowMs: () => NOW_MS },
      SYNC_INTERVALS,
    );
    await syncs.runInitial({ ...SYNC, isPushed: false }, signal);
    expect(ends).toMatchObject([{ compose: null }]);
    expect(readSyncCursor(ends[0]?.syncToken ?? '')).toMatchObject({ sync: 'here', isInitial: true });
    since.mockRejectedValue(away);
    await expect(syncs.runInitial(SYNC, signal)).rejects.toBe(away);
    expect(givenBack.mock.calls).toEqual([[SYNC]]);
  });

  describe('tells the channel', () => {
    const found = async (given: Partial<ClaimedSync>, finished: QueuedMessage[] | null = [MESSAGE]) =>
      (await sync({ syncToken: cursor(), ...given }, { kind: 'changed' }, finished)).finds;

    it('F30 whether it pushed what changed', async () => {
      expect(await found({ trigger: 'notification' })).toEqual([['watched', true]]);
      expect(await found({ trigger: 'schedule' })).toEqual([['watched', false]]);
    });

    it('nothing about our own writes, which come before any push, nor where there is none', async () => {
      expect(await found({ trigger: 'internal' })).toEqual([]);
      expect(await found({ trigger: 'schedule', isPushed: false })).toEqual([]);
      expect(await found({ trigger: 'schedule' }, null)).toEqual([]);
    });
  });

  describe('that fails', () => {
    const away = new DomainError('ProviderUnavailable', 'away');
    const kept = cursor();

    it('is made again after about half of the time that it has been failing, ten minutes at most', async () => {
      for (const [failingForMs, least, most] of [
        [null, 4_000, 6_000],
        [-HOUR_MS, 4_000, 6_000],
        [MINUTE_MS, 24_000, 36_000],
        [14 * MINUTE_MS, 5.6 * MINUTE_MS, 8.4 * MINUTE_MS],
      ] as const) {
        const { deferred, message } = await sync({ failingForMs, syncToken: kept }, away);
        expect(message).toBeUndefined();
        expect(deferred).toEqual([expect.any(Number)]);
        expect(deferred[0]).toBeGreaterThanOrEqual(least);
        expect(deferred[0]).toBeLessThanOrEqual(most);
      }
    });

    it('F24 is not made before the provider wants it', async () => {
      const limited = new DomainError('ProviderRateLimited', 'slow down', { retryAfterSeconds: 600 });
      expect((await sync({ syncToken: kept }, limited)).deferred).toEqual([600_000]);
    });

    it('is announced when it has failed for a quarter of an hour, once, and keeps its place', async () => {
      const late = { failingForMs: 15 * MINUTE_MS, syncToken: kept };
      const first = await sync(late, away);
      expect(first.message!.eventType).toBe('calendar.event.unknown');
      expect(first.cursor).toEqual({ ...readSyncCursor(kept), lastNotifiedAtMs: NOW_MS, isLost: true });
      const syncToken = writeSyncCursor(first.cursor!);
      const second = await sync({ ...late, syncToken }, away);
      expect([second.message, second.deferred]).toEqual([undefined, [expect.any(Number)]]);
      const recovered = await sync({ syncToken, failingForMs: HOUR_MS }, { kind: 'changed' });
      expect([recovered.message!.eventType, recovered.cursor!.isLost]).toEqual(['calendar.event.changed', false]);
      expect(await typeOf({ syncToken }, {})).toBeNull();
    });

    it('is announced at once when the calendar is gone, once, and made again hours later', async () => {
      const gone = new DomainError('NotFound', 'no calendar');
      const first = await sync({ syncToken: kept, trigger: 'internal' }, gone);
      expect([first.message!.eventType, first.next]).toEqual(['calendar.event.unknown', 6 * HOUR_MS]);
      const second = await sync({ syncToken: writeSyncCursor(first.cursor!) }, gone);
      expect([second.message, second.deferred]).toEqual([undefined, [6 * HOUR_MS]]);
      expect(warnings).not.toHaveBeenCalled();
    });

    it('waits for the account that has expired, without a word', async () => {
      const expired = new DomainError('EndUserAccountExpired', 'expired');
      const { message, deferred } = await sync({ syncToken: kept, failingForMs: HOUR_MS }, expired);
      expect([message, deferred]).toEqual([undefined, [HOUR_MS]]);
    });

    it('steps behind callers who use the rate of the account, without a word', async () => {
      const behind = new DomainError('RateLimited', 'later', { retryAfterSeconds: 60 });
      const { message, deferred } = await sync({ syncToken: kept, failingForMs: 24 * HOUR_MS }, behind);
      expect(message).toBeUndefined();
      expect(deferred).toHaveLength(1);
      expect(deferred[0]).toBeGreaterThanOrEqual(5_000);
      expect(deferred[0]).toBeLessThanOrEqual(30_000);
      expect(warnings).not.toHaveBeenCalled();
    });

    it("says so when the sync was somebody else's by then", async () => {
      expect((await sync({ syncToken: kept }, away, null)).outcome).toBeNull();
      expect((await sync({ syncToken: kept }, { kind: 'changed' }, null)).outcome).toBeNull();
    });

    it('by a fault of our own is made again, too', async () => {
      expect((await sync({ syncToken: kept }, new TypeError('ours'))).deferred).toEqual([expect.any(Number)]);
      expect(warnings).toHaveBeenCalledTimes(1);
    });
  });

  it('F7 is not made for an hour when three of them ended their process, and operators are told', async () => {
    const { read, deferred } = await sync({ stalledCount: 3 }, {});
    expect([read, deferred]).toEqual([[], [HOUR_MS]]);
    expect(errors).toHaveBeenCalledTimes(1);
    expect((await sync({ stalledCount: 2 }, {})).read).toHaveLength(1);
  });

  it('that is broken off is left as it was', async () => {
    const stopping = new AbortController();
    const changes = {
      async since() {
        stopping.abort(new Error('stopping'));
        throw new DomainError('ProviderTimeout', 'no answer');
      },
    };
    const syncs = new CalendarSyncService(
      {} as SyncedCalendarRepository,
      {} as ProviderChannelRepository,
      changes as unknown as ChangeDetector,
      NO_PLANS,
      { nowMs: () => NOW_MS },
      SYNC_INTERVALS,
    );
    await expect(syncs.sync(SYNC, stopping.signal)).rejects.toThrow('stopping');
  });
});
