import type { EventReminder, EventReminders } from '#domain/events';
import { invalid } from '#domain/system';
import {
  escapeText,
  formatDuration,
  parseDuration,
  parseIcsTime,
  wallMsOf,
  type EditableComponent,
  type IcsComponent,
} from '#icalendar';
import { DAY_MS } from '#providers/kit/series';
import { readText } from './event-fields.js';

/** Actions shown as reminders. Others (PROCEDURE, NONE, X-…) belong to the client that wrote them. */
const METHOD_BY_ACTION: Readonly<Record<string, string>> = { DISPLAY: 'popup', AUDIO: 'popup', EMAIL: 'email' };

/** Range of reminders: from one year before the start to four weeks after it. */
const MAX_MINUTES_BEFORE = 525_600;
const MAX_MINUTES_AFTER = 40_320;

function isWritable(minutes: number): boolean {
  return minutes <= MAX_MINUTES_BEFORE && minutes >= -MAX_MINUTES_AFTER;
}

/** @param lengthMs length of the event, for triggers related to its end */
function readReminder(alarm: IcsComponent, startMs: number, lengthMs: number): EventReminder | null {
  const method = METHOD_BY_ACTION[actionOf(alarm)];
  if (method === undefined || isDefaultAlarm(alarm) || isSnooze(alarm)) return null;
  const offsetMs = triggerOffsetMs(alarm, startMs, lengthMs);
  // `+ 0` turns `-0` into `0`.
  const minutes = offsetMs === null ? null : Math.round(-offsetMs / 60_000) + 0;
  // A reminder that callers could not send back is hidden and stays unchanged.
  return minutes === null || !isWritable(minutes) ? null : { method, minutes };
}

export function readReminders(event: IcsComponent, startMs: number, endMs: number): EventReminders {
  const alarms = event.componentsNamed('VALARM').filter((alarm) => !isSnooze(alarm));
  if (alarms.every(isDefaultAlarm)) return { useDefault: true };
  const overrides = alarms
    .map((alarm) => readReminder(alarm, startMs, endMs - startMs))
    .filter((reminder) => reminder !== null);
  return { useDefault: false, isReminderOn: overrides.length > 0, overrides };
}

/** Apple marks alarms that come from a user's default settings. */
function isDefaultAlarm(alarm: IcsComponent): boolean {
  return ['X-APPLE-DEFAULT-ALARM', 'X-APPLE-LOCAL-DEFAULT-ALARM'].some(
    (name) => alarm.property(name)?.value.trim().toUpperCase() === 'TRUE',
  );
}

/** One device repeats an alarm on the user's request (RFC 9074 §8.2). */
function isSnooze(alarm: IcsComponent): boolean {
  return alarm.propertiesNamed('RELATED-TO').some((line) => line.parameter('RELTYPE')?.toUpperCase() === 'SNOOZE');
}

/** Returns ms after the start of the event; null for an unreadable TRIGGER (RFC 5545 §3.8.6.3). */
function triggerOffsetMs(alarm: IcsComponent, startMs: number, lengthMs: number): number | null {
  const trigger = alarm.property('TRIGGER');
  if (trigger === undefined) return null;
  const duration = parseDuration(trigger.value);
  if (duration !== null) {
    const offsetMs = duration.days * DAY_MS + duration.seconds * 1000;
    return trigger.parameter('RELATED')?.toUpperCase() === 'END' ? lengthMs + offsetMs : offsetMs;
  }
  // An absolute trigger is always in UTC.
  const time = parseIcsTime(trigger);
  return time === null ? null : wallMsOf(time) - startMs;
}

const MAX_OVERRIDES = 20;

/** Apple's marker for "no alarm", as opposed to the default one. Other clients ignore this action. */
const NO_ALARM = ['ACTION:NONE', 'TRIGGER;VALUE=DATE-TIME:19760401T005545Z'];

