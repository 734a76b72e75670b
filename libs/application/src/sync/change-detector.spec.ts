import type { EventItem } from '#domain/events';
import type { ListEvents, Page } from '#domain/providers';
import type { ClaimedSync } from '#domain/sync';
import { DomainError, type JsonValue } from '#domain/system';
import type { AccountAccess, OpenAccount } from '../accounts/account-access.js';
import { ChangeDetector, EMPTY_CURSOR, readSyncCursor, writeSyncCursor, type SyncCursor } from './change-detector.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21);
const YEARS = { startMs: NOW_MS - 365 * DAY_MS, endMs: NOW_MS + 3 * 365 * DAY_MS };
const MONTHS = { startMs: NOW_MS - 30 * DAY_MS, endMs: NOW_MS + 365 * DAY_MS };
const EVENT = { id: 'e', isCancelled: true } as EventItem;
const SYNC = { applicationId: 'app', accountId: 'account', calendarId: 'calendar' } as ClaimedSync;

const last = (nextSync: JsonValue, ...items: EventItem[]): Page<EventItem> => ({ items, nextPage: null, nextSync });

/** A calendar whose reads are answered by `response`. */
function fixture(syncExtent: 'calendar' | 'window', response: (list: ListEvents) => Page<EventItem>) {
  const lists: ListEvents[] = [];
  const open = (signal: AbortSignal) =>
    ({
      session: { signal },
      provider: {
        capabilities: { syncExtent },
        listEvents: async (_session: unknown, calendarId: string, list: ListEvents) => {
          expect(calendarId).toBe('calendar');
          lists.push(list);
          return response(list);
        },
      },
    }) as unknown as OpenAccount;
  const access = {
    useInBackground: (
      _application: unknown,
      _id: string,
      signal: AbortSignal,
      _cause: string,
      work: (open: OpenAccount) => Promise<unknown>,
    ) => work(open(signal)),
  };
  const clock = { ms: NOW_MS, nowMs: () => clock.ms };
  const changes = new ChangeDetector(access as unknown as AccountAccess, clock);
  const since = (cursor: Partial<typeof EMPTY_CURSOR> = {}, signal = new AbortController().signal) =>
    changes.since(SYNC, { ...EMPTY_CURSOR, ...cursor }, signal);
  return { since, lists, clock };
}

const failing = (code: ConstructorParameters<typeof DomainError>[0]) => () => {
  throw new DomainError(code, 'no');
};

