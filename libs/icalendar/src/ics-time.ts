import type { IcsProperty, IcsTime, PropertyParameters } from './model.js';

const ZERO = 48;

/** A value with the parameters it needs, ready for `setProperty`. */
export interface WrittenTime {
  value: string;
  parameters: PropertyParameters;
}

/**
 * The DATE or DATE-TIME of DTSTART, DTEND, RECURRENCE-ID, … The form of the value decides, whatever VALUE says: servers
 * and exporters mix them up (a DATE under VALUE=DATE-TIME, a DATE-TIME under VALUE=DATE). `Z` beats a TZID.
 * @returns null when the value is no time that exists, such as 30 February or the year 0
 */
export function parseIcsTime(property: IcsProperty): IcsTime | null {
  return parseTimeValue(property.value, property.parameter('TZID'));
}

/** The times of a list property (EXDATE, RDATE without periods); what is no time is left out. */
export function parseIcsTimes(property: IcsProperty): IcsTime[] {
  const tzid = property.parameter('TZID');
  return property.value
    .split(',')
    .map((value) => parseTimeValue(value, tzid))
    .filter((time) => time !== null);
}

/**
 * One DATE or DATE-TIME value (RFC 5545 §3.3.4, §3.3.5). Also read: lower-case `t` and `z`, missing seconds, the
 * extended ISO 8601 form, blanks around it, second 60 (as 59).
 */
export function parseTimeValue(text: string, tzid?: string): IcsTime | null {
  const value = text.length === 8 || text.length === 15 || text.length === 16 ? text : text.trim();
  const basic = value.includes('-') || value.includes(':') ? value.replace(/[-:]/g, '') : value;
  const year = digits(basic, 0, 4);
  const month = digits(basic, 4, 2);
  const day = digits(basic, 6, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  const date = `${basic.slice(0, 4)}-${basic.slice(4, 6)}-${basic.slice(6, 8)}`;
  if (basic.length === 8) return { kind: 'date', date };

  const separator = basic.charCodeAt(8) | 0x20;
  const isUtc = (basic.charCodeAt(basic.length - 1) | 0x20) === 0x7a;
  const end = isUtc ? basic.length - 1 : basic.length;
  const hour = digits(basic, 9, 2);
  const minute = digits(basic, 11, 2);
  const second = end === 13 ? 0 : digits(basic, 13, 2);
  if (separator !== 0x74 || (end !== 15 && end !== 13)) return null;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return null;
  const seconds = end === 13 ? '00' : second === 60 ? '59' : basic.slice(13, 15);
  const local = `${date}T${basic.slice(9, 11)}:${basic.slice(11, 13)}:${seconds}`;
  if (isUtc) return { kind: 'utc', local };
  return tzid ? { kind: 'zoned', local, tzid } : { kind: 'floating', local };
}

/** `20260105`, `20260105T090000` or `20260105T090000Z`, without its TZID. */
export function formatTimeValue(time: IcsTime): string {
  if (time.kind === 'date') return time.date.replaceAll('-', '');
  return time.local.replace(/[-:]/g, '') + (time.kind === 'utc' ? 'Z' : '');
}

/** The value and its parameters: VALUE=DATE for a date, TZID for a zoned time, else none. */
export function formatIcsTime(time: IcsTime): WrittenTime {
  return { value: formatTimeValue(time), parameters: timeParameters(time) };
}

/**
 * Wall-clock time as `Date.UTC` milliseconds of its fields, the form in which Zone takes it. A date means its midnight.
 */
export function wallMsOf(time: IcsTime): number {
  const text = time.kind === 'date' ? time.date : time.local;
  const wall = new Date(0);
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  wall.setUTCFullYear(digits(text, 0, 4), digits(text, 5, 2) - 1, digits(text, 8, 2));
  const midnight = wall.getTime();
  if (time.kind === 'date') return midnight;
  return midnight + ((digits(text, 11, 2) * 60 + digits(text, 14, 2)) * 60 + digits(text, 17, 2)) * 1000;
}

/** `YYYY-MM-DDTHH:MM:SS` of wall-clock milliseconds. */
export function localOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}

/** `YYYY-MM-DD` of wall-clock milliseconds. */
export function dateOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

/** The same kind of time, with the same TZID, at another wall-clock time. A date takes the day of it. */
export function withWallMs(time: IcsTime, wallMs: number): IcsTime {
  return time.kind === 'date' ? { kind: 'date', date: dateOf(wallMs) } : { ...time, local: localOf(wallMs) };
}

function timeParameters(time: IcsTime): PropertyParameters {
  switch (time.kind) {
    case 'date':
      return { VALUE: 'DATE' };
    case 'zoned':
      return { TZID: time.tzid };
    case 'utc':
    case 'floating':
      return {};
  }
}

/** The number of `count` decimal digits at `from`; -1 when there is anything else. */
function digits(text: string, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
