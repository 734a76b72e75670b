import { DomainError, invalid, type EditOptions, type EditScope, type EventInput } from '#domain';
import { type Schedule, scheduleOf, type Span } from '#event-rules';
import type { EventWriterDeps } from './create-event.js';
import { changedFields, type EventChange } from './event-body.js';
import { derivedEventId, eventNotFound } from './event-id.js';
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

/** @throws DomainError ValidationFailed */
export function scopeOf(event: GoogleEvent, asked: EditScope | undefined): EditScope {
  if (event.seriesId !== null) return asked ?? 'this';
  if (asked === 'this' && event.recurrence.length > 0) throw invalid('scope', 'this needs the id of an instance');
  return 'all';
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

/** @throws DomainError ProviderUnavailable */
export function spanOf(event: GoogleEvent): Span {
  return requireSchedule(event).span;
}

/** @throws DomainError ProviderUnavailable */
export function requireSchedule(event: GoogleEvent): Schedule {
  const schedule = scheduleOf(event);
  if (schedule === null) throw new DomainError('ProviderUnavailable', 'Google described an event without a time.');
  return schedule;
}
