import type { EventTime } from '#domain/events';
import type { EditScope } from '#domain/providers';
import { invalid } from '#domain/system';
import { eventNotFound } from '../calls/http.js';
import { spanFrom } from './input-times.js';
import { continueFrom, endBefore, isRuleLine } from './recurrence-lines.js';
import { asInvalid } from './recurrence.js';
import { RecurringSeries } from './recurring-series.js';
import type { Schedule } from './schedule.js';
import { instantOf, SeriesTimes } from './times.js';

interface EditedEvent<Instance> {
  instance: Instance | null;
  isSeries: boolean;
}

/** `Result` may be a promise. */
export interface EditSteps<Instance, Cut, Result> {
  instance(instance: Instance): Result;
  /** For a single event, or a series with all instances. @param seen the instance that the caller addressed */
  whole(seen: Instance | null): Result;
  /** Cuts the series before the instance and calls `goOn`, with null when the instance is the first one. */
  cut(instance: Instance, goOn: (cut: Cut | null) => Result): Result;
  following(cut: Cut): Result;
}

/**
 * Chooses the step of an edit or a deletion.
 * @param scope undefined means an instance by itself, or any other event as a whole
 * @throws DomainError ValidationFailed
 */
export function editSeries<Instance, Cut, Result>(
  { instance, isSeries }: EditedEvent<Instance>,
  scope: EditScope | undefined,
  steps: EditSteps<Instance, Cut, Result>,
): Result {
  if (instance === null) {
    if (scope === 'this' && isSeries) throw invalid('scope', 'this needs the id of an instance');
    return steps.whole(null);
  }
  if (scope === 'all') return steps.whole(instance);
  if (scope !== 'following') return steps.instance(instance);
  return steps.cut(instance, (cut) => (cut === null ? steps.whole(instance) : steps.following(cut)));
}

export interface RestEditSteps<Event, Cut, Result> {
  seriesOf(seriesId: string): Promise<Event>;
  instance(event: Event): Promise<Result>;
  /** @param seen the instance that the caller addressed */
  whole(event: Event, seen: Event | null): Promise<Result>;
  /** Returns null when the instance is the first one. */
  cut(series: Event, instance: Event): Promise<Cut | null>;
  following(cut: Cut): Promise<Result>;
}

/** {@link editSeries} for an event of a REST provider. Reads the series of an instance at most once. */
export async function editRestEvent<Event extends { seriesId: string | null; isSeries: boolean }, Cut, Result>(
  event: Event,
  scope: EditScope | undefined,
  steps: RestEditSteps<Event, Cut, Result>,
): Promise<Result> {
  const { seriesId, isSeries } = event;
  let series: Promise<Event> | undefined;
  const whole = async () => (seriesId === null ? event : (series ??= steps.seriesOf(seriesId)));
  return editSeries<Event, Cut, Promise<Result>>({ instance: seriesId === null ? null : event, isSeries }, scope, {
    instance: (instance) => steps.instance(instance),
    whole: async (seen) => steps.whole(await whole(), seen),
    cut: async (instance, goOn) => goOn(await steps.cut(await whole(), instance)),
    following: (cut) => steps.following(cut),
  });
}

export interface SeriesCut {
  from: EventTime;
  /** False for an instance that only an RDATE makes. */
  isOfRule: boolean;
  ended: string[];
  /** Schedule of the instance and all later ones, before any change. */
  rest: Schedule;
}

/** @param rules number of RRULE lines @throws DomainError ValidationFailed when the series cannot be cut */
export function checkCut({ isOrganizer = true, rules = 1, isOfRule = true }): void {
  if (!isOrganizer) throw invalid('scope', 'following is for the organizer; this series belongs to somebody else');
  // Several rules all count from the start of the series, so with another start they would mean something else.
  if (rules > 1) throw invalid('scope', 'following needs a series with one RRULE; this one has several');
  if (!isOfRule) throw invalid('scope', 'following needs an instance of the rule; this one is an extra date');
}

/**
 * @param from original start of the instance
 * @param deleted original starts of deleted instances that the recurrence does not exclude
 * @returns null when the instance is the first one: the cut is the whole series
 * @throws DomainError ValidationFailed when the recurrence cannot be cut there, NotFound when it ends before
 */
export function cutSeries(
  { span, recurrence }: Schedule,
  from: EventTime,
  calendarZone: string,
  deleted: readonly EventTime[] = [],
): SeriesCut | null {
  try {
    const series = RecurringSeries.ofLines(span.start, span.end, recurrence, calendarZone, deleted);
    const fromMs = instantOf(from, calendarZone);
    if (!series.startsBefore(fromMs)) return null;
    // Another client has ended the series after the instance was read.
    if (!series.has(from) && !series.occursIn({ startMs: fromMs, endMs: null })) throw eventNotFound();
    checkCut({ rules: recurrence.filter((line) => /^RRULE/i.test(line)).length });
    const frame = { start: span.start, calendarZone };
    const countBefore = series.countBefore(from);
    return {
      from,
      isOfRule: !recurrence.some(isRuleLine) || series.isOfRule(from),
      ended: endBefore(recurrence, from, frame, countBefore),
      rest: {
        span: spanFrom(from, span, new SeriesTimes(calendarZone)),
        recurrence: continueFrom(recurrence, from, frame, countBefore),
      },
    };
  } catch (error) {
    throw asInvalid(error);
  }
}
