import { DomainError, invalid, type EventTime } from '#domain';
import {
  formatContentLine,
  formatIcsTime,
  formatTimeValue,
  ianaZone,
  ianaZoneArithmetic,
  parseRule,
  parseTimeValue,
  RecurrenceError,
  untilLike,
  wallMsOf,
  withRuleEnd,
  type IcsTime,
} from '#icalendar';
import { atInstant, DAY_MS, instantOf, onClock, wallOf, withWall } from './event-time.js';

const MAX_LINES = 1_000;
const MAX_CHARACTERS = 256 * 1024;
const LINE = /^(RRULE|EXRULE|RDATE|EXDATE)((?:;[^:;"]*(?:"[^"]*")?)*):(.*)$/i;
const START_AND_END = /^(?:DTSTART|DTEND|DURATION)\b/i;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]/;

interface RecurrenceLine {
  name: 'RRULE' | 'EXRULE' | 'RDATE' | 'EXDATE';
  /** `;TZID=Europe/Berlin`, as written. */
  parameters: string;
  value: string;
}

/** When a series starts, and the zone in which dates are lived. */
export interface SeriesFrame {
  start: EventTime;
  /** IANA id. */
  calendarZone: string;
}

/** A time as iCalendar writes it. A clock of a zone that nobody knows is read in the calendar's. */
export function icsTimeOf(time: EventTime): IcsTime {
  if (time.kind === 'date') return { kind: 'date', date: time.date };
  const zone = time.timeZone === null ? null : ianaZone(time.timeZone);
  if (zone === null) return { kind: 'floating', local: time.local };
  return zone === 'UTC' ? { kind: 'utc', local: time.local } : { kind: 'zoned', local: time.local, tzid: zone };
}

/** `DTSTART;TZID=Europe/Berlin:20260101T090000`, and the like for a list of times of one kind. */
export function formatTimes(name: string, times: readonly [EventTime, ...EventTime[]]): string {
  const [first, ...rest] = times.map(icsTimeOf) as [IcsTime, ...IcsTime[]];
  const { value, parameters } = formatIcsTime(first);
  return formatContentLine(name, [value, ...rest.map(formatTimeValue)].join(','), parameters);
}

/** False for what must not be handed to the recurrence engine. */
export function isRecurrenceLine(line: string): boolean {
  return LINE.test(line) && !CONTROL.test(line);
}

/** True for the lines that make instances by a rule, not by naming them. */
export function isRuleLine(line: string): boolean {
  return /^(?:RRULE|EXRULE)[;:]/i.test(line);
}

/** True for a line that names single dates, of that name. */
export function isDateLine(line: string, name: 'RDATE' | 'EXDATE'): boolean {
  return line.toUpperCase().startsWith(name) && isRecurrenceLine(line);
}

/**
 * Recurrence as callers write it, in the form that this series needs: names added, times in the kind and
 * zone of its start (RFC 5545 §3.8.5.1, §3.8.5.2), UNTIL in UTC or a date (§3.3.10).
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export function readRecurrence(lines: readonly string[], frame: SeriesFrame): string[] {
  if (lines.length > MAX_LINES || lines.reduce((sum, line) => sum + line.length, 0) > MAX_CHARACTERS) {
    throw invalid('recurrence', 'is too long');
  }
  const read = lines.map((line, index) => readLine(line.trim(), index));
  if (!read.some(({ name }) => name === 'RRULE' || name === 'RDATE')) {
    throw invalid('recurrence', 'needs an RRULE or RDATE');
  }
  return read.map((line) => (isRule(line) ? `${line.name}:${ruleLike(line.value, frame)}` : datesLike(line, frame)));
}

/**
 * The recurrence of a series that starts at another time: what names instances moves by as much as the start does, on
 * the new clock.
 */
