import { PRIMARY } from '#domain';
import { isOfOthers, isPrimary, ownerOf, type CalendarContext, type OutlookCalendar } from './calendar-entry.js';
import type { GraphConnection } from './connection.js';

/** What it takes to show calendars. @param calendars that are to be shown */
export async function calendarContext(
  connection: GraphConnection,
  calendars: readonly OutlookCalendar[],
): Promise<CalendarContext> {
  const ownAddresses = await ownAddressesAmong(connection, calendars);
  return { ownAddresses, mailboxTimeZone: await connection.mailboxTimeZone() };
}

/** Whether a calendar is somebody else's. */
export async function isShared(connection: GraphConnection, calendar: OutlookCalendar): Promise<boolean> {
  return isOfOthers(calendar, await ownAddressesAmong(connection, [calendar]));
}

/**
 * Addresses of the account, which may be known by another one than its mailbox: the owner of its default calendar is the
 * account, too.
 */
async function ownAddressesAmong(
  connection: GraphConnection,
  calendars: readonly OutlookCalendar[],
): Promise<Set<string>> {
  const own = new Set([connection.session.email.toLowerCase()]);
  const known = calendars.find(isPrimary);
  const isInDoubt = calendars.some((calendar) => isOfOthers(calendar, own));
  const primary = known ?? (isInDoubt ? await connection.calendar(PRIMARY) : undefined);
  const owner = primary === undefined ? undefined : ownerOf(primary);
  if (owner !== undefined) own.add(owner);
  return own;
}
