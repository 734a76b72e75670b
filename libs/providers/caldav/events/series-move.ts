import {
  parseRule,
  untilLike,
  wallMsOf,
  withRuleEnd,
  withWallMs,
  type EditableComponent,
  type IcsTime,
} from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { readSpan, writeSpan, writeTime } from './event-span.js';
import { type Span } from './input-times.js';
import { recurrenceIdOf } from './override.js';
import { changeTimes, timeLike } from './recurrence-dates.js';
import { writeRecurrence, type RecurrencePlan } from './recurrence-input.js';
import { instanceTest } from './series-instances.js';
import { recurrenceLines } from './shown-recurrence.js';
import { clockOf, DAY_MS, isSameFrame, startOfDay, type Clocks } from './wall-time.js';

/** What changes about when a series takes place. */
export interface Reschedule {
  /** New times of the first instance; null: as they are. */
  span: Span | null;
  /** New recurrence; null: as it is; `none`: a single event from now on. */
  recurrence: RecurrencePlan | 'none' | null;
}

/**
 * Gives a series other times, another rule, or both. Everything that names instances goes along: EXDATE, RDATE, UNTIL
 * and overrides move by as much as the start does, and in the same value type (mixed ones make servers refuse the
 * object). What names no instance any more is dropped.
 * @throws DomainError ValidationFailed, RecurrenceError
 */
export function reschedule(object: CalendarObject, master: EditableComponent, { span, recurrence }: Reschedule): void {
  const { clocks } = object;
  const before = readSpan(master, clocks);
  const after = span ?? before;
  if (before === null || after === null) {
    if (span !== null) writeSpan(master, span);
    return;
  }
  const strays = strayOverrides(object, master, before);
  if (span !== null) writeSpan(master, span);
  if (recurrence === 'none') {
    for (const property of recurrenceLines(master)) master.removeProperty(property);
    for (const override of object.overrides) object.calendar.removeComponent(override);
    object.overrides = [];
    return;
  }
  const move: Move = { before, after, clocks };
  if (!isStill(move)) moveRuleAndDates(master, move);
  const writtenByCaller = new Set(recurrence?.added);
  const exclusions = master.propertiesNamed('EXDATE').filter((property) => !writtenByCaller.has(property));
  if (recurrence !== null) writeRecurrence(master, recurrence, after.start, clocks);
  const isInstance = instanceTest(master, clocks);
  const left = new Set(master.propertiesNamed('EXDATE'));
  for (const property of exclusions.filter((candidate) => left.has(candidate))) {
    changeTimes(master, property, after.start, (time) => moved(time, move, isInstance));
  }
  relocateOverrides(object, move, recurrence === null ? strays : new Set(), isInstance);
}

/** How the start of a series moved. */
export interface Move {
  before: Span;
  after: Span;
  clocks: Clocks;
}

/** Overrides that replace no instance; they are shown all the same, as events beside the series. */
function strayOverrides(object: CalendarObject, master: EditableComponent, before: Span): Set<EditableComponent> {
  const isInstance = instanceTest(master, object.clocks);
  return new Set(
    object.overrides.filter((override) => {
      const id = recurrenceIdOf(override);
      return id !== null && !isInstance(timeLike(before.start, id, object.clocks));
    }),
  );
}

function moveRuleAndDates(master: EditableComponent, move: Move): void {
  const { before, after, clocks } = move;
  for (const property of recurrenceLines(master)) {
    if (property.name === 'RDATE') {
      changeTimes(master, property, after.start, (time) => shifted(timeLike(before.start, time, clocks), move));
    } else if (property.name !== 'EXDATE') {
      const value = property.value;
      const { until } = parseRule(value, { dtstartKind: before.start.kind });
      if (until === null) continue;
      const local = timeLike(before.start, untilTime(until, before.start), clocks);
      const wallMs = wallMsOf(shifted(local, move));
      const text = untilLike({ form: 'local', wallMs }, after.start.kind, clockOf(after.start, clocks));
      master.replaceProperty(property, withRuleEnd(value, { until: text }));
    }
  }
}

