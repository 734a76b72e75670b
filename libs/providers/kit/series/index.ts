export { checkCarriable, isFrom, movedAlong } from './changed-instances.js';
export { scopeOf } from './edit-scope.js';
export { eventNotFound, splitInstanceId } from './event-id.js';
export {
  atInstant,
  DAY_MS,
  formatInstant,
  HOUR_MS,
  instantOf,
  isSameTime,
  onClock,
  wallOf,
  withWall,
} from './event-time.js';
export { changedSpan, newSpan, shiftedSpan, spanFrom, type InputFrame, type Span } from './input-times.js';
export {
  asInvalid,
  continueFrom,
  datesOf,
  endBefore,
  formatTimes,
  icsTimeOf,
  isRuleLine,
  readRecurrence,
} from './recurrence-lines.js';
export { instanceDateOf, RecurringSeries } from './recurring-series.js';
export { changedSchedule, isEcho, relocation, scheduleOf, spanOf, type Relocation, type Schedule } from './schedule.js';
export { checkOneRule, cutSeries, type SeriesCut } from './series-cut.js';
export { readInstant, wallMsOf } from './written-time.js';
