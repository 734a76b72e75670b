export { ComparedReads, type ComparedView, type Extent, type ShownItem } from './compared-reads.js';
export {
  cursorFields,
  readKeyedPage,
  readSnapshotBasis,
  tokenExpired,
  tokenForeign,
  type KeyedPage,
  type SnapshotBasis,
} from './cursors.js';
export { asksForContent, matchesQuery, overlaps, sortKey } from './event-filter.js';
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
export { guestsByAddress } from './guest-list.js';
export { changedSpan, newSpan, shiftedSpan, spanFrom, type InputFrame, type Span } from './input-times.js';
export { listOf, recordOf, textOf, textsOf } from './json.js';
export {
  asInvalid,
  continueFrom,
  datesOf,
  endBefore,
  formatTimes,
  icsTimeOf,
  isDateLine,
  isRecurrenceLine,
  isRuleLine,
  readRecurrence,
  shiftRecurrence,
  type SeriesFrame,
} from './recurrence-lines.js';
export { instanceDateOf, RecurringSeries, type RecurringTimes } from './recurring-series.js';
export { changedSchedule, isEcho, relocation, scheduleOf, type Relocation, type Schedule } from './schedule.js';
