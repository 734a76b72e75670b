import { PRIMARY } from '#provider-calls';
import { isPrimary, ownerOf, type CalendarContext, type OutlookCalendar } from './calendar-entry.js';
import type { AccountConnection } from './connection.js';

/**
 * What it takes to show calendars. An account may be known by another address than its mailbox: the owner of its default
 * calendar is the account, too.
 * @param calendars that are to be shown
 */
export async function calendarContext(
  connection: AccountConnection,
  calendars: readonly OutlookCalendar[],
): Promise<CalendarContext> {
  const own = new Set([connection.session.email.toLowerCase()]);
  const known = calendars.find(isPrimary);
  const isInDoubt = calendars.some((calendar) => !own.has(ownerOf(calendar) ?? connection.session.email.toLowerCase()));
  const primary = known ?? (isInDoubt ? await connection.calendar(PRIMARY) : undefined);
  const owner = primary === undefined ? undefined : ownerOf(primary);
  if (owner !== undefined) own.add(owner);
  return { ownAddresses: own, mailboxTimeZone: await connection.mailboxTimeZone() };
}
