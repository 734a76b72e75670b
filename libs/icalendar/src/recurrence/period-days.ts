import {
  type CivilDay,
  civilDay,
  dayNumber,
  daysInMonth,
  daysInYear,
  firstDayOfYear,
  firstWeekOfYear,
  startOfWeek,
  weekdayOf,
} from './civil.js';
import type { RecurrenceRule, WeekdayRule } from './rule.js';

/** Month or year in which the ordinals of BYDAY count. */
interface OrdinalScope {
  firstDay: number;
  lastDay: number;
}

/**
 * Days of one period (year, month, week or day) that a rule names, by the table of RFC 5545 §3.3.10: larger parts
 * limit, smaller ones expand, DTSTART supplies missing ones.
 */
export class PeriodDays {
  private readonly seed: CivilDay;
  private readonly seedWeekday: number;

  constructor(
    private readonly rule: RecurrenceRule,
    seedDay: number,
  ) {
    this.seed = civilDay(seedDay);
    this.seedWeekday = weekdayOf(seedDay);
  }

  /** Ascending, without repeats. */
  ofYear(year: number): number[] {
    const { rule } = this;
    const scope = { firstDay: firstDayOfYear(year), lastDay: firstDayOfYear(year) + daysInYear(year) - 1 };
    const namesMonths = rule.byMonth !== null || rule.byMonthDay !== null;
    if (rule.byYearDay !== null || rule.byWeekNo !== null || (rule.byDay !== null && !namesMonths)) {
      return this.limited(range(scope), scope);
    }
    if (rule.byMonth === null && rule.byMonthDay === null) {
      return this.monthDays(year, this.seed.month, [this.seed.dayOfMonth]);
    }
    const days: number[] = [];
    for (const month of rule.byMonth ?? ALL_MONTHS) {
      const monthScope = scopeOfMonth(year, month);
      const expanded = this.expandedMonthDays(year, month, monthScope);
      days.push(...this.limitedByWeekday(expanded, rule.byMonth === null ? scope : monthScope));
    }
    return rule.skip === 'FORWARD' ? ascending(days) : days;
  }

  /** @param month counted from January of year 0 */
  ofMonth(month: number): number[] {
    const { rule } = this;
    const year = Math.floor(month / 12);
    const monthOfYear = month - year * 12 + 1;
    if (rule.byMonth !== null && !rule.byMonth.includes(monthOfYear)) return [];
    const scope = scopeOfMonth(year, monthOfYear);
    const days = this.limitedByWeekday(this.expandedMonthDays(year, monthOfYear, scope), scope);
    return rule.byYearDay === null && rule.byWeekNo === null
      ? days
      : days.filter((day) => this.isYearDay(day) && this.isInWeekNo(day));
  }

  ofWeek(firstDay: number): number[] {
    const { rule } = this;
    const days: number[] = [];
    for (let day = firstDay; day < firstDay + 7; day++) {
      const weekday = weekdayOf(day);
      const isNamed =
        rule.byDay === null ? weekday === this.seedWeekday : rule.byDay.some((entry) => entry.weekday === weekday);
      if (isNamed && this.matchesDates(day)) days.push(day);
    }
    return days;
  }

  /** True when a rule of frequency DAILY or below may fall on this day. */
  includes(day: number): boolean {
    const { byDay } = this.rule;
    if (byDay !== null) {
      const weekday = weekdayOf(day);
      if (!byDay.some((entry) => entry.weekday === weekday)) return false;
    }
    return this.matchesDates(day);
  }

  private expandedMonthDays(year: number, month: number, scope: OrdinalScope): number[] {
    const { byMonthDay, byDay, byYearDay, byWeekNo } = this.rule;
    if (byMonthDay !== null) return this.monthDays(year, month, byMonthDay);
    if (byDay !== null || byYearDay !== null || byWeekNo !== null) return range(scope);
    return this.monthDays(year, month, [this.seed.dayOfMonth]);
  }

