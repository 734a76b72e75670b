import type { Event } from '@microsoft/microsoft-graph-types';
import type { EventTime } from '#domain/events';
import { etagOf, listOf, recordOf, textOf } from '#providers/kit/events';
import { DAY_MS, formatTimes, instanceDateOf, type RestEvent, wallOf, withWall } from '#providers/kit/series';
import { malformedResponse } from '../errors.js';
import { readGraphInstant, readGraphTime, readOriginalStart, zoneOfGraph, zoneOfTimes } from './graph-times.js';
import { ownPropertiesOf, type OwnProperties } from './own-properties.js';
import { toRuleLine } from './recurrence/patterned-recurrence.js';

/** An unchecked event of Graph: any field may be missing or of another type. */
export type GraphEvent = Event & { '@odata.etag'?: string };

/** Fields that are read of an event. A test holds them complete. */
export const MAPPED_FIELDS = [
  'id',
  'type',
  'subject',
  'body',
  'createdDateTime',
  'lastModifiedDateTime',
  'start',
  'end',
  'isAllDay',
  'originalStart',
  'originalStartTimeZone',
  'originalEndTimeZone',
  'recurrence',
  'seriesMasterId',
  'iCalUId',
  'isCancelled',
  'isOrganizer',
  'organizer',
  'attendees',
  'responseStatus',
  'location',
  'showAs',
  'sensitivity',
  'categories',
  'isReminderOn',
  'reminderMinutesBeforeStart',
  'isOnlineMeeting',
  'onlineMeeting',
  'onlineMeetingProvider',
  'onlineMeetingUrl',
  'webLink',
] as const satisfies readonly (keyof Event)[];

export interface OutlookEvent extends RestEvent<GraphEvent> {
  graphId: string;
  /** True for an instance that was changed by itself. */
  isChanged: boolean;
  own: OwnProperties;
  /** Graph's ids of a series' changed instances. */
  exceptionIds: string[];
}

type SeriesDetails = ReturnType<typeof readSeriesDetails>;

export const NO_DETAILS: SeriesDetails = { cancelledDates: [], exceptionIds: [] };

/** Reads an event or a series. @throws DomainError ProviderUnavailable, because an absent event reads as deleted */
export function readOutlookEvent(
  value: unknown,
  calendarZone: string,
  details: SeriesDetails = NO_DETAILS,
): OutlookEvent {
  const facts = factsOf(value);
  const { raw } = facts;
  const own = ownPropertiesOf(raw);
  const isSeries = raw.type === 'seriesMaster';
  const seriesZone = isSeries ? zoneOfSeries(raw, own) : null;
  const { start, end } = timesOf(raw, own, seriesZone, calendarZone);
  const rule = isSeries && start !== null ? toRuleLine(raw.recurrence, start, own.get('ucRule'), calendarZone) : null;
  const excluded = start === null ? [] : details.cancelledDates.flatMap((date) => excludedOn(date, start));
  return {
    ...facts,
    id: facts.graphId,
    isSeries,
    seriesId: null,
    isChanged: false,
    originalStart: null,
    start,
    end,
    recurrence: rule === null ? [] : [rule, ...excluded],
    own,
    exceptionIds: details.exceptionIds,
  };
}

/** Returns null for an instance of another series. @throws DomainError ProviderUnavailable for anything but an event */
export function readInstance(value: unknown, series: OutlookEvent, calendarZone: string): OutlookEvent | null {
  const facts = factsOf(value);
  const { raw } = facts;
  if (raw.seriesMasterId !== series.graphId) return null;
  const own = new Map([...series.own, ...ownPropertiesOf(raw)]);
  own.delete('ucRule');
  const seriesZone = series.start?.kind === 'dateTime' ? series.start.timeZone : null;
  const isChanged = raw.type === 'exception';
  const { start, end } = timesOf(raw, own, isChanged ? null : seriesZone, calendarZone);
  const isAllDaySeries = series.start?.kind === 'date';
  const originalStart =
    readOriginalStart(
      raw.originalStart,
      isAllDaySeries,
      seriesZone ?? zoneOfSeries(series.raw, series.own) ?? calendarZone,
    ) ?? (isChanged ? null : start);
  if (originalStart === null) return null;
  return {
    ...facts,
    id: `${series.id}_${instanceDateOf(originalStart)}`,
    isSeries: false,
    seriesId: series.id,
    isChanged,
    originalStart,
    start,
    end,
    recurrence: [],
    // Graph gives every instance its own UID, but invites with the series' UID.
    iCalUid: series.iCalUid ?? textOf(raw.iCalUId) ?? null,
    own,
    exceptionIds: [],
  };
}

export function readSeriesDetails(value: unknown) {
  const { cancelledOccurrences, exceptionOccurrences } = recordOf(value);
  return {
    /** Dates of deleted instances, `YYYY-MM-DD`, in the zone of the series. */
    cancelledDates: listOf(cancelledOccurrences).flatMap(
      (occurrence) => /\.(\d{4}-\d{2}-\d{2})$/.exec(textOf(occurrence) ?? '')?.[1] ?? [],
    ),
    exceptionIds: listOf(exceptionOccurrences).flatMap((exception) => textOf(recordOf(exception)['id']) ?? []),
  };
}

function factsOf(value: unknown) {
  const raw = recordOf(value) as GraphEvent;
  const graphId = textOf(raw.id);
  if (graphId === undefined) throw malformedResponse();
  return {
    raw,
    graphId,
    etag: etagOf(raw['@odata.etag']),
    isCancelled: raw.isCancelled === true,
    iCalUid: textOf(raw.iCalUId) ?? null,
  };
}

function timesOf(raw: GraphEvent, own: OwnProperties, seriesZone: string | null, calendarZone: string) {
  const isAllDay = raw.isAllDay === true;
  const remembered = own.get('ucTimeZone');
  const fromMs = startMsOf(raw);
  // A custom zone has no name, but its instant is known.
  const zone = seriesZone ?? zoneOfTimes(raw.originalStartTimeZone, remembered, fromMs) ?? calendarZone;
  const start = readGraphTime(raw.start, isAllDay, zone);
  const end = readGraphTime(raw.end, isAllDay, zoneOfTimes(raw.originalEndTimeZone, remembered, fromMs) ?? zone);
  return { start, end: start !== null && end?.kind === start.kind ? end : null };
}

function zoneOfSeries(raw: GraphEvent, own: OwnProperties): string | null {
  const { recurrenceTimeZone } = recordOf(recordOf(raw.recurrence)['range']);
  return zoneOfGraph(recurrenceTimeZone, own.get('ucTimeZone'), startMsOf(raw));
}

/** Times are read in UTC. */
const startMsOf = ({ start }: GraphEvent) => readGraphInstant(recordOf(start)['dateTime']) ?? 0;

function excludedOn(date: string, start: EventTime): string[] {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const timeOfDay = ((wallOf(start) % DAY_MS) + DAY_MS) % DAY_MS;
  return Number.isNaN(dayMs) ? [] : [formatTimes('EXDATE', [withWall(start, dayMs + timeOfDay)])];
}
