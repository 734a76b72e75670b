import { collectionQuery, DAVNamespace, DAVNamespaceShort, getDAVAttribute } from 'tsdav';
import type { BoundedWindow, BusySlot } from '#domain/events';
import type { FreeBusyOutcome, FreeBusyRequest } from '#domain/providers';
import { DomainError } from '#domain/system';
import { Pace } from '#platform/event-loop';
import {
  IcsDocument,
  IcsSyntaxError,
  objectZones,
  parsePeriods,
  wallMsOf,
  type IcsPeriod,
  type IcsProperty,
  type IcsTime,
  type ZoneSource,
} from '#icalendar';
import { freeBusyOutcomes } from '#providers/kit/events';
import type { CalDavAccountClient, DavCalendarHandle } from '../account-client.js';
import { DavStatusError, unusableResponse } from '../dav/dav-errors.js';
import { unlessBroken } from '../events/calendar-object.js';
import { EventReader } from '../events/event-reader.js';
import { utcStamp } from '../events/object-writer.js';
import { EventSource, ownAddresses, type EventOperationsDeps } from './event-source.js';
import type { RangeCandidates } from './range-candidates.js';
import { loadResources } from './resources.js';

/**
 * Computes busy time from events, because server responses differ in zones, merging and clipping. Asks the server only
 * for a calendar without readable events. An unreadable event is an error, because it may block any time.
 */
export class FreeBusy {
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
  ) {}

  /** @param toError converts the error of one calendar */
  query(
    connection: CalDavAccountClient,
    request: FreeBusyRequest,
    toError: (error: unknown) => unknown,
  ): Promise<FreeBusyOutcome[]> {
    return freeBusyOutcomes(request, {
      atOnce: 1,
      read: async (calendarId) => {
        const calendar = { connection, collection: await connection.collection(calendarId) };
        return calendar.collection.freeBusyOnly
          ? queryFreeBusy(calendar, request.window)
          : this.compute(calendar, request.window);
      },
      toError,
    });
  }

  /** @throws DomainError ProviderUnavailable for an unreadable object */
  private async compute(calendar: DavCalendarHandle, window: BoundedWindow): Promise<BusySlot[]> {
    const slots: BusySlot[] = [];
    const source = new EventSource(this.deps, calendar);
    const floatingTimeZone = source.calendarTimeZone;
    const reading = { window, floatingTimeZone, ownAddresses: ownAddresses(calendar.connection) };
    const pace = new Pace();
    for await (const batch of loadResources(calendar, await this.candidates.list(calendar, window, true))) {
      for (const resource of batch) {
        await pace.step();
        const onUnexpandable = (reason: string) => source.report(resource, reason);
        const onUnreadable = (reason: string): never => {
          source.report(resource, reason);
          // The message names the id, because the event can still be deleted.
          const message = `the event ${resource.id} in it cannot be read, so its busy time is not known.`;
          throw unusableResponse(message, 'object-unreadable');
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

/** CALDAV:free-busy-query (RFC 4791 §7.10). @throws DomainError ProviderUnavailable for an unreadable period */
async function queryFreeBusy(
  { connection, collection }: DavCalendarHandle,
  { startMs, endMs }: BoundedWindow,
): Promise<BusySlot[]> {
  const query = {
    _attributes: getDAVAttribute([DAVNamespace.CALDAV]),
    'time-range': { _attributes: { start: utcStamp(startMs), end: utcStamp(endMs) } },
  };
  // tsdav's freeBusyQuery throws without a parsed response.
  const response = await connection.client.reportBody(collection.href, (to) =>
    collectionQuery({ ...to, defaultNamespace: DAVNamespaceShort.CALDAV, body: { 'free-busy-query': query } }),
  );
  if (response.status !== 200) throw DavStatusError.of('REPORT', response);
  const calendar = unlessBroken(() => IcsDocument.parse(response.body))?.calendars[0];
  const components = calendar?.componentsNamed('VFREEBUSY') ?? [];
  if (calendar === undefined || components.length === 0) throw noBusyTime();
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

/** Free/busy times are UTC (RFC 4791 §7.10), but some servers write them otherwise. */
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
  const wallMs = wallMsOf(time);
  return time.kind === 'zoned' ? zones.zone(time.tzid).toInstant(wallMs) : wallMs;
}
