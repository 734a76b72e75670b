import { RRuleTemporal } from 'rrule-temporal';
import { instantOn, localOf, tzDatabaseName, wallAt, wallOfText } from '../../time-zones.js';
import { wallOfDate } from './event-time.js';
import type { EventTime, Pattern, Window } from './model.js';
import { invalid } from './errors.js';

/** A generated instance of a series. */
export interface Instance {
  /** Suffix of its id after the id of the series: `20261207`, `20261207T080000Z`. */
  suffix: string;
  start: EventTime;
  end: EventTime;
}

/** Parsed lines of a series. Times are instants; days are midnights UTC. */
interface Series {
  startMs: number;
  lengthMs: number;
  rules: RRuleTemporal[];
  exclusionRules: RRuleTemporal[];
  added: number[];
  removed: Set<number>;
  /** `EXDATE;VALUE=DATE`: excludes every start on this day in the series' zone. */
  removedDays: Set<string>;
}

/** Per series and response. */
const MAX_INSTANCES = 10_000;
/** Characters of all lines of one event. */
const MAX_LENGTH = 65_536;
const LINE = /^(RRULE|EXRULE|RDATE|EXDATE)((?:;[^;:=]+=[^;:]*)*):(.*)$/i;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
const INSTANCE_ID = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/;
const TIME = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;

const list = (item: string): RegExp => new RegExp(`^(?:${item})(?:,(?:${item}))*$`);
const WEEKDAY = 'SU|MO|TU|WE|TH|FR|SA';
/** Value ranges of RFC 5545 §3.3.10, because the library ignores unreadable parts and out-of-range values. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:SECOND|MINUTE|HOUR|DAI|WEEK|MONTH|YEAR)LY$/,
  INTERVAL: /^0*[1-9]\d{0,8}$/,
  COUNT: /^0*[1-9]\d{0,8}$/,
  UNTIL: /^\d{8}(?:T\d{6}Z)?$/,
  WKST: list(WEEKDAY),
  BYSECOND: list('[0-5]?\\d|60'),
  BYMINUTE: list('[0-5]?\\d'),
  BYHOUR: list('[01]?\\d|2[0-3]'),
  BYDAY: list(`(?:[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3]))?(?:${WEEKDAY})`),
  BYMONTHDAY: list('[+-]?(?:0?[1-9]|[12]\\d|3[01])'),
  BYYEARDAY: list('[+-]?(?:0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  BYWEEKNO: list('[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3])'),
  BYMONTH: list('0?[1-9]|1[0-2]'),
  BYSETPOS: list('[+-]?(?:0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
};
/** Parts that need a DTSTART with a time of day (RFC 5545 §3.3.10). */
const OF_A_DAY = /FREQ=(?:SECOND|MINUTE|HOUR)LY|BY(?:SECOND|MINUTE|HOUR)=/;

/** Patterns are immutable, so parsed ones are cached. */
const readSeries = new WeakMap<Pattern, Series>();

/** Splits an instance's id; null for any other id. */
export function splitInstanceId(id: string): { masterId: string; suffix: string } | null {
  const match = INSTANCE_ID.exec(id);
  return match === null ? null : { masterId: match[1]!, suffix: match[2]! };
}

export function isRecurring(pattern: Pattern): boolean {
  return pattern.recurrence !== null;
}

/** Returns the id suffix of an original start. */
export function suffixOf(original: EventTime): string {
  if (original.kind === 'date') return original.date.replaceAll('-', '');
  return `${basic(original.instantMs)}Z`;
}

/** @throws GoogleErrorResponse 400 `invalid` for an invalid recurrence of this event */
export function checkRecurrence(pattern: Pattern): void {
  const lines = pattern.recurrence ?? [];
  if (lines.join('').length > MAX_LENGTH) throw invalid('A provided value exceeds the allowed size limit.');
  if (!lines.some((line) => /^(RRULE|RDATE)/i.test(line))) throw invalid('Invalid recurrence rule.');
  seriesOf(pattern);
}

/**
 * Returns instances that overlap a window, ascending. Shortens the window when there are too many, to bound the
 * response.
 */
export function instancesIn(pattern: Pattern, window: Window, calendarZone: string): Instance[] {
  const series = seriesOf(pattern);
  const fromMs = clockOf(pattern, window.startMs, calendarZone);
  const starts = startsIn(series, fromMs - series.lengthMs, clockOf(pattern, window.endMs, calendarZone));
  return starts
    .filter((startMs) => startMs + series.lengthMs > fromMs && !isRemoved(series, pattern, startMs))
    .map((startMs) => toInstance(startMs, pattern, series));
}

