import type { Calendar, DeletedCalendar, ListCalendars, Page } from '#domain';
import { comparedCalendars, recordOf } from '#event-rules';
import { calendarContext } from './calendar-context.js';
import { isPrimary, outlookCalendar, toCalendar, type OutlookCalendar } from './calendar-entry.js';
import type { AccountConnection } from './connection.js';
import { nonsense } from './errors.js';
import { EXPAND_OWN } from './events/own-properties.js';

const PAGE_SIZE = 100;
/** More than two thousand calendars are no list any more. */
const MAX_PAGES = 20;

/** The calendars, or what changed among them since a sync token; Graph tells no changes of them. */
export async function listCalendars(
  connection: AccountConnection,
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
export async function readCalendars(connection: AccountConnection): Promise<OutlookCalendar[]> {
  const found = new Map<string, OutlookCalendar>();
  const query = { $top: String(PAGE_SIZE), $expand: EXPAND_OWN };
  let page = recordOf(await connection.call('read', { method: 'GET', path: '/me/calendars', query }));
  for (let pages = 1; ; pages += 1) {
    if (!Array.isArray(page['value'])) throw nonsense();
    for (const entry of page['value'].map(outlookCalendar)) found.set(entry.id, entry);
    const next = page['@odata.nextLink'] ?? null;
    if (next === null) break;
    // A list that goes on somewhere must not end here.
    if (typeof next !== 'string' || pages >= MAX_PAGES) throw nonsense();
    page = recordOf(await connection.follow(connection.stateOf(next)));
  }
  const calendars = [...found.values()];
  for (const calendar of calendars) connection.rememberCalendar(calendar);
  return calendars;
}
