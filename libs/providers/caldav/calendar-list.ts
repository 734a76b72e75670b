import type { Calendar, DeletedCalendar, ListCalendars, Page } from '#domain';
import { comparedCalendars } from '#providers/kit/sync';
import { toCalendar } from './calendar-view.js';
import type { CalDavConnection, CalendarCollection } from './dav/contract.js';

/** The calendars, or what changed among them since a sync token; CalDAV has no token for a home. */
export async function listCalendars(
  connection: CalDavConnection,
  list: ListCalendars,
): Promise<Page<Calendar | DeletedCalendar>> {
  const collections = list.page === null ? await connection.freshCollections() : await connection.collections();
  const calendars = collections.map((collection) => {
    const calendar = toCalendar(connection, collection);
    return { calendar, key: placeOf(collection, calendar) };
  });
  return comparedCalendars(calendars, list);
}

/** In the order the user gave them (calendar-order of Apple's clients), then by name. */
function placeOf({ order }: CalendarCollection, { name, id }: Calendar): string {
  const place =
    order === null || order < 0 ? '9999999999' : String(Math.trunc(Math.min(order, 9_999_999_998))).padStart(10, '0');
  return `${place} ${name} ${id}`;
}
