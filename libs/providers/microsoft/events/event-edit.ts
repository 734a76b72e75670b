import { DomainError, invalid, type EditOptions, type EditScope, type EventInput } from '#domain';
import { scheduleOf, type Schedule, type Span } from '#event-rules';
import { eventNotFound } from './event-id.js';
import { fetchEvent, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** One edit under way. */
export interface EventEdit {
  calendar: OpenCalendar;
  input: EventInput;
  options: EditOptions;
}

export interface Edited {
  event: OutlookEvent;
  ignoredFields: string[];
}

/** @throws DomainError ValidationFailed */
export function scopeOf(event: OutlookEvent, asked: EditScope | undefined): EditScope {
  if (event.seriesId !== null) return asked ?? 'this';
  if (asked === 'this' && event.isSeries) throw invalid('scope', 'this needs the id of an instance');
  return 'all';
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: OpenCalendar, seriesId: string): Promise<OutlookEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

/** @throws DomainError ProviderUnavailable */
export function requireSchedule(event: OutlookEvent): Schedule {
  const schedule = scheduleOf(event);
  if (schedule === null) throw new DomainError('ProviderUnavailable', 'Microsoft described an event without a time.');
  return schedule;
}

/** @throws DomainError ProviderUnavailable */
export function spanOf(event: OutlookEvent): Span {
  return requireSchedule(event).span;
}
