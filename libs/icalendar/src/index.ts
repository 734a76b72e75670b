export type { IcsComponent, IcsProperty, IcsTime, PropertyParameters, Zone, ZoneSource } from './model.js';
export type { EditableComponent } from './component.js';
export { IcsSyntaxError, IcsValueError, RecurrenceError } from './errors.js';
export { UNBOUNDED_LIMITS } from './limits.js';
export { IcsDocument } from './document.js';
export { formatContentLine, withParameter } from './content-line.js';
export { textOfOctets } from './raw-text.js';
export { decodeParameter, encodeParameter, escapeText, unescapeText } from './text.js';
export {
  formatDuration,
  formatIcsTime,
  formatTimeValue,
  parseIcsTime,
  parseIcsTimes,
  parseDuration,
  parsePeriod,
  parsePeriods,
  parseTimeValue,
  wallMsOf,
  withWallMs,
} from './ics-time.js';
export type { IcsPeriod, WrittenTime } from './ics-time.js';
export { dateOf, localOf } from './recurrence/wall-value.js';
export { ianaZoneArithmetic, unknownZone, UTC_ZONE } from './zones/zone-arithmetic.js';
export { parseRule, untilLike, withRuleEnd } from './recurrence/rule.js';
export type { RecurrenceRule, WeekdayRule } from './recurrence/rule.js';
export { windowsClockName } from './zones/windows-clock.js';
export { ianaZone, windowsZoneName } from './zones/zone-names.js';
export { objectZones } from './zones/object-zones.js';
export { vtimezoneFor } from './zones/vtimezone-writer.js';
export { busyOfCalendar, mergeBusy } from './recurrence/busy.js';
export { timeOn } from './recurrence/occurrence.js';
export type { ExcludedInstance, Occurrence } from './recurrence/occurrence.js';
export {
  countInstancesBefore,
  eachOccurrence,
  excludedInstances,
  expandSeries,
  findInstance,
  firstDayOf,
  isInstance,
  occursIn,
  seriesOf,
} from './recurrence/recurrence-set.js';
export { isCancelled } from './recurrence/series.js';
export type { Series } from './recurrence/series.js';
