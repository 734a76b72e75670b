import type { Calendar, DeletedCalendar, ListCalendars, Page } from '#domain';
import { comparedCalendars } from '#providers/kit/sync';
import { calendarContext } from './calendar-context.js';
import { isPrimary, outlookCalendar, toCalendar, type OutlookCalendar } from './calendar-entry.js';
import type { GraphConnection } from './connection.js';
import { EXPAND_OWN } from './events/own-properties.js';
import { readRows } from './graph-rows.js';

const PAGE_SIZE = 100;

/** The calendars, or what changed among them since a sync token; Graph tells no changes of them. */
export async function listCalendars(
  connection: GraphConnection,
  list: ListCalendars,
): Promise<Page<Calendar | DeletedCalendar>> {
  const entries = await readCalendars(connection);
  const context = await calendarContext(connection, entries);
  const calendars = entries.map((entry) => {
    const calendar = toCalendar(entry, context);
    return { calendar, key: `${isPrimary(entry) ? 0 : 1} ${calendar.name} ${calendar.id}` };
  });
  return comparedCalendars(calendars, list);
}

/** All of them, each once, as Graph has them now. */
export async function readCalendars(connection: GraphConnection): Promise<OutlookCalendar[]> {
  const query = { $top: String(PAGE_SIZE), $expand: EXPAND_OWN };
  const rows = await readRows(connection, { method: 'GET', path: '/me/calendars', query });
  const found = new Map(rows.map(outlookCalendar).map((entry) => [entry.id, entry]));
  const calendars = [...found.values()];
  for (const calendar of calendars) connection.rememberCalendar(calendar);
  return calendars;
}
