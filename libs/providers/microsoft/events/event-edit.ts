import type { EditOptions, EventInput } from '#domain';
import { eventNotFound } from '#providers/kit/series';
import { fetchEvent, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** One edit under way. */
export interface EventEdit {
  calendar: OpenCalendar;
  /** As the caller wrote it. */
  eventId: string;
  input: EventInput;
  options: EditOptions;
}

export interface Edited {
  event: OutlookEvent;
  ignoredFields: string[];
}

/** Reads the series of an instance once; everything else is a whole itself. */
export function wholeOf(calendar: OpenCalendar, event: OutlookEvent): () => Promise<OutlookEvent> {
  let series: Promise<OutlookEvent> | undefined;
  return async () => (event.seriesId === null ? event : (series ??= seriesOf(calendar, event.seriesId)));
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: OpenCalendar, seriesId: string): Promise<OutlookEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}
