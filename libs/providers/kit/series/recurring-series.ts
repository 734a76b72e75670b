import type { EventTime, TimeWindow } from '#domain';
import {
  countInstancesBefore,
  expandSeries,
  findInstance,
  formatTimeValue,
  IcsDocument,
  ianaZoneArithmetic,
  isInstance,
  objectZones,
  occursIn,
  RecurrenceError,
  seriesOf,
  type Series,
  type ZoneSource,
} from '#icalendar';
import { formatTimes, icsTimeOf, isRecurrenceLine } from './recurrence-lines.js';

/** What an event says of when it takes place. */
export interface RecurringTimes {
  start: EventTime | null;
  end: EventTime | null;
  /** Empty when it is no series. */
  recurrence: string[];
}

const LONG_AGO_MS = Date.UTC(1, 0, 1);

/**
 * A series as the recurrence engine takes it: for what a provider cannot be asked. Broken rules make
 * every method throw RecurrenceError.
 */
export class RecurringSeries {
  private readonly series: Series;
  private readonly zones: ZoneSource;
  private readonly options: { floatingZone: ReturnType<typeof ianaZoneArithmetic> };

  /** @param excluded original starts of instances that are left out: those with events of their own, or deleted */
  constructor(
    start: EventTime,
    end: EventTime,
    recurrence: readonly string[],
    calendarZone: string,
    excluded: readonly EventTime[] = [],
  ) {
    const lines = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:series',
      formatTimes('DTSTART', [start]),
      formatTimes('DTEND', [end]),
      ...recurrence.filter(isRecurrenceLine),
      ...excluded.map((time) => formatTimes('EXDATE', [time])),
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ];
    const [calendar] = IcsDocument.parse(lines.join('\r\n')).calendars;
    const [series] = calendar === undefined ? [] : seriesOf(calendar);
    if (calendar === undefined || series === undefined) throw new RangeError('a series that cannot be written');
    this.series = series;
    this.zones = objectZones(calendar);
    this.options = { floatingZone: ianaZoneArithmetic(calendarZone) };
  }

  /** The series of a master. @returns null for what is none, or has no time */
  static of(
    { start, end, recurrence }: RecurringTimes,
    calendarZone: string,
    excluded: readonly EventTime[] = [],
  ): RecurringSeries | null {
    if (start === null || recurrence.length === 0) return null;
    return new RecurringSeries(start, end ?? start, recurrence, calendarZone, excluded);
  }

  /** Date part of the id of the one instance that a date, or date and time, names; null when it names none or several. */
  instanceDate(date: string): string | null {
    return findInstance(this.series, date, this.zones, this.options)?.instanceDate ?? null;
  }

  /** Whether an instance starts at this time; deleted ones count. */
  has(time: EventTime): boolean {
    const { master } = this.series;
    return master !== null && isInstance(master, icsTimeOf(time), this.zones, this.options);
  }

  /** How much of COUNT the instances before this one have used up. */
  countBefore(time: EventTime): number {
    const { master } = this.series;
    return master === null ? 0 : countInstancesBefore(master, icsTimeOf(time), this.zones, this.options);
  }

  /** Whether anything of the series takes place in a window. */
  occursIn(window: TimeWindow): boolean {
    return occursIn(this.series, this.zones, window, this.options);
  }

  /** Whether anything of the series starts before an instant. */
  startsBefore(instantMs: number): boolean {
    try {
      const window = { startMs: LONG_AGO_MS, endMs: instantMs };
      return expandSeries(this.series, this.zones, window, this.options).some(({ startMs }) => startMs < instantMs);
    } catch (error) {
      // So many that they were not even looked at one by one.
      if (error instanceof RecurrenceError && error.reason === 'too-large') return true;
      throw error;
    }
  }
}

/** Date part of the id of the instance that starts originally at this time. */
export function instanceDateOf(originalStart: EventTime): string {
  if (originalStart.kind === 'date') return originalStart.date.replaceAll('-', '');
  const utcMs = Date.parse(`${originalStart.local}Z`) - (originalStart.offsetMinutes ?? 0) * 60_000;
  return formatTimeValue({ kind: 'utc', local: new Date(utcMs).toISOString().slice(0, 19) });
}