describe('ChangeDetector', () => {
  it('begins with a read to the end, page by page, of all that there is', async () => {
    const pages = [{ items: [EVENT], nextPage: { at: 1 }, nextSync: null }, last({ since: 1 }, EVENT)];
    const { since, lists } = fixture('calendar', () => pages.shift()!);
    expect(await since()).toEqual({ kind: 'initial', sync: { since: 1 }, window: null });
    expect(lists.map(({ page, sync, query }) => [page, sync, query.window])).toEqual([
      [null, null, { startMs: null, endMs: null }],
      [{ at: 1 }, null, { startMs: null, endMs: null }],
    ]);
  });

  it('says whether anything changed since, and where the next sync goes on', async () => {
    const pages = [last({ since: 2 }), { items: [EVENT], nextPage: { at: 1 }, nextSync: null }, last({ since: 3 })];
    const { since, lists } = fixture('calendar', () => pages.shift()!);
    expect(await since({ sync: { since: 1 } })).toEqual({ kind: 'unchanged', sync: { since: 2 }, window: null });
    expect(await since({ sync: { since: 2 } })).toEqual({ kind: 'changed', sync: { since: 3 }, window: null });
    expect(lists.map(({ sync }) => sync)).toEqual([{ since: 1 }, { since: 2 }, { since: 2 }]);
  });

  it.each(['SyncTokenExpired', 'PageTokenInvalid'] as const)('F33 begins again after %s, once', async (code) => {
    const { since, lists } = fixture('calendar', ({ sync }) => (sync === null ? last({ since: 9 }) : failing(code)()));
    expect(await since({ sync: { since: 1 } })).toEqual({ kind: 'resynced', sync: { since: 9 }, window: null });
    expect(lists).toHaveLength(2);
  });

  it('reads years around now where a calendar as a whole tells no changes, and the same ones again', async () => {
    const { since, lists } = fixture('window', () => last({ since: 1 }));
    const { sync, window } = await since();
    expect(window).toEqual(YEARS);
    expect(await since({ sync, window })).toMatchObject({ kind: 'unchanged', window: YEARS });
    expect(lists.map(({ query }) => query.window)).toEqual([YEARS, YEARS]);
  });

  it('reads months where years hold too many events', async () => {
    const { since } = fixture('window', ({ query }) =>
      query.window.endMs === YEARS.endMs ? failing('ValidationFailed')() : last({ since: 1 }),
    );
    expect(await since()).toEqual({ kind: 'initial', sync: { since: 1 }, window: MONTHS });
  });

  it.each([YEARS, MONTHS])('moves the window on after a month, and misses nothing: %j', async (window) => {
    const { since, lists, clock } = fixture('window', ({ sync }) =>
      sync === null ? last({ since: 'moved' }) : last({ since: 'old' }, EVENT),
    );
    clock.ms += 30 * DAY_MS;
    expect(await since({ sync: 1, window })).toEqual({ kind: 'changed', sync: { since: 'old' }, window });
    clock.ms += 1;
    expect(await since({ sync: 1, window })).toEqual({
      kind: 'changed',
      sync: { since: 'moved' },
      window: { startMs: YEARS.startMs + 30 * DAY_MS + 1, endMs: YEARS.endMs + 30 * DAY_MS + 1 },
    });
    // The new place first: what changes in between is behind both.
    expect(lists.map(({ sync }) => sync)).toEqual([1, null, 1]);
  });

  it('breaks off between pages', async () => {
    const ending = new AbortController();
    const { since, lists } = fixture('calendar', () => {
      ending.abort(new Error('stopping'));
      return { items: [], nextPage: { at: 1 }, nextSync: null };
    });
    await expect(since({}, ending.signal)).rejects.toThrow('stopping');
    expect(lists).toHaveLength(1);
  });

  it('takes no read that ends without a place to go on for one', async () => {
    const { since } = fixture('calendar', () => ({ items: [], nextPage: null, nextSync: null }));
    await expect(since()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });

  it.each(['NotFound', 'ProviderRateLimited', 'CredentialsRejected'] as const)('hands %s on', async (code) => {
    const { since } = fixture('calendar', failing(code));
    await expect(since({ sync: 1 })).rejects.toMatchObject({ code });
  });
});

const CURSOR: SyncCursor = {
  sync: { kind: 'token', token: 'x' },
  window: { startMs: 1, endMs: 2 },
  lastNotifiedAtMs: 3,
  isInitial: true,
  isLost: false,
};

describe('a sync cursor', () => {
  it.each([[CURSOR], [EMPTY_CURSOR]])('comes back as it was', (cursor) => {
    expect(readSyncCursor(writeSyncCursor(cursor))).toEqual(cursor);
  });

  it.each([
    ['', 'next', '{', 'null', '7', '[]', '{}'],
    [
      { ...CURSOR, sync: undefined },
      { ...CURSOR, window: undefined },
      { ...CURSOR, window: { startMs: 1 } },
    ],
    [
      { ...CURSOR, lastNotifiedAtMs: '3' },
      { ...CURSOR, isInitial: 1 },
      { ...CURSOR, isLost: null },
    ],
  ])('is none when it is of another shape', (...texts) => {
    for (const text of texts) {
      expect(readSyncCursor(typeof text === 'string' ? text : JSON.stringify(text))).toBeNull();
    }
  });
});
