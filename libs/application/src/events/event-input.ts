import type {
  ConferenceData,
  EventAttendeeInput,
  EventInput,
  EventReminders,
  EventTimeInput,
  EventType,
  ExtendedProperties,
  NewEventInput,
  ResponseStatus,
  Transparency,
  Visibility,
} from '#domain/events';
import { invalid } from '#domain/system';
import { ianaZoneArithmetic } from '#icalendar';
import { formatInstant, localOf, parseIsoDate, parseIsoDateTime, readTimeZone, wallMsOf } from './iso-time.js';

/** A date, or a date-time with offset, zone, both or none. */
export interface EventDateTimeBody {
  date?: string | null;
  dateTime?: string | null;
  timeZone?: string | null;
}

/** Writable fields of an event. Types are checked, values are not. */
export interface EventBody {
  title?: string | null;
  description?: string | null;
  start?: EventDateTimeBody | null;
  end?: EventDateTimeBody | null;
  isAllDay?: boolean | null;
  publicExtendedProperties?: Record<string, string> | null;
  privateExtendedProperties?: Record<string, string> | null;
  recurrence?: string[] | null;
  colorId?: string | null;
  customColor?: string | null;
  myResponseStatus?: ResponseStatus | null;
  attendees?: EventAttendeeBody[] | null;
  visibility?: Visibility | null;
  location?: string | null;
  transparency?: Transparency | null;
  eventType?: EventType | null;
  reminders?: Partial<EventReminders> | null;
  conferenceData?: ConferenceData | null;
  generateMeetingUrlProvider?: string | null;
}

export interface EventChangeBody extends EventBody {
  isCancelled?: boolean | null;
}

export interface NewEventBody extends EventBody {
  recurringEventId?: string | null;
  originalStart?: EventDateTimeBody | null;
}

export interface EventAttendeeBody {
  /** Id of an attendee of the event. */
  id?: unknown;
  email: string;
  name?: string | null;
  responseStatus?: ResponseStatus;
}

const DAY_MS = 86_400_000;
const MAX_RECURRENCE_LINES = 100;
const MAX_OVERRIDES = 20;
const MAX_PROPERTIES = 100;
const MAX_PROPERTY_KEY = 128;
const MAX_PROPERTY_VALUE = 4096;

export function readNewEvent(body: EventBody): NewEventInput {
  const input = readEventPatch(body);
  if (input.title === undefined) throw invalid('title', 'is required');
  const { start, end } = input;
  if (start === undefined) throw invalid('start', 'is required');
  if (start.kind === 'timeZone') throw invalid('start.dateTime', 'is required');
  if (end?.kind === 'timeZone') throw invalid('end.dateTime', 'is required');
  return { ...input, title: input.title, start };
}

/** undefined keeps the current value, null clears it. @throws DomainError ValidationFailed */
export function readEventPatch(body: EventBody): EventInput {
  if (body.title === null) throw invalid('title', 'cannot be cleared');
  const { start, end } = readTimes(body);
  return withoutUndefined({
    title: body.title,
    description: body.description,
    start,
    end,
    isAllDay: body.isAllDay ?? (start === undefined || start.kind === 'timeZone' ? undefined : start.kind === 'date'),
    publicExtendedProperties: readProperties('publicExtendedProperties', body.publicExtendedProperties),
    privateExtendedProperties: readProperties('privateExtendedProperties', body.privateExtendedProperties),
    recurrence: readRecurrenceLines(body.recurrence),
    colorId: body.colorId,
    customColor: body.customColor,
    myResponseStatus: body.myResponseStatus ?? undefined,
    attendees: body.attendees == null ? body.attendees : body.attendees.map(readAttendee),
    visibility: body.visibility,
    location: body.location,
    transparency: body.transparency,
    eventType: body.eventType,
    reminders: readReminders(body.reminders),
    conferenceData: body.conferenceData,
    generateMeetingUrlProvider: body.generateMeetingUrlProvider,
  });
}

function readTimes(body: EventBody): { start: EventTimeInput | undefined; end: EventTimeInput | null | undefined } {
  if (body.start === null) throw invalid('start', 'cannot be cleared');
  const start = body.start === undefined ? undefined : readTime('start', body.start, body.isAllDay ?? null);
  if (body.end == null) return { start, end: body.end };
  const end = readTime('end', body.end, body.isAllDay ?? null);
  const isOfOneKind =
    start === undefined || [start, end].some(({ kind }) => kind === 'timeZone') || start.kind === end.kind;
  if (!isOfOneKind) {
    throw invalid('end', 'must be a date when start is one, and a date-time when start is one');
  }
  return { start, end: start === undefined ? end : checkOrder(start, end) };
}

