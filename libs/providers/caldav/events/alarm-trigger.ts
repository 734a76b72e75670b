import { parseDuration, parseIcsTime, wallMsOf, type IcsComponent } from '#icalendar';

const DAY_MS = 86_400_000;

/**
 * When an alarm goes off, in ms after the start of its event; null when its TRIGGER cannot be read. `lengthMs` of the
 * event, for triggers related to its end (RFC 5545 §3.8.6.3).
 */
export function triggerOffsetMs(alarm: IcsComponent, startMs: number, lengthMs: number): number | null {
  const trigger = alarm.property('TRIGGER');
  if (trigger === undefined) return null;
  const duration = parseDuration(trigger.value);
  if (duration !== null) {
    const offsetMs = duration.days * DAY_MS + duration.seconds * 1000;
    return trigger.parameter('RELATED')?.toUpperCase() === 'END' ? lengthMs + offsetMs : offsetMs;
  }
  // An absolute trigger is in UTC, whatever it says.
  const time = parseIcsTime(trigger);
  return time === null ? null : wallMsOf(time) - startMs;
}