/** Returns the instance with this suffix; null when the rules generate none. */
export function instanceOf(pattern: Pattern, suffix: string): Instance | null {
  if (!isRecurring(pattern) || (pattern.start.kind === 'date') !== (suffix.length === 8)) return null;
  const series = seriesOf(pattern);
  const startMs = readTime(suffix, 'UTC');
  if (startMs === null || !isStart(series, startMs) || isRemoved(series, pattern, startMs)) return null;
  return toInstance(startMs, pattern, series);
}

/** True when any generated instance overlaps the window; either side may be open. */
export function takesPlaceIn(
  pattern: Pattern,
  { startMs, endMs }: { startMs: number | null; endMs: number | null },
  calendarZone: string,
): boolean {
  const series = seriesOf(pattern);
  const fromMs = startMs === null ? series.startMs : clockOf(pattern, startMs, calendarZone) - series.lengthMs + 1;
  const untilMs = endMs === null ? Number.POSITIVE_INFINITY : clockOf(pattern, endMs, calendarZone);
  if (series.added.some((at) => at >= fromMs && at < untilMs && !isRemoved(series, pattern, at))) return true;
  return series.rules.some((rule) => {
    let start = withinBounds(() => rule.next(new Date(fromMs), true), null);
    for (let tries = 0; start !== null && start.epochMilliseconds < untilMs && tries < MAX_INSTANCES; tries += 1) {
      const at = start;
      if (!isExcludedByRule(series, at.epochMilliseconds) && !isRemoved(series, pattern, at.epochMilliseconds))
        return true;
      start = withinBounds(() => rule.next(at), null);
    }
    return false;
  });
}

/** True when the rules generate the instance of an exception, even if EXDATE excludes it. */
export function fits(pattern: Pattern, original: EventTime): boolean {
  if (!isRecurring(pattern) || pattern.start.kind !== original.kind) return false;
  return isStart(seriesOf(pattern), momentOf(original));
}

export function isSamePattern(a: Pattern, b: Pattern): boolean {
  return (
    instantAndZone(a.start) === instantAndZone(b.start) &&
    instantAndZone(a.end) === instantAndZone(b.end) &&
    (a.recurrence ?? []).join('\n') === (b.recurrence ?? []).join('\n')
  );
}

function instantAndZone(time: EventTime): string {
  return time.kind === 'date' ? time.date : `${time.instantMs} ${time.timeZone}`;
}

/** @throws GoogleErrorResponse 400 `invalid` for an unreadable line */
function seriesOf(pattern: Pattern): Series {
  const known = readSeries.get(pattern);
  if (known !== undefined) return known;
  const startMs = momentOf(pattern.start);
  const series: Series = {
    ...{ startMs, lengthMs: Math.max(0, momentOf(pattern.end) - startMs) },
    ...{ rules: [], exclusionRules: [], added: [], removed: new Set(), removedDays: new Set() },
  };
  for (const line of pattern.recurrence ?? []) readLine(line, pattern, series);
  // Without a rule the series consists of its start and RDATE.
  if (series.rules.length === 0) series.rules.push(ruleOf('FREQ=YEARLY;COUNT=1', pattern.start, true));
  readSeries.set(pattern, series);
  return series;
}

function readLine(line: string, { start }: Pattern, series: Series): void {
  const [, name = '', parameters = '', value = ''] = CONTROL.test(line) ? [] : (LINE.exec(line) ?? []);
  const zone = /;TZID="?([^";]*)/i.exec(parameters)?.[1];
  if (zone !== undefined && tzDatabaseName(zone) === null) throw invalid('Invalid recurrence rule.');
  const timeZone = zone ?? (start.kind === 'date' ? 'UTC' : start.timeZone);
  switch (name.toUpperCase()) {
    case 'RRULE':
      series.rules.push(ruleOf(value.toUpperCase(), start, true));
      return;
    case 'EXRULE':
      series.exclusionRules.push(ruleOf(value.toUpperCase(), start, false));
      return;
    case 'RDATE':
    case 'EXDATE':
      for (const text of value.split(',')) {
        const isDay = text.length === 8;
        const at = readTime(start.kind === 'date' ? text.slice(0, 8) : text, isDay ? 'UTC' : timeZone);
        const isAdded = name.toUpperCase() === 'RDATE';
        if (at === null || (isAdded && isDay !== (start.kind === 'date'))) throw invalid('Invalid recurrence rule.');
        if (isAdded) series.added.push(at);
        else if (isDay && start.kind === 'instant') series.removedDays.add(localOf(at).slice(0, 10));
        else series.removed.add(at);
      }
      return;
    default:
      throw invalid('Invalid recurrence rule.');
  }
}

