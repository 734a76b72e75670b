import type { BoundedWindow, CalendarEvent, EventItem } from '#domain/events';
import type { EventQuery, ListEvents, ListOccurrences, Page } from '#domain/providers';
import { DomainError, type JsonValue } from '#domain/system';
import { PRIMARY } from '#domain/calendars';
import { isSendable } from '#providers/kit/calls';
import type { GraphAccountClient } from '../account-client.js';
import { areTexts, snapshotScope, SnapshotSync, cursorFields, tokenExpired, tokenForeign } from '#providers/kit/sync';
import { GraphApiError } from '../errors.js';
import { toCalendarEvent } from './event-mapper.js';
import { occurrencesView, widened, windowView, type WindowQuery } from './event-views.js';
import { checkEventId, findLiveEvent } from './find-event.js';
import { rangeQuery, viewPieces } from './instances.js';
import { openCalendar, pathIn, walk, type OutlookCalendarHandle } from './open-calendar.js';
import { plainPage } from './plain-reads.js';

/** @throws DomainError NotFound */
export async function readEvent(calendar: OutlookCalendarHandle, eventId: string): Promise<CalendarEvent> {
  return toCalendarEvent(await findLiveEvent(calendar, eventId), calendar);
}

/** @throws DomainError NotFound, ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readEvents(
  connection: GraphAccountClient,
  calendarId: string,
  list: ListEvents,
): Promise<Page<EventItem>> {
  if (isWindow(list.query)) return readWindow(connection, calendarId, list.query, list);
  if (list.sync !== null) throw tokenForeign();
  return plainPage(await openCalendar(connection, calendarId), list);
}

/** @throws DomainError NotFound, ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readOccurrences(calendar: OutlookCalendarHandle, eventId: string, list: ListOccurrences) {
  // A sync reports that the series is gone; a first read fails.
  const view = occurrencesView(calendar, checkEventId(eventId), list.query, list.sync !== null);
  return new SnapshotSync(calendar.connection.snapshots, calendar.connection.reads).read(view, list);
}

type NamedCalendar = Pick<OutlookCalendarHandle, 'connection' | 'id'>;

function isWindow(query: EventQuery): query is WindowQuery {
  return query.window.startMs !== null && query.window.endMs !== null;
}

/** More links exceed a token. A longer window is compared without a delta query. */
const MAX_DELTAS = 2;
/** A delta query takes no `$top`. */
const pagesOf = (size: number) => ({ prefer: `odata.maxpagesize=${size}` });
/** Codes of an old delta link, besides status 410. */
const EXPIRED_CODES = new Set(['syncstatenotfound', 'syncstateinvalid', 'resyncrequired']);

/**
 * Reads a window or its changes. Graph's delta shows cheaply whether anything changed; a comparison finds the changes.
 * A delta leaves out deleted instances and holds events outside of the window
 * (https://learn.microsoft.com/graph/delta-query-events).
 * @throws DomainError SyncTokenExpired, ValidationFailed, PageTokenInvalid
 */
async function readWindow(
  connection: GraphAccountClient,
  calendarId: string,
  query: WindowQuery,
  { pageSize, page, sync }: ListEvents,
) {
  const snapshotSync = new SnapshotSync(connection.snapshots, connection.reads);
  const since = sync === null ? null : readCursor(sync);
  const cursor = page === null ? null : readCursor(page);
  let deltas = cursor?.deltas ?? null;
  if (cursor === null && since !== null) {
    // Without changes the calendar is not read. Its alias has no id for the snapshot.
    const isNamed = calendarId !== PRIMARY && isSendable(calendarId);
    const named = isNamed ? { connection, id: calendarId } : await openCalendar(connection, calendarId);
    const changes = await changesSince(named, query.window, since.deltas);
    if (!changes.isChanged) {
      const unchanged = await snapshotSync.unchanged({ scope: snapshotScope(named) }, since.at);
      return along(changes.deltas, unchanged);
    }
    deltas = changes.deltas;
  }
  const view = windowView(await openCalendar(connection, calendarId), query);
  const list = { pageSize, page: cursor?.at ?? null, sync: since?.at ?? null };
  return along(deltas, await snapshotSync.read(view, list));
}

async function startDeltas(calendar: NamedCalendar, window: BoundedWindow): Promise<string[]> {
  const deltas: string[] = [];
  const pieces = viewPieces(widened(window));
  if (pieces.length > MAX_DELTAS) return deltas;
  for (const piece of pieces) {
    const path = `${pathIn(calendar, 'calendarView')}/delta`;
    const call = { method: 'GET', path, query: rangeQuery(piece) } as const;
    const first = (size: number) => calendar.connection.call('read', { ...call, headers: pagesOf(size) });
    const { delta } = await walk(calendar, first, pagesOf);
    if (delta === null) {
      throw new DomainError('ProviderUnavailable', 'Microsoft ended a round of changes without a link.');
    }
    deltas.push(delta);
  }
  return deltas;
}

/** @param states null for the first sync after a read, which compares and begins the delta before that */
async function changesSince(calendar: NamedCalendar, window: BoundedWindow, states: readonly string[] | null) {
  const deltas: string[] = [];
  let isChanged = (states?.length ?? 0) === 0;
  try {
    if (states === null) return { isChanged, deltas: await startDeltas(calendar, window) };
    for (const state of states) {
      const first = (size: number) => calendar.connection.follow(state, pagesOf(size));
      const { rows, delta } = await walk(calendar, first, pagesOf);
      isChanged ||= rows.length > 0;
      deltas.push(delta ?? state);
    }
  } catch (error) {
    if (error instanceof GraphApiError && isDeltaExpired(error)) throw tokenExpired();
    throw error;
  }
  return { isChanged, deltas };
}

function isDeltaExpired({ status, code }: GraphApiError): boolean {
  return status === 410 || EXPIRED_CODES.has((code ?? '').toLowerCase());
}

function along(deltas: string[] | null, { items, nextPage, nextSync }: Page<EventItem>): Page<EventItem> {
  const cursor = (at: JsonValue | null) => (at === null ? null : { kind: 'window', deltas, at });
  return { items, nextPage: cursor(nextPage), nextSync: cursor(nextSync) };
}

/**
 * `deltas` are delta links of the pieces of the window, without their origin, null before the first sync; `at` is for
 * {@link SnapshotSync}.
 */
function readCursor(value: JsonValue) {
  const { kind, deltas, at } = cursorFields(value);
  const isKnown = deltas === null || areTexts(deltas);
  if (kind !== 'window' || !isKnown || at === undefined) throw tokenForeign();
  return { deltas, at };
}
