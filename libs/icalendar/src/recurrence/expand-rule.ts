import type { Zone } from '../model.js';
import { UTC_ZONE } from '../zones/zone-arithmetic.js';
import { DAY_MS, LAST_WALL_MS, dayOfWall } from './civil.js';
import { type InstanceLength, type Moment, instantOn, wallOn } from './event-times.js';
import { type RecurrenceRule, isSubDaily } from './rule.js';
import { type RulePeriods, rulePeriods } from './rule-periods.js';
import { type Pattern, keyOf } from './series.js';
import type { Work } from '../work.js';

/** Start and clock of a rule. */
interface RuleSeed {
  wallMs: number;
  /** True when DTSTART is a DATE: clock changes then remove no instance. */
  isDate: boolean;
  zone: Zone;
  /** True for RRULE: DTSTART is the first instance, even if it does not match. False for EXRULE: only matches count. */
  countsSeed: boolean;
  work: Work;
}

/** Half-open range of wall-clock times. */
export interface WallRange {
  fromWall: number;
  toWall: number;
}

/** Candidates whose generation costs one step. */
const CANDIDATES_OF_A_STEP = 8;
/** Cost of parsing a rule and finding its first period, in steps. */
const STEPS_TO_BEGIN = 4;

/** Clock changes that can remove instances: no zone has had more than four in a year. */
const GAPS_PER_YEAR = 4;
const MIN_YEAR_MS = 365 * DAY_MS;

/**
 * Visits the instances of a rule in a range of wall-clock times, ascending. Skips the years before the range, unless
 * COUNT may end the rule within it. Dates and local times that do not exist neither occur nor count (RFC 5545 §3.3.10).
 * @param visit gets the wall-clock time and its instant; returns false to stop
 * @throws RecurrenceError `too-large` when the remaining work does not suffice
 */
export function visitInstances(
  rule: RecurrenceRule,
  seed: RuleSeed,
  range: WallRange,
  visit: (wallMs: number, instantMs: number) => boolean,
): void {
  const { zone, isDate, work } = seed;
  work.spend(STEPS_TO_BEGIN);
  const toWall = Math.min(range.toWall, LAST_WALL_MS);
  if (seed.countsSeed && !visitStart(seed, { fromWall: range.fromWall, toWall }, visit)) return;
  if (toWall <= seed.wallMs) return;

  const periods = rulePeriods(rule, seed.wallMs, isDate);
  const isBeyondUntil = untilTest(rule, seed);
  const lastWall = Math.min(toWall, untilBound(rule, seed));
  const start = startOfVisit(rule, seed, periods, range.fromWall, lastWall);
  if (start === null) return;

  let { counted } = start;
  let newest = seed.countsSeed ? startOf(seed) : seed.wallMs - 1;
  for (let number = start.number; ; number++) {
    number = periods.nextUseful(number);
    if (periods.startOf(number) >= lastWall) return;
    const candidates = existing(periods.candidatesOf(number), rule, seed);
    work.spend(
      periods.steps +
        (rule.bySetPos === null ? Math.floor(candidates.length / CANDIDATES_OF_A_STEP) : candidates.length),
    );
    for (const wall of rule.bySetPos === null ? candidates : atPositions(candidates, rule.bySetPos)) {
      // The first period begins before DTSTART, and SKIP=FORWARD reaches into the next one.
      if (wall <= newest) continue;
      work.spend(1);
      const instant = instantOn(zone, wall);
      if (rule.bySetPos === null && !isDate && wallOn(zone, instant) !== wall) continue;
      if (wall >= toWall || isBeyondUntil(wall, instant)) return;
      newest = wall;
      counted += 1;
      if (counted > start.count) return;
      if (wall >= range.fromWall && !visit(wall, instant)) return;
    }
  }
}

