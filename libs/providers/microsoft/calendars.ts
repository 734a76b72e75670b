import { type Calendar, type CalendarInput, PRIMARY } from '#domain/calendars';
import type { CalendarWritten, ListCalendars, WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { checkedCalendarInput, writtenCalendar } from '#providers/kit/events';
import { syncCalendarsBySnapshot } from '#providers/kit/sync';
import {
  isPrimary,
  isReadOnly,
  nearestColor,
  toCalendar,
  type OutlookCalendar,
  outlookCalendar,
  isOfOthers,
  ownerOf,
} from './calendar-entry.js';
import { calendarPath, type GraphAccountClient } from './account-client.js';
import { GraphApiError } from './errors.js';
import {
  writtenProperties,
  type OwnName,
  EXPAND_OWN,
  changedProperties,
  ownPropertiesOf,
  type OwnProperties,
} from './events/own-properties.js';

/** @throws DomainError NotFound */
export async function getCalendar(connection: GraphAccountClient, calendarId: string): Promise<Calendar> {
  const entry = await connection.freshCalendar(calendarId);
  return toCalendar(entry, await calendarContext(connection, [entry]));
}

/** @throws DomainError NotFound, ReadOnlyCalendar, Conflict for a name that another calendar has */
export async function updateCalendar(connection: GraphAccountClient, calendarId: string, input: CalendarInput) {
  const wanted = checkedCalendarInput(input);
  const entry = await connection.freshCalendar(calendarId);
  if (isReadOnly(entry)) throw new DomainError('ReadOnlyCalendar', 'The account may not write to this calendar.');
  const body = calendarBody(wanted);
  if (Object.keys(body).length > 0) {
    connection.clearCalendar(entry);
    await connection.call('idempotent', { method: 'PATCH', path: calendarPath(entry.id), body });
  }
  return written(connection, entry.id, wanted);
}

/** @throws DomainError NotFound, Forbidden for the default calendar */
export async function deleteCalendar(connection: GraphAccountClient, calendarId: string): Promise<void> {
  const entry = await connection.freshCalendar(calendarId);
  if (isPrimary(entry)) {
    throw new DomainError('Forbidden', 'The default calendar of a Microsoft account cannot be deleted.');
  }
  connection.clearCalendar(entry);
  try {
    await connection.call('idempotent', { method: 'DELETE', path: calendarPath(entry.id) });
  } catch (error) {
    // An earlier try or another client has deleted it.
    if (!(error instanceof GraphApiError) || !error.isGone) throw error;
  }
}

/** Graph has few named colours and no zones of calendars, so our properties store both. @param marks more properties */
function calendarBody(
  { name, hexColor, timeZone }: CalendarInput,
  marks: ReadonlyMap<OwnName, string> = new Map(),
): Record<string, unknown> {
  const properties = new Map(marks);
  if (hexColor !== undefined) properties.set('ucHexColor', hexColor);
  if (timeZone !== undefined) properties.set('ucTimeZone', timeZone);
  return {
    ...(name !== undefined && { name }),
    ...(hexColor !== undefined && { color: nearestColor(hexColor) }),
    ...(properties.size > 0 && { singleValueExtendedProperties: writtenProperties(properties) }),
  };
}

/** Reads the calendar again, because Graph answers a write without our properties. */
async function written(connection: GraphAccountClient, calendarId: string, wanted: CalendarInput) {
  return writtenCalendar(await getCalendar(connection, calendarId), wanted);
}

/** Lists calendars, or their changes since a sync token: Graph reports no changes of calendars. */
export async function listCalendars(connection: GraphAccountClient, list: ListCalendars) {
  const entries = await readCalendars(connection);
  const context = await calendarContext(connection, entries);
  const calendars = entries.map((entry) => {
    const calendar = toCalendar(entry, context);
    return { calendar, key: `${isPrimary(entry) ? 0 : 1} ${calendar.name} ${calendar.id}` };
  });
  return syncCalendarsBySnapshot(calendars, list);
}

export async function readCalendars(connection: GraphAccountClient): Promise<OutlookCalendar[]> {
  const query = { $top: '100', $expand: EXPAND_OWN };
  const rows = await connection.rows({ method: 'GET', path: '/me/calendars', query });
  const found = new Map(rows.map(outlookCalendar).map((entry) => [entry.id, entry]));
  for (const calendar of found.values()) connection.rememberCalendar(calendar);
  return [...found.values()];
}

/**
 * Graph chooses the id, so a repeated idempotency key finds the calendar by a property of ours.
 * @throws DomainError Conflict for a name that another calendar has
 */
export async function createCalendar(
  connection: GraphAccountClient,
  input: CalendarInput & { name: string },
  { idempotencyKey }: WriteOptions,
): Promise<CalendarWritten> {
  const wanted = checkedCalendarInput(input);
  const marks = marksOf(connection, idempotencyKey);
  const found = marks.size === 0 ? undefined : await findMade(connection, marks);
  if (found !== undefined) return written(connection, found, wanted);
  const body = calendarBody(wanted, marks);
  const made = await connection.call('once', { method: 'POST', path: '/me/calendars', body });
  return written(connection, outlookCalendar(made).id, wanted);
}

/** Equal for all tries of one request of one account. */
function marksOf({ session }: GraphAccountClient, idempotencyKey: string | undefined): OwnProperties {
  if (idempotencyKey === undefined) return new Map();
  return changedProperties({}, new Map(), JSON.stringify([session.applicationId, session.accountId, idempotencyKey]));
}

async function findMade(connection: GraphAccountClient, marks: OwnProperties): Promise<string | undefined> {
  const calendars = await readCalendars(connection);
  return calendars.find((calendar) => {
    const own = ownPropertiesOf(calendar);
    return [...marks].every(([name, value]) => own.get(name) === value);
  })?.id;
}

async function calendarContext(connection: GraphAccountClient, calendars: readonly OutlookCalendar[]) {
  const ownAddresses = await ownAddressesAmong(connection, calendars);
  return { ownAddresses, mailboxTimeZone: await connection.mailboxTimeZone() };
}

export async function isShared(connection: GraphAccountClient, calendar: OutlookCalendar): Promise<boolean> {
  return isOfOthers(calendar, await ownAddressesAmong(connection, [calendar]));
}

/** Addresses of the account and of its default calendar's owner: a mailbox may have another address. */
async function ownAddressesAmong(connection: GraphAccountClient, calendars: readonly OutlookCalendar[]) {
  const own = new Set([connection.session.email.toLowerCase()]);
  const known = calendars.find(isPrimary);
  const isInDoubt = calendars.some((calendar) => isOfOthers(calendar, own));
  const primary = known ?? (isInDoubt ? await connection.calendar(PRIMARY) : undefined);
  const owner = primary === undefined ? undefined : ownerOf(primary);
  if (owner !== undefined) own.add(owner);
  return own;
}
