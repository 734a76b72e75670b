import type { PatternedRecurrence, RecurrenceRange } from '@microsoft/microsoft-graph-types';
import type { EventTime } from '#domain/events';
import { DomainError, invalid } from '#domain/system';
import { recordOf } from '#providers/kit/events';
import {
  asInvalid,
  atInstant,
  DAY_MS,
  dayOf,
  instantOf,
  isDateLine,
  RecurringSeries,
  SeriesTimes,
  icsTimeOf,
  shiftedSpan,
  type TimeSpan,
  wallOf,
  withWall,
} from '#providers/kit/series';
import { dateOf, firstDayOf, formatTimeValue, parseRule, windowsClockName, type RecurrenceRule } from '#icalendar';
import { fromPattern, integerOf } from './from-pattern.js';
import { toPattern, unsupported } from './to-pattern.js';

const MAX_COUNT = 999;
/** Rules without an end are often written with this day of UTC, which is a day later in the east. */
const LAST_DAY_MS = Date.UTC(9999, 11, 31);

export interface GraphSeries {
  /** Times of the rule's first day. */
  span: TimeSpan;
  recurrence: PatternedRecurrence;
  /** The original rule: Graph cannot express every detail. */
  rule: string;
}

/**
 * @param lines from `readRecurrence`; EXDATE lines are only checked: Outlook deletes a series with its last instance
 * @throws DomainError NotSupportedByProvider naming the part that Graph cannot express, ValidationFailed
 */
export function toGraphSeries(lines: readonly string[], span: TimeSpan, calendarZone: string): GraphSeries {
  const text = ruleTextOf(lines);
  const rule = ruleOf(text, span.start);
  const zone = zoneOf(span.start, calendarZone);
  const name = windowsClockName(zone, instantOf(span.start, zone));
  // Days are the same in every zone.
  const recurrenceTimeZone = name ?? (span.start.kind === 'date' ? 'UTC' : null);
  if (recurrenceTimeZone === null) {
    throw new DomainError('NotSupportedByProvider', `start.timeZone: Outlook cannot hold a series in ${zone}.`);
  }
  const start = plainDate(span.start);
  const pattern = toPattern(rule, start);
  const startMs = Date.parse(`${start.toString()}T00:00:00Z`);
  // Unlike RFC 5545, Graph has no first instance outside of the rule.
  const firstMs = firstDayOf(rule, startMs);
  if (firstMs === null) throw invalid('recurrence', 'names no day');
  const moved = firstMs === startMs ? span : shiftedSpan(span, firstMs - startMs, new SeriesTimes(calendarZone));
  if (lines.some((line) => isDateLine(line, 'EXDATE'))) {
    const series = RecurringSeries.of({ ...moved, recurrence: [...lines] }, calendarZone);
    if (series?.hasInstances() === false) throw invalid('recurrence', 'excludes every instance of the series');
  }
  return {
    span: moved,
    recurrence: { pattern, range: { ...rangeOf(rule, moved.start, zone), recurrenceTimeZone } },
    rule: text,
  };
}

/**
 * Returns the RRULE line: the kept rule while Graph's description still matches; null for an unreadable description.
 * @param start of the first instance, on the clock of the series
 * @param kept the original rule
 */
export function toRuleLine(
  value: unknown,
  start: EventTime,
  kept: string | undefined,
  calendarZone: string,
): string | null {
  const described = fromGraphRecurrence(value, start);
  if (described === null || kept === undefined || kept === '') return described;
  return describedBy(kept, start, calendarZone) === described ? `RRULE:${kept}` : described;
}

function describedBy(kept: string, start: EventTime, calendarZone: string): string | null {
  try {
    const rule = ruleOf(kept, start);
    const range = rangeOf(rule, start, zoneOf(start, calendarZone));
    return fromGraphRecurrence({ pattern: toPattern(rule, plainDate(start)), range }, start);
  } catch (error) {
    // Other clients may have written a rule that Graph cannot express.
    if (error instanceof DomainError) return null;
    throw error;
  }
}

