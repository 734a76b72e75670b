import { invalid } from '#domain';
import {
  formatTimeValue,
  IcsDocument,
  parseIcsTimes,
  parsePeriods,
  parseRule,
  RecurrenceError,
  untilLike,
  wallMsOf,
  withRuleEnd,
  type EditableComponent,
  type IcsComponent,
  type IcsPeriod,
  type IcsProperty,
  type IcsTime,
  type ZoneSource,
} from '#icalendar';
import { clockOf, type Clocks } from './wall-time.js';
import { RECURRENCE_PROPERTIES, timesParameters, timeLike } from './recurrence-dates.js';
import { recurrenceLines, shownLine } from './shown-recurrence.js';

const MAX_LINES = 1_000;
const MAX_CHARACTERS = 256 * 1024;
const START_AND_END = new Set(['DTSTART', 'DTEND', 'DURATION']);

/** What is to become of the recurrence of a component. */
export interface RecurrencePlan {
  /** Lines the component already has: callers wrote them as they stand there, or as they were shown. */
  kept: ReadonlySet<IcsProperty>;
  added: readonly IcsProperty[];
  /**
   * True when the caller listed no EXDATE: a rule says nothing about single instances that were deleted, so those stay
   * deleted as far as they are still instances.
   */
  keepsExclusions: boolean;
}

/**
 * Reads recurrence lines as callers write them. `RRULE:` may be left out.
 * @param current the component as it is; null for a new one
 * @param zones those of its object
 * @returns null when they say what the component says already
 * @throws DomainError ValidationFailed
 */
export function planRecurrence(
  lines: readonly string[],
  current: IcsComponent | null,
  zones: ZoneSource,
): RecurrencePlan | null {
  const written = (current === null ? [] : recurrenceLines(current)).map((property) => ({
    property,
    texts: [property.line, shownLine(property, zones)],
  }));
  const isSame = ({ texts }: { texts: string[] }, index: number) => texts.includes(lines[index]?.trim() ?? '');
  if (written.length === lines.length && written.every(isSame)) return null;
  const properties = parseLines(lines);
  const kept = new Set<IcsProperty>();
  const added = properties.filter((property) => {
    const same = written.find(({ property: own, texts }) => texts.includes(property.line) && !kept.has(own));
    if (same !== undefined) kept.add(same.property);
    return same === undefined;
  });
  return { kept, added, keepsExclusions: !properties.some(({ name }) => name === 'EXDATE') };
}

/**
 * Writes the planned lines, in the value type and zone of `start` (RFC 5545 §3.8.5.1, §3.8.5.2, §3.3.10).
 * @throws DomainError ValidationFailed
 */
export function writeRecurrence(event: EditableComponent, plan: RecurrencePlan, start: IcsTime, clocks: Clocks): void {
  for (const property of recurrenceLines(event)) {
    const stays = plan.kept.has(property) || (plan.keepsExclusions && property.name === 'EXDATE');
    if (!stays) event.removeProperty(property);
  }
  for (const property of plan.added) {
    if (property.name === 'RRULE' || property.name === 'EXRULE') {
      event.addProperty(property.name, ruleLike(property, start, clocks));
    } else if (property.parameter('VALUE')?.toUpperCase() === 'PERIOD') {
      event.addProperty(property.name, periodsLike(property, start, clocks), {
        ...timesParameters(start),
        VALUE: 'PERIOD',
      });
    } else {
      event.addProperty(property.name, datesLike(property, start, clocks), timesParameters(start));
    }
  }
}

/** The rule, checked, with UNTIL as the series needs it. @throws DomainError ValidationFailed */
function ruleLike(property: IcsProperty, start: IcsTime, clocks: Clocks): string {
  try {
    const value = property.value.trim();
    const { until } = parseRule(value, { dtstartKind: start.kind, strict: true });
    if (until === null) return value;
    const text = untilLike(until, start.kind, clockOf(start, clocks));
    if (text < untilOf(start, clocks)) {
      throw invalid('recurrence', 'UNTIL is before the start');
    }
    return withRuleEnd(value, { until: text });
  } catch (error) {
    throw asInvalid(error);
  }
}

