import type { Calendar } from '@microsoft/microsoft-graph-types';
import { DomainError, invalid } from '#domain';
import { listOf, recordOf, textOf } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import { ianaZone } from '#icalendar';
import type { GraphConnection } from '../connection.js';
import { GraphFault, isGone, nonsense } from '../errors.js';
import type { GraphCall } from '../graph-transport.js';
import { NO_DETAILS, readInstance, readOutlookEvent, readSeriesDetails, type OutlookEvent } from './outlook-event.js';
import { EXPAND_OWN, ownPropertiesOf } from './own-properties.js';

/** The largest page that Graph gives of events. */
export const MAX_GRAPH_PAGE = 1_000;
/** A read that has to see everything first sees so much, and no more. */
export const MAX_WALK = 25_000;
const MAX_WALK_PAGES = 40;
/** How often a read is begun before a link that leads nowhere counts as nonsense. */
const MAX_WALKS = 2;
/** What only a read by id tells of a series. */
const DETAILS = {
  $select: 'id,type,cancelledOccurrences,exceptionOccurrences',
  $expand: 'exceptionOccurrences($select=id)',
};

/** One calendar of one account, open for one operation. */
export interface OpenCalendar {
  connection: GraphConnection;
  id: string;
  calendar: Calendar;
  /** IANA id of the zone that its dates are lived in. */
  timeZone: string;
  /** Lower-case addresses under which its owner is invited. */
  ownAddresses: ReadonlySet<string>;
}

/** @throws DomainError NotFound */
export async function openCalendar(connection: GraphConnection, calendarId: string): Promise<OpenCalendar> {
  const calendar = await connection.calendar(calendarId);
  const asked = ianaZone(ownPropertiesOf(calendar).get('ucTimeZone') ?? '');
  const timeZone = asked ?? (await connection.mailboxTimeZone());
  return { connection, id: calendar.id, calendar, timeZone, ownAddresses: addressesOf(calendar, connection) };
}

/** A calendar that can be shared on is the account's own, and invited under the account's address as well. */
function addressesOf({ owner, canShare }: Calendar, { session }: GraphConnection): ReadonlySet<string> {
  const addresses = [textOf(owner?.address), canShare === false ? undefined : session.email];
  return new Set(addresses.flatMap((address) => address?.toLowerCase() ?? []));
}

/** @throws DomainError NotFound, ReadOnlyCalendar */
export async function openForWriting(connection: GraphConnection, calendarId: string): Promise<OpenCalendar> {
  const calendar = await openCalendar(connection, calendarId);
  if (calendar.calendar.canEdit !== false) return calendar;
  throw new DomainError('ReadOnlyCalendar', 'The account may not write to this calendar.');
}

/** What snapshots of a calendar are kept under. */
export function snapshotScope({ connection, id }: OpenCalendar) {
  const { applicationId, accountId } = connection.session;
  return { applicationId, accountId, calendarId: id };
}

/** @param below segments behind the calendar: `events`, an id, `instances` */
export function pathIn({ id }: OpenCalendar, ...below: string[]): string {
  return ['/me/calendars', ...[id, ...below].map(encodeURIComponent)].join('/');
}

/** An event as Graph has it by that id, whatever it is; null when there is none. */
export async function fetchEvent(calendar: OpenCalendar, graphId: string): Promise<OutlookEvent | null> {
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
export async function seriesOf(calendar: OpenCalendar, seriesId: string): Promise<OutlookEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

/** Series by their ids, with what is told of each only by itself; those that are gone are left out. */
export async function fetchSeries(
  calendar: OpenCalendar,
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

/** Instances of some series by Graph's ids of them; those that are gone are left out. */
export async function fetchInstances(
  calendar: OpenCalendar,
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

/** One page as Graph gave it. */
export interface GraphPage {
  rows: unknown[];
  /** Where the next page is; null on the last one. */
  next: string | null;
  /** Where changes are told from, on the last page of a delta. */
  delta: string | null;
}

/** @throws DomainError ProviderUnavailable when the answer is no page */
export function readPage({ connection }: OpenCalendar, answer: unknown): GraphPage {
  const { value, '@odata.nextLink': next, '@odata.deltaLink': delta } = recordOf(answer);
  if (!Array.isArray(value)) throw nonsense();
  const stateOf = (link: unknown) => {
    if (link == null) return null;
    // A list that goes on somewhere must not end here.
    if (typeof link !== 'string') throw nonsense();
    return connection.stateOf(link);
  };
  return { rows: [...listOf(value)], next: stateOf(next), delta: stateOf(delta) };
}

/** All pages of a read. */
export interface Walked {
  rows: unknown[];
  delta: string | null;
}

/**
 * Reads to the end. Graph may forget the links between the pages meanwhile: then once more from the beginning.
 * @param first reads the first page; what it throws is passed on
 * @throws DomainError ValidationFailed when there is more than can be looked at in one read, ProviderUnavailable
 */
export async function walk(
  calendar: OpenCalendar,
  first: () => Promise<unknown>,
  headers?: Readonly<Record<string, string>>,
): Promise<Walked> {
  for (let walks = 1; walks <= MAX_WALKS; walks += 1) {
    const walked = await walkOnce(calendar, first, headers);
    if (walked !== null) return walked;
  }
  throw nonsense();
}

/** null when a link is forgotten. */
async function walkOnce(
  calendar: OpenCalendar,
  first: () => Promise<unknown>,
  headers?: Readonly<Record<string, string>>,
): Promise<Walked | null> {
  const rows: unknown[] = [];
  let answer = await first();
  for (let pages = 1; ; pages += 1) {
    const page = readPage(calendar, answer);
    rows.push(...page.rows);
    if (page.next === null) return { rows, delta: page.delta };
    if (rows.length >= MAX_WALK || pages >= MAX_WALK_PAGES) throw tooMuch();
    try {
      answer = await calendar.connection.follow(page.next, headers);
    } catch (error) {
      if (isForgottenLink(error)) return null;
      throw error;
    }
  }
}

/** Whether a link that Graph gave leads nowhere any more: nothing else in such a request can be wrong. */
function isForgottenLink(error: unknown): boolean {
  return error instanceof GraphFault && (error.status === 400 || error.status === 410);
}

export function tooMuch(): DomainError {
  return invalid('endDateTime', 'the range holds too many events; ask for a shorter one');
}

/** What a call answers, or null when Graph says that there is no such thing. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GraphFault && isGone(error)) return null;
    throw error;
  }
}

function eventCall(calendar: OpenCalendar, graphId: string): GraphCall {
  return { method: 'GET', path: pathIn(calendar, 'events', graphId), query: { $expand: EXPAND_OWN } };
}

function detailsCall(calendar: OpenCalendar, graphId: string): GraphCall {
  return { method: 'GET', path: pathIn(calendar, 'events', graphId), query: DETAILS };
}

/** Bodies in the order of the calls; null for what is gone. @throws GraphFault for any other answer */
export async function readTogether({ connection }: OpenCalendar, calls: readonly GraphCall[]): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const answers = await connection.batch(calls);
  return answers.map(({ status, body }) => {
    if (status >= 200 && status < 300) {
      if (body === null) throw nonsense();
      return body;
    }
    const code = textOf(recordOf(recordOf(body)['error'])['code']) ?? null;
    if (isGone({ status, code })) return null;
    throw new GraphFault(status, code, '', null);
  });
}
