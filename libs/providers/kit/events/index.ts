export {
  assertConferenceType,
  readAfterWrite,
  awaitConference,
  editEvent,
  removeEvent,
  type EditTarget,
  plainEtag,
  removeUnread,
  versionToRemove,
} from './conditional-edit.js';
export { channelsOf, checkedCalendarInput, writtenCalendar, fallbackColor } from './calendars.js';
export { asksForContent, matchesQuery, overlaps, sortKey } from './event-filter.js';
export { freeBusyOutcomes } from './free-busy-outcomes.js';
export { guestsByAddress } from './guest-list.js';
export { etagOf, includesJson, listOf, recordOf, textOf, textsOf } from './json.js';
