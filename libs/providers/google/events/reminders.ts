import type { calendar_v3 } from '@googleapis/calendar';
import { invalid, type EventReminders } from '#domain';

/** Limits of the events resource, `reminders.overrides`. */
const MAX_OVERRIDES = 5;
const MAX_MINUTES = 40_320;

/**
 * As a PATCH says it, which merges: going back to the calendar's reminders takes out what was there besides.
 * null: back to the calendar's.
 * @throws DomainError ValidationFailed
 */
export function changedReminders(
  reminders: EventReminders | null | undefined,
): calendar_v3.Schema$Event['reminders'] | undefined {
  if (reminders === undefined) return undefined;
  const overrides = reminders?.overrides ?? [];
  if (reminders?.isReminderOn === false) return { useDefault: false, overrides: [] };
  if (reminders === null || reminders.useDefault) {
    if (overrides.length > 0) throw invalid('reminders.overrides', 'cannot be given together with useDefault');
    return { useDefault: true, overrides: null } as unknown as calendar_v3.Schema$Event['reminders'];
  }
  if (overrides.length > MAX_OVERRIDES) throw invalid('reminders.overrides', `must not be more than ${MAX_OVERRIDES}`);
  overrides.forEach(({ method, minutes }, index) => {
    if (method !== 'popup' && method !== 'email') {
      throw invalid(`reminders.overrides.${index}.method`, 'must be popup or email');
    }
    if (!Number.isInteger(minutes) || minutes < 0 || minutes > MAX_MINUTES) {
      throw invalid(`reminders.overrides.${index}.minutes`, `must be a whole number from 0 to ${MAX_MINUTES}`);
    }
  });
  return { useDefault: false, overrides: overrides.map(({ method, minutes }) => ({ method, minutes })) };
}
