import { invalid, type EventTime } from '#domain';
import { instantOf } from './event-time.js';
import { spanFrom } from './input-times.js';
import { asInvalid, continueFrom, endBefore, isRuleLine } from './recurrence-lines.js';
import { RecurringSeries } from './recurring-series.js';
import type { Schedule } from './schedule.js';

/** A series cut before one of its instances. */
export interface SeriesCut {
  /** Where the series puts the instance. */
  from: EventTime;
  /** False for an instance that the series has as an extra date only. */
  isOfRule: boolean;
  /** Recurrence of the series without the instance and all later ones. */
  ended: string[];
  /** Of the instance and all later ones, in the times they have. */
  rest: Schedule;
}

/**
 * Rules beside each other count from the first start each for itself, and take from it what they do not say: from
 * another start on they would mean something else.
 * @throws DomainError ValidationFailed
 */
export function checkOneRule(rules: number): void {
  if (rules > 1) throw invalid('scope', 'following needs a series with one RRULE; this one has several');
}

/**
 * @param from where the series puts the instance
 * @param deleted original starts of instances that do not take place and that the recurrence does not exclude itself
 * @returns null when nothing of the series comes before the instance: then the cut is the whole series
 * @throws DomainError ValidationFailed when the recurrence cannot be cut there
 */
export function cutSeries(
  { span, recurrence }: Schedule,
  from: EventTime,
  calendarZone: string,
  deleted: readonly EventTime[] = [],
): SeriesCut | null {
  try {
    const live = new RecurringSeries(span.start, span.end, recurrence, calendarZone, deleted);
    if (!live.startsBefore(instantOf(from, calendarZone))) return null;
    const rules = recurrence.filter(isRuleLine);
    checkOneRule(rules.filter((line) => /^RRULE/i.test(line)).length);
    const byRule = new RecurringSeries(span.start, span.end, rules, calendarZone);
    const frame = { start: span.start, calendarZone };
    const countBefore = byRule.countBefore(from);
    return {
      from,
      isOfRule: rules.length === 0 || byRule.has(from),
      ended: endBefore(recurrence, from, frame, countBefore),
      rest: { span: spanFrom(from, span), recurrence: continueFrom(recurrence, from, frame, countBefore) },
    };
  } catch (error) {
    throw asInvalid(error);
  }
}
