import { DomainError, type Calendar, type CalendarInput, type CalendarWritten } from '#domain';
import { checkedCalendarInput, writtenCalendar } from '#providers/kit/events';
import { calendarContext } from './calendar-context.js';
import { nearestColor } from './calendar-colors.js';
import { isPrimary, isReadOnly, toCalendar, type OutlookCalendar } from './calendar-entry.js';
import { calendarPath, type GraphConnection } from './connection.js';
import { GraphFault } from './contract.js';
import { isGone } from './errors.js';
import { writtenProperties, type OwnName } from './events/own-properties.js';

/** @throws DomainError NotFound */
export async function getCalendar(connection: GraphConnection, calendarId: string): Promise<Calendar> {
  return shown(connection, await connection.freshCalendar(calendarId));
}

/** @throws DomainError NotFound, ReadOnlyCalendar, Conflict for a name that another calendar has */
export async function updateCalendar(
  connection: GraphConnection,
  calendarId: string,
  input: CalendarInput,
): Promise<CalendarWritten> {
  const wanted = checkedCalendarInput(input);
  const entry = await connection.freshCalendar(calendarId);
  if (isReadOnly(entry)) throw new DomainError('ReadOnlyCalendar', 'The account may not write to this calendar.');
  const body = calendarBody(wanted);
  if (Object.keys(body).length > 0) {
    connection.forgetCalendar(entry);
    await connection.call('idempotent', { method: 'PATCH', path: calendarPath(entry.id), body });
  }
  return written(connection, entry.id, wanted);
}

/** @throws DomainError NotFound, Forbidden for the default calendar */
export async function deleteCalendar(connection: GraphConnection, calendarId: string): Promise<void> {
  const entry = await connection.freshCalendar(calendarId);
  if (isPrimary(entry)) {
    throw new DomainError('Forbidden', 'The default calendar of a Microsoft account cannot be deleted.');
  }
  connection.forgetCalendar(entry);
  try {
    await connection.call('idempotent', { method: 'DELETE', path: calendarPath(entry.id) });
  } catch (error) {
    // An earlier try, or somebody else, has done it.
    if (!(error instanceof GraphFault) || !isGone(error)) throw error;
  }
}

/**
 * The body of a write. Graph has a handful of named colours, and no zone of a calendar: what was asked for is kept beside
 * them.
 * @param marks properties of ours that are not the caller's
 */
export function calendarBody(
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

/** Graph answers a write without our properties: what it holds now is read. */
export async function written(
  connection: GraphConnection,
  calendarId: string,
  wanted: CalendarInput,
): Promise<CalendarWritten> {
  return writtenCalendar(await getCalendar(connection, calendarId), wanted);
}

async function shown(connection: GraphConnection, entry: OutlookCalendar): Promise<Calendar> {
  return toCalendar(entry, await calendarContext(connection, [entry]));
}
