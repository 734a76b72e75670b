import type { EventTime, TimeWindow } from '#domain/events';
import {
  countInstancesBefore,
  expandSeries,
  findInstance,
  formatTimeValue,
  isCancelled,
  isInstance,
  localOf,
  occursIn,
  parseIcsTime,
  parseIcsTimes,
  parsePeriods,
  RecurrenceError,
  type IcsComponent,
  type IcsTime,
  type Occurrence,
  type Series,
} from '#icalendar';
import { formatTimes } from './recurrence-lines.js';
import { eventOf, isRecurrenceLine } from './recurrence.js';
import { icsTimeOf, lineTimes, MINUTE_MS, type IcsTimes } from './times.js';

export interface RecurringTimes {
  /** null for an unreadable time. */
  start: EventTime | null;
  end: EventTime | null;
  /** Lines with names; empty for a single event, and for a pattern that cannot be read. */
  recurrence: string[];
}

/** Facts of an event of a REST provider, read from its answer. */
export interface RestEvent<Raw> extends RecurringTimes {
  raw: Raw;
  /** Public id; `<seriesId>_<date>` for an instance. */
  id: string;
  /** As the provider writes it, with quotes. */
  etag: string | null;
  isCancelled: boolean;
  isSeries: boolean;
  /** Series of an instance; null for a series or single event. */
  seriesId: string | null;
  /** Regular place of an instance in its series. */
  originalStart: EventTime | null;
  iCalUid: string | null;
}

const RULE_PROPERTIES = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'EXRULE'];
const ALWAYS = { startMs: Date.UTC(1, 0, 1), endMs: Date.UTC(9999, 0, 1) };

/** Queries the recurrence engine about one state of a series. Methods throw RecurrenceError for a broken rule. */
export class RecurringSeries {
  private rule: IcsComponent | null | undefined;
  private added: ReadonlySet<number> | undefined;

  constructor(
    private readonly series: Series,
    private readonly times: IcsTimes,
  ) {}

  /** @param excluded original starts of instances that are changed or deleted by themselves */
  static ofLines(
    start: EventTime,
    end: EventTime,
    recurrence: readonly string[],
    calendarZone: string,
    excluded: readonly EventTime[] = [],
  ): RecurringSeries {
    const master = eventOf(
      formatTimes('DTSTART', [start]),
      formatTimes('DTEND', [end]),
      ...recurrence.filter(isRecurrenceLine),
      ...excluded.map((time) => formatTimes('EXDATE', [time])),
    );
    return new RecurringSeries({ master, overrides: [] }, lineTimes(calendarZone));
  }

  /** @returns null for a single event, and for an event without a time */
  static of(
    { start, end, recurrence }: RecurringTimes,
    calendarZone: string,
    excluded: readonly EventTime[] = [],
  ): RecurringSeries | null {
    if (start === null || recurrence.length === 0) return null;
    return RecurringSeries.ofLines(start, end ?? start, recurrence, calendarZone, excluded);
  }

  /** Returns the date part of an instance's id by its day or time; null unless exactly one instance matches. */
  instanceDate(date: string): string | null {
    return findInstance(this.series, date, this.times.zones, this.times.options)?.instanceDate ?? null;
  }

  /** Whether DTSTART, RRULE or RDATE make an instance at this time, even one that EXDATE excludes. */
  has(time: EventTime | IcsTime): boolean {
    return this.addedMs.has(this.times.instantOf(icsTimeOf(time))) || this.isOfRule(time);
  }

  isOfRule(time: EventTime | IcsTime): boolean {
    const { ruled, times } = this;
    return ruled !== null && isInstance(ruled, icsTimeOf(time), times.zones, times.options);
  }

  /** Returns the part of COUNT that earlier instances use up. */
  countBefore(time: EventTime | IcsTime): number {
    const { ruled, times } = this;
    return ruled === null ? 0 : countInstancesBefore(ruled, icsTimeOf(time), times.zones, times.options);
  }

  /** Whether an earlier version has been ended at the time of an instance: it has the same instances before that. */
  isEndOf(earlier: RecurringSeries, time: EventTime | IcsTime): boolean {
    if (this.startMs !== earlier.startMs || this.has(time)) return false;
    const isSingle = this.series.master?.property('RRULE') === undefined;
    return isSingle || this.countBefore(time) === earlier.countBefore(time);
  }

