import { DAY_MS, dayOfWall, daysInMonth, weekdayOf } from '../recurrence/civil.js';
import { WEEKDAYS } from '../recurrence/rule.js';
import { basicLocal } from '../recurrence/wall-value.js';
import { clockChanges, offsetAt } from './clock-changes.js';
import type { ClockChange } from './clock-changes.js';
import { nthWeekday } from './observance-rule.js';
import { tzDatabaseZone } from './zone-names.js';

/** Last year of listed changes without a rule (Morocco's are planned until 2087). */
const LAST_LISTED_YEAR = 2100;
/** Bounds the list for events after that year, for example in the year 9999. */
const MAX_LISTED_YEARS = 100;
/** Before this year every zone has local mean time. */
const OLDEST_YEAR = 1800;
/** Writing one takes 1 to 2 ms, and one calendar needs the same few repeatedly. */
const MAX_REMEMBERED = 256;
/** A longer summer time counts as a new standard time. */
const MAX_SUMMER_MS = 250 * DAY_MS;

/** From 2100 on the tz database has only repeating rules, and in 28 years every date falls on every weekday. */
const FIRST_RULED_YEAR = 2100;
const YEARS = 28;

const written = new Map<string, string>();

interface Observance {
  name: 'STANDARD' | 'DAYLIGHT';
  offsetFrom: number;
  offsetTo: number;
  onsets: number[];
  rrule: string | null;
}

/**
 * Writes a VTIMEZONE (RFC 5545 §3.6.5) for events between two instants, from the runtime's tz data, valid from the year
 * before `fromMs` on. Lasting yearly rules become RRULEs, so endless series stay right; other changes are listed, up to
 * the year 2100.
 * @param timeZone IANA id or alias; TZID is exactly this text
 * @returns BEGIN:VTIMEZONE to END:VTIMEZONE, each line with CRLF
 * @throws RangeError for an unknown zone
 */
export function vtimezoneFor(timeZone: string, fromMs: number, toMs: number): string {
  const zone = tzDatabaseZone(timeZone);
  if (!zone) throw new RangeError('No time zone of this name');
  const firstYear = Math.max(yearOf(fromMs) - 1, OLDEST_YEAR);
  const lastYear = Math.max(LAST_LISTED_YEAR, Math.min(yearOf(toMs) + 1, firstYear + MAX_LISTED_YEARS));
  const key = `${timeZone} ${firstYear} ${lastYear}`;
  const known = written.get(key);
  if (known) return known;
  const lines = [
    'BEGIN:VTIMEZONE',
    `TZID:${timeZone}`,
    ...observancesOf(zone, Date.UTC(firstYear, 0), Date.UTC(lastYear + 1, 0)).flatMap(observanceLines),
    'END:VTIMEZONE',
  ];
  const text = lines.map((line) => `${line}\r\n`).join('');
  if (written.size >= MAX_REMEMBERED) written.clear();
  written.set(key, text);
  return text;
}

function observancesOf(zone: string, start: number, end: number): Observance[] {
  const rules = finalRulesOf(zone);
  const changes = clockChanges(zone, start, end);
  const ruled = changesUnderRules(changes, rules);
  const listed = changes.slice(0, changes.length - ruled.length);
  const before = offsetAt(zone, start);
  const observances: Observance[] = [
    // Without this observance the time before the first change would be undefined.
    { name: 'STANDARD', offsetFrom: before, offsetTo: before, onsets: [start + before * 1000], rrule: null },
  ];
  for (const [index, { offsetFrom, offsetTo, wallMs }] of listed.entries()) {
    const name = isSummer(changes, index) ? 'DAYLIGHT' : 'STANDARD';
    const same = observances.find(
      (observance) =>
        observance.name === name && observance.offsetFrom === offsetFrom && observance.offsetTo === offsetTo,
    );
    if (same) same.onsets.push(wallMs);
    else observances.push({ name, offsetFrom, offsetTo, onsets: [wallMs], rrule: null });
  }
  for (const rule of rules) {
    const first = ruled.findIndex((change) => rule.includes(change));
    const change = ruled[first];
    if (!change) continue;
    const name = isSummer(ruled, first) ? 'DAYLIGHT' : 'STANDARD';
    const { offsetFrom, offsetTo, rrule } = rule;
    observances.push({ name, offsetFrom, offsetTo, onsets: [change.wallMs], rrule });
  }
  return observances;
}

function changesUnderRules(changes: readonly ClockChange[], rules: readonly FinalRule[]): readonly ClockChange[] {
  const lastListed = changes.findLastIndex((change) => !rules.some((rule) => rule.includes(change)));
  const ruled = changes.slice(lastListed + 1);
  // Each rule must apply in every year from its first change on, or it would add changes that never happened.
  const gap = ruled.findLastIndex((change, index) => {
    const rule = rules.find((candidate) => candidate.includes(change));
    const next = ruled.find((later, position) => position > index && rule?.includes(later));
    return next !== undefined && yearOf(next.wallMs) - yearOf(change.wallMs) > 1;
  });
  return ruled.slice(gap + 1);
}

