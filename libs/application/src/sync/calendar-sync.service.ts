import { Injectable, Logger, Optional } from '@nestjs/common';
import { ProviderChannelRepository } from '#domain/channels';
import { SyncedCalendarRepository, type ClaimedSync } from '#domain/sync';
import { Clock, DomainError } from '#domain/system';
import { POLLED, READS, type Interval } from '#domain/usage';
import type { ComposedMessage, MessageTarget, QueuedMessage } from '#domain/webhooks';
import { Deadline } from '#platform/deadline';
import { counter } from '#platform/telemetry';
import { calendarMessage, type CalendarEventType } from '#webhooks';
import { ReadingPlans } from '../usage/reading-plans.js';
import {
  ChangeDetector,
  EMPTY_CURSOR,
  readSyncCursor,
  writeSyncCursor,
  type SyncCursor,
  type DetectedChanges,
} from './change-detector.js';

const made = counter('calendar_syncs_total');

/** Time to the next sync without a request. */
export interface SyncIntervals {
  /** With a live channel: covers lost notifications. */
  pushed: Interval;
  polled: Interval;
  /** Without a channel, shortly after a change. */
  recentlyChanged: Interval;
}

export const SYNC_INTERVALS: SyncIntervals = {
  pushed: READS.near,
  polled: POLLED,
  recentlyChanged: { min: 25_000, max: 30_000 },
};

const MAX_DURATION_MS = 5 * 60_000;
/** How long after a change the next one is likely. */
const RECENT_CHANGE_MS = 10 * 60_000;
/** How long after a change the provider may still send notifications for it. */
const PUSHED_WITHIN_MS = 5 * 60_000;
/** Crashed syncs in a row after which syncs of the calendar pause. */
const MAX_STALLS = 3;
const AFTER_STALLS_MS = 60 * 60_000;
/** Failing time after which subscribers get `calendar.event.unknown`. */
const FAILING_MS = 15 * 60_000;
const BACKOFF: Interval = { min: 5_000, max: 10 * 60_000 };
const GONE_MS = 6 * 60 * 60_000;
const EXPIRED_MS = 60 * 60_000;
/** Pause of a sync that steps behind callers. */
const BEHIND_CALLERS: Interval = { min: 5_000, max: 30_000 };

/** Changes since the last sync become one message per subscription. Stores no calendar data. */
@Injectable()
export class CalendarSyncService {
  private readonly logger = new Logger(CalendarSyncService.name);

  constructor(
    private readonly calendars: SyncedCalendarRepository,
    private readonly channels: ProviderChannelRepository,
    private readonly changes: ChangeDetector,
    private readonly plans: ReadingPlans,
    private readonly clock: Clock,
    @Optional() private readonly intervals: SyncIntervals = SYNC_INTERVALS,
  ) {}

  /** Throws database errors and the reason of `signal`. @returns new messages; null when the lease was lost */
  async sync(sync: ClaimedSync, signal: AbortSignal): Promise<QueuedMessage[] | null> {
    if (sync.stalledCount >= MAX_STALLS) {
      this.logger.error({ msg: 'calendar sync suspended after repeated worker crashes', ...idOf(sync) });
      return this.defer(sync, AFTER_STALLS_MS);
    }
    const cursor = sync.syncToken === null ? EMPTY_CURSOR : readSyncCursor(sync.syncToken);
    const late = () => new DomainError('ProviderTimeout', 'The calendar could not be read in time.');
    const deadline = new Deadline({ ms: MAX_DURATION_MS, late, parents: [signal] });
    let seen: DetectedChanges;
    try {
      seen = await this.changes.since(sync, cursor ?? EMPTY_CURSOR, deadline.signal);
    } catch (error) {
      signal.throwIfAborted();
      made.add(1, { provider: sync.providerType, outcome: 'failed' });
      return await this.fail(sync, cursor ?? EMPTY_CURSOR, error);
    } finally {
      deadline.clear();
    }
    // An unreadable cursor counts as a lost one.
    return this.finish(sync, cursor ?? EMPTY_CURSOR, cursor === null ? { ...seen, kind: 'resynced' } : seen);
  }

  /** Runs the first sync, which announces nothing. @throws what the provider and the database throw */
  async runInitial(sync: ClaimedSync, signal: AbortSignal): Promise<void> {
    let seen: DetectedChanges;
    try {
      seen = await this.changes.since(sync, EMPTY_CURSOR, signal);
    } catch (error) {
      await this.calendars.release(sync);
      throw error;
    }
    const cursor = { ...EMPTY_CURSOR, sync: seen.sync, window: seen.window, isInitial: true };
    const { pushed, polled } = this.intervals;
    await this.complete(sync, null, cursor, within(sync.isPushed ? pushed : polled));
  }

  private async finish(sync: ClaimedSync, before: SyncCursor, seen: DetectedChanges): Promise<QueuedMessage[] | null> {
    const eventType = eventTypeOf(sync, before, seen, this.clock.nowMs());
    const messages = await this.complete(sync, eventType, {
      sync: seen.sync,
      window: seen.window,
      lastNotifiedAtMs: before.lastNotifiedAtMs,
      isInitial: seen.kind === 'initial',
      isLost: false,
    });
    made.add(1, { provider: sync.providerType, outcome: eventType === null ? 'unchanged' : 'changed' });
    if (messages !== null && seen.kind === 'changed' && sync.isPushed) await this.recordFoundChange(sync);
    return messages;
  }