  occursIn(window: TimeWindow): boolean {
    const { series, times } = this;
    if (!occursIn(series, times.zones, window, times.options)) return false;
    if (!series.overrides.some(isCancelled)) return true;
    return this.hasLive({ startMs: window.startMs ?? ALWAYS.startMs, endMs: window.endMs ?? ALWAYS.endMs });
  }

  hasInstances(): boolean {
    return this.hasLive(ALWAYS);
  }

  startsBefore(instantMs: number): boolean {
    const { start, times } = this;
    const isEarlier = (id: IcsTime | null) =>
      id !== null && times.instantOf(start === null ? id : times.like(start, id)) < instantMs;
    const { overrides } = this.series;
    if (overrides.some((override) => !isCancelled(override) && isEarlier(recurrenceIdOf(override)))) return true;
    return this.hasLive({ startMs: ALWAYS.startMs, endMs: instantMs }, ({ recurrenceId }) => isEarlier(recurrenceId));
  }

  private hasLive(window: typeof ALWAYS, counts: (instance: Occurrence) => boolean = () => true): boolean {
    try {
      return expandSeries(this.series, this.times.zones, window, this.times.options).some(
        (occurrence) => !occurrence.isCancelled && counts(occurrence),
      );
    } catch (error) {
      // An expansion that is too large has instances.
      if (error instanceof RecurrenceError && error.reason === 'too-large') return true;
      throw error;
    }
  }

  private get start(): IcsTime | null {
    const dtstart = this.series.master?.property('DTSTART');
    return dtstart === undefined ? null : parseIcsTime(dtstart);
  }

  private get startMs(): number | null {
    return this.start === null ? null : this.times.instantOf(this.start);
  }

  private get ruled(): IcsComponent | null {
    const { master } = this.series;
    return (this.rule ??= master && eventOf(...RULE_PROPERTIES.flatMap((name) => linesOf(master, name))));
  }

  private get addedMs(): ReadonlySet<number> {
    if (this.added !== undefined) return this.added;
    const { start, times } = this;
    const dates = (this.series.master?.propertiesNamed('RDATE') ?? [])
      .flatMap((property) => [...parseIcsTimes(property), ...parsePeriods(property).map((period) => period.start)])
      .map((time) => times.instantOf(start === null ? time : times.like(start, time)));
    return (this.added = new Set(dates));
  }
}

export function recurrenceIdOf(override: IcsComponent): IcsTime | null {
  const property = override.property('RECURRENCE-ID');
  return property === undefined ? null : parseIcsTime(property);
}

/** Matches greedily, because providers' ids may hold underscores. */
const INSTANCE_ID = /^(.+)_(\d{8}(?:t\d{6}z)?)$/is;

/** Splits `<seriesId>_<date>`; null for an id of another form. */
export function splitInstanceId(id: string): { seriesId: string; date: string } | null {
  const [, seriesId, date] = INSTANCE_ID.exec(id) ?? [];
  return seriesId === undefined || date === undefined ? null : { seriesId, date: date.toUpperCase() };
}

export function instanceDateOf(originalStart: EventTime): string {
  if (originalStart.kind === 'date') return originalStart.date.replaceAll('-', '');
  const utcMs = Date.parse(`${originalStart.local}Z`) - (originalStart.offsetMinutes ?? 0) * MINUTE_MS;
  return formatTimeValue({ kind: 'utc', local: localOf(utcMs) });
}

function linesOf(component: IcsComponent, name: string): string[] {
  return component.propertiesNamed(name).map(({ line }) => line);
}

/** Whether an instance other than `exceptions` is in the window. True for a rule that only the provider understands. */
export function hasUntouchedInstance(
  series: Parameters<typeof RecurringSeries.of>[0],
  exceptions: readonly { originalStart: EventTime | null }[],
  window: TimeWindow,
  calendarZone: string,
): boolean {
  if (window.startMs === null && window.endMs === null) return true;
  const touched = exceptions.flatMap(({ originalStart }) => originalStart ?? []);
  try {
    return RecurringSeries.of(series, calendarZone, touched)?.occursIn(window) ?? true;
  } catch (error) {
    if (error instanceof RecurrenceError) return true;
    throw error;
  }
}
