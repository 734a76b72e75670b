import { DAY_MS, type IcsTimes, type TimeSpan } from '#providers/kit/series';
import {
  formatIcsTime,
  parseDuration,
  parseIcsTime,
  wallMsOf,
  withWallMs,
  type EditableComponent,
  type IcsComponent,
  type IcsTime,
} from '#icalendar';

/** Times of an event as written. `end` is exclusive. */
export type IcsSpan = TimeSpan<IcsTime>;

const ALL_DAY_FLAG = 'X-MICROSOFT-CDO-ALLDAYEVENT';

/**
 * Returns null without a readable DTSTART. The end is DTEND, else DTSTART plus DURATION, else one day for dates and
 * zero length for times (RFC 5545 §3.6.1). An end before the start counts as the start.
 */
export function readSpan(event: IcsComponent, times: IcsTimes): IcsSpan | null {
  const dtstart = event.property('DTSTART');
  const start = dtstart === undefined ? null : parseIcsTime(dtstart);
  if (start === null) return null;
  return { start, end: readEnd(event, start, times) };
}

function readEnd(event: IcsComponent, start: IcsTime, times: IcsTimes): IcsTime {
  const shortest = start.kind === 'date' ? withWallMs(start, wallMsOf(start) + DAY_MS) : start;
  const dtend = event.property('DTEND');
  const end = dtend === undefined ? null : parseIcsTime(dtend);
  if (end !== null) {
    // A DTEND of the wrong value type is read with the type of DTSTART.
    const alike = (end.kind === 'date') === (start.kind === 'date') ? end : withWallMs(start, wallMsOf(end));
    return times.instantOf(alike) < times.instantOf(shortest) ? shortest : alike;
  }
  const duration = parseDuration(event.property('DURATION')?.value ?? '');
  if (duration === null) return shortest;
  // Days are nominal, smaller units are exact (RFC 5545 §3.3.6).
  const later = withWallMs(start, wallMsOf(start) + duration.days * DAY_MS);
  const nominal =
    start.kind === 'date'
      ? withWallMs(start, wallMsOf(later) + Math.floor((duration.seconds * 1000) / DAY_MS) * DAY_MS)
      : duration.seconds === 0
        ? later
        : times.atInstant(start, times.instantOf(later) + duration.seconds * 1000);
  return times.instantOf(nominal) > times.instantOf(shortest) ? nominal : shortest;
}

/** Always writes DTEND: strict servers reject an event without it (caldav-apple.md §0, rule 9). */
export function writeSpan(event: EditableComponent, { start, end }: IcsSpan): void {
  writeTime(event, 'DTSTART', start);
  event.removeProperties('DURATION');
  writeTime(event, 'DTEND', end);
  if (event.property(ALL_DAY_FLAG) !== undefined) {
    event.setProperty(ALL_DAY_FLAG, start.kind === 'date' ? 'TRUE' : 'FALSE', {});
  }
}

/** Leaves a line with the same meaning unchanged. */
export function writeTime(event: EditableComponent, name: string, time: IcsTime): void {
  const property = event.property(name);
  const current = property === undefined ? null : parseIcsTime(property);
  if (current !== null && JSON.stringify(current) === JSON.stringify(time)) return;
  const { value, parameters } = formatIcsTime(time);
  const range = property?.parameter('RANGE');
  event.setProperty(name, value, range === undefined ? parameters : { ...parameters, RANGE: range });
}

/** Outlook writes all-day events as midnights with a flag; callers see dates. */
export function asShown(event: IcsComponent, span: IcsSpan): IcsSpan {
  const isAllDay = event.property(ALL_DAY_FLAG)?.value.trim().toUpperCase() === 'TRUE';
  if (!isAllDay || span.start.kind === 'date' || !isMidnight(span.start) || !isMidnight(span.end)) return span;
  const start = asDate(span.start);
  const end = asDate(span.end);
  return { start, end: wallMsOf(end) > wallMsOf(start) ? end : withWallMs(start, wallMsOf(start) + DAY_MS) };
}

function isMidnight(time: IcsTime): boolean {
  return wallMsOf(time) % DAY_MS === 0;
}

function asDate(time: IcsTime): IcsTime {
  return withWallMs({ kind: 'date', date: '' }, wallMsOf(time));
}