function readTime(path: 'start' | 'end', body: EventDateTimeBody, isAllDay: boolean | null): EventTimeInput {
  const timeZone = body.timeZone == null ? null : readTimeZone(`${path}.timeZone`, body.timeZone);
  if (body.date != null) {
    const date = parseIsoDate(body.date);
    if (date === null) throw invalid(`${path}.date`, 'must be a date, YYYY-MM-DD, between the years 1900 and 2199');
    if (isAllDay === false) throw invalid(`${path}.date`, 'cannot be given for an event with isAllDay false');
    return { kind: 'date', date };
  }
  if (body.dateTime == null && timeZone !== null) return { kind: 'timeZone', timeZone };
  if (body.dateTime == null) throw invalid(`${path}.dateTime`, 'is required');
  const asDate = parseIsoDate(body.dateTime);
  if (asDate !== null && isAllDay === true) return { kind: 'date', date: asDate };
  const parsed = parseIsoDateTime(body.dateTime);
  if (parsed === null) {
    throw invalid(`${path}.dateTime`, 'must be an ISO 8601 date-time between the years 1900 and 2199');
  }
  if (isAllDay === true) return { kind: 'date', date: civilDate(path, parsed.local) };
  return { kind: 'dateTime', local: parsed.local, offsetMinutes: parsed.offsetMinutes, timeZone };
}

/** Ignores times of all-day bounds. An end within a day includes that day, because ends are exclusive. */
function civilDate(path: 'start' | 'end', local: string): string {
  if (path === 'start' || local.endsWith('T00:00:00')) return local.slice(0, 10);
  return localOf(wallMsOf(`${local.slice(0, 10)}T00:00:00`) + DAY_MS).slice(0, 10);
}

function checkOrder(start: EventTimeInput, end: EventTimeInput): EventTimeInput {
  if (start.kind === 'date' && end.kind === 'date') {
    if (end.date < start.date) throw invalid('end', 'must not be before start');
    // The shortest all-day event is one day. Many callers send the same date twice for it.
    if (end.date === start.date) return { kind: 'date', date: nextDay(start.date) };
  }
  return end;
}

function nextDay(date: string): string {
  return localOf(wallMsOf(`${date}T00:00:00`) + DAY_MS).slice(0, 10);
}

function readProperties(
  path: string,
  properties: Record<string, string> | null | undefined,
): ExtendedProperties | null | undefined {
  if (properties == null) return properties;
  const entries = Object.entries(properties);
  if (entries.length > MAX_PROPERTIES) throw invalid(path, `must not have more than ${MAX_PROPERTIES} keys`);
  for (const [key, value] of entries) {
    if (key === '' || key.length > MAX_PROPERTY_KEY) {
      throw invalid(path, `keys must have 1 to ${MAX_PROPERTY_KEY} characters`);
    }
    if (typeof value !== 'string' || value.length > MAX_PROPERTY_VALUE) {
      throw invalid(`${path}.${key}`, `must be a string of at most ${MAX_PROPERTY_VALUE} characters`);
    }
  }
  return Object.fromEntries(entries);
}

function readRecurrenceLines(lines: string[] | null | undefined): string[] | null | undefined {
  if ((lines?.length ?? 0) > MAX_RECURRENCE_LINES) {
    throw invalid('recurrence', `must not have more than ${MAX_RECURRENCE_LINES} lines`);
  }
  return lines?.length === 0 ? null : lines;
}

function readAttendee({ id, email, name, responseStatus }: EventAttendeeBody): EventAttendeeInput {
  return withoutUndefined({
    id: typeof id === 'string' && id !== '' ? id : undefined,
    email,
    name: name === null ? '' : name,
    responseStatus,
  });
}

/** Own reminders, or none, replace the calendar's default unless `useDefault` says otherwise. */
function readReminders(reminders: Partial<EventReminders> | null | undefined): EventReminders | null | undefined {
  if (reminders == null) return reminders;
  const { useDefault, isReminderOn, overrides } = reminders;
  if ((overrides?.length ?? 0) > MAX_OVERRIDES) {
    throw invalid('reminders.overrides', `must not be more than ${MAX_OVERRIDES}`);
  }
  return { ...reminders, useDefault: useDefault ?? (isReminderOn !== false && overrides === undefined) };
}

function withoutUndefined<T extends object>(input: T): T {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as T;
}

/**
 * Returns possible ids of the instance that the body names by its series and original start. Without an offset, the start
 * may be in its zone or floating.
 * @throws DomainError ValidationFailed
 */
export function namedInstances({ recurringEventId, originalStart }: NewEventBody): string[] {
  if (recurringEventId == null || recurringEventId === '' || originalStart == null) return [];
  return instanceDates(originalStart).map((date) => `${recurringEventId}_${date}`);
}

function instanceDates({ date, dateTime, timeZone }: EventDateTimeBody): string[] {
  if (date != null) return [compact(parseIsoDate(date) ?? rejectOriginalStart('date', 'must be a date, YYYY-MM-DD'))];
  if (dateTime == null) return rejectOriginalStart('dateTime', 'is required');
  const { local, offsetMinutes } =
    parseIsoDateTime(dateTime) ?? rejectOriginalStart('dateTime', 'must be an ISO 8601 date-time');
  if (offsetMinutes !== null) return [compact(formatInstant(wallMsOf(local) - offsetMinutes * 60_000))];
  if (timeZone == null) return [compact(local)];
  const zone = ianaZoneArithmetic(readTimeZone('originalStart.timeZone', timeZone));
  const instantMs = zone.toInstant(wallMsOf(local));
  return [...(instantMs === null ? [] : [compact(formatInstant(instantMs))]), compact(local)];
}

function compact(time: string): string {
  return time.replaceAll(/[-:]/g, '');
}

function rejectOriginalStart(field: string, message: string): never {
  throw invalid(`originalStart.${field}`, message);
}
