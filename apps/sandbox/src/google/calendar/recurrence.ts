import {
  expandSeries,
  findInstance,
  formatContentLine,
  ianaZoneArithmetic,
  IcsDocument,
  isInstance,
  objectZones,
  occursIn,
  parsePeriods,
  parseRule,
  parseTimeValue,
  RecurrenceError,
  seriesOf,
  dateOf,
  UTC_ZONE,
  type InstantWindow,
  type IcsProperty,
  type Occurrence,
  type OpenWindow,
  type Series,
  type ZoneSource,
} from '#icalendar';
import { instantOf, isTimeZone, wallOf } from './event-time.js';
import type { EventTime, Pattern } from './model.js';
import { invalid } from './refusals.js';

/** An instance of a series as its rules make it. */
export interface Instance {
  /** The part of its id after the id of the series: `20261207`, `20261207T080000Z`. */
  suffix: string;
  start: EventTime;
  end: EventTime;
}

interface Expandable {
  series: Series;
  zones: ZoneSource;
}

const DAY_MS = 86_400_000;
/** Of one series in one answer. */
const MAX_INSTANCES = 10_000;
/** Of all lines of one event together. */
const MAX_LENGTH = 65_536;
const LINE = /^(RRULE|EXRULE|RDATE|EXDATE)[;:]/i;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
const INSTANCE_ID = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/;

/** Patterns never change, so what was read of one holds. */
const expandables = new WeakMap<Pattern, Expandable>();

/** The two parts of an instance's id; null when it cannot be one. */
export function splitInstanceId(id: string): { masterId: string; suffix: string } | null {
  const match = INSTANCE_ID.exec(id);
  return match === null ? null : { masterId: match[1]!, suffix: match[2]! };
}

export function isRecurring(pattern: Pattern): boolean {
  return pattern.recurrence !== null;
}

/** The part of an instance's id that its original start makes. */
export function suffixOf(original: EventTime): string {
  if (original.kind === 'date') return original.date.replaceAll('-', '');
  return `${basic(new Date(original.instantMs).toISOString().slice(0, 19))}Z`;
}

/**
 * Refuses what is no recurrence of such an event.
 * @throws GoogleRefusal 400 `invalid`
 */
export function checkRecurrence(pattern: Pattern): void {
  const lines = pattern.recurrence ?? [];
  for (const line of lines) {
    if (!LINE.test(line) || CONTROL.test(line)) throw invalid('Invalid recurrence rule.');
  }
  if (!lines.some((line) => /^(RRULE|RDATE)/i.test(line))) throw invalid('Invalid recurrence rule.');
  if (lines.join('').length > MAX_LENGTH) throw invalid('A provided value exceeds the allowed size limit.');
  try {
    const { series, zones } = expandableOf(pattern);
    for (const property of series.master!.properties) checkProperty(property, pattern.start);
    occursIn(series, zones, { startMs: null, endMs: null }, optionsOf('UTC'));
  } catch (error) {
    throw error instanceof RecurrenceError ? invalid('Invalid recurrence rule.') : error;
  }
}

/**
 * Instances that overlap a window, ascending. A window in which there are too many is cut at its end: a series without
 * end has an answer of bounded size, too.
 */
export function instancesIn(pattern: Pattern, window: InstantWindow, calendarZone: string): Instance[] {
  const { series, zones } = expandableOf(pattern);
  const options = { ...optionsOf(calendarZone), maxInstances: MAX_INSTANCES };
  const first = instantOf(pattern.start, calendarZone) - DAY_MS;
  let { startMs, endMs } = window;
  for (;;) {
    try {
      const occurrences = expandSeries(series, zones, { startMs, endMs }, options);
      return occurrences.map((occurrence) => toInstance(occurrence, pattern));
    } catch (error) {
      if (!(error instanceof RecurrenceError) || error.reason !== 'too-large') throw error;
      startMs = Math.max(startMs, first);
      if (endMs - startMs <= 1_000) return [];
      endMs = startMs + Math.floor((endMs - startMs) / 2);
    }
  }
}

/** The instance with this part of an id; null when the rules make none. */
export function instanceOf(pattern: Pattern, suffix: string, calendarZone: string): Instance | null {
  if (!isRecurring(pattern)) return null;
  const { series, zones } = expandableOf(pattern);
  const occurrence = withinBounds(() => findInstance(series, suffix, zones, optionsOf(calendarZone)), null);
  // A bare date would also find the instance of a timed series on that day.
  return occurrence?.instanceDate === suffix ? toInstance(occurrence, pattern) : null;
}