export function shiftRecurrence(lines: readonly string[], before: SeriesFrame, start: EventTime): string[] {
  const deltaMs = wallOf(start) - wallOf(before.start);
  const moved = (time: EventTime) => withWall(start, wallOf(time) + deltaMs);
  return changeLines(lines, {
    dates: (times) => times.map(moved),
    rule: (value) => {
      const { until } = parseRule(value, { dtstartKind: icsTimeOf(before.start).kind });
      if (until === null) return value;
      const wallMs = wallOf(moved(timeLike(untilTime(until), before)));
      const text = untilLike({ form: 'local', wallMs }, icsTimeOf(start).kind, clockOf({ ...before, start }));
      return withRuleEnd(value, { until: text });
    },
    frame: before,
  });
}

/**
 * The recurrence up to an instance, without it.
 * @param countBefore how many instances the rule makes before it
 */
export function endBefore(
  lines: readonly string[],
  instance: EventTime,
  frame: SeriesFrame,
  countBefore: number,
): string[] {
  const limitMs = instantOf(instance, frame.calendarZone);
  return changeLines(lines, {
    dates: (times) => times.filter((time) => instantOf(time, frame.calendarZone) < limitMs),
    rule: (value) => {
      const { count } = parseRule(value, { dtstartKind: icsTimeOf(frame.start).kind });
      if (count === null) return withRuleEnd(value, { until: justBefore(instance, limitMs) });
      return countBefore === 0 ? null : withRuleEnd(value, { count: Math.min(count, countBefore) });
    },
    frame,
  });
}

/** The recurrence from an instance on, which becomes the first one. @param countBefore as in {@link endBefore} */
export function continueFrom(
  lines: readonly string[],
  instance: EventTime,
  frame: SeriesFrame,
  countBefore: number,
): string[] {
  const limitMs = instantOf(instance, frame.calendarZone);
  return changeLines(lines, {
    dates: (times) => times.filter((time) => instantOf(time, frame.calendarZone) >= limitMs),
    rule: (value) => {
      const { count } = parseRule(value, { dtstartKind: icsTimeOf(frame.start).kind });
      return count === null ? value : withRuleEnd(value, { count: Math.max(1, count - countBefore) });
    },
    frame,
  });
}

/** The dates that the lines of one name hold, as the series has its own. */
export function datesOf(lines: readonly string[], name: 'RDATE' | 'EXDATE', frame: SeriesFrame): EventTime[] {
  return lines
    .flatMap((text) => parseLine(text) ?? [])
    .filter((line) => line.name === name)
    .flatMap((line) => timesOf(line).map((time) => timeLike(time, frame)));
}

/** A recurrence that cannot be worked with is the caller's to correct. */
export function asInvalid(error: unknown): unknown {
  return error instanceof RecurrenceError ? invalid('recurrence', error.message) : error;
}

/** Applies a change to every line; what cannot be read stays as it is, an empty list of dates goes. */
function changeLines(
  lines: readonly string[],
  change: { dates(times: EventTime[]): EventTime[]; rule(value: string): string | null; frame: SeriesFrame },
): string[] {
  return lines.flatMap((text) => {
    const line = parseLine(text);
    if (line === null) return [text];
    if (isRule(line)) {
      const value = change.rule(line.value);
      return value === null ? [] : [`${line.name}:${value}`];
    }
    const [first, ...rest] = change.dates(timesOf(line).map((time) => timeLike(time, change.frame)));
    return first === undefined ? [] : [formatTimes(line.name, [first, ...rest])];
  });
}

function readLine(text: string, index: number): RecurrenceLine {
  if (text === '' || CONTROL.test(text) || !text.isWellFormed()) {
    throw invalid(`recurrence.${index}`, 'must be one line such as RRULE:FREQ=DAILY;COUNT=5');
  }
  const line = parseLine(/^[A-Z]+=/i.test(text) ? `RRULE:${text}` : text);
  if (line !== null) return line;
  throw invalid(
    `recurrence.${index}`,
    START_AND_END.test(text)
      ? 'the start and end are given by start and end'
      : 'must be RRULE, RDATE, EXDATE or EXRULE',
  );
}

function parseLine(text: string): RecurrenceLine | null {
  const [, name, parameters = '', value = ''] = LINE.exec(text) ?? [];
  return name === undefined ? null : { name: name.toUpperCase() as RecurrenceLine['name'], parameters, value };
}

