import type { BoundedWindow, BusySlot } from '#domain/events';
import type { FreeBusyOutcome, FreeBusyRequest } from '#domain/providers';
import { freeBusyOutcomes, recordOf } from '#providers/kit/events';
import { instantOf } from '#providers/kit/series';
import { readCalendars } from './calendars.js';
import { REQUESTS_AT_ONCE, type GraphAccountClient } from './account-client.js';
import { malformedResponse } from './errors.js';
import { widened } from './events/event-views.js';
import { readGraphTime } from './events/graph-times.js';
import { viewPieces, rangeQuery } from './events/instances.js';
import { openCalendar, pathIn, readList } from './events/open-calendar.js';

const SELECT = 'id,start,end,isAllDay,showAs,isCancelled,responseStatus,type';
/** Statuses that take up no time. Unknown values do. */
const FREE: ReadonlySet<unknown> = new Set(['free', 'workingElsewhere']);

/**
 * Reads instances of each calendar, because Graph's own query covers only default calendars of work accounts. All-day
 * events are busy in the zone of the calendar.
 * @throws DomainError when the whole account fails
 */
export async function queryFreeBusy(
  connection: GraphAccountClient,
  request: FreeBusyRequest,
  toError: (error: unknown) => unknown,
): Promise<FreeBusyOutcome[]> {
  // One list fills the cache instead of a request per calendar.
  if (request.calendarIds.length > 1) await readCalendars(connection);
  return freeBusyOutcomes(request, {
    atOnce: REQUESTS_AT_ONCE,
    read: (calendarId) => busyIn(connection, calendarId, request.window),
    toError,
  });
}

async function busyIn(connection: GraphAccountClient, calendarId: string, window: BoundedWindow): Promise<BusySlot[]> {
  const calendar = await openCalendar(connection, calendarId);
  const slots: BusySlot[] = [];
  // Graph takes all-day events for days in UTC.
  for (const range of viewPieces(widened(window))) {
    const query = { ...rangeQuery(range), $select: SELECT };
    const { rows } = await readList(calendar, pathIn(calendar, 'calendarView'), query);
    for (const row of rows) if (isBusy(row)) slots.push(slotOf(row, calendar.timeZone));
  }
  return slots;
}

function isBusy(row: unknown): boolean {
  const { showAs, isCancelled, responseStatus } = recordOf(row);
  return !FREE.has(showAs) && isCancelled !== true && recordOf(responseStatus)['response'] !== 'declined';
}

/** @throws DomainError ProviderUnavailable, because an unreadable time must not count as free */
function slotOf(row: unknown, timeZone: string): BusySlot {
  const { start, end, isAllDay } = recordOf(row);
  const [from, to] = [start, end].map((time) => readGraphTime(time, isAllDay === true, timeZone));
  if (from == null || to == null) throw malformedResponse();
  return { startMs: instantOf(from, timeZone), endMs: instantOf(to, timeZone) };
}