/** Visits DTSTART if it lies in the range. */
function visitStart(
  seed: RuleSeed,
  { fromWall, toWall }: WallRange,
  visit: (wallMs: number, instantMs: number) => boolean,
): boolean {
  const wall = startOf(seed);
  return wall < fromWall || wall >= toWall || visit(wall, instantOn(seed.zone, seed.wallMs));
}

/** DTSTART, in a skipped hour the time after the gap (RFC 5545 §3.3.5). */
function startOf({ zone, wallMs, isDate }: RuleSeed): number {
  return isDate ? wallMs : wallOn(zone, instantOn(zone, wallMs));
}

/** First period to visit, instances before it, and the effective COUNT. */
interface VisitStart {
  number: number;
  counted: number;
  count: number;
}

/** Returns null when COUNT ended the rule before the range. */
function startOfVisit(
  rule: RecurrenceRule,
  seed: RuleSeed,
  periods: RulePeriods,
  fromWall: number,
  lastWall: number,
): VisitStart | null {
  // SKIP=FORWARD can move an instance out of the period before.
  const jump = Math.max(0, periods.numberAt(fromWall) - (rule.skip === 'FORWARD' ? 1 : 0));
  const seedCounts = seed.countsSeed ? 1 : 0;
  const beginning = { number: 0, counted: seedCounts };
  const { count } = rule;
  if (count === null) return { number: jump, counted: 0, count: Infinity };
  if (count <= seedCounts) return null;

  const periodsToEnd = Math.max(0, periods.numberAt(lastWall)) + 1;
  const perPeriod =
    rule.bySetPos === null ? periods.maxCandidates : Math.min(rule.bySetPos.length, periods.maxCandidates);
  if (count > periodsToEnd * perPeriod + 1) return { number: jump, counted: 0, count: Infinity };

  const constant = rule.bySetPos === null ? periods.constantCandidates : null;
  if (constant === null) return { ...beginning, count };
  const afterSeed = periods
    .candidatesOf(0)
    .filter((wall) => (seed.countsSeed ? wall > seed.wallMs : wall >= seed.wallMs)).length;
  const inFirst = seedCounts + afterSeed;
  const lastPeriod = Math.max(0, Math.ceil((count - inFirst) / constant));
  // Instances lost to clock changes can only postpone the end of the rule.
  if (lastWall <= periods.startOf(lastPeriod)) return { number: jump, counted: 0, count: Infinity };
  const lostPeriods = lostToGaps(rule, seed, periods.startOf(lastPeriod));
  if (fromWall >= periods.startOf(lastPeriod + lostPeriods + 1)) return null;
  if (lostPeriods > 0 || jump === 0) return { ...beginning, count };
  return { number: jump, counted: inFirst + (jump - 1) * constant, count };
}

/** Upper bound on the periods whose instances clock changes have removed until `wallMs`. */
function lostToGaps(rule: RecurrenceRule, seed: RuleSeed, wallMs: number): number {
  if (seed.isDate || seed.zone === UTC_ZONE) return 0;
  const years = Math.ceil((wallMs - seed.wallMs) / MIN_YEAR_MS) + 1;
  const perGap = isSubDaily(rule.freq) ? DAY_MS / 1_000 : 1;
  return years * GAPS_PER_YEAR * perGap;
}

/** BYSETPOS counts only existing times, so they are checked first; otherwise each is checked when visited. */
function existing(candidates: number[], rule: RecurrenceRule, { isDate, zone }: RuleSeed): number[] {
  if (rule.bySetPos === null || isDate) return candidates;
  return candidates.filter((wall) => wallOn(zone, instantOn(zone, wall)) === wall);
}

function atPositions(candidates: number[], positions: readonly number[]): number[] {
  const selected = new Set<number>();
  for (const position of positions) {
    const wall = candidates[position > 0 ? position - 1 : candidates.length + position];
    if (wall !== undefined) selected.add(wall);
  }
  return [...selected].sort((a, b) => a - b);
}

