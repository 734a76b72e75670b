import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  civilDay,
  dayNumber,
  dayOfWall,
  firstDayOfYear,
  startOfWeek,
  timeOfWall,
  yearOf,
} from './civil.js';
import { PeriodDays } from './period-days.js';
import { RecurrenceError } from '../errors.js';
import { type RecurrenceRule, isSubDaily } from './rule.js';

/** A rule with every second of a year would have 31 million. */
const MAX_CANDIDATES = 50_000;
/** Days of a long period whose cost equals one period of a day. */
const DAYS_OF_A_STEP = 4;

/**
 * Numbered periods of a rule (years, months, … seconds). Number 0 holds DTSTART, each next one is INTERVAL later.
 * Access to any of them takes constant time.
 */
export interface RulePeriods {
  /** Returns the period that holds a wall-clock time, or the last one before it. */
  numberAt(wallMs: number): number;
  startOf(number: number): number;
  /** Returns wall-clock times, ascending, before BYSETPOS, COUNT and UNTIL. @throws RecurrenceError `too-large` */
  candidatesOf(number: number): number[];
  /** Returns the first period from `number` on that can hold candidates: a rule by seconds may match once a day. */
  nextUseful(number: number): number;
  /** Candidates of every period if their number is constant, else null. */
  readonly constantCandidates: number | null;
  /** Maximum number of candidates in a period. */
  readonly maxCandidates: number;
  /** Cost of one period, in periods of a day. */
  readonly steps: number;
}

export function rulePeriods(rule: RecurrenceRule, seedWallMs: number, isDate: boolean): RulePeriods {
  return isSubDaily(rule.freq) ? new TimePeriods(rule, seedWallMs) : new DayPeriods(rule, seedWallMs, isDate);
}

/** Units count from the year 0, its January, or 1970-01-01. */
interface DayUnit {
  longest: number;
  of(day: number, weekStart: number): number;
  firstDay(unit: number, weekStart: number): number;
  days(days: PeriodDays, unit: number, weekStart: number): number[];
}

const firstDayOfWeek = (unit: number, weekStart: number) => startOfWeek(unit * 7 + 3, weekStart);

const DAY_UNITS: Record<'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY', DayUnit> = {
  YEARLY: { longest: 366, of: yearOf, firstDay: firstDayOfYear, days: (days, unit) => days.ofYear(unit) },
  MONTHLY: {
    longest: 31,
    of(day) {
      const { year, month } = civilDay(day);
      return year * 12 + month - 1;
    },
    firstDay: (unit) => dayNumber(Math.floor(unit / 12), unit - Math.floor(unit / 12) * 12 + 1, 1),
    days: (days, unit) => days.ofMonth(unit),
  },
  WEEKLY: {
    longest: 7,
    of: (day, weekStart) => Math.round(startOfWeek(day, weekStart) / 7),
    firstDay: firstDayOfWeek,
    days: (days, unit, weekStart) => days.ofWeek(firstDayOfWeek(unit, weekStart)),
  },
  DAILY: {
    longest: 1,
    of: (day) => day,
    firstDay: (unit) => unit,
    days: (days, unit) => (days.includes(unit) ? [unit] : []),
  },
};

/** YEARLY, MONTHLY, WEEKLY, DAILY: the product of days and times of day. */
class DayPeriods implements RulePeriods {
  readonly constantCandidates: number | null;
  readonly maxCandidates: number;
  readonly steps: number;
  private readonly unit: DayUnit;
  private readonly days: PeriodDays;
  private readonly times: number[];
  private readonly first: number;

  constructor(
    private readonly rule: RecurrenceRule,
    seedWallMs: number,
    isDate: boolean,
  ) {
    const seedDay = dayOfWall(seedWallMs);
    this.days = new PeriodDays(rule, seedDay);
    this.times = isDate ? [0] : timesOfDay(rule, timeOfWall(seedWallMs));
    this.unit = DAY_UNITS[rule.freq as keyof typeof DAY_UNITS];
    this.first = this.unitOf(seedDay);
    const constantDays = this.constantDays();
    this.constantCandidates = constantDays === null ? null : constantDays * this.times.length;
    this.maxCandidates = this.unit.longest * this.times.length;
    const looksAtEachDay = rule.byDay !== null || rule.byYearDay !== null || rule.byWeekNo !== null;
    this.steps = looksAtEachDay ? Math.ceil(this.unit.longest / DAYS_OF_A_STEP) : 1;
  }

  numberAt(wallMs: number): number {
    return Math.floor((this.unitOf(dayOfWall(wallMs)) - this.first) / this.rule.interval);
  }

  startOf(number: number): number {
    return this.unit.firstDay(this.first + number * this.rule.interval, this.rule.weekStart) * DAY_MS;
  }

  nextUseful(number: number): number {
    return number;
  }

  candidatesOf(number: number): number[] {
    const days = this.unit.days(this.days, this.first + number * this.rule.interval, this.rule.weekStart);
    const { times } = this;
    if (days.length * times.length > MAX_CANDIDATES) {
      throw new RecurrenceError('too-large', 'RRULE', `names more than ${MAX_CANDIDATES} times in one period`);
    }
    const walls: number[] = [];
    for (const day of days) {
      for (const time of times) walls.push(day * DAY_MS + time);
    }
    return walls;
  }

  private unitOf(day: number): number {
    return this.unit.of(day, this.rule.weekStart);
  }