  private async complete(
    sync: ClaimedSync,
    eventType: CalendarEventType | null,
    cursor: SyncCursor,
    nextSyncInMs?: number,
  ): Promise<QueuedMessage[] | null> {
    const nowMs = this.clock.nowMs();
    const lastNotifiedAtMs = eventType === null ? cursor.lastNotifiedAtMs : nowMs;
    return this.calendars.complete(sync, {
      syncToken: writeSyncCursor({ ...cursor, lastNotifiedAtMs }),
      nextSyncInMs: nextSyncInMs ?? within(await this.intervalOf(sync, lastNotifiedAtMs, nowMs)),
      compose: eventType === null ? null : (target) => messageFor(target, sync, eventType, new Date(nowMs)),
    });
  }

  private intervalOf(sync: ClaimedSync, lastNotifiedAtMs: number | null, nowMs: number): Promise<Interval> {
    const { pushed, polled, recentlyChanged } = this.intervals;
    const hasChanged = isWithin(lastNotifiedAtMs, RECENT_CHANGE_MS, nowMs);
    return this.plans.intervalOf(sync, sync.isPushed ? pushed : hasChanged ? recentlyChanged : polled);
  }

  private async fail(sync: ClaimedSync, cursor: SyncCursor, error: unknown): Promise<QueuedMessage[] | null> {
    await this.plans.recordFailure(sync, error);
    const code = error instanceof DomainError ? error.code : null;
    if (code === 'EndUserAccountExpired') return this.defer(sync, EXPIRED_MS);
    // Callers use the account's rate. That is no failure, and no reason to tell them of one.
    if (code === 'RateLimited') return this.defer(sync, within(BEHIND_CALLERS));
    const isGone = code === 'NotFound';
    const failingForMs = sync.failingForMs ?? 0;
    if (!isGone) this.logger.warn({ msg: 'calendar sync failed', ...idOf(sync), failingForMs, err: error });
    const requestedMs = error instanceof DomainError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const pauseMs = isGone ? GONE_MS : Math.max(requestedMs, backoffMs(failingForMs));
    if (cursor.isLost || (!isGone && failingForMs < FAILING_MS)) return this.defer(sync, pauseMs);
    return this.complete(sync, 'calendar.event.unknown', { ...cursor, isLost: true }, pauseMs);
  }

  private async defer(sync: ClaimedSync, inMs: number): Promise<QueuedMessage[] | null> {
    return (await this.calendars.defer(sync, inMs)) ? [] : null;
  }

  // Our own writes say nothing about missing notifications, because those arrive later.
  private async recordFoundChange({ syncedCalendarId, trigger }: ClaimedSync): Promise<void> {
    if (trigger === 'internal') return;
    try {
      await this.channels.recordFoundChange(syncedCalendarId, trigger === 'notification');
    } catch (error) {
      this.logger.warn({ msg: 'missed notification could not be recorded', syncedCalendarId, err: error });
    }
  }
}

function eventTypeOf(
  { trigger, failingForMs }: ClaimedSync,
  before: SyncCursor,
  { kind, window }: DetectedChanges,
  nowMs: number,
): CalendarEventType | null {
  const isRequested = trigger !== 'schedule';
  switch (kind) {
    case 'changed':
      return 'calendar.event.changed';
    case 'resynced':
      return 'calendar.event.unknown';
    case 'initial':
      // Earlier changes are part of the initial read.
      if (before.isLost || failingForMs !== null) return 'calendar.event.unknown';
      return isRequested ? 'calendar.event.changed' : null;
    case 'unchanged':
      if (before.isInitial && isRequested) return 'calendar.event.changed';
      // The reported change may lie outside the window.
      if (
        trigger === 'notification' &&
        window !== null &&
        !isWithin(before.lastNotifiedAtMs, PUSHED_WITHIN_MS, nowMs)
      ) {
        return 'calendar.event.unknown';
      }
      return null;
  }
}

function messageFor(
  { id, endpointId, isEnriched }: MessageTarget,
  { accountId, calendarId, providerType }: ClaimedSync,
  eventType: CalendarEventType,
  changeDetectedAt: Date,
): ComposedMessage {
  return calendarMessage(
    id,
    {
      eventType,
      changeDetectedAt,
      endUserAccountId: accountId,
      calendarId,
      webhookSubscriptionId: endpointId,
      providerType,
    },
    { isEnriched },
  );
}

function idOf({ syncedCalendarId, accountId, providerType, stalledCount }: ClaimedSync) {
  return { syncedCalendarId, accountId, providerType, stalledCount };
}

/** Absolute, because the clocks of processes differ. */
function isWithin(atMs: number | null, durationMs: number, nowMs: number): boolean {
  return atMs !== null && Math.abs(nowMs - atMs) < durationMs;
}

function within({ min, max }: Interval): number {
  return Math.round(min + Math.random() * (max - min));
}

function backoffMs(failingForMs: number): number {
  const pauseMs = Math.min(Math.max(failingForMs / 2, BACKOFF.min), BACKOFF.max);
  return within({ min: pauseMs * 0.8, max: pauseMs * 1.2 });
}
