import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  Clock,
  DomainError,
  ProviderChannelRepository,
  WatchedCalendarRepository,
  type CalendarLook,
  type ComposedMessage,
  type MessageTarget,
  type QueuedMessage,
} from '#domain';
import { Deadline } from '#platform/deadline';
import { counter } from '#platform/telemetry';
import { calendarMessage, type CalendarEventType } from '#webhooks';
import {
  CalendarChanges,
  NO_CURSOR,
  readLookCursor,
  writeLookCursor,
  type LookCursor,
  type SeenChanges,
} from './calendar-changes.js';

const made = counter('calendar_looks_total');

/** Milliseconds. A random value between both spreads the syncs of different calendars. */
export interface Interval {
  min: number;
  max: number;
}

/** Time to the next sync without a request. */
export interface LookIntervals {
  /** With a live channel: covers lost notifications. */
  pushed: Interval;
  polled: Interval;
  /** Without a channel, shortly after a change. */
  lively: Interval;
}

export const LOOK_INTERVALS: LookIntervals = {
  pushed: { min: 5 * 60_000, max: 8 * 60_000 },
  polled: { min: 45_000, max: 55_000 },
  lively: { min: 25_000, max: 30_000 },
};

const LONGEST_MS = 5 * 60_000;
/** How long after a change the next one is likely. */
const LIVELY_MS = 10 * 60_000;
/** How long after a change the provider may still send notifications for it. */
const PUSHED_WITHIN_MS = 5 * 60_000;
/** Crashed syncs in a row after which syncs of the calendar pause. */
const MOST_DEATHS = 3;
const AFTER_DEATHS_MS = 60 * 60_000;
/** Failing time after which subscribers get `calendar.event.unknown`. */
const FAILING_MS = 15 * 60_000;
const BACKOFF: Interval = { min: 5_000, max: 10 * 60_000 };
const GONE_MS = 6 * 60 * 60_000;
const EXPIRED_MS = 60 * 60_000;

/** Changes since the last sync become one message per subscription. Stores no calendar data. */
@Injectable()
export class CalendarLooks {
  private readonly logger = new Logger(CalendarLooks.name);

  constructor(
    private readonly calendars: WatchedCalendarRepository,
    private readonly channels: ProviderChannelRepository,
    private readonly changes: CalendarChanges,
    private readonly clock: Clock,
    @Optional() private readonly intervals: LookIntervals = LOOK_INTERVALS,
  ) {}

  /** Throws database errors and the reason of `signal`. @returns new messages; null when the lease was lost */
  async look(look: CalendarLook, signal: AbortSignal): Promise<QueuedMessage[] | null> {
    if (look.deaths >= MOST_DEATHS) {
      this.logger.error({ msg: 'looks at a calendar end their process: it is left alone', ...idOf(look) });
      return this.putOff(look, AFTER_DEATHS_MS);
    }
    const cursor = look.syncToken === null ? NO_CURSOR : readLookCursor(look.syncToken);
    const late = () => new DomainError('ProviderTimeout', 'The calendar could not be read in time.');
    const deadline = new Deadline({ ms: LONGEST_MS, late, parents: [signal] });
    let seen: SeenChanges;
    try {
      seen = await this.changes.since(look, cursor ?? NO_CURSOR, deadline.signal);
    } catch (error) {
      signal.throwIfAborted();
      made.add(1, { provider: look.providerType, outcome: 'failed' });
      return await this.fail(look, cursor ?? NO_CURSOR, error);
    } finally {
      deadline.clear();
    }
    // An unreadable cursor counts as a lost one.
    return this.finish(look, cursor ?? NO_CURSOR, cursor === null ? { ...seen, kind: 'resumed' } : seen);
  }

  /** Runs the first sync, which announces nothing. @throws what the provider and the database throw */
  async begin(look: CalendarLook, signal: AbortSignal): Promise<void> {
    let seen: SeenChanges;
    try {
      seen = await this.changes.since(look, NO_CURSOR, signal);
    } catch (error) {
      await this.calendars.giveBackLook(look);
      throw error;
    }
    const { sync, window } = seen;
    await this.tell(look, null, { ...NO_CURSOR, sync, window, isBeginning: true });
  }