/** Summer time goes forward and back within months. Only the name depends on it; offsets decide (RFC 5545). */
function isSummer(changes: readonly ClockChange[], index: number): boolean {
  const [change, next] = [changes[index], changes[index + 1]];
  if (!change || !next) return false;
  const isForward = change.offsetTo > change.offsetFrom && next.offsetTo < next.offsetFrom;
  return isForward && next.instantMs - change.instantMs < MAX_SUMMER_MS;
}

function observanceLines({ name, offsetFrom, offsetTo, onsets, rrule }: Observance): string[] {
  const [first = 0, ...others] = onsets;
  return [
    `BEGIN:${name}`,
    `DTSTART:${basicLocal(first)}`,
    `TZOFFSETFROM:${writtenOffset(offsetFrom)}`,
    `TZOFFSETTO:${writtenOffset(offsetTo)}`,
    ...(rrule === null ? [] : [`RRULE:${rrule}`]),
    ...others.map((onset) => `RDATE:${basicLocal(onset)}`),
    `END:${name}`,
  ];
}

function writtenOffset(offset: number): string {
  const size = Math.abs(offset);
  const pair = (amount: number) => String(amount).padStart(2, '0');
  const seconds = size % 60 === 0 ? '' : pair(size % 60);
  return `${offset < 0 ? '-' : '+'}${pair(Math.floor(size / 3600))}${pair(Math.floor(size / 60) % 60)}${seconds}`;
}

function yearOf(ms: number): number {
  return new Date(ms).getUTCFullYear();
}

/** A change that recurs every year; `rrule` is `FREQ=YEARLY;…`. */
interface FinalRule {
  rrule: string;
  offsetFrom: number;
  offsetTo: number;
  includes(change: ClockChange): boolean;
}

/** Rules by zone. */
const finalRules = new Map<string, FinalRule[]>();

/** Returns the rules of a zone after its last change of law; empty for a fixed offset, and when no rule fits. */
function finalRulesOf(timeZone: string): FinalRule[] {
  let rules = finalRules.get(timeZone);
  if (rules === undefined) finalRules.set(timeZone, (rules = findRules(timeZone)));
  return rules;
}

function findRules(timeZone: string): FinalRule[] {
  const changes = clockChanges(timeZone, Date.UTC(FIRST_RULED_YEAR, 0), Date.UTC(FIRST_RULED_YEAR + YEARS, 0));
  const groups = Map.groupBy(
    changes,
    ({ wallMs, offsetFrom, offsetTo }) => `${offsetFrom} ${offsetTo} ${new Date(wallMs).getUTCMonth()}`,
  );
  const rules: FinalRule[] = [];
  for (const group of groups.values()) {
    const rule = group.length === YEARS ? ruleOf(group) : null;
    if (!rule) return [];
    rules.push(rule);
  }
  return rules;
}

/** Returns the rule of one yearly change in a month; null unless it is a weekday near a fixed date. */
function ruleOf(changes: readonly ClockChange[]): FinalRule | null {
  const dates = changes.map(({ wallMs }) => new Date(wallMs));
  const [first, sample] = [dates[0], changes[0]];
  if (!first || !sample) return null;
  const weekday = weekdayOf(dayOfWall(sample.wallMs));
  const timeOfDay = sample.wallMs % DAY_MS;
  const isAlike = ({ wallMs }: ClockChange) =>
    weekdayOf(dayOfWall(wallMs)) === weekday && wallMs % DAY_MS === timeOfDay;
  if (!changes.every(isAlike)) return null;

  const month = first.getUTCMonth() + 1;
  const days = dates.map((date) => date.getUTCDate());
  const least = Math.min(...days);
  if (Math.max(...days) - least > 6) return null;
  const ordinal = dates.every((date) => nthWeekday(date.getUTCFullYear(), month, weekday, -1) === date.getUTCDate())
    ? -1
    : least % 7 === 1
      ? (least + 6) / 7
      : null;
  const week = Array.from({ length: 7 }, (_, index) => least + index);
  if (ordinal === null && week.some((day) => day > daysInMonth(FIRST_RULED_YEAR, month))) return null;
  const day = WEEKDAYS[weekday] ?? '';
  const byDay = ordinal === null ? `BYMONTHDAY=${week.join()};BYDAY=${day}` : `BYDAY=${ordinal}${day}`;
  return {
    rrule: `FREQ=YEARLY;BYMONTH=${month};${byDay}`,
    offsetFrom: sample.offsetFrom,
    offsetTo: sample.offsetTo,
    includes(change) {
      const date = new Date(change.wallMs);
      if (change.offsetFrom !== sample.offsetFrom || change.offsetTo !== sample.offsetTo) return false;
      if (date.getUTCMonth() + 1 !== month || !isAlike(change)) return false;
      return ordinal === null
        ? week.includes(date.getUTCDate())
        : nthWeekday(date.getUTCFullYear(), month, weekday, ordinal) === date.getUTCDate();
    },
  };
}
