import type { IcsTime } from '../model.js';
import { RecurrenceError } from '../errors.js';
import { type WallValue, basicDate, basicLocal, parseWallValue } from './wall-value.js';

export const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** One entry of BYDAY. `weekday`: Monday is 0. `ordinal`: 0 for every such day, 2 for the second, -1 for the last. */
export interface WeekdayRule {
  weekday: number;
  ordinal: number;
}

/** A recurrence rule (RFC 5545 §3.3.10). Lists are ascending and without repeats; null when the part is absent. */
export interface RecurrenceRule {
  freq: Frequency;
  interval: number;
  count: number | null;
  until: WallValue | null;
  /** Monday is 0. */
  weekStart: number;
  bySecond: number[] | null;
  byMinute: number[] | null;
  byHour: number[] | null;
  byDay: WeekdayRule[] | null;
  byMonthDay: number[] | null;
  byYearDay: number[] | null;
  byWeekNo: number[] | null;
  byMonth: number[] | null;
  bySetPos: number[] | null;
  /** Treatment of a day that the month lacks (RFC 7529 §4.1). */
  skip: 'OMIT' | 'BACKWARD' | 'FORWARD';
}

export interface RuleContext {
  dtstartKind: IcsTime['kind'];
  /**
   * True for caller input: enforces every MUST of RFC 5545, except the form of UNTIL, which `untilLike` converts. False
   * for stored rules, which are parsed tolerantly.
   */
  strict?: boolean;
}

/** Monday is 0. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const BY_DAY = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/;
const INTEGER = /^[+-]?\d{1,10}$/;

/** The longest sensible rule names 732 days of the year. */
const MAX_RULE_LENGTH = 4_096;
/** Fits a 32-bit count of seconds; rules with larger intervals have one instance. */
const MAX_INTERVAL = 2_147_483_647;

const PARTS = new Set([
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'WKST',
  'BYSECOND',
  'BYMINUTE',
  'BYHOUR',
  'BYDAY',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYMONTH',
  'BYSETPOS',
  'RSCALE',
  'SKIP',
]);

/**
 * Parses an RRULE or EXRULE value, with or without `RRULE:`.
 * @throws RecurrenceError `invalid` naming the bad part, `unsupported` for RSCALE other than GREGORIAN
 */
export function parseRule(value: string, { dtstartKind, strict = false }: RuleContext): RecurrenceRule {
  const text = value.trim().replace(/^RRULE:/i, '');
  if (text.length > MAX_RULE_LENGTH) throw new RecurrenceError('invalid', 'RRULE', 'is too long');
  // Control characters: DTSTART or EXDATE lines smuggled in after the rule.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new RecurrenceError('invalid', 'RRULE', 'must be one rule on one line');
  const parts = splitParts(text, strict);

  const scale = parts.get('RSCALE');
  if (scale !== undefined && scale !== 'GREGORIAN') {
    throw new RecurrenceError('unsupported', 'RSCALE', 'only the Gregorian calendar is supported');
  }
  const freq = parts.get('FREQ');
  if (freq === undefined) throw new RecurrenceError('invalid', 'FREQ', 'is missing');
  if (!isFrequency(freq)) throw new RecurrenceError('invalid', 'FREQ', 'is not a frequency');

  const rule: RecurrenceRule = {
    freq,
    interval: readInterval(parts.get('INTERVAL'), strict),
    count: readCount(parts.get('COUNT')),
    until: readUntil(parts.get('UNTIL')),
    weekStart: readWeekStart(parts.get('WKST')),
    bySecond: readList(parts, 'BYSECOND', 0, 60),
    byMinute: readList(parts, 'BYMINUTE', 0, 59),
    byHour: readList(parts, 'BYHOUR', 0, 23),
    byDay: readByDay(parts.get('BYDAY')),
    byMonthDay: readSignedList(parts, 'BYMONTHDAY', 31),
    byYearDay: readSignedList(parts, 'BYYEARDAY', 366),
    byWeekNo: readSignedList(parts, 'BYWEEKNO', 53),
    byMonth: readList(parts, 'BYMONTH', 1, 12),
    bySetPos: readSignedList(parts, 'BYSETPOS', 366),
    skip: readSkip(parts.get('SKIP'), scale !== undefined, strict),
  };
  if (dtstartKind === 'date' && isSubDaily(rule.freq)) {
    throw new RecurrenceError('invalid', 'FREQ', `${rule.freq} needs a start with a time of day`);
  }
  if (strict) checkCombinations(rule, dtstartKind);
  return rule;
}