/** @param start of the first instance, on the clock of the series @returns null for an unreadable description */
export function fromGraphRecurrence(value: unknown, start: EventTime): string | null {
  const { pattern, range } = recordOf(value);
  const parts = fromPattern(pattern, plainDate(start));
  const end = endOf(recordOf(range), start);
  return parts === null || end === null ? null : `RRULE:${[...parts, ...end].join(';')}`;
}

function ruleTextOf(lines: readonly string[]): string {
  const rules = lines.filter((line) => /^RRULE[;:]/i.test(line));
  const other = lines.find((line) => /^(?:RDATE|EXRULE)[;:]/i.test(line));
  if (other !== undefined) throw unsupported(other.slice(0, other.search(/[;:]/)), 'has no counterpart');
  const [rule, ...others] = rules;
  if (rule === undefined) throw invalid('recurrence', 'needs an RRULE');
  if (others.length > 0) throw unsupported('a second RRULE', 'has no counterpart');
  return rule.slice(rule.indexOf(':') + 1);
}

function ruleOf(text: string, start: EventTime): RecurrenceRule {
  try {
    return parseRule(text, { dtstartKind: icsTimeOf(start).kind, strict: true });
  } catch (error) {
    throw asInvalid(error);
  }
}

function rangeOf(rule: RecurrenceRule, start: EventTime, zone: string): RecurrenceRange {
  const startDate = plainDate(start).toString();
  if (rule.count !== null) {
    if (rule.count > MAX_COUNT) throw unsupported('COUNT', `must not be more than ${MAX_COUNT}`);
    return { type: 'numbered', startDate, numberOfOccurrences: rule.count };
  }
  if (rule.until === null) return { type: 'noEnd', startDate };
  const endDate = lastDayOf(rule.until, start, zone);
  if (endDate < startDate) throw invalid('recurrence', 'UNTIL is before the first occurrence');
  return { type: 'endDate', startDate, endDate };
}

/** An UNTIL that is earlier in its day than the start excludes the instance of that day. */
function lastDayOf(until: NonNullable<RecurrenceRule['until']>, start: EventTime, zone: string): string {
  const { form, wallMs } = until;
  const wall = form === 'utc' ? wallOf(atInstant(wallMs, zone)) : wallMs;
  const isBefore = form !== 'date' && start.kind !== 'date' && timeOfDay(wall) < timeOfDay(wallOf(start));
  return dateOf(Math.min(isBefore ? wall - DAY_MS : wall, LAST_DAY_MS));
}

function endOf(range: Readonly<Record<string, unknown>>, start: EventTime): string[] | null {
  const { type, numberOfOccurrences, endDate } = range;
  if (type === 'noEnd') return [];
  if (type === 'numbered') {
    const count = integerOf(numberOfOccurrences, 1, Number.MAX_SAFE_INTEGER);
    return count === null ? null : [`COUNT=${count}`];
  }
  if (type !== 'endDate' || typeof endDate !== 'string' || !isDate(endDate)) return null;
  return [`UNTIL=${untilOn(endDate, start)}`];
}

/** RFC 5545 §3.3.10. */
function untilOn(date: string, start: EventTime): string {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const last = withWall(start, dayMs + timeOfDay(wallOf(start)));
  if (last.kind === 'date' || last.timeZone === null) return formatTimeValue(icsTimeOf(last));
  const instantMs = wallOf(last) - (last.offsetMinutes ?? 0) * 60_000;
  const utc = atInstant(Math.min(instantMs, LAST_DAY_MS + DAY_MS - 1000), 'UTC');
  return formatTimeValue(icsTimeOf(utc));
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function timeOfDay(wallMs: number): number {
  return ((wallMs % DAY_MS) + DAY_MS) % DAY_MS;
}

function zoneOf(start: EventTime, calendarZone: string): string {
  return start.kind === 'dateTime' ? (start.timeZone ?? calendarZone) : calendarZone;
}

function plainDate(time: EventTime): Temporal.PlainDate {
  return Temporal.PlainDate.from(dayOf(time));
}
