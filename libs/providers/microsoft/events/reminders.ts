import type { EventReminders } from '#domain/events';
import { invalid } from '#domain/system';
import type { OutlookEventChange } from './event-body.js';
import type { GraphEvent } from './outlook-event.js';

/** A year. Outlook's own clients offer up to two weeks. */
const MAX_MINUTES = 525_600;

/**
 * Outlook has one reminder, on the screen. Its default applies to new events only: later it cannot be recognised.
 * @throws DomainError ValidationFailed
 */
export function changedReminders(
  reminders: EventReminders | null | undefined,
  current: GraphEvent | null,
): Pick<OutlookEventChange, 'body' | 'ignoredFields'> {
  if (reminders === undefined) return { body: {}, ignoredFields: [] };
  const isOn = current?.isReminderOn === true;
  const off = { body: current === null || isOn ? { isReminderOn: false } : {}, ignoredFields: [] };
  if (reminders?.isReminderOn === false) return off;
  const overrides = reminders?.overrides ?? [];
  if (reminders?.useDefault === true) {
    if (overrides.length > 0) throw invalid('reminders.overrides', 'cannot be given together with useDefault');
    return { body: {}, ignoredFields: current === null ? [] : ['reminders'] };
  }
  overrides.forEach(({ minutes }, index) => {
    if (!Number.isInteger(minutes) || minutes < 0 || minutes > MAX_MINUTES) {
      throw invalid(`reminders.overrides.${index}.minutes`, `must be a whole number from 0 to ${MAX_MINUTES}`);
    }
  });
  if (reminders === null && current === null) return { body: {}, ignoredFields: [] };
  const [first, ...others] = overrides;
  if (first === undefined) {
    if (reminders?.isReminderOn !== true) return off;
    return { body: isOn ? {} : { isReminderOn: true }, ignoredFields: [] };
  }
  const ignoredFields = others.length > 0 || first.method !== 'popup' ? ['reminders.overrides'] : [];
  const isSame = isOn && current.reminderMinutesBeforeStart === first.minutes;
  return { body: isSame ? {} : { isReminderOn: true, reminderMinutesBeforeStart: first.minutes }, ignoredFields };
}
