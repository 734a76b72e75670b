import {
  dateOf,
  formatIcsTime,
  formatTimeValue,
  parseIcsTimes,
  parsePeriods,
  wallMsOf,
  withWallMs,
  type EditableComponent,
  type IcsProperty,
  type IcsTime,
  type PropertyParameters,
} from '#icalendar';
import { atInstant, DAY_MS, instantOf, isSameFrame, startOfDay, type Clocks } from './wall-time.js';

export const RECURRENCE_PROPERTIES: ReadonlySet<string> = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE']);

export function timesParameters(start: IcsTime): PropertyParameters {
  return formatIcsTime(start).parameters;
}

/**
 * A time of a list in the form of the series' start. A date among times means that day's instance; a time among dates
 * means its day; a clock without a zone is read on that of the series.
 */
export function timeLike(start: IcsTime, time: IcsTime, clocks: Clocks): IcsTime {
  if (isSameFrame(start, time)) return time;
  if (start.kind === 'date') {
    const local =
      time.kind === 'utc' ? atInstant({ kind: 'floating', local: '' }, instantOf(time, clocks), clocks) : time;
    return { kind: 'date', date: dateOf(wallMsOf(local)) };
  }
  if (time.kind === 'date') return withWallMs(start, wallMsOf(time) + wallMsOf(start) - startOfDay(wallMsOf(start)));
  if (time.kind === 'floating') return withWallMs(start, wallMsOf(time));
  return atInstant(start, instantOf(time, clocks), clocks);
}

/**
 * Rewrites the values of an EXDATE or RDATE line through `change` (null drops one). The line is left alone when nothing
 * changes and goes when nothing is left.
 */
export function changeTimes(
  event: EditableComponent,
  property: IcsProperty,
  start: IcsTime,
  change: (time: IcsTime) => IcsTime | null,
): void {
  if (property.parameter('VALUE')?.toUpperCase() === 'PERIOD') {
    changePeriods(event, property, start, change);
    return;
  }
  const before = parseIcsTimes(property);
  const after = before.map(change);
  if (after.every((time, index) => time !== null && time === before[index])) return;
  const left = after.filter((time) => time !== null);
  const [first] = left;
  if (first === undefined) {
    event.removeProperty(property);
    return;
  }
  const isOnlyShorter = left.every((time) => before.includes(time));
  const parameters = isOnlyShorter ? undefined : timesParameters(first);
  event.replaceProperty(property, left.map(formatTimeValue).join(','), parameters);
}

/** Periods keep their length; a series of dates takes the day they begin on. */
function changePeriods(
  event: EditableComponent,
  property: IcsProperty,
  start: IcsTime,
  change: (time: IcsTime) => IcsTime | null,
): void {
  const texts = property.value.split(',');
  const periods = parsePeriods(property);
  const changed = periods.map((period) => ({ period, start: change(period.start) }));
  if (changed.every((one) => one.start === one.period.start)) return;
  const left = changed.flatMap(({ period, start: moved }, index) => {
    if (moved === null) return [];
    const from = formatTimeValue(moved);
    if (moved.kind === 'date') return [from];
    if ('duration' in period) return [`${from}/${texts[index]?.split('/')[1]?.trim() ?? 'PT0S'}`];
    const end = withWallMs(moved, wallMsOf(moved) + wallMsOf(period.end) - wallMsOf(period.start));
    return [`${from}/${formatTimeValue(end)}`];
  });
  if (left.length === 0) event.removeProperty(property);
  else event.replaceProperty(property, left.join(','), periodParameters(start));
}

function periodParameters(start: IcsTime): PropertyParameters {
  return start.kind === 'date' ? { VALUE: 'DATE' } : { ...timesParameters(start), VALUE: 'PERIOD' };
}

/** Days between the midnights of two readings. */
export function daysBetween(fromWallMs: number, toWallMs: number): number {
  return (startOfDay(toWallMs) - startOfDay(fromWallMs)) / DAY_MS;
}
