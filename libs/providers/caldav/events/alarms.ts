import { type EventReminder, type EventReminders } from '#domain';
import { parseDuration, parseIcsTime, wallMsOf, type IcsComponent } from '#icalendar';
import { DAY_MS } from '#providers/kit/series';

/** What we show as a reminder. Other actions (PROCEDURE, NONE, X-…) belong to the client that wrote them. */
const METHOD_BY_ACTION: Readonly<Record<string, string>> = { DISPLAY: 'popup', AUDIO: 'popup', EMAIL: 'email' };

/** A year before the start, which callers may write, to four weeks after it. */
const MAX_MINUTES_BEFORE = 525_600;
const MAX_MINUTES_AFTER = 40_320;

/** Whether an alarm that many minutes before the start is one that callers can have. */
export function isWritable(minutes: number): boolean {
  return minutes <= MAX_MINUTES_BEFORE && minutes >= -MAX_MINUTES_AFTER;
}

/** `lengthMs`: of the event, for triggers related to its end. */
export function readReminder(alarm: IcsComponent, startMs: number, lengthMs: number): EventReminder | null {
  const method = METHOD_BY_ACTION[alarm.property('ACTION')?.value.trim().toUpperCase() ?? ''];
  if (method === undefined || isDefaultAlarm(alarm) || isSnooze(alarm)) return null;
  const offsetMs = triggerOffsetMs(alarm, startMs, lengthMs);
  // `-0` would not be equal to 0 for whoever compares.
  const minutes = offsetMs === null ? null : Math.round(-offsetMs / 60_000) + 0;
  // What could not be sent back is not shown, and stays as it is.
  return minutes === null || !isWritable(minutes) ? null : { method, minutes };
}

/** `start` and `end` of the event as instants. */
export function readReminders(event: IcsComponent, startMs: number, endMs: number): EventReminders {
  const alarms = event.componentsNamed('VALARM').filter((alarm) => !isSnooze(alarm));
  if (alarms.every(isDefaultAlarm)) return { useDefault: true };
  const overrides = alarms
    .map((alarm) => readReminder(alarm, startMs, endMs - startMs))
    .filter((reminder) => reminder !== null);
  return { useDefault: false, isReminderOn: overrides.length > 0, overrides };
}

/** Apple marks the alarms that a user's settings put there. */
export function isDefaultAlarm(alarm: IcsComponent): boolean {
  return ['X-APPLE-DEFAULT-ALARM', 'X-APPLE-LOCAL-DEFAULT-ALARM'].some(
    (name) => alarm.property(name)?.value.trim().toUpperCase() === 'TRUE',
  );
}

/** A repetition the user asked one device for (RFC 9074 §8.2). */
function isSnooze(alarm: IcsComponent): boolean {
  return alarm.propertiesNamed('RELATED-TO').some((line) => line.parameter('RELTYPE')?.toUpperCase() === 'SNOOZE');
}

/**
 * When an alarm goes off, in ms after the start of its event; null when its TRIGGER cannot be read. `lengthMs` of the
 * event, for triggers related to its end (RFC 5545 §3.8.6.3).
 */
function triggerOffsetMs(alarm: IcsComponent, startMs: number, lengthMs: number): number | null {
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
