import type { InstanceLength, Moment } from './event-times.js';
import { dayOfWall } from './civil.js';
import { type RuleSeed, type WallRange, visitInstances, visitStart } from './expand-rule.js';
import { type Pattern, keyOf } from './series.js';

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
