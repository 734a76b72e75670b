import { DomainError, invalid } from '#domain/system';
import {
  formatIcsTime,
  formatTimeValue,
  IcsDocument,
  parseIcsTimes,
  parsePeriods,
  parseRule,
  RecurrenceError,
  untilLike,
  wallMsOf,
  withRuleEnd,
  withWallMs,
  type EditableComponent,
  type IcsComponent,
  type IcsPeriod,
  type IcsProperty,
  type IcsTime,
  type WrittenTime,
} from '#icalendar';
import { DAY_MS, shiftedTime } from './times.js';
import type { IcsTimes } from './times.js';

const MAX_LINES = 1_000;
const MAX_CHARACTERS = 256 * 1024;
const LINE = /^(RRULE|EXRULE|RDATE|EXDATE)((?:;[^:;"]*(?:"[^"]*")?)*):(.*)$/i;
const START_AND_END = /^(?:DTSTART|DTEND|DURATION)\b/i;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]/;

export const RECURRENCE_PROPERTIES: ReadonlySet<string> = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE']);

export function recurrenceLines(event: IcsComponent): IcsProperty[] {
  return event.properties.filter(({ name }) => RECURRENCE_PROPERTIES.has(name));
}

/** False for a line that the recurrence engine must not get. */
export function isRecurrenceLine(line: string): boolean {
  return LINE.test(line) && !CONTROL.test(line);
}

export function asInvalid(error: unknown): unknown {
  return error instanceof RecurrenceError ? invalid('recurrence', error.message) : error;
}

export function eventOf(...lines: readonly string[]): EditableComponent {
  const texts = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:series', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''];
  const event = IcsDocument.parse(texts.join('\r\n')).calendars[0]?.componentsNamed('VEVENT')[0];
  if (event === undefined) throw new RangeError('a series that cannot be written');
  return event;
}

/** Reads recurrence lines of a caller, who may leave out `RRULE:`. @throws DomainError ValidationFailed */
export function parseRecurrence(lines: readonly string[]): IcsProperty[] {
  if (lines.length > MAX_LINES || lines.reduce((sum, line) => sum + line.length, 0) > MAX_CHARACTERS) {
    throw invalid('recurrence', 'is too long');
  }
  const properties = recurrenceLines(eventOf(...lines.map((line, index) => checkLine(line.trim(), index))));
  if (properties.length !== lines.length) throw invalid('recurrence', 'holds a line that cannot be read');
  if (!properties.some(({ name }) => name === 'RRULE' || name === 'RDATE')) {
    throw invalid('recurrence', 'needs an RRULE or RDATE');
  }
  return properties;
}

function checkLine(text: string, index: number): string {
  if (text === '' || CONTROL.test(text) || !text.isWellFormed()) {
    throw invalid(`recurrence.${index}`, 'must be one line such as RRULE:FREQ=DAILY;COUNT=5');
  }
  const line = /^[A-Z]+=/i.test(text) ? `RRULE:${text}` : text;
  if (LINE.test(line)) return line;
  const [given] = START_AND_END.exec(text) ?? [];
  throw invalid(
    `recurrence.${index}`,
    given === undefined ? 'must be RRULE, RDATE, EXDATE or EXRULE' : `${given.toUpperCase()} is given by start and end`,
  );
}

/**
 * Normalizes a line: times in the kind and zone of the start (RFC 5545 §3.8.5.1, §3.8.5.2), UNTIL in UTC or as a date
 * (§3.3.10).
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export function lineLike(
  property: IcsProperty,
  start: IcsTime,
  times: IcsTimes,
  { takesPeriods }: { takesPeriods: boolean },
): WrittenTime {
  if (property.name === 'RRULE' || property.name === 'EXRULE') {
    return { value: ruleLike(property.value.trim(), start, times), parameters: {} };
  }
  const tzid = property.parameter('TZID');
  if (tzid !== undefined && !times.zones.zone(tzid).isKnown) {
    throw invalid('recurrence', `"${tzid.slice(0, 64)}" is not a known time zone`);
  }
  const isPeriods = isPeriodLine(property) || property.value.includes('/');
  if (isPeriods && !takesPeriods) {
    throw new DomainError('NotSupportedByProvider', 'recurrence: RDATE takes single dates here, not periods.');
  }
  const values = isPeriodLine(property)
    ? periodsLike(property, start, times)
    : parseIcsTimes(property).map((time) => formatTimeValue(times.like(start, time)));
  if (values.length === 0 || values.length !== property.value.split(',').length) {
    const kind = isPeriodLine(property) ? 'period of this event' : 'date or date-time';
    throw invalid('recurrence', `${property.name} holds a value that is no ${kind}`);
  }
  return {
    value: values.join(','),
    parameters: { ...formatIcsTime(start).parameters, ...(isPeriodLine(property) && { VALUE: 'PERIOD' }) },
  };
}

function ruleLike(value: string, start: IcsTime, times: IcsTimes): string {
  try {
    const { until } = parseRule(value, { dtstartKind: start.kind, strict: true });
    if (until === null) return value;
    const clock = times.clockOf(start);
    const form = start.kind === 'date' ? 'date' : start.kind === 'utc' ? 'utc' : 'local';
    const written = untilLike(until, start.kind, clock);
    if (written < untilLike({ form, wallMs: wallMsOf(start) }, start.kind, clock)) {
      throw invalid('recurrence', 'UNTIL is before the start');
    }
    return withRuleEnd(value, { until: written });
  } catch (error) {
    throw asInvalid(error);
  }
}

function periodsLike(property: IcsProperty, start: IcsTime, times: IcsTimes): string[] {
  if (property.name !== 'RDATE' || start.kind === 'date') return [];
  const texts = property.value.split(',');
  return parsePeriods(property).map((period, at) => {
    const from = formatTimeValue(times.like(start, period.start));
    return 'duration' in period
      ? `${from}/${texts[at]?.split('/')[1]?.trim() ?? ''}`
      : `${from}/${formatTimeValue(times.like(start, period.end))}`;
  });
}

function isPeriodLine(property: IcsProperty): boolean {
  return property.parameter('VALUE')?.toUpperCase() === 'PERIOD';
}

/** Ends a series before an instance, by COUNT or else by UNTIL, and drops later dates. @throws RecurrenceError */
export function endBefore(event: EditableComponent, from: IcsTime, times: IcsTimes, countBefore: () => number): void {
  for (const property of event.propertiesNamed('RRULE')) {
    const { count } = parseRule(property.value, { dtstartKind: from.kind });
    const left = count === null ? null : Math.min(count, countBefore());
    if (left === 0) event.removeProperty(property);
    else {
      const end = left === null ? { until: justBefore(from, times) } : { count: left };
      event.replaceProperty(property, withRuleEnd(property.value, end));
    }
  }
  const limitMs = times.instantOf(from);
  keepDates(event, from, times, (instantMs) => instantMs < limitMs);
}

