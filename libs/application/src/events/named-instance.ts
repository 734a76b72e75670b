import { invalid } from '#domain';
import { ianaZoneArithmetic } from '#icalendar';
import type { EventDateTimeBody, NewEventBody } from './event-input.js';
import { formatInstant, parseIsoDate, parseIsoDateTime, readTimeZone, wallMsOf } from './iso-time.js';

/** Without an offset, the start may be in its zone or floating. @throws DomainError ValidationFailed */
export function namedInstances({ recurringEventId, originalStart }: NewEventBody): string[] {
  if (recurringEventId == null || recurringEventId === '' || originalStart == null) return [];
  return instanceDates(originalStart).map((date) => `${recurringEventId}_${date}`);
}

function instanceDates({ date, dateTime, timeZone }: EventDateTimeBody): string[] {
  if (date != null) return [compact(parseIsoDate(date) ?? refuse('date', 'must be a date, YYYY-MM-DD'))];
  if (dateTime == null) return refuse('dateTime', 'is required');
  const { local, offsetMinutes } = parseIsoDateTime(dateTime) ?? refuse('dateTime', 'must be an ISO 8601 date-time');
  if (offsetMinutes !== null) return [compact(formatInstant(wallMsOf(local) - offsetMinutes * 60_000))];
  if (timeZone == null) return [compact(local)];
  const zone = ianaZoneArithmetic(readTimeZone('originalStart.timeZone', timeZone));
  const instantMs = zone.toInstant(wallMsOf(local));
  return [...(instantMs === null ? [] : [compact(formatInstant(instantMs))]), compact(local)];
}

function compact(time: string): string {
  return time.replaceAll(/[-:]/g, '');
}

function refuse(field: string, message: string): never {
  throw invalid(`originalStart.${field}`, message);
}