/** Whether anything that the rules make overlaps the window. */
export function takesPlaceIn(pattern: Pattern, window: OpenWindow, calendarZone: string): boolean {
  const { series, zones } = expandableOf(pattern);
  return withinBounds(() => occursIn(series, zones, window, optionsOf(calendarZone)), false);
}

/** Whether an exception still has an instance to stand for. */
export function fits(pattern: Pattern, original: EventTime, calendarZone: string): boolean {
  if (!isRecurring(pattern) || pattern.start.kind !== original.kind) return false;
  const { series, zones } = expandableOf(pattern);
  return withinBounds(() => isInstance(series.master!, timeOf(original), zones, optionsOf(calendarZone)), false);
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

function checkProperty(property: IcsProperty, start: EventTime): void {
  switch (property.name) {
    case 'RRULE':
    case 'EXRULE':
      parseRule(property.value, { dtstartKind: start.kind === 'date' ? 'date' : 'zoned', strict: true });
      return;
    case 'RDATE':
    case 'EXDATE': {
      const tzid = property.parameter('TZID');
      const values = property.value.split(',');
      const isKnown = (value: string) => !value.includes('/') && parseTimeValue(value) !== null;
      const isPeriods = property.name === 'RDATE' && parsePeriods(property).length === values.length;
      if ((tzid !== undefined && !isTimeZone(tzid)) || !(values.every(isKnown) || isPeriods)) {
        throw invalid('Invalid recurrence rule.');
      }
    }
  }
}

/** @throws RecurrenceError, IcsSyntaxError for what nobody can read */
function expandableOf(pattern: Pattern): Expandable {
  const known = expandables.get(pattern);
  if (known !== undefined) return known;
  const [calendar] = IcsDocument.parse(
    [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:series',
      timeLine('DTSTART', pattern.start),
      // In UTC: instances are equally long, whatever the clocks of both ends do.
      pattern.end.kind === 'date'
        ? timeLine('DTEND', pattern.end)
        : `DTEND:${basic(new Date(pattern.end.instantMs).toISOString().slice(0, 19))}Z`,
      ...(pattern.recurrence ?? []).map(upperCaseName),
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n'),
  ).calendars;
  const expandable = { series: seriesOf(calendar!)[0]!, zones: objectZones(calendar!) };
  expandables.set(pattern, expandable);
  return expandable;
}

function upperCaseName(line: string): string {
  const name = LINE.exec(line)?.[1] ?? '';
  return name.toUpperCase() + line.slice(name.length);
}

function timeLine(name: string, time: EventTime): string {
  if (time.kind === 'date') return formatContentLine(name, time.date.replaceAll('-', ''), { VALUE: 'DATE' });
  return formatContentLine(name, basic(wallOf(time)), { TZID: time.timeZone });
}

function basic(local: string): string {
  return local.replace(/[-:]/g, '');
}

function timeOf(time: EventTime) {
  if (time.kind === 'date') return { kind: 'date', date: time.date } as const;
  return { kind: 'utc', local: new Date(time.instantMs).toISOString().slice(0, 19) } as const;
}

function toInstance(occurrence: Occurrence, { start, end }: Pattern): Instance {
  const { instanceDate: suffix } = occurrence;
  if (start.kind === 'date' || end.kind === 'date') {
    const day = (wallMs: number) => ({ kind: 'date', date: dateOf(wallMs) }) as const;
    return { suffix, start: day(occurrence.startWall), end: day(occurrence.endWall) };
  }
  return {
    suffix,
    start: { ...start, instantMs: occurrence.startMs },
    end: { ...end, instantMs: occurrence.endMs },
  };
}

function optionsOf(calendarZone: string) {
  return { floatingZone: calendarZone === 'UTC' ? UTC_ZONE : ianaZoneArithmetic(calendarZone) };
}

/** What would take too long to find counts as not there. */
function withinBounds<T>(find: () => T, otherwise: T): T {
  try {
    return find();
  } catch (error) {
    if (error instanceof RecurrenceError && error.reason === 'too-large') return otherwise;
    throw error;
  }
}
