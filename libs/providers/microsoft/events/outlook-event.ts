import type { Event } from '@microsoft/microsoft-graph-types';
import type { EventTime } from '#domain';
import { listOf, recordOf, textOf } from '#providers/kit/events';
import { DAY_MS, formatTimes, instanceDateOf, wallOf, withWall } from '#providers/kit/series';
import { nonsense } from '../errors.js';
import { readGraphTime, readOriginalStart, zoneOfGraph, zoneOfTimes } from './graph-times.js';
import { ownPropertiesOf, type OwnProperties } from './own-properties.js';
import { toRuleLine } from './recurrence/patterned-recurrence.js';

/** An event of Graph as it arrives: any field may be missing or of another type. */
export type GraphEvent = Event & { '@odata.etag'?: string };

/** An event of Outlook, with those of its facts read that decide what can be done with it. */
export interface OutlookEvent {
  raw: GraphEvent;
  /** As callers know it: of an instance `<seriesId>_<date>`. */
  id: string;
  /** As Graph knows it. */
  graphId: string;
  /** As Graph writes it; null when it gave none. */
  etag: string | null;
  isCancelled: boolean;
  isSeries: boolean;
  /** Series that this is an instance of; null for a series or single event. */
  seriesId: string | null;
  /** True for an instance that was changed by itself. */
  isChanged: boolean;
  /** Where the series put this instance. */
  originalStart: EventTime | null;
  /** null when it says nothing that can be read. */
  start: EventTime | null;
  end: EventTime | null;
  /** Lines, name included; empty when it is no series, or one whose pattern cannot be read. */
  recurrence: string[];
  iCalUid: string | null;
  own: OwnProperties;
  /** Of a series: Graph's ids of the instances that were changed one by one. */
  exceptionIds: string[];
}

/** What is told of a series only when it is asked for by its id. */
export interface SeriesDetails {
  /** Dates of the instances that were deleted one by one, `YYYY-MM-DD`, in the zone of the series. */
  cancelledDates: string[];
  /** Graph's ids of the instances that were changed one by one. */
  exceptionIds: string[];
}

export const NO_DETAILS: SeriesDetails = { cancelledDates: [], exceptionIds: [] };

/**
 * A single event or a series.
 * @throws DomainError ProviderUnavailable for what is none: left out, it would read as deleted
 */
export function readOutlookEvent(
  value: unknown,
  calendarZone: string,
  details: SeriesDetails = NO_DETAILS,
): OutlookEvent {
  const { raw, graphId } = identified(value);
  const own = ownPropertiesOf(raw);
  const isSeries = raw.type === 'seriesMaster';
  const range = recordOf(recordOf(raw.recurrence)['range']);
  const seriesZone = isSeries ? zoneOfGraph(range['recurrenceTimeZone'], own.get('ucTimeZone')) : null;
  const { start, end } = timesOf(raw, own, seriesZone, calendarZone);
  const rule = isSeries && start !== null ? toRuleLine(raw.recurrence, start, own.get('ucRule'), calendarZone) : null;
  const excluded = start === null ? [] : details.cancelledDates.flatMap((date) => excludedOn(date, start));
  return {
    ...basics(raw, graphId),
    id: graphId,
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

/**
 * An instance, which says less of itself than its series.
 * @returns null for what is none of that series
 * @throws DomainError ProviderUnavailable for what is no event
 */
export function readInstance(value: unknown, series: OutlookEvent, calendarZone: string): OutlookEvent | null {
  const { raw, graphId } = identified(value);
  if (raw.seriesMasterId !== series.graphId) return null;
  const own = new Map([...series.own, ...ownPropertiesOf(raw)]);
  // Of a series only.
  own.delete('ucRule');
  const seriesZone = series.start?.kind === 'dateTime' ? series.start.timeZone : null;
  const isChanged = raw.type === 'exception';
  const { start, end } = timesOf(raw, own, isChanged ? null : seriesZone, calendarZone);
  const isAllDaySeries = series.start?.kind === 'date';
  const originalStart =
    readOriginalStart(raw.originalStart, isAllDaySeries, seriesZone ?? zoneOfDays(series) ?? calendarZone) ??
    (isChanged ? null : start);
  if (originalStart === null) return null;
  return {
    ...basics(raw, graphId),
    id: `${series.id}_${instanceDateOf(originalStart)}`,
    isSeries: false,
    seriesId: series.id,
    isChanged,
    originalStart,
    start,
    end,
    recurrence: [],
    // Graph gives every instance one of its own; the object that is invited to is the series.
    iCalUid: series.iCalUid ?? textOf(raw.iCalUId) ?? null,
    own,
    exceptionIds: [],
  };
}

/** @returns what `cancelledOccurrences` and `exceptionOccurrences` of a series say */
export function readSeriesDetails(value: unknown): SeriesDetails {
  const { cancelledOccurrences, exceptionOccurrences } = recordOf(value);
  return {
    cancelledDates: listOf(cancelledOccurrences).flatMap(
      (occurrence) => /\.(\d{4}-\d{2}-\d{2})$/.exec(textOf(occurrence) ?? '')?.[1] ?? [],
    ),
    exceptionIds: listOf(exceptionOccurrences).flatMap((exception) => textOf(recordOf(exception)['id']) ?? []),
  };
}

/** Where the series would put an instance on a date of its own clock. */
export function onDate(start: EventTime, date: string): EventTime {
  const timeOfDay = ((wallOf(start) % DAY_MS) + DAY_MS) % DAY_MS;
  return withWall(start, Date.parse(`${date}T00:00:00Z`) + timeOfDay);
}

function identified(value: unknown): { raw: GraphEvent; graphId: string } {
  const raw = recordOf(value) as GraphEvent;
  const graphId = textOf(raw.id);
  if (graphId === undefined) throw nonsense();
  return { raw, graphId };
}

function basics(raw: GraphEvent, graphId: string) {
  return {
    raw,
    graphId,
    etag: textOf(raw['@odata.etag']) ?? null,
    isCancelled: raw.isCancelled === true,
    iCalUid: textOf(raw.iCalUId) ?? null,
  };
}

function timesOf(raw: GraphEvent, own: OwnProperties, seriesZone: string | null, calendarZone: string) {
  const isAllDay = raw.isAllDay === true;
  const remembered = own.get('ucTimeZone');
  // A zone without a name is one that somebody made up: the instant is known all the same.
  const zone = seriesZone ?? zoneOfTimes(raw.originalStartTimeZone, remembered) ?? calendarZone;
  const start = readGraphTime(raw.start, isAllDay, zone);
  const end = readGraphTime(raw.end, isAllDay, zoneOfTimes(raw.originalEndTimeZone, remembered) ?? zone);
  return { start, end: start !== null && end?.kind === start.kind ? end : null };
}

/** Zone that the days of an all-day series are lived in; null when it has no name. */
function zoneOfDays({ raw, own }: OutlookEvent): string | null {
  const { recurrenceTimeZone } = recordOf(recordOf(raw.recurrence)['range']);
  return zoneOfGraph(recurrenceTimeZone, own.get('ucTimeZone'));
}

function excludedOn(date: string, start: EventTime): string[] {
  return Number.isNaN(Date.parse(`${date}T00:00:00Z`)) ? [] : [formatTimes('EXDATE', [onDate(start, date)])];
}
