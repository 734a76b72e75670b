import { createHash } from 'node:crypto';
import type { Calendar, CalendarInput } from '#domain/calendars';
import type { CalendarWritten } from '#domain/providers';
import { invalid } from '#domain/system';
import { ianaZone } from '#icalendar';

/** @throws DomainError ValidationFailed for an unknown time zone */
export function checkedCalendarInput(input: CalendarInput): CalendarInput {
  if (input.timeZone === undefined) return input;
  const timeZone = ianaZone(input.timeZone);
  if (timeZone === null) throw invalid('timeZone', 'is not a known time zone');
  return { ...input, timeZone };
}

/** Lists the fields that the provider did not keep. @param calendar read after the write */
export function writtenCalendar(calendar: Calendar, wanted: CalendarInput): CalendarWritten {
  const fields = ['name', 'hexColor', 'timeZone'] as const;
  const ignoredFields = fields.filter((field) => wanted[field] !== undefined && wanted[field] !== calendar[field]);
  return { calendar, ignoredFields };
}

/** Returns red, green and blue of `#rrggbb`, from 0 to 255. */
export function channelsOf(hexColor: string): [red: number, green: number, blue: number] {
  const value = Number.parseInt(hexColor.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

export function fallbackColor(calendarId: string, palette: readonly [string, ...string[]]): string {
  const number = createHash('sha256').update(calendarId).digest().readUInt32BE(0);
  return palette[number % palette.length] ?? palette[0];
}
