export { checkCarriable, isFrom, movedAlong } from './changed-instances.js';
export { checkedCalendarInput, writtenCalendar } from './calendar-input.js';
export { comparedCalendars } from './compared-calendars.js';
export { ComparedReads, type ComparedView, type Extent, type ShownItem } from './compared-reads.js';
export { editEvent, removeEvent, type EditTarget } from './conditional-edit.js';
export { cursorFields, readKeyedPage, tokenExpired, tokenForeign } from './cursors.js';
export { scopeOf } from './edit-scope.js';
export { asksForContent, matchesQuery, overlaps, sortKey } from './event-filter.js';
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
export { freeBusyOutcomes } from './free-busy-outcomes.js';
export { guestsByAddress } from './guest-list.js';
export { changedSpan, newSpan, shiftedSpan, spanFrom, type InputFrame, type Span } from './input-times.js';
export { includesJson, listOf, recordOf, textOf, textsOf } from './json.js';
export { settledMeeting, type Pause } from './pending-meeting.js';
export { readBack } from './read-back.js';
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
export { plainEtag } from './version-tag.js';
export { usualColor } from './usual-color.js';
export { readInstant, wallMsOf } from './written-time.js';