export function isSubDaily(freq: Frequency): boolean {
  return freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY';
}

/**
 * Replaces COUNT and UNTIL in place; other parts keep their place and spelling. null makes the rule endless.
 * @param end `until` as it is to be written: `20260131`, `20260131T225959Z`
 */
export function withRuleEnd(value: string, end: { count: number } | { until: string } | null): string {
  const isEnd = (part: string) => /^\s*(COUNT|UNTIL)\s*=/i.test(part);
  const parts = value.split(';').filter((part) => part.trim() !== '');
  const place = parts.findIndex(isEnd);
  const before = place === -1 ? parts : parts.slice(0, place);
  const after = place === -1 ? [] : parts.slice(place + 1).filter((part) => !isEnd(part));
  const written = end === null ? [] : 'count' in end ? [`COUNT=${end.count}`] : [`UNTIL=${end.until}`];
  return [...before, ...written, ...after].join(';');
}

/**
 * Converts UNTIL to the form that the series requires (RFC 5545 §3.3.10): DATE, UTC, or local for floating ones. A date
 * ends with its day in `zone`, which also reads local times and the day of an instant.
 */
export function untilLike(
  until: WallValue,
  dtstartKind: IcsTime['kind'],
  zone: { toInstant(wallMs: number): number | null; toWall(instantMs: number): number | null },
): string {
  if (dtstartKind === 'date') {
    return basicDate(until.form === 'utc' ? (zone.toWall(until.wallMs) ?? until.wallMs) : until.wallMs);
  }
  const endOfDay = until.form === 'date' ? until.wallMs + 86_399_000 : until.wallMs;
  if (dtstartKind === 'floating') {
    return basicLocal(until.form === 'utc' ? (zone.toWall(until.wallMs) ?? until.wallMs) : endOfDay);
  }
  return `${basicLocal(until.form === 'utc' ? until.wallMs : (zone.toInstant(endOfDay) ?? endOfDay))}Z`;
}

function splitParts(text: string, strict: boolean): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    if (part.trim() === '' && !strict) continue;
    const equals = part.indexOf('=');
    const name = (equals === -1 ? part : part.slice(0, equals)).trim().toUpperCase();
    if (strict && (equals === -1 || !PARTS.has(name))) {
      throw new RecurrenceError('invalid', name.slice(0, 20) || 'RRULE', 'is not a part of a recurrence rule');
    }
    if (equals === -1 || !PARTS.has(name)) continue;
    if (parts.has(name)) {
      if (strict) throw new RecurrenceError('invalid', name, 'is given twice');
      continue;
    }
    parts.set(
      name,
      part
        .slice(equals + 1)
        .trim()
        .toUpperCase(),
    );
  }
  return parts;
}

function isFrequency(text: string): text is Frequency {
  return (FREQUENCIES as readonly string[]).includes(text);
}

function readInterval(text: string | undefined, strict: boolean): number {
  if (text === undefined) return 1;
  const interval = integer('INTERVAL', text);
  // Some exported files have INTERVAL=0; it counts as absent.
  if (interval === 0 && !strict) return 1;
  if (interval < 1) throw new RecurrenceError('invalid', 'INTERVAL', 'must be at least 1');
  return Math.min(interval, MAX_INTERVAL);
}

function readCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = integer('COUNT', text);
  if (count < 1) throw new RecurrenceError('invalid', 'COUNT', 'must be at least 1');
  return count;
}

function readUntil(text: string | undefined): WallValue | null {
  if (text === undefined) return null;
  const until = parseWallValue(text);
  if (until === null) throw new RecurrenceError('invalid', 'UNTIL', 'is neither a date nor a date-time');
  return until;
}

