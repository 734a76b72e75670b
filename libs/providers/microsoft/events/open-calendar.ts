import type { Calendar } from '@microsoft/microsoft-graph-types';
import { DomainError } from '#domain/system';
import { inFittingBatches, orNull } from '#providers/kit/calls';
import { listOf, recordOf, textOf } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import type { ListPage } from '#providers/kit/sync';
import { ianaZone } from '#icalendar';
import type { GraphAccountClient } from '../account-client.js';
import { GraphApiError, malformedResponse } from '../errors.js';
import type { GraphCall } from '../graph-transport.js';
import {
  MAPPED_FIELDS,
  NO_DETAILS,
  readInstance,
  readOutlookEvent,
  readSeriesDetails,
  type OutlookEvent,
} from './outlook-event.js';
import { EXPAND_OWN, ownPropertiesOf } from './own-properties.js';

/** Lists of a series that Graph returns only by id, and only when they are named. */
const EXPAND_EXCEPTIONS = 'exceptionOccurrences($select=id)';
const DETAILS = { $select: 'id,type,cancelledOccurrences,exceptionOccurrences', $expand: EXPAND_EXCEPTIONS };
/** An event with everything that is mapped, and the lists of a series. */
const WHOLE = {
  $select: [...MAPPED_FIELDS, 'cancelledOccurrences'].join(','),
  $expand: `${EXPAND_OWN},${EXPAND_EXCEPTIONS}`,
};

export interface OutlookCalendarHandle {
  connection: GraphAccountClient;
  id: string;
  calendar: Calendar;
  /** IANA id. */
  timeZone: string;
  /** Lower-case addresses at which the owner is invited. */
  ownAddresses: ReadonlySet<string>;
}

/** @throws DomainError NotFound */
export async function openCalendar(connection: GraphAccountClient, calendarId: string): Promise<OutlookCalendarHandle> {
  await connection.prefetch(calendarId);
  const calendar = await connection.calendar(calendarId);
  const asked = ianaZone(ownPropertiesOf(calendar).get('ucTimeZone') ?? '');
  const timeZone = asked ?? (await connection.mailboxTimeZone());
  return { connection, id: calendar.id, calendar, timeZone, ownAddresses: addressesOf(calendar, connection) };
}

/** The account's address counts only for calendars that it can share, which are its own. */
function addressesOf({ owner, canShare }: Calendar, { session }: GraphAccountClient): ReadonlySet<string> {
  const addresses = [textOf(owner?.address), canShare === false ? undefined : session.email];
  return new Set(addresses.flatMap((address) => address?.toLowerCase() ?? []));
}

/** @throws DomainError NotFound, ReadOnlyCalendar */
export async function openForWriting(
  connection: GraphAccountClient,
  calendarId: string,
): Promise<OutlookCalendarHandle> {
  const calendar = await openCalendar(connection, calendarId);
  if (calendar.calendar.canEdit !== false) return calendar;
  // The cached calendar may be older than the right to write.
  if ((await connection.freshCalendar(calendarId)).canEdit !== false) return openCalendar(connection, calendarId);
  throw new DomainError('ReadOnlyCalendar', 'The account may not write to this calendar.');
}

/** @param below segments after the calendar: `events`, an id, `instances` */
export function pathIn({ id }: Pick<OutlookCalendarHandle, 'id'>, ...below: string[]): string {
  return ['/me/calendars', ...[id, ...below].map(encodeURIComponent)].join('/');
}

export async function fetchEvent(calendar: OutlookCalendarHandle, graphId: string): Promise<OutlookEvent | null> {
  const { wholeReads } = calendar.connection;
  const raw = await wholeReads.orParts(
    () => orNull(calendar.connection.call('read', eventCall(calendar, graphId, WHOLE))),
    () => fetchInParts(calendar, graphId),
  );
  if (raw === null) return null;
  const { type, seriesMasterId } = recordOf(raw);
  if ((type === 'occurrence' || type === 'exception') && typeof seriesMasterId === 'string') {
    const series = (await fetchSeries(calendar, [seriesMasterId])).get(seriesMasterId);
    return series === undefined ? null : readInstance(raw, series, calendar.timeZone);
  }
  const details = type === 'seriesMaster' ? readSeriesDetails(raw) : NO_DETAILS;
  return readOutlookEvent(raw, calendar.timeZone, details);
}

async function fetchInParts(calendar: OutlookCalendarHandle, graphId: string): Promise<unknown> {
  const { connection } = calendar;
  const raw = await orNull(connection.call('read', eventCall(calendar, graphId)));
  if (raw === null || recordOf(raw)['type'] !== 'seriesMaster') return raw;
  const details = await orNull(connection.call('read', eventCall(calendar, graphId, DETAILS)));
  return { ...recordOf(details), ...recordOf(raw) };
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: OutlookCalendarHandle, seriesId: string): Promise<OutlookEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

