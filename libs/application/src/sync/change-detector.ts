import { Injectable } from '@nestjs/common';
import type { BoundedWindow } from '#domain/events';
import { WHOLE_CALENDAR, type ListEvents } from '#domain/providers';
import type { ClaimedSync } from '#domain/sync';
import { Clock, DomainError, type ErrorCode, type JsonValue } from '#domain/system';
import { AccountAccess, type OpenAccount } from '../accounts/account-access.js';

/** State of a calendar between two syncs. Holds no calendar data. */
export interface SyncCursor {
  /** Continuation of the adapter. null before the initial read. */
  sync: JsonValue | null;
  /** null for the whole calendar. */
  window: BoundedWindow | null;
  lastNotifiedAtMs: number | null;
  /** The last sync was the initial one, so later requests may concern changes that it already read. */
  isInitial: boolean;
  /** Subscribers got `calendar.event.unknown`, because the calendar cannot be read. */
  isLost: boolean;
}

export const EMPTY_CURSOR: SyncCursor = {
  sync: null,
  window: null,
  lastNotifiedAtMs: null,
  isInitial: false,
  isLost: false,
};

export interface DetectedChanges {
  /** `initial`: first read. `resynced`: first read anew after the sync token was lost. */
  kind: 'changed' | 'unchanged' | 'initial' | 'resynced';
  sync: JsonValue;
  window: BoundedWindow | null;
}

const DAY_MS = 86_400_000;
/** Days around the sync, where the provider syncs windows only. */
const WIDE = { before: 365, after: 3 * 365 };
/** For calendars with too many events for {@link WIDE}. */
const NARROW = { before: 30, after: 365 };
const MOVE_AFTER_MS = 30 * DAY_MS;
const PAGE_SIZE = 1_000;
const LOST: ReadonlySet<ErrorCode> = new Set(['SyncTokenExpired', 'PageTokenInvalid']);

@Injectable()
export class ChangeDetector {
  constructor(
    private readonly access: AccountAccess,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError NotFound, EndUserAccountExpired, and what the provider throws */
  since(sync: ClaimedSync, cursor: SyncCursor, signal: AbortSignal): Promise<DetectedChanges> {
    const { applicationId, accountId, calendarId } = sync;
    return this.access.useInBackground({ applicationId }, accountId, signal, 'sync', async (open) => {
      const read = new CalendarReader(open, calendarId, this.clock.nowMs());
      if (cursor.sync === null) return { kind: 'initial', ...(await read.beginning()) };
      try {
        // First, so that a change in between is reported twice rather than never.
        const moved = read.hasToMove(cursor.window) ? await read.beginning() : null;
        const { isChanged, sync } = await read.changes(cursor.window, cursor.sync);
        const kind = isChanged ? 'changed' : 'unchanged';
        return moved === null ? { kind, sync, window: cursor.window } : { kind, ...moved };
      } catch (error) {
        if (!(error instanceof DomainError) || !LOST.has(error.code)) throw error;
        return { kind: 'resynced', ...(await read.beginning()) };
      }
    });
  }
}

class CalendarReader {
  constructor(
    private readonly open: OpenAccount,
    private readonly calendarId: string,
    private readonly nowMs: number,
  ) {}

  hasToMove(window: BoundedWindow | null): boolean {
    return (
      window !== null && Math.abs(this.nowMs - window.startMs - this.reachOf(window).before * DAY_MS) > MOVE_AFTER_MS
    );
  }

  async beginning(): Promise<{ sync: JsonValue; window: BoundedWindow | null }> {
    if (this.open.provider.capabilities.syncExtent === 'calendar') return this.beginningOf(null);
    try {
      return await this.beginningOf(this.around(WIDE));
    } catch (error) {
      // The window has too many events for one read.
      if (!(error instanceof DomainError) || error.code !== 'ValidationFailed') throw error;
      return this.beginningOf(this.around(NARROW));
    }
  }

  async changes(window: BoundedWindow | null, since: JsonValue): Promise<{ isChanged: boolean; sync: JsonValue }> {
    const { count, sync } = await this.toTheEnd(window, since);
    return { isChanged: count > 0, sync };
  }

  private async beginningOf(window: BoundedWindow | null): Promise<{ sync: JsonValue; window: BoundedWindow | null }> {
    const { sync } = await this.toTheEnd(window, null);
    return { sync, window };
  }

  private async toTheEnd(
    window: BoundedWindow | null,
    sync: JsonValue | null,
  ): Promise<{ count: number; sync: JsonValue }> {
    const { provider, session } = this.open;
    const list: Omit<ListEvents, 'page'> = {
      query: window === null ? WHOLE_CALENDAR : { ...WHOLE_CALENDAR, window },
      pageSize: PAGE_SIZE,
      sync,
    };
    let count = 0;
    for (let page: JsonValue | null = null; ;) {
      session.signal.throwIfAborted();
      const { items, nextPage, nextSync } = await provider.listEvents(session, this.calendarId, { ...list, page });
      count += items.length;
      if (nextSync !== null) return { count, sync: nextSync };
      if (nextPage === null) throw new DomainError('ProviderUnavailable', 'The read ended without a sync token.');
      page = nextPage;
    }
  }

  private around({ before, after }: typeof WIDE): BoundedWindow {
    return { startMs: this.nowMs - before * DAY_MS, endMs: this.nowMs + after * DAY_MS };
  }

  private reachOf({ startMs, endMs }: BoundedWindow): typeof WIDE {
    return endMs - startMs > (NARROW.before + NARROW.after) * DAY_MS ? WIDE : NARROW;
  }
}

/** Returns null for a cursor of another version or a damaged one. */
export function readSyncCursor(text: string): SyncCursor | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isSyncCursor(value) ? value : null;
}

export function writeSyncCursor(cursor: SyncCursor): string {
  return JSON.stringify(cursor);
}

function isSyncCursor(value: unknown): value is SyncCursor {
  if (typeof value !== 'object' || value === null) return false;
  const { sync, window, lastNotifiedAtMs, isInitial, isLost } = value as Partial<SyncCursor>;
  return (
    sync !== undefined &&
    (window === null || (typeof window?.startMs === 'number' && typeof window.endMs === 'number')) &&
    (lastNotifiedAtMs === null || typeof lastNotifiedAtMs === 'number') &&
    typeof isInitial === 'boolean' &&
    typeof isLost === 'boolean'
  );
}