  /** Days of a month by number, -1 for the last. SKIP (RFC 7529) drops or moves days that the month lacks. */
  private monthDays(year: number, month: number, numbers: readonly number[]): number[] {
    const length = daysInMonth(year, month);
    const firstDay = dayNumber(year, month, 1);
    const days: number[] = [];
    let isSorted = true;
    for (const number of numbers) {
      const dayOfMonth = number > 0 ? number : length + 1 + number;
      let day = firstDay + dayOfMonth - 1;
      if (dayOfMonth < 1 || dayOfMonth > length) {
        if (this.rule.skip === 'OMIT') continue;
        const isForward = this.rule.skip === 'FORWARD';
        day = dayOfMonth > length ? firstDay + length - (isForward ? 0 : 1) : firstDay - (isForward ? 0 : 1);
      }
      if (days.length > 0 && day <= days[days.length - 1]!) isSorted = false;
      days.push(day);
    }
    return isSorted ? days : ascending(days);
  }

  private limitedByWeekday(days: number[], scope: OrdinalScope): number[] {
    const { byDay } = this.rule;
    return byDay === null ? days : days.filter((day) => isWeekdayOf(day, byDay, scope));
  }

  private limited(days: number[], yearScope: OrdinalScope): number[] {
    const { byDay, byMonth, byWeekNo, byMonthDay, byYearDay } = this.rule;
    const needsSeedWeekday = byWeekNo !== null && byDay === null && byMonthDay === null && byYearDay === null;
    return days.filter((day) => {
      if (!this.matchesDates(day)) return false;
      if (needsSeedWeekday) return weekdayOf(day) === this.seedWeekday;
      if (byDay === null) return true;
      if (byWeekNo !== null) return byDay.some(({ weekday }) => weekday === weekdayOf(day));
      if (byMonth === null) return isWeekdayOf(day, byDay, yearScope);
      const { year, month } = civilDay(day);
      return isWeekdayOf(day, byDay, scopeOfMonth(year, month));
    });
  }

  /** Applies BYMONTH, BYMONTHDAY, BYYEARDAY and BYWEEKNO as limits. */
  private matchesDates(day: number): boolean {
    const { byMonth, byMonthDay } = this.rule;
    if (byMonth !== null || byMonthDay !== null) {
      const { year, month, dayOfMonth } = civilDay(day);
      if (byMonth !== null && !byMonth.includes(month)) return false;
      if (byMonthDay !== null) {
        const fromEnd = dayOfMonth - daysInMonth(year, month) - 1;
        if (!byMonthDay.includes(dayOfMonth) && !byMonthDay.includes(fromEnd)) return false;
      }
    }
    return this.isYearDay(day) && this.isInWeekNo(day);
  }

  private isYearDay(day: number): boolean {
    const { byYearDay } = this.rule;
    if (byYearDay === null) return true;
    const { year } = civilDay(day);
    const dayOfYear = day - firstDayOfYear(year) + 1;
    return byYearDay.includes(dayOfYear) || byYearDay.includes(dayOfYear - daysInYear(year) - 1);
  }

  /** Uses the year of the week: 29 December 2025 lies in week 1 of 2026. */
  private isInWeekNo(day: number): boolean {
    const { byWeekNo, weekStart } = this.rule;
    if (byWeekNo === null) return true;
    const week = startOfWeek(day, weekStart);
    const { year } = civilDay(week + 3);
    const number = (week - firstWeekOfYear(year, weekStart)) / 7 + 1;
    const fromEnd = (week - firstWeekOfYear(year + 1, weekStart)) / 7;
    return byWeekNo.includes(number) || byWeekNo.includes(fromEnd);
  }
}

const ALL_MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

function scopeOfMonth(year: number, month: number): OrdinalScope {
  const firstDay = dayNumber(year, month, 1);
  return { firstDay, lastDay: firstDay + daysInMonth(year, month) - 1 };
}

function isWeekdayOf(day: number, entries: readonly WeekdayRule[], scope: OrdinalScope): boolean {
  const weekday = weekdayOf(day);
  return entries.some((entry) => {
    if (entry.weekday !== weekday) return false;
    if (entry.ordinal === 0) return true;
    return entry.ordinal > 0
      ? Math.floor((day - scope.firstDay) / 7) + 1 === entry.ordinal
      : Math.floor((scope.lastDay - day) / 7) + 1 === -entry.ordinal;
  });
}

function range({ firstDay, lastDay }: OrdinalScope): number[] {
  const days: number[] = [];
  for (let day = firstDay; day <= lastDay; day++) days.push(day);
  return days;
}

function ascending(days: number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b);
}