/**
 * Keeps the lines of matching alarms, and alarms that are no reminders here (other actions, snoozes).
 * @param reminders null restores the default
 * @param email recipient of e-mail reminders; undefined when the account has no address
 * @throws DomainError ValidationFailed
 */
export function writeReminders(
  event: EditableComponent,
  reminders: EventReminders | null | undefined,
  { startMs, endMs, email }: { startMs: number; endMs: number; email: string | undefined },
): void {
  if (reminders === undefined) return;
  const current = readReminders(event, startMs, endMs);
  const overrides = wantedOverrides(reminders, current);
  if (overrides === null) return;
  const useDefault = reminders === null || (reminders.useDefault && reminders.isReminderOn !== false);
  const given = current.overrides ?? [];
  const isSameList =
    overrides.length === given.length && overrides.every((one) => given.some((other) => isSame(one, other)));
  if (useDefault === current.useDefault && isSameList) return;

  const missing = [...overrides];
  for (const alarm of event.componentsNamed('VALARM')) {
    const reminder = readReminder(alarm, startMs, endMs - startMs);
    const kept = missing.findIndex((wanted) => reminder !== null && isSame(wanted, reminder));
    if (kept !== -1) missing.splice(kept, 1);
    else if (reminder !== null || (isDefaultAlarm(alarm) && !useDefault) || actionOf(alarm) === 'NONE') {
      event.removeComponent(alarm);
    }
  }
  const title = readText(event, 'SUMMARY') ?? '';
  for (const reminder of missing) event.addComponent(alarmText(reminder, title, email));
  if (!useDefault && overrides.length === 0) event.addComponent(component(NO_ALARM));
}

/** Returns null when the alarms stay as they are. */
function wantedOverrides(reminders: EventReminders | null, current: EventReminders): EventReminder[] | null {
  if (reminders === null || reminders.isReminderOn === false) return [];
  const overrides = reminders.overrides ?? [];
  if (reminders.useDefault) {
    if (overrides.length > 0) throw invalid('reminders.overrides', 'cannot be given together with useDefault');
    return [];
  }
  // Not the default, and nothing else: no alarm. An event with its own alarms already has no default.
  if (reminders.overrides === undefined) return current.useDefault && reminders.isReminderOn !== true ? [] : null;
  if (overrides.length > MAX_OVERRIDES) throw invalid('reminders.overrides', `must not be more than ${MAX_OVERRIDES}`);
  overrides.forEach(({ method, minutes }, index) => {
    if (method !== 'popup' && method !== 'email') {
      throw invalid(`reminders.overrides.${index}.method`, 'must be popup or email');
    }
    if (!Number.isInteger(minutes) || !isWritable(minutes)) {
      throw invalid(`reminders.overrides.${index}.minutes`, 'must be a whole number of minutes, at most a year');
    }
  });
  return overrides;
}

function alarmText({ method, minutes }: EventReminder, title: string, email: string | undefined): string {
  const trigger = `TRIGGER:${formatDuration({ days: 0, seconds: -minutes * 60 + 0 })}`;
  const description = `DESCRIPTION:${escapeText(title === '' ? 'Reminder' : title)}`;
  if (method === 'popup') return component(['ACTION:DISPLAY', description, trigger]);
  if (email === undefined) {
    throw invalid('reminders.overrides', 'cannot be sent by e-mail: this account has no e-mail address');
  }
  const summary = description.replace('DESCRIPTION', 'SUMMARY');
  return component(['ACTION:EMAIL', description, summary, `ATTENDEE:mailto:${email}`, trigger]);
}

function component(lines: readonly string[]): string {
  return ['BEGIN:VALARM', ...lines, 'END:VALARM', ''].join('\r\n');
}

function actionOf(alarm: IcsComponent): string {
  return alarm.property('ACTION')?.value.trim().toUpperCase() ?? '';
}

function isSame(one: EventReminder, other: EventReminder): boolean {
  return one.method === other.method && one.minutes === other.minutes;
}
