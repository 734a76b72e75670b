export { checkMeetingType, readBack, settledMeeting } from './after-write.js';
export { checkedCalendarInput, writtenCalendar } from './calendar-input.js';
export { editEvent, removeEvent, type EditTarget } from './conditional-edit.js';
export { asksForContent, matchesQuery, overlaps, sortKey } from './event-filter.js';
export { freeBusyOutcomes } from './free-busy-outcomes.js';
export { guestsByAddress } from './guest-list.js';
export { includesJson, listOf, recordOf, textOf, textsOf } from './json.js';
export { plainEtag } from './version-tag.js';
export { usualColor } from './usual-color.js';
