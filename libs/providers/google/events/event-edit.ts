import type { EditOptions, EventInput } from '#domain';
import { eventNotFound } from '#providers/kit/series';
import type { EventWriterDeps } from './create-event.js';
import { changedFields, type EventChange } from './event-body.js';
import { derivedEventId } from './event-id.js';
import { checkSameType } from './event-type.js';
import type { GoogleEvent } from './google-event.js';
import { fetchEvent, type OpenCalendar } from './open-calendar.js';

/** One edit under way. */
export interface EventEdit {
  deps: EventWriterDeps;
  calendar: OpenCalendar;
  input: EventInput;
  options: EditOptions;
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
