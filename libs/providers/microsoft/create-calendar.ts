import type { CalendarInput, CalendarWritten, WriteOptions } from '#domain';
import { checkedCalendarInput } from '#providers/kit/events';
import { outlookCalendar } from './calendar-entry.js';
import { readCalendars } from './calendar-list.js';
import { calendarBody, written } from './calendars.js';
import type { GraphConnection } from './connection.js';
import { changedProperties, ownPropertiesOf, type OwnProperties } from './events/own-properties.js';

/**
 * Makes a calendar. Graph lets nobody choose the id of one, so a property of ours that no client shows marks it: the same
 * idempotency key finds what an earlier try made.
 * @throws DomainError Conflict for a name that another calendar has
 */
export async function createCalendar(
  connection: GraphConnection,
  input: CalendarInput & { name: string },
  { idempotencyKey }: WriteOptions,
): Promise<CalendarWritten> {
  const wanted = checkedCalendarInput(input);
  const marks = marksOf(connection, idempotencyKey);
  const made = marks.size === 0 ? undefined : await findMade(connection, marks);
  return written(connection, made ?? (await insert(connection, calendarBody(wanted, marks))), wanted);
}

/** The same for every try of one request of one account, and no one's else. */
function marksOf({ session }: GraphConnection, idempotencyKey: string | undefined): OwnProperties {
  if (idempotencyKey === undefined) return new Map();
  return changedProperties({}, new Map(), JSON.stringify([session.applicationId, session.accountId, idempotencyKey]));
}

async function findMade(connection: GraphConnection, marks: OwnProperties): Promise<string | undefined> {
  const calendars = await readCalendars(connection);
  return calendars.find((calendar) => {
    const own = ownPropertiesOf(calendar);
    return [...marks].every(([name, value]) => own.get(name) === value);
  })?.id;
}

async function insert(connection: GraphConnection, body: Record<string, unknown>): Promise<string> {
  return outlookCalendar(await connection.call('once', { method: 'POST', path: '/me/calendars', body })).id;
}