function readWeekStart(text: string | undefined): number {
  if (text === undefined) return 0;
  const weekday = WEEKDAYS.indexOf(text);
  if (weekday === -1) throw new RecurrenceError('invalid', 'WKST', 'is not a weekday');
  return weekday;
}

function readSkip(text: string | undefined, hasScale: boolean, strict: boolean): RecurrenceRule['skip'] {
  if (text === undefined) return 'OMIT';
  if (text !== 'OMIT' && text !== 'BACKWARD' && text !== 'FORWARD') {
    throw new RecurrenceError('invalid', 'SKIP', 'must be OMIT, BACKWARD or FORWARD');
  }
  if (strict && !hasScale) throw new RecurrenceError('invalid', 'SKIP', 'needs RSCALE (RFC 7529)');
  return text;
}

function readList(parts: Map<string, string>, name: string, min: number, max: number): number[] | null {
  const text = parts.get(name);
  if (text === undefined) return null;
  const values = text.split(',').map((item) => {
    const value = integer(name, item.trim());
    if (value < min || value > max) throw new RecurrenceError('invalid', name, `must be from ${min} to ${max}`);
    return value;
  });
  return ascending(values);
}

function readSignedList(parts: Map<string, string>, name: string, max: number): number[] | null {
  const values = readList(parts, name, -max, max);
  if (values !== null && values.includes(0)) throw new RecurrenceError('invalid', name, 'must not be 0');
  return values;
}

function readByDay(text: string | undefined): WeekdayRule[] | null {
  if (text === undefined) return null;
  const days = new Map<string, WeekdayRule>();
  for (const item of text.split(',')) {
    const match = BY_DAY.exec(item.trim());
    const ordinal = Number(match?.[1] ?? 0);
    if (match === null || Math.abs(ordinal) > 53 || (match[1] !== undefined && ordinal === 0)) {
      throw new RecurrenceError('invalid', 'BYDAY', 'must name weekdays such as MO, 1MO or -1FR');
    }
    const weekday = WEEKDAYS.indexOf(match[2]!);
    days.set(`${ordinal}/${weekday}`, { weekday, ordinal });
  }
  return [...days.values()];
}

function integer(part: string, text: string): number {
  if (!INTEGER.test(text)) throw new RecurrenceError('invalid', part, 'must be a whole number');
  return Number(text);
}

function ascending(values: number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

const BY_PARTS = ['bySecond', 'byMinute', 'byHour', 'byDay', 'byMonthDay', 'byYearDay', 'byWeekNo', 'byMonth'] as const;

/** Forbidden combinations of RFC 5545 §3.3.10. */
function checkCombinations(rule: RecurrenceRule, dtstartKind: IcsTime['kind']): void {
  const reject = (part: string, message: string): never => {
    throw new RecurrenceError('invalid', part, message);
  };
  const { freq } = rule;
  if (rule.count !== null && rule.until !== null) reject('COUNT', 'must not come with UNTIL');
  if (rule.byWeekNo !== null && freq !== 'YEARLY') reject('BYWEEKNO', 'needs FREQ=YEARLY');
  if (rule.byYearDay !== null && (freq === 'DAILY' || freq === 'WEEKLY' || freq === 'MONTHLY')) {
    reject('BYYEARDAY', `must not come with FREQ=${freq}`);
  }
  if (rule.byMonthDay !== null && freq === 'WEEKLY') reject('BYMONTHDAY', 'must not come with FREQ=WEEKLY');
  if (rule.byDay?.some(({ ordinal }) => ordinal !== 0)) {
    if (freq !== 'MONTHLY' && freq !== 'YEARLY') reject('BYDAY', `must not have numbers with FREQ=${freq}`);
    if (rule.byWeekNo !== null) reject('BYDAY', 'must not have numbers with BYWEEKNO');
  }
  const timePart = (['byHour', 'byMinute', 'bySecond'] as const).find((part) => rule[part] !== null);
  if (dtstartKind === 'date' && timePart !== undefined)
    reject(timePart.toUpperCase(), 'needs a start with a time of day');
  if (rule.bySetPos !== null && !BY_PARTS.some((part) => rule[part] !== null))
    reject('BYSETPOS', 'needs another BYxxx part');
}