  private constantDays(): number | null {
    const { freq, byDay, byMonth, byMonthDay, byYearDay, byWeekNo } = this.rule;
    if (byMonth !== null || byMonthDay !== null || byYearDay !== null || byWeekNo !== null) return null;
    if (freq === 'DAILY') return byDay === null ? 1 : null;
    if (freq === 'WEEKLY') return byDay === null ? 1 : new Set(byDay.map(({ weekday }) => weekday)).size;
    return null;
  }
}

/** HOURLY, MINUTELY, SECONDLY, on the wall clock: a skipped hour has no instance, a repeated one has one. */
class TimePeriods implements RulePeriods {
  readonly constantCandidates: number | null;
  readonly maxCandidates: number;
  readonly steps = 1;
  private readonly days: PeriodDays;
  private readonly unitMs: number;
  private readonly first: number;
  private readonly offsets: number[];
  private readonly limitsDays: boolean;

  constructor(
    private readonly rule: RecurrenceRule,
    seedWallMs: number,
  ) {
    const { freq, byMinute, bySecond } = rule;
    this.days = new PeriodDays(rule, dayOfWall(seedWallMs));
    this.unitMs = freq === 'HOURLY' ? HOUR_MS : freq === 'MINUTELY' ? MINUTE_MS : SECOND_MS;
    this.first = Math.floor(seedWallMs / this.unitMs);
    const seconds = freq === 'SECONDLY' ? [0] : (seconds60(bySecond) ?? [Math.floor(seedWallMs / SECOND_MS) % 60]);
    const minutes = freq === 'HOURLY' ? (byMinute ?? [mod(Math.floor(seedWallMs / MINUTE_MS), 60)]) : [0];
    this.offsets = minutes.flatMap((minute) =>
      seconds.map((second) => minute * MINUTE_MS + mod(second, 60) * SECOND_MS),
    );
    this.limitsDays =
      rule.byDay !== null ||
      rule.byMonth !== null ||
      rule.byMonthDay !== null ||
      rule.byYearDay !== null ||
      rule.byWeekNo !== null;
    const isLimited =
      this.limitsDays ||
      rule.byHour !== null ||
      (freq !== 'HOURLY' && byMinute !== null) ||
      (freq === 'SECONDLY' && bySecond !== null);
    this.constantCandidates = isLimited ? null : this.offsets.length;
    this.maxCandidates = this.offsets.length;
  }

  numberAt(wallMs: number): number {
    return Math.floor((Math.floor(wallMs / this.unitMs) - this.first) / this.rule.interval);
  }

  startOf(number: number): number {
    return (this.first + number * this.rule.interval) * this.unitMs;
  }

  candidatesOf(number: number): number[] {
    const start = this.startOf(number);
    if (this.firstPossible(start) !== start) return [];
    return this.offsets.map((offset) => start + offset);
  }

  nextUseful(number: number): number {
    const start = this.startOf(number);
    const possible = this.firstPossible(start);
    if (possible === start) return number;
    const { interval } = this.rule;
    return Math.max(number + 1, Math.ceil((Math.floor(possible / this.unitMs) - this.first) / interval));
  }

  /** Returns `wallMs` if its unit passes all limits, else the start of the next possible unit. */
  private firstPossible(wallMs: number): number {
    const { byHour, byMinute, bySecond, freq } = this.rule;
    const day = dayOfWall(wallMs);
    if (this.limitsDays && !this.days.includes(day)) return (day + 1) * DAY_MS;
    const hour = Math.floor((wallMs - day * DAY_MS) / HOUR_MS);
    if (byHour !== null && !byHour.includes(hour)) return day * DAY_MS + nextIn(byHour, hour, 24) * HOUR_MS;
    if (freq === 'HOURLY') return wallMs;
    const hourStart = day * DAY_MS + hour * HOUR_MS;
    const minute = Math.floor((wallMs - hourStart) / MINUTE_MS);
    if (byMinute !== null && !byMinute.includes(minute)) return hourStart + nextIn(byMinute, minute, 60) * MINUTE_MS;
    if (freq === 'MINUTELY') return wallMs;
    const minuteStart = hourStart + minute * MINUTE_MS;
    const second = Math.floor((wallMs - minuteStart) / SECOND_MS);
    const seconds = seconds60(bySecond);
    if (seconds !== null && !seconds.includes(second)) return minuteStart + nextIn(seconds, second, 60) * SECOND_MS;
    return wallMs;
  }
}

function nextIn(values: readonly number[], value: number, end: number): number {
  return values.find((listed) => listed > value) ?? end;
}

function timesOfDay(rule: RecurrenceRule, seedTimeMs: number): number[] {
  if (rule.byHour === null && rule.byMinute === null && rule.bySecond === null) return [seedTimeMs];
  const hours = rule.byHour ?? [Math.floor(seedTimeMs / HOUR_MS)];
  const minutes = rule.byMinute ?? [Math.floor((seedTimeMs % HOUR_MS) / MINUTE_MS)];
  const seconds = seconds60(rule.bySecond) ?? [Math.floor((seedTimeMs % MINUTE_MS) / SECOND_MS)];
  const times: number[] = [];
  for (const hour of hours) {
    for (const minute of minutes) {
      for (const second of seconds) times.push(hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS);
    }
  }
  return times;
}

/** BYSECOND=60 means leap seconds, which no clock here has; it counts as 59 (RFC 5545 §3.3.12). */
function seconds60(seconds: number[] | null): number[] | null {
  return seconds?.at(-1) === 60 ? [...new Set(seconds.map((second) => Math.min(second, 59)))] : seconds;
}

function mod(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus;
}
