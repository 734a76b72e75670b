import { isDeepStrictEqual } from 'node:util';
import type { calendar_v3 } from '@googleapis/calendar';
import type { EventReminders } from '#domain/events';
import { invalid } from '#domain/system';
import { listOf, recordOf } from '#providers/kit/events';
import type { GoogleEvent } from './google-event.js';

type Reminders = NonNullable<calendar_v3.Schema$Event['reminders']>;

/** Limits of `reminders.overrides` of the events resource. */
const MAX_OVERRIDES = 5;
const MAX_MINUTES = 40_320;
const CALENDARS: Reminders = { useDefault: true };

/**
 * Builds the reminders of a PATCH, which merges: null goes back to the calendar's and removes the overrides.
 * @returns undefined when nothing changes
 * @throws DomainError ValidationFailed
 */
export function changedReminders(
  reminders: EventReminders | null | undefined,
  current: GoogleEvent | null,
): Reminders | undefined {
  if (reminders === undefined) return undefined;
  const said = current === null ? null : saidBy(current.raw.reminders ?? CALENDARS);
  // On, with no minutes: the event keeps its own reminders, or gets the calendar's.
  const isOn = reminders?.isReminderOn === true && !reminders.useDefault && reminders.overrides === undefined;
  if (isOn && said !== null && said.overrides.length > 0) return undefined;
  const wanted = wantedReminders(isOn ? null : reminders);
  const isSame = isDeepStrictEqual(saidBy(wanted), said);
  return isSame ? undefined : wanted;
}

function wantedReminders(reminders: EventReminders | null): Reminders {
  const overrides = reminders?.overrides ?? [];
  if (reminders?.isReminderOn === false) return { useDefault: false, overrides: [] };
  if (reminders === null || reminders.useDefault) {
    if (overrides.length > 0) throw invalid('reminders.overrides', 'cannot be given together with useDefault');
    return { ...CALENDARS, overrides: null as never };
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

/** Google leaves out empty fields. */
function saidBy(reminders: Reminders) {
  const { useDefault, overrides } = recordOf(reminders);
  const said = listOf(overrides).map((override) => {
    const { method, minutes } = recordOf(override);
    return { method, minutes };
  });
  return { useDefault: useDefault === true, overrides: said };
}
