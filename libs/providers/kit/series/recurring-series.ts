import type { EventTime, TimeWindow } from '#domain';
import {
  countInstancesBefore,
  expandSeries,
  findInstance,
  formatTimeValue,
  isInstance,
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
import { icsTimeOf, lineTimes, type IcsTimes } from './times.js';

/** What an event says of when it takes place. */
export interface RecurringTimes {
  start: EventTime | null;
  end: EventTime | null;
  /** Empty when it is no series. */
  recurrence: string[];
}

const ALWAYS = { startMs: Date.UTC(1, 0, 1), endMs: Date.UTC(9999, 0, 1) };

/**
 * A series as the recurrence engine takes it, read once: make another when it changed. Broken rules make every method
 * throw RecurrenceError.
 */
export class RecurringSeries {
  private rule: IcsComponent | null | undefined;
  private added: ReadonlySet<number> | undefined;

  constructor(
    private readonly series: Series,
    private readonly times: IcsTimes,
  ) {}

  /** @param excluded original starts of instances that are left out: those with events of their own, or deleted */
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

  /** The series of a master. @returns null for what is none, or has no time */
  static of(
    { start, end, recurrence }: RecurringTimes,
    calendarZone: string,
    excluded: readonly EventTime[] = [],
  ): RecurringSeries | null {
    if (start === null || recurrence.length === 0) return null;
    return RecurringSeries.ofLines(start, end ?? start, recurrence, calendarZone, excluded);
  }

  /** Date part of the id of the one instance that a date, or date and time, names; null when it names none or several. */
  instanceDate(date: string): string | null {
    return findInstance(this.series, date, this.times.zones, this.times.options)?.instanceDate ?? null;
  }

  /** Whether DTSTART, RRULE or RDATE make an instance at this time; deleted ones count. */
  has(time: EventTime | IcsTime): boolean {
    return this.addedMs.has(this.times.instantOf(icsTimeOf(time))) || this.isOfRule(time);
  }

  /** Whether the rule itself makes this instance; an RDATE does not count. */
  isOfRule(time: EventTime | IcsTime): boolean {
    const { ruled, times } = this;
    return ruled !== null && isInstance(ruled, icsTimeOf(time), times.zones, times.options);
  }

  /** How much of COUNT the instances before this one have used up. */
  countBefore(time: EventTime | IcsTime): number {
    const { ruled, times } = this;
    return ruled === null ? 0 : countInstancesBefore(ruled, icsTimeOf(time), times.zones, times.options);
  }

  /** Whether anything of the series takes place in a window. */
  occursIn(window: TimeWindow): boolean {
    const { series, times } = this;
    if (!occursIn(series, times.zones, window, times.options)) return false;
    if (!series.overrides.some(isCancelled)) return true;
    return this.hasLive({ startMs: window.startMs ?? ALWAYS.startMs, endMs: window.endMs ?? ALWAYS.endMs });
  }

  /** Whether anything is left of the series. */
  hasInstances(): boolean {
    return this.hasLive(ALWAYS);
  }

  /** Whether an instance, neither excluded nor cancelled, starts originally before an instant. */
  startsBefore(instantMs: number): boolean {
    const { start, times } = this;
    // One that was moved to a later day still counts by where the series had put it.
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
      // So many that they were not even looked at one by one.
      if (error instanceof RecurrenceError && error.reason === 'too-large') return true;
      throw error;
    }
  }

  private get start(): IcsTime | null {
    const dtstart = this.series.master?.property('DTSTART');
    return dtstart === undefined ? null : parseIcsTime(dtstart);
  }

  /** The master as if it named no dates. */
  private get ruled(): IcsComponent | null {
    const { master } = this.series;
    return (this.rule ??= master === null ? null : without(master, ['RDATE', 'EXDATE']));
  }

  /** Instants of RDATE. */
  private get addedMs(): ReadonlySet<number> {
    if (this.added !== undefined) return this.added;
    const { start, times } = this;
    const dates = (this.series.master?.propertiesNamed('RDATE') ?? [])
      .flatMap((property) => [...parseIcsTimes(property), ...parsePeriods(property).map((period) => period.start)])
      .map((time) => times.instantOf(start === null ? time : times.like(start, time)));
    return (this.added = new Set(dates));
  }
}

/** The instance that an override stands for, as written. */
export function recurrenceIdOf(override: IcsComponent): IcsTime | null {
  const property = override.property('RECURRENCE-ID');
  return property === undefined ? null : parseIcsTime(property);
}

export function isCancelled(component: IcsComponent): boolean {
  return component.property('STATUS')?.value.trim().toUpperCase() === 'CANCELLED';
}

/** Date part of the id of the instance that starts originally at this time. */
export function instanceDateOf(originalStart: EventTime): string {
  if (originalStart.kind === 'date') return originalStart.date.replaceAll('-', '');
  const utcMs = Date.parse(`${originalStart.local}Z`) - (originalStart.offsetMinutes ?? 0) * 60_000;
  return formatTimeValue({ kind: 'utc', local: new Date(utcMs).toISOString().slice(0, 19) });
}

/** A component as if lines of these names were not there. */
function without(component: IcsComponent, names: readonly string[]): IcsComponent {
  const properties = component.properties.filter(({ name }) => !names.includes(name));
  return {
    name: component.name,
    properties,
    components: component.components,
    property: (name) => properties.find((property) => property.name === name.toUpperCase()),
    propertiesNamed: (name) => properties.filter((property) => property.name === name.toUpperCase()),
    componentsNamed: (name) => component.componentsNamed(name),
  };
}

/**
 * Whether a series itself puts an instance into a window that was neither changed nor deleted by itself. True for a rule
 * that only its provider understands: nothing says that it does not.
 * @param exceptions instances that were
 */
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