function isRule({ name }: RecurrenceLine): boolean {
  return name === 'RRULE' || name === 'EXRULE';
}

function ruleLike(text: string, frame: SeriesFrame): string {
  try {
    const value = text.trim();
    const { kind } = icsTimeOf(frame.start);
    const { until } = parseRule(value, { dtstartKind: kind, strict: true });
    if (until === null) return value;
    const written = untilLike(until, kind, clockOf(frame));
    const form = kind === 'date' ? 'date' : 'local';
    if (written < untilLike({ form, wallMs: wallOf(frame.start) }, kind, clockOf(frame))) {
      throw invalid('recurrence', 'UNTIL is before the start');
    }
    return withRuleEnd(value, { until: written });
  } catch (error) {
    throw asInvalid(error);
  }
}

function datesLike(line: RecurrenceLine, frame: SeriesFrame): string {
  if (line.value.includes('/')) {
    throw new DomainError('NotSupportedByProvider', 'recurrence: RDATE takes single dates here, not periods.');
  }
  const tzid = tzidOf(line);
  if (tzid !== undefined && ianaZone(tzid) === null) {
    throw invalid('recurrence', `"${tzid.slice(0, 64)}" is not a known time zone`);
  }
  const [first, ...rest] = timesOf(line).map((time) => timeLike(time, frame));
  if (first === undefined || rest.length + 1 !== line.value.split(',').length) {
    throw invalid('recurrence', `${line.name} holds a value that is no date or date-time`);
  }
  return formatTimes(line.name, [first, ...rest]);
}

function timesOf(line: RecurrenceLine): IcsTime[] {
  const tzid = tzidOf(line);
  return line.value.split(',').flatMap((value) => parseTimeValue(value, tzid) ?? []);
}

function tzidOf({ parameters }: RecurrenceLine): string | undefined {
  return /;TZID="?([^";:]+)"?/i.exec(parameters)?.[1];
}

/**
 * A time of a list as the series has its own: a date among times means that day's instance, a time among dates its day;
 * a clock without a zone is that of the series.
 */
function timeLike(time: IcsTime, { start, calendarZone }: SeriesFrame): EventTime {
  const zone = time.kind === 'zoned' ? ianaZone(time.tzid) : time.kind === 'utc' ? 'UTC' : null;
  if (start.kind === 'date') {
    const local = time.kind === 'utc' ? wallOf(atInstant(wallMsOf(time), calendarZone)) : wallMsOf(time);
    return withWall(start, local);
  }
  if (time.kind === 'date') {
    const startOfDay = Math.floor(wallOf(start) / DAY_MS) * DAY_MS;
    return withWall(start, wallMsOf(time) + wallOf(start) - startOfDay);
  }
  if (zone === null) return withWall(start, wallMsOf(time));
  const instantMs = instantOf(onClock(time.local, zone), calendarZone);
  if (start.timeZone === null || ianaZone(start.timeZone) === null) return withWall(start, instantMs);
  return atInstant(instantMs, start.timeZone);
}

/** A date in UNTIL ends with its day. */
function untilTime({ form, wallMs }: { form: 'date' | 'utc' | 'local'; wallMs: number }): IcsTime {
  const local = new Date(form === 'date' ? wallMs + DAY_MS - 1000 : wallMs).toISOString().slice(0, 19);
  return { kind: form === 'utc' ? 'utc' : 'floating', local };
}

/** UNTIL is inclusive (RFC 5545 §3.3.10): the day or the second before. */
function justBefore(instance: EventTime, instanceMs: number): string {
  if (instance.kind === 'date') return formatTimeValue(icsTimeOf(withWall(instance, wallOf(instance) - DAY_MS)));
  return formatTimeValue({ kind: 'utc', local: new Date(instanceMs - 1000).toISOString().slice(0, 19) });
}

function clockOf({ start, calendarZone }: SeriesFrame): ReturnType<typeof ianaZoneArithmetic> {
  const named = start.kind === 'date' || start.timeZone === null ? null : ianaZone(start.timeZone);
  return ianaZoneArithmetic(named ?? calendarZone);
}