function untilTime(until: { form: 'date' | 'utc' | 'local'; wallMs: number }, start: IcsTime): IcsTime {
  if (until.form === 'utc') return withWallMs({ kind: 'utc', local: '' }, until.wallMs);
  if (start.kind === 'date') return withWallMs(start, until.wallMs);
  // A date ends with its day.
  return withWallMs(start, until.form === 'date' ? until.wallMs + DAY_MS - 1000 : until.wallMs);
}

/** A reading of the old clock on the new one, as much later or earlier as the start is. */
function shifted(time: IcsTime, { before, after }: Move): IcsTime {
  return withWallMs(after.start, wallMsOf(time) + wallMsOf(after.start) - wallMsOf(before.start));
}

/** True when instances begin when they did before. */
function isStill({ before, after }: Move): boolean {
  return isSameFrame(before.start, after.start) && wallMsOf(before.start) === wallMsOf(after.start);
}

/**
 * Where an instance went. When the rule names its days (BYDAY=MO) and the start moved to another day, the instances
 * keep their days and only change their time. null: it is gone.
 */
export function moved(time: IcsTime, move: Move, isInstance: (time: IcsTime) => boolean): IcsTime | null {
  const { before, after, clocks } = move;
  const local = timeLike(before.start, time, clocks);
  if (isStill(move)) return isInstance(local) ? time : null;
  const along = shifted(local, move);
  if (isInstance(along)) return along;
  const timeOfDay = wallMsOf(after.start) - startOfDay(wallMsOf(after.start));
  const sameDay = withWallMs(after.start, startOfDay(wallMsOf(local)) + timeOfDay);
  return isInstance(sameDay) ? sameDay : null;
}

function relocateOverrides(
  object: CalendarObject,
  move: Move,
  strays: ReadonlySet<EditableComponent>,
  isInstance: (time: IcsTime) => boolean,
): void {
  const { before, clocks } = move;
  object.overrides = object.overrides.filter((override) => {
    const id = recurrenceIdOf(override);
    if (id === null) return true;
    const local = timeLike(before.start, id, clocks);
    const stays = isStill(move) ? id : shifted(local, move);
    const target = strays.has(override) ? stays : moved(id, move, isInstance);
    if (target === null) {
      object.calendar.removeComponent(override);
      return false;
    }
    if (target === id) {
      moveOverride(override, 0, move);
    } else {
      writeTime(override, 'RECURRENCE-ID', target);
      moveOverride(override, wallMsOf(target) - wallMsOf(local), move);
    }
    return true;
  });
}

/** The override's own times: as much later or earlier, on the new clock where they were on the old one. */
function moveOverride(override: EditableComponent, deltaMs: number, { before, after, clocks }: Move): void {
  const span = readSpan(override, clocks);
  const frameChanges = !isSameFrame(before.start, after.start);
  const oldLengthMs = wallMsOf(before.end) - wallMsOf(before.start);
  const newLengthMs = wallMsOf(after.end) - wallMsOf(after.start);
  if (span === null || (deltaMs === 0 && !frameChanges && oldLengthMs === newLengthMs)) return;
  const isOnOldClock = isSameFrame(span.start, before.start);
  const kindChanges = (before.start.kind === 'date') !== (after.start.kind === 'date');
  const frame = isOnOldClock || kindChanges ? after.start : span.start;
  const ownLengthMs = wallMsOf(span.end) - wallMsOf(span.start);
  const lengthMs = kindChanges || ownLengthMs === oldLengthMs ? newLengthMs : ownLengthMs;
  // A day has no time: what is left of a move is its days.
  const wallMs =
    wallMsOf(span.start) + (after.start.kind === 'date' && kindChanges ? daysOf(deltaMs, before) : deltaMs);
  const start = withWallMs(frame, wallMs);
  const sameEndClock = isSameFrame(span.start, span.end) || kindChanges;
  const end = sameEndClock
    ? withWallMs(start, wallMsOf(start) + lengthMs)
    : withWallMs(span.end, wallMsOf(span.end) + deltaMs);
  writeSpan(override, { start, end });
}

function daysOf(deltaMs: number, before: Span): number {
  const timeOfDay = wallMsOf(before.start) - startOfDay(wallMsOf(before.start));
  return deltaMs + timeOfDay;
}