  private async finish(look: CalendarLook, before: LookCursor, seen: SeenChanges): Promise<QueuedMessage[] | null> {
    const eventType = eventTypeOf(look, before, seen, this.clock.nowMs());
    const messages = await this.tell(look, eventType, {
      sync: seen.sync,
      window: seen.window,
      toldAtMs: before.toldAtMs,
      isBeginning: seen.kind === 'begun',
      isLost: false,
    });
    made.add(1, { provider: look.providerType, outcome: eventType === null ? 'unchanged' : 'changed' });
    if (messages !== null && seen.kind === 'changed' && look.isPushed) await this.noteFind(look);
    return messages;
  }

  private async tell(
    look: CalendarLook,
    eventType: CalendarEventType | null,
    cursor: LookCursor,
    nextLookInMs?: number,
  ): Promise<QueuedMessage[] | null> {
    const nowMs = this.clock.nowMs();
    const toldAtMs = eventType === null ? cursor.toldAtMs : nowMs;
    return this.calendars.finishLook(look, {
      syncToken: writeLookCursor({ ...cursor, toldAtMs }),
      nextLookInMs: nextLookInMs ?? within(this.intervalOf(look, toldAtMs, nowMs)),
      compose: eventType === null ? null : (target) => messageFor(target, look, eventType, new Date(nowMs)),
    });
  }

  private intervalOf({ isPushed }: CalendarLook, toldAtMs: number | null, nowMs: number): Interval {
    const { pushed, polled, lively } = this.intervals;
    if (isPushed) return pushed;
    return isWithin(toldAtMs, LIVELY_MS, nowMs) ? lively : polled;
  }

  private async fail(look: CalendarLook, cursor: LookCursor, error: unknown): Promise<QueuedMessage[] | null> {
    const code = error instanceof DomainError ? error.code : null;
    if (code === 'EndUserAccountExpired') return this.putOff(look, EXPIRED_MS);
    const isGone = code === 'NotFound';
    const failingForMs = look.failingForMs ?? 0;
    if (!isGone)
      this.logger.warn({ msg: 'a calendar could not be looked at', ...idOf(look), failingForMs, err: error });
    const hintMs = error instanceof DomainError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const pauseMs = isGone ? GONE_MS : Math.max(hintMs, backoffMs(failingForMs));
    if (cursor.isLost || (!isGone && failingForMs < FAILING_MS)) return this.putOff(look, pauseMs);
    return this.tell(look, 'calendar.event.unknown', { ...cursor, isLost: true }, pauseMs);
  }

  private async putOff(look: CalendarLook, inMs: number): Promise<QueuedMessage[] | null> {
    return (await this.calendars.putOffLook(look, inMs)) ? [] : null;
  }

  // Our own writes say nothing about missing notifications, because those arrive later.
  private async noteFind({ watchedCalendarId, cause }: CalendarLook): Promise<void> {
    if (cause === 'hint') return;
    try {
      await this.channels.noteFind(watchedCalendarId, cause === 'push');
    } catch (error) {
      this.logger.warn({ msg: 'what a channel did not tell was not noted', watchedCalendarId, err: error });
    }
  }
}

function eventTypeOf(
  { cause, failingForMs }: CalendarLook,
  before: LookCursor,
  { kind, window }: SeenChanges,
  nowMs: number,
): CalendarEventType | null {
  const isHinted = cause !== 'timer';
  switch (kind) {
    case 'changed':
      return 'calendar.event.changed';
    case 'resumed':
      return 'calendar.event.unknown';
    case 'begun':
      // Earlier changes are part of the initial read.
      if (before.isLost || failingForMs !== null) return 'calendar.event.unknown';
      return isHinted ? 'calendar.event.changed' : null;
    case 'unchanged':
      if (before.isBeginning && isHinted) return 'calendar.event.changed';
      // The reported change may lie outside the window.
      if (cause === 'push' && window !== null && !isWithin(before.toldAtMs, PUSHED_WITHIN_MS, nowMs)) {
        return 'calendar.event.unknown';
      }
      return null;
  }
}

function messageFor(
  { id, endpointId, isEnriched }: MessageTarget,
  { accountId, calendarId, providerType }: CalendarLook,
  eventType: CalendarEventType,
  noticedAt: Date,
): ComposedMessage {
  return calendarMessage(
    id,
    {
      eventType,
      noticedAt,
      endUserAccountId: accountId,
      calendarId,
      webhookSubscriptionId: endpointId,
      providerType,
    },
    { isEnriched },
  );
}

function idOf({ watchedCalendarId, accountId, providerType, deaths }: CalendarLook) {
  return { watchedCalendarId, accountId, providerType, deaths };
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
