import { collectionQuery, DAVNamespace, DAVNamespaceShort, getDAVAttribute } from 'tsdav';
import { DomainError, type BoundedWindow, type BusySlot, type FreeBusyOutcome, type FreeBusyRequest } from '#domain';
import { Pace } from '#platform/event-loop';
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
import { freeBusyOutcomes } from '#providers/kit/events';
import type { CalDavConnection } from '../connection.js';
import type { CalendarCollection } from '../dav/contract.js';
import { DavStatusError } from '../dav/dav-errors.js';
import { EventReader } from '../events/event-reader.js';
import { utcStamp } from '../events/object-writer.js';
import { EventSource, ownAddresses, type EventOperationsDeps, type OpenCalendar } from './event-source.js';
import type { RangeCandidates } from './range-candidates.js';
import { loadResources } from './resources.js';

/**
 * Busy time, computed from the events: the servers' own answers differ in zones, merging and clipping.
 * Only a calendar that shows nothing but its busy time is asked for it. An event that cannot be read may block any time:
 * the outcome of its calendar is an error then, for "free" would be a guess.
 */
export class FreeBusy {
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
  ) {}

  /** @param told what a caller is told of an error, for calendars that fail by themselves */
  query(
    connection: CalDavConnection,
    request: FreeBusyRequest,
    told: (error: unknown) => unknown,
  ): Promise<FreeBusyOutcome[]> {
    return freeBusyOutcomes(request, {
      atOnce: 1,
      read: async (calendarId) => {
        const collection = await connection.collection(calendarId);
        return collection.freeBusyOnly
          ? queryFreeBusy(connection, collection, request.window)
          : this.compute({ connection, collection }, request);
      },
      told,
    });
  }

  /** @throws DomainError ProviderUnavailable when an object of the calendar cannot be read */
  private async compute({ connection, collection }: OpenCalendar, { window }: FreeBusyRequest): Promise<BusySlot[]> {
    const slots: BusySlot[] = [];
    const source = new EventSource(this.deps, { connection, collection });
    const reading = { window, floatingTimeZone: source.calendarTimeZone, ownAddresses: ownAddresses(connection) };
    const pace = new Pace();
    const listing = await this.candidates.list({ connection, collection }, window);
    for await (const batch of loadResources(connection, collection, listing, listing.length)) {
      for (const resource of batch) {
        await pace.step();
        const onUnexpandable = (reason: string) => source.report(resource, reason);
        const onUnreadable = (reason: string): never => {
          source.report(resource, reason);
          throw unreadable(resource.id);
        };
        if (resource.unreadable !== undefined) onUnreadable(resource.unreadable);
        try {
          slots.push(...new EventReader().busy(resource.text, { ...reading, onUnexpandable, onUnreadable }));
        } catch (error) {
          if (!(error instanceof IcsSyntaxError)) throw error;
          onUnreadable(error.message);
        }
      }
    }
    return slots;
  }
}

/** Named by its id: it can be deleted though it cannot be read. */
function unreadable(eventId: string): DomainError {
  const message = `the event ${eventId} in it cannot be read, so its busy time is not known.`;
  return new DomainError('ProviderUnavailable', message, {
    provider: { status: null, code: 'object-unreadable', message, retryable: false },
  });
}

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
    'time-range': { _attributes: { start: utcStamp(startMs), end: utcStamp(endMs) } },
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