/** UNTIL is inclusive. A date covers its whole day; a DATE series uses only the date of an instant. */
function untilTest(rule: RecurrenceRule, { isDate }: RuleSeed): (wallMs: number, instantMs: number) => boolean {
  const { until } = rule;
  if (until === null) return () => false;
  if (isDate || until.form === 'date') {
    const endOfDay = (dayOfWall(until.wallMs) + 1) * DAY_MS;
    return (wallMs) => wallMs >= endOfDay;
  }
  return until.form === 'utc' ? (_, instantMs) => instantMs > until.wallMs : (wallMs) => wallMs > until.wallMs;
}

/** Wall-clock time beyond UNTIL in every zone, because no offset exceeds a day. */
function untilBound(rule: RecurrenceRule, { isDate }: RuleSeed): number {
  const { until } = rule;
  if (until === null) return Infinity;
  const margin = isDate || until.form !== 'utc' ? DAY_MS : 2 * DAY_MS;
  return until.wallMs + margin;
}

export interface Instance extends Moment {
  /** Set by an RDATE with a period, else null. */
  length: InstanceLength | null;
}

/**
 * Visits the instances that start in a range on the series' clock: DTSTART, RRULE and RDATE, without EXRULE and EXDATE
 * (RFC 5545 §3.8.5). Each once; unordered with several rules or RDATEs.
 * @param visit returns false to stop
 * @throws RecurrenceError `too-large`
 */
export function visitPattern(pattern: Pattern, range: WallRange, visit: (instance: Instance) => boolean): void {
  const { excluded, excludedDays } = pattern;
  const { clock } = pattern.times;
  const isExcluded = (instance: Moment) =>
    excluded.has(keyOf(instance, clock)) || (excludedDays.size > 0 && excludedDays.has(dayOfWall(instance.wallMs)));
  visitUnexcluded(pattern, range, (instance) => isExcluded(instance) || visit(instance));
}

/** Like `visitPattern`, but with instances that EXDATE excludes. */
export function visitUnexcluded(pattern: Pattern, range: WallRange, visit: (instance: Instance) => boolean): void {
  const { times, rules, added } = pattern;
  const { clock } = times;
  const removed = pattern.exclusionRules.length === 0 ? null : keysOfExclusionRules(pattern, range);
  const isSimple = added.length === 0 && rules.length <= 1;
  const seen = new Set<number>();
  let goesOn = true;
  const offer = (instance: Instance): boolean => {
    if (!isSimple || removed !== null) {
      const key = keyOf(instance, clock);
      if (seen.has(key) || removed?.has(key)) return true;
      seen.add(key);
    }
    return (goesOn = visit(instance));
  };

  // RDATE comes first: the length of its period applies to an equal instance of a rule.
  for (const instance of added) {
    const isInRange = instance.wallMs >= range.fromWall && instance.wallMs < range.toWall;
    if (isInRange && !offer(instance)) return;
  }
  const seed = seedOf(pattern, true);
  if (rules.length === 0) {
    visitStart(seed, range, (wallMs, instantMs) => offer({ wallMs, instantMs, length: null }));
    return;
  }
  for (const rule of rules) {
    visitInstances(rule, seed, range, (wallMs, instantMs) => offer({ wallMs, instantMs, length: null }));
    if (!goesOn) return;
  }
}

function keysOfExclusionRules(pattern: Pattern, range: WallRange): Set<number> {
  const keys = new Set<number>();
  const seed = seedOf(pattern, false);
  for (const rule of pattern.exclusionRules) {
    visitInstances(rule, seed, range, (wallMs, instantMs) => {
      keys.add(keyOf({ wallMs, instantMs }, pattern.times.clock));
      return true;
    });
  }
  return keys;
}

function seedOf({ times, work }: Pattern, countsSeed: boolean): RuleSeed {
  const { clock, startWall } = times;
  return { wallMs: startWall, isDate: clock.kind === 'date', zone: clock.zone, countsSeed, work };
}