/** Reads series with their details. Leaves out those that are gone. */
export async function fetchSeries(
  calendar: OutlookCalendarHandle,
  graphIds: readonly string[],
): Promise<Map<string, OutlookEvent>> {
  const { wholeReads } = calendar.connection;
  const rows = await wholeReads.orParts(
    () =>
      readTogether(
        calendar,
        graphIds.map((id) => eventCall(calendar, id, WHOLE)),
      ),
    async () => {
      const parts = [{ $expand: EXPAND_OWN }, DETAILS];
      const responses = await readTogether(
        calendar,
        graphIds.flatMap((id) => parts.map((query) => eventCall(calendar, id, query))),
      );
      return graphIds.map((_, at) => {
        const raw = responses[2 * at];
        return raw === null ? null : { ...recordOf(responses[2 * at + 1]), ...recordOf(raw) };
      });
    },
  );
  const found = new Map<string, OutlookEvent>();
  graphIds.forEach((id, at) => {
    const raw = rows[at];
    if (raw === null) return;
    const event = readOutlookEvent(raw, calendar.timeZone, readSeriesDetails(raw));
    if (event.isSeries) found.set(id, event);
  });
  return found;
}

/** Reads instances by Graph's ids. Leaves out those that are gone. */
export async function fetchInstances(
  calendar: OutlookCalendarHandle,
  series: readonly OutlookEvent[],
  graphIds: readonly string[],
): Promise<OutlookEvent[]> {
  const byId = new Map(series.map((one) => [one.graphId, one]));
  const responses = await readTogether(
    calendar,
    graphIds.map((id) => eventCall(calendar, id)),
  );
  return responses.flatMap((raw) => {
    const owner = byId.get(textOf(recordOf(raw)['seriesMasterId']) ?? '');
    return owner === undefined ? [] : (readInstance(raw, owner, calendar.timeZone) ?? []);
  });
}

/** @throws DomainError ProviderUnavailable for anything but a page */
export function readPage(
  { connection }: Pick<OutlookCalendarHandle, 'connection'>,
  response: unknown,
): ListPage<unknown> {
  const { value, '@odata.nextLink': next, '@odata.deltaLink': delta } = recordOf(response);
  if (!Array.isArray(value)) throw malformedResponse();
  const stateOf = (link: unknown) => {
    if (link == null) return null;
    // The list continues. An end here would lose rows.
    if (typeof link !== 'string') throw malformedResponse();
    return connection.stateOf(link);
  };
  return { rows: [...listOf(value)], next: stateOf(next), delta: stateOf(delta) };
}

/** Reads all pages. @throws DomainError ValidationFailed when the list is too long, ProviderUnavailable */
export function walk(
  calendar: Pick<OutlookCalendarHandle, 'connection'>,
  first: (pageSize: number) => Promise<unknown>,
  headersFor?: (pageSize: number) => GraphCall['headers'],
) {
  const { connection } = calendar;
  return connection.pageSize.walk('Microsoft', async (next, size) =>
    readPage(calendar, await (next === null ? first(size) : connection.follow(next, headersFor?.(size)))),
  );
}

/** Reads a list of events to its end. */
export function readList(
  calendar: Pick<OutlookCalendarHandle, 'connection'>,
  path: string,
  query: Readonly<Record<string, string>>,
) {
  const call = (size: number) => ({ method: 'GET', path, query: { ...query, $top: String(size) } }) as const;
  return walk(calendar, (size) => calendar.connection.call('read', call(size)));
}

function eventCall(
  calendar: OutlookCalendarHandle,
  graphId: string,
  query: Readonly<Record<string, string>> = { $expand: EXPAND_OWN },
): GraphCall {
  return { method: 'GET', path: pathIn(calendar, 'events', graphId), query };
}

/** Returns bodies in the order of the calls; null for missing items. */
export async function readTogether(
  { connection }: OutlookCalendarHandle,
  calls: readonly GraphCall[],
): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const responses = await inFittingBatches(calls, (some) => connection.batch(some));
  return responses.map(({ status, body }) => {
    if (status >= 200 && status < 300) {
      if (body === null) throw malformedResponse();
      return body;
    }
    const code = textOf(recordOf(recordOf(body)['error'])['code']) ?? null;
    const error = new GraphApiError(status, code, '', null);
    if (error.isGone) return null;
    throw error;
  });
}
