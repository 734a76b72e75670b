import type { EditOptions, EventInput } from '#domain';
import type { EditTarget } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import { GoogleFault } from '../contract.js';
import type { EventWriterDeps } from './create-event.js';
import { changedFields, type EventChange } from './event-body.js';
import { derivedEventId } from './event-id.js';
import { checkSameType } from './event-type.js';
import { findEvent } from './find-event.js';
import type { GoogleEvent } from './google-event.js';
import { fetchEvent, type OpenCalendar } from './open-calendar.js';

/** One edit under way. */
export interface EventEdit {
  deps: EventWriterDeps;
  calendar: OpenCalendar;
  input: EventInput;
  options: EditOptions;
}

/** An event that is to be changed or deleted, on condition of its version. */
export function editTarget(calendar: OpenCalendar, eventId: string): EditTarget<GoogleEvent> {
  return { find: () => findEvent(calendar, eventId), isOvertaken };
}

/** Somebody wrote between the read and the write. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof GoogleFault && error.status === 412;
}

/** Reads the series of an instance once; everything else is a whole itself. */
export function wholeOf(calendar: OpenCalendar, event: GoogleEvent): () => Promise<GoogleEvent> {
  let series: Promise<GoogleEvent> | undefined;
  return async () => (event.seriesId === null ? event : (series ??= seriesOf(calendar, event.seriesId)));
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: OpenCalendar, seriesId: string): Promise<GoogleEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

/** Everything of an input but times and recurrence, for an event that is there. */
export async function fieldsFor({ deps, calendar, input }: EventEdit, current: GoogleEvent): Promise<EventChange> {
  checkSameType(input, current);
  return changedFields(input, {
    calendar,
    current,
    palette: () => deps.palettes.get(calendar.connection),
    writeId: derivedEventId('update', calendar.id, current.id, current.etag),
  });
}
