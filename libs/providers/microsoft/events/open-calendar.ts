import type { Calendar } from '@microsoft/microsoft-graph-types';
import { DomainError } from '#domain/system';
import { orNull } from '#providers/kit/calls';
import { listOf, recordOf, textOf } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import { walkPages, type ListPage } from '#providers/kit/sync';
import { ianaZone } from '#icalendar';
import type { GraphAccountClient } from '../account-client.js';
import { GraphApiError, malformedResponse } from '../errors.js';
import type { GraphCall } from '../graph-transport.js';
import { NO_DETAILS, readInstance, readOutlookEvent, readSeriesDetails, type OutlookEvent } from './outlook-event.js';
import { EXPAND_OWN, ownPropertiesOf } from './own-properties.js';

/** Graph's maximum for events. */
export const MAX_GRAPH_PAGE = 1_000;
/** Fields of a series that Graph returns only by id. */
const DETAILS = {
  $select: 'id,type,cancelledOccurrences,exceptionOccurrences',
  $expand: 'exceptionOccurrences($select=id)',
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
  throw new DomainError('ReadOnlyCalendar', 'The account may not write to this calendar.');
}

/** @param below segments after the calendar: `events`, an id, `instances` */
export function pathIn({ id }: OutlookCalendarHandle, ...below: string[]): string {
  return ['/me/calendars', ...[id, ...below].map(encodeURIComponent)].join('/');
}

export async function fetchEvent(calendar: OutlookCalendarHandle, graphId: string): Promise<OutlookEvent | null> {
  const raw = await orNull(calendar.connection.call('read', eventCall(calendar, graphId)));
  if (raw === null) return null;
  const { type, seriesMasterId } = recordOf(raw);
  if ((type === 'occurrence' || type === 'exception') && typeof seriesMasterId === 'string') {
    const series = (await fetchSeries(calendar, [seriesMasterId])).get(seriesMasterId);
    return series === undefined ? null : readInstance(raw, series, calendar.timeZone);
  }
  const details =
    type === 'seriesMaster' ? await orNull(calendar.connection.call('read', detailsCall(calendar, graphId))) : null;
  return readOutlookEvent(raw, calendar.timeZone, details === null ? NO_DETAILS : readSeriesDetails(details));
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
  const calls = graphIds.flatMap((id) => [eventCall(calendar, id), detailsCall(calendar, id)]);
  const answers = await readTogether(calendar, calls);
  const found = new Map<string, OutlookEvent>();
  graphIds.forEach((id, at) => {
    if (answers[2 * at] === null) return;
    const event = readOutlookEvent(answers[2 * at], calendar.timeZone, readSeriesDetails(answers[2 * at + 1]));
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
  const answers = await readTogether(
    calendar,
    graphIds.map((id) => eventCall(calendar, id)),
  );
  return answers.flatMap((raw) => {
    const owner = byId.get(textOf(recordOf(raw)['seriesMasterId']) ?? '');
    return owner === undefined ? [] : (readInstance(raw, owner, calendar.timeZone) ?? []);
  });
}

/** @throws DomainError ProviderUnavailable for anything but a page */
export function readPage({ connection }: OutlookCalendarHandle, answer: unknown): ListPage<unknown> {
  const { value, '@odata.nextLink': next, '@odata.deltaLink': delta } = recordOf(answer);
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
export function walk(calendar: OutlookCalendarHandle, first: () => Promise<unknown>, headers?: GraphCall['headers']) {
  return walkPages('Microsoft', async (next) =>
    readPage(calendar, await (next === null ? first() : calendar.connection.follow(next, headers))),
  );
}

function eventCall(calendar: OutlookCalendarHandle, graphId: string): GraphCall {
  return { method: 'GET', path: pathIn(calendar, 'events', graphId), query: { $expand: EXPAND_OWN } };
}

function detailsCall(calendar: OutlookCalendarHandle, graphId: string): GraphCall {
  return { method: 'GET', path: pathIn(calendar, 'events', graphId), query: DETAILS };
}

/** Returns bodies in the order of the calls; null for missing items. */
export async function readTogether(
  { connection }: OutlookCalendarHandle,
  calls: readonly GraphCall[],
): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const answers = await connection.batch(calls);
  return answers.map(({ status, body }) => {
    if (status >= 200 && status < 300) {
      if (body === null) throw malformedResponse();
      return body;
    }
    const code = textOf(recordOf(recordOf(body)['error'])['code']) ?? null;
    const fault = new GraphApiError(status, code, '', null);
    if (fault.isGone) return null;
    throw fault;
  });
}
