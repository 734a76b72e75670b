export { isCancelled } from '#icalendar';
export { shiftedExceptionSpan, assertCopyable, isFrom, shiftException, placeAfter } from './series-exceptions.js';
export { checkCut, cutSeries, editRestEvent, editSeries, type SeriesCut } from './edit-series.js';
export { eventNotFound } from '../calls/http.js';
export {
  changedInstanceSpan,
  changedSeriesSpan,
  changedSpan,
  newSpan,
  shiftedSpan,
  spanFrom,
  askedSpan,
  type TimeSpan,
  readInstant,
  wallMsOf,
} from './input-times.js';
export {
  asInvalid,
  changeDates,
  continueFrom,
  endBefore,
  lineLike,
  parseRecurrence,
  RECURRENCE_PROPERTIES,
  recurrenceLines,
  shiftRecurrence,
} from './recurrence.js';
export { datesOf, formatTimes, isDateLine, isRuleLine, readRecurrence } from './recurrence-lines.js';
export {
  hasUntouchedInstance,
  instanceDateOf,
  recurrenceIdOf,
  RecurringSeries,
  type RestEvent,
  splitInstanceId,
} from './recurring-series.js';
export {
  changedSchedule,
  exclusionTest,
  instanceTest,
  isUnchangedRecurrence,
  isSameSchedule,
  isSameSpan,
  relocation,
  type Relocation,
  type Schedule,
  scheduleOf,
  spanOf,
  keepChangedInstances,
} from './schedule.js';
export {
  atInstant,
  DAY_MS,
  dayOf,
  defaultEnd,
  formatInstant,
  HOUR_MS,
  instantOf,
  onClock,
  wallOf,
  withWall,
  SeriesTimes,
  startOfDay,
  icsTimeOf,
  IcsTimes,
  isSame,
  shiftedTime,
} from './times.js';