export function continueFrom(event: EditableComponent, from: IcsTime, times: IcsTimes, countBefore: () => number) {
  for (const property of event.propertiesNamed('RRULE')) {
    const { count } = parseRule(property.value, { dtstartKind: from.kind });
    if (count === null) continue;
    event.replaceProperty(property, withRuleEnd(property.value, { count: Math.max(1, count - countBefore()) }));
  }
  const limitMs = times.instantOf(from);
  keepDates(event, from, times, (instantMs) => instantMs >= limitMs);
}

/** UNTIL is inclusive (RFC 5545 §3.3.10): the day or the second before. */
function justBefore(from: IcsTime, times: IcsTimes): string {
  const stepMs = from.kind === 'date' ? DAY_MS : 1000;
  const isWall = from.kind === 'date' || from.kind === 'floating';
  const last = isWall ? from : times.inUtc(from);
  return formatTimeValue(withWallMs(last, wallMsOf(last) - stepMs));
}

function keepDates(event: EditableComponent, frame: IcsTime, times: IcsTimes, keeps: (instantMs: number) => boolean) {
  for (const property of [...event.propertiesNamed('EXDATE'), ...event.propertiesNamed('RDATE')]) {
    changeDates(event, property, frame, (time) => (keeps(times.instantOf(times.like(frame, time))) ? time : null));
  }
}

/** @param lines rules and RDATEs; an EXDATE goes where its instance goes */
export function shiftRecurrence(
  event: EditableComponent,
  lines: readonly IcsProperty[],
  move: { from: IcsTime; to: IcsTime },
  times: IcsTimes,
): void {
  const { from, to } = move;
  const shifted = (time: IcsTime) => shiftedTime(times, times.like(from, time), move);
  for (const property of lines) {
    if (property.name === 'RDATE') {
      changeDates(event, property, to, shifted);
      continue;
    }
    const { until } = parseRule(property.value, { dtstartKind: from.kind });
    if (until === null) continue;
    const wallMs = wallMsOf(shifted(untilTime(until)));
    const text = untilLike({ form: 'local', wallMs }, to.kind, times.clockOf(to));
    event.replaceProperty(property, withRuleEnd(property.value, { until: text }));
  }
}

/** A date in UNTIL ends with its day. */
function untilTime({ form, wallMs }: { form: 'date' | 'utc' | 'local'; wallMs: number }): IcsTime {
  const kind = form === 'utc' ? 'utc' : 'floating';
  return withWallMs({ kind, local: '' }, form === 'date' ? wallMs + DAY_MS - 1000 : wallMs);
}

/**
 * Rewrites the values of an EXDATE or RDATE line; `change` returns null to drop one. A line without a change stays as
 * it is written, a line without values goes. Periods keep their length; a series of dates takes their first day.
 */
export function changeDates(
  event: EditableComponent,
  property: IcsProperty,
  start: IcsTime,
  change: (time: IcsTime) => IcsTime | null,
): void {
  const isPeriods = isPeriodLine(property);
  const texts = property.value.split(',');
  const periods: (IcsPeriod | { start: IcsTime })[] = isPeriods
    ? parsePeriods(property)
    : parseIcsTimes(property).map((time) => ({ start: time }));
  const changed = periods.map((period) => ({ period, time: change(period.start) }));
  if (changed.every(({ period, time }) => time === period.start)) return;
  const left = changed.flatMap(({ period, time }, index) => {
    if (time === null) return [];
    const from = formatTimeValue(time);
    if (!isPeriods || time.kind === 'date') return [from];
    if (!('end' in period)) return [`${from}/${texts[index]?.split('/')[1]?.trim() ?? 'PT0S'}`];
    const end = withWallMs(time, wallMsOf(time) + wallMsOf(period.end) - wallMsOf(period.start));
    return [`${from}/${formatTimeValue(end)}`];
  });
  if (left.length === 0) {
    event.removeProperty(property);
    return;
  }
  const isOnlyShorter = changed.every(({ period, time }) => time === null || time === period.start);
  const { parameters } = formatIcsTime(isPeriods ? start : (changed.find(({ time }) => time !== null)?.time ?? start));
  const asPeriods = isPeriods && start.kind !== 'date';
  const written = { ...parameters, ...(asPeriods && { VALUE: 'PERIOD' }) };
  event.replaceProperty(property, [...new Set(left)].join(','), isOnlyShorter && !isPeriods ? undefined : written);
}