/** @param includesStart true when the start counts without matching the rule @throws GoogleErrorResponse 400 */
function ruleOf(rule: string, start: EventTime, includesStart: boolean): RRuleTemporal {
  const parts = rule.split(';').map((part) => part.split('=', 2));
  const isReadable = parts.every(([name = '', value = '']) => PARTS[name]?.test(value) === true);
  const isRepeated = new Set(parts.map(([name]) => name)).size < parts.length;
  if (!isReadable || isRepeated || (start.kind === 'date' && OF_A_DAY.test(rule))) {
    throw invalid('Invalid recurrence rule.');
  }
  const options = { strict: true, includeDtstart: includesStart };
  try {
    if (start.kind === 'date') {
      return new RRuleTemporal({ rruleString: `DTSTART;VALUE=DATE:${suffixOf(start)}\nRRULE:${rule}`, ...options });
    }
    const dtstart = Temporal.Instant.fromEpochMilliseconds(start.instantMs).toZonedDateTimeISO(start.timeZone);
    return new RRuleTemporal({ rruleString: rule, dtstart, ...options });
  } catch {
    // The library has no error class for rules that RFC 5545 forbids.
    throw invalid('Invalid recurrence rule.');
  }
}

/** Returns starts from `fromMs` and before `untilMs`, ascending and unique, with those that EXDATE excludes. */
function startsIn(series: Series, fromMs: number, untilMs: number): number[] {
  const from = Math.max(fromMs, Math.min(series.startMs, ...series.added));
  for (let until = untilMs; until > from; until = from + Math.floor((until - from) / 2)) {
    const starts = withinBounds(() => allStartsIn(series, from, until), null);
    if (starts !== null && starts.length <= MAX_INSTANCES) return starts;
  }
  return [];
}

function allStartsIn(series: Series, fromMs: number, untilMs: number): number[] {
  const generated = (rules: readonly RRuleTemporal[]) =>
    rules.flatMap((rule) =>
      rule.between(new Date(fromMs), new Date(untilMs - 1), true).map((at) => at.epochMilliseconds),
    );
  const excluded = new Set(generated(series.exclusionRules));
  const added = series.added.filter((at) => at >= fromMs && at < untilMs);
  const starts = new Set([...generated(series.rules), ...added].filter((at) => !excluded.has(at)));
  return [...starts].sort((a, b) => a - b);
}

function isStart(series: Series, startMs: number): boolean {
  return startsIn(series, startMs, startMs + 1).length > 0;
}

function isExcludedByRule({ exclusionRules }: Series, startMs: number): boolean {
  const at = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO('UTC');
  return exclusionRules.some((rule) => rule.matches(at));
}

function isRemoved({ removed, removedDays }: Series, { start }: Pattern, startMs: number): boolean {
  if (removed.has(startMs)) return true;
  return start.kind === 'instant' && removedDays.has(localOf(wallAt(start.timeZone, startMs)).slice(0, 10));
}

function toInstance(startMs: number, { start, end }: Pattern, { lengthMs }: Series): Instance {
  const at = <T extends EventTime>(time: T, ms: number): EventTime =>
    time.kind === 'date' ? { kind: 'date', date: localOf(ms).slice(0, 10) } : { ...time, instantMs: ms };
  const original = at(start, startMs);
  return { suffix: suffixOf(original), start: original, end: at(end, startMs + lengthMs) };
}

function momentOf(time: EventTime): number {
  return time.kind === 'date' ? wallOfDate(time.date) : time.instantMs;
}

/** Converts an instant to the series' clock, where days begin at midnight in the calendar's zone. */
function clockOf({ start }: Pattern, instantMs: number, calendarZone: string): number {
  return start.kind === 'date' ? wallAt(calendarZone, instantMs) : instantMs;
}

/** Parses `20261207`, `20261207T090000`, `20261207T080000Z`; null for any other text. */
function readTime(text: string, timeZone: string): number | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', utc] = match;
  const wallMs = wallOfText(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  return wallMs === null || utc === 'Z' ? wallMs : instantOn(timeZone, wallMs);
}

function basic(instantMs: number): string {
  return localOf(instantMs).replace(/[-:]/g, '');
}

/** Treats an exceeded search limit as "not found". The library reports it with a plain Error. */
function withinBounds<T>(find: () => T, otherwise: T): T {
  try {
    return find();
  } catch (error) {
    if ((error as Error).message.startsWith('Maximum ')) return otherwise;
    throw error;
  }
}
