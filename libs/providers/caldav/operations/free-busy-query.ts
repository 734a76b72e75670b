import { collectionQuery, DAVNamespace, DAVNamespaceShort, getDAVAttribute } from 'tsdav';
import { DomainError, type BoundedWindow, type BusySlot } from '#domain';
import {
  IcsDocument,
  IcsSyntaxError,
  objectZones,
  parsePeriods,
  wallMsOf,
  type IcsComponent,
  type IcsPeriod,
  type IcsProperty,
  type IcsTime,
  type ZoneSource,
} from '#icalendar';
import type { CalDavConnection } from '../connection.js';
import type { CalendarCollection } from '../dav/contract.js';
import { DavStatusError } from '../dav/dav-errors.js';
import { calDavInstant } from './resources.js';

/**
 * CALDAV:free-busy-query (RFC 4791 §7.10).
 * @throws DomainError ProviderUnavailable when the answer is no VFREEBUSY, or holds a period that cannot be read: it may
 * be any time
 */
export async function queryFreeBusy(
  { client }: CalDavConnection,
  { href }: CalendarCollection,
  { startMs, endMs }: BoundedWindow,
): Promise<BusySlot[]> {
  const query = {
    _attributes: getDAVAttribute([DAVNamespace.CALDAV]),
    'time-range': { _attributes: { start: calDavInstant(startMs), end: calDavInstant(endMs) } },
  };
  // freeBusyQuery refuses to go without an answer.
  const answer = await client.reportBody(href, '1', (to) =>
    collectionQuery({ ...to, defaultNamespace: DAVNamespaceShort.CALDAV, body: { 'free-busy-query': query } }),
  );
  if (answer.status !== 200) throw new DavStatusError('REPORT', answer.status, answer.precondition);
  const calendar = readCalendar(answer.body);
  const components = calendar?.componentsNamed('VFREEBUSY') ?? [];
  if (calendar === null || components.length === 0) throw noBusyTime();
  const zones = objectZones(calendar);
  return components
    .flatMap((component) => component.propertiesNamed('FREEBUSY'))
    .filter((property) => property.parameter('FBTYPE')?.toUpperCase() !== 'FREE')
    .flatMap(readPeriods)
    .flatMap((period) => toSlot(period, zones));
}

function noBusyTime(): DomainError {
  return new DomainError('ProviderUnavailable', 'The calendar server did not answer with busy time.');
}

function readPeriods(property: IcsProperty): IcsPeriod[] {
  const periods = parsePeriods(property);
  const isWhole = property.value.trim() === '' || periods.length === property.value.split(',').length;
  if (!isWhole) throw noBusyTime();
  return periods;
}

/** null for what is no calendar object. */
function readCalendar(body: Buffer): IcsComponent | null {
  try {
    return IcsDocument.parse(body).calendars[0] ?? null;
  } catch (error) {
    if (error instanceof IcsSyntaxError) return null;
    throw error;
  }
}

/** Free/busy times are UTC (RFC 4791 §7.10); a server that writes them otherwise still means an instant. */
function toSlot(period: IcsPeriod, zones: ZoneSource): BusySlot[] {
  const startMs = instantOf(period.start, zones);
  if (startMs === null) throw noBusyTime();
  const endMs =
    'end' in period
      ? instantOf(period.end, zones)
      : startMs + (period.duration.days * 86_400 + period.duration.seconds) * 1000;
  if (endMs === null) throw noBusyTime();
  return endMs <= startMs ? [] : [{ startMs, endMs }];
}

function instantOf(time: IcsTime, zones: ZoneSource): number | null {
  if (time.kind === 'date') return wallMsOf(time);
  if (time.kind === 'zoned') return zones.zone(time.tzid).toInstant(wallMsOf(time));
  return wallMsOf(time);
}