function untilOf(start: IcsTime, clocks: Clocks): string {
  const form = start.kind === 'date' ? 'date' : start.kind === 'utc' ? 'utc' : 'local';
  return untilLike({ form, wallMs: wallMsOf(start) }, start.kind, clockOf(start, clocks));
}

/** A recurrence that cannot be worked with is the caller's to correct. */
export function asInvalid(error: unknown): unknown {
  return error instanceof RecurrenceError ? invalid('recurrence', error.message) : error;
}

function datesLike(property: IcsProperty, start: IcsTime, clocks: Clocks): string {
  const times = parseIcsTimes(property);
  if (times.length === 0 || times.length !== property.value.split(',').length) {
    throw invalid('recurrence', `${property.name} holds a value that is no date or date-time`);
  }
  checkZone(property, clocks);
  return times.map((time) => formatTimeValue(timeLike(start, time, clocks))).join(',');
}

function periodsLike(property: IcsProperty, start: IcsTime, clocks: Clocks): string {
  const periods = parsePeriods(property);
  if (property.name !== 'RDATE' || start.kind === 'date' || periods.length !== property.value.split(',').length) {
    throw invalid('recurrence', `${property.name} holds a value that is no period of this event`);
  }
  checkZone(property, clocks);
  return periods
    .map((period, index) => formatPeriod(period, property.value.split(',')[index] ?? '', start, clocks))
    .join(',');
}

function formatPeriod(period: IcsPeriod, text: string, start: IcsTime, clocks: Clocks): string {
  const from = formatTimeValue(timeLike(start, period.start, clocks));
  if ('duration' in period) return `${from}/${text.slice(text.indexOf('/') + 1).trim()}`;
  return `${from}/${formatTimeValue(timeLike(start, period.end, clocks))}`;
}

function checkZone(property: IcsProperty, { zones }: Clocks): void {
  const tzid = property.parameter('TZID');
  if (tzid !== undefined && !zones.zone(tzid).isKnown) {
    throw invalid('recurrence', `"${tzid.slice(0, 64)}" is not a known time zone`);
  }
}

/** The lines as the parser sees them, each alone on its line. */
function parseLines(lines: readonly string[]): IcsProperty[] {
  if (lines.length > MAX_LINES || lines.reduce((sum, line) => sum + line.length, 0) > MAX_CHARACTERS) {
    throw invalid('recurrence', 'is too long');
  }
  const texts = lines.map((line, index) => checkLine(line.trim(), index));
  const [calendar] = IcsDocument.parse(
    ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...texts, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n'),
  ).calendars;
  const properties = [...(calendar?.componentsNamed('VEVENT')[0]?.properties ?? [])];
  properties.forEach(({ name }, index) => checkName(name, index));
  if (properties.length !== texts.length) throw invalid('recurrence', 'holds a line that cannot be read');
  if (!properties.some(({ name }) => name === 'RRULE' || name === 'RDATE')) {
    throw invalid('recurrence', 'needs an RRULE or RDATE');
  }
  return properties;
}

function checkLine(line: string, index: number): string {
  // eslint-disable-next-line no-control-regex
  if (line === '' || /[\0-\x1f\x7f]/.test(line) || !line.isWellFormed()) {
    throw invalid(`recurrence.${index}`, 'must be one line such as RRULE:FREQ=DAILY;COUNT=5');
  }
  return /^[A-Z]+=/i.test(line) ? `RRULE:${line}` : line;
}

function checkName(name: string, index: number): void {
  if (RECURRENCE_PROPERTIES.has(name)) return;
  throw invalid(
    `recurrence.${index}`,
    START_AND_END.has(name) ? `${name} is given by start and end` : 'must be RRULE, RDATE, EXDATE or EXRULE',
  );
}
