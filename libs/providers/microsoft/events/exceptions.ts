import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@microsoft/microsoft-graph-types';
import type { EventTime } from '#domain';
import { datesOf, instanceDateOf, movedAlong } from '#providers/kit/series';
import { bodyOf, carriedBody, spanBody } from './event-body.js';
import { ANY_VERSION, deleteEvent } from './graph-writes.js';
import { instanceOn } from './instances.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** Deletes the instances of a series that are named by the date parts of their ids and that still take place. */
export async function excludeDates(
  calendar: OpenCalendar,
  series: OutlookEvent,
  dates: readonly string[],
): Promise<void> {
  const { start } = series;
  if (start === null) return;
  const frame = { start, calendarZone: calendar.timeZone };
  const gone = new Set(datesOf(series.recurrence, 'EXDATE', frame).map(instanceDateOf));
  for (const date of dates) {
    const instance = gone.has(date) ? null : await instanceOn(calendar, series, date);
    if (instance !== null) await deleteEvent(calendar, instance, ANY_VERSION);
  }
}

/**
 * What an instance says that its series does not.
 * @param target where the series will put it
 */
export function ownBody(
  calendar: OpenCalendar,
  exception: OutlookEvent,
  series: OutlookEvent,
  target: EventTime,
): Event {
  const of = carriedBody(exception);
  const ofSeries = carriedBody(series);
  const fields = Object.entries(of.body).filter(
    ([field, value]) => !isDeepStrictEqual(value, ofSeries.body[field as keyof Event]),
  );
  const own = new Map([...of.own].filter(([name, value]) => ofSeries.own.get(name) !== value));
  const span = movedAlong(exception, series, target);
  const times = span === null ? {} : spanBody(span, calendar.timeZone).body;
  return { ...bodyOf(Object.fromEntries(fields), own), ...times };
}
