import { createHash } from 'node:crypto';
import type { Calendar, DeletedCalendar } from '#domain/calendars';
import type { ListCalendars, Page } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { areTexts, cursorFields, sliceAfter, tokenForeign } from './cursors.js';

/** Content of the list at the time of a sync token: calendar id → hash of the calendar. */
type Basis = Map<string, string>;

export interface ListedCalendar {
  calendar: Calendar;
  /** Sort key. A page starts after the last key, so added or removed calendars shift nothing. */
  key: string;
}

/**
 * Pages through the calendars, or the changes since a sync token, for providers without such a token. Our token holds a
 * hash of each calendar, taken before the first page.
 * @throws DomainError PageTokenInvalid
 */
export function syncCalendarsBySnapshot(
  calendars: readonly ListedCalendar[],
  { pageSize, page, sync }: ListCalendars,
): Page<Calendar | DeletedCalendar> {
  const cursor = page === null ? null : readCursor(page);
  const since = cursor === null ? (sync === null ? null : readBasis(sync)) : cursor.since;
  const basis: Basis = cursor?.basis ?? new Map(calendars.map(({ calendar }) => [calendar.id, calendarHash(calendar)]));
  const entries =
    since === null ? calendars.map(({ calendar, key }) => ({ key, item: calendar })) : changes(calendars, since);
  const ordered = entries.sort((one, other) => (one.key < other.key ? -1 : 1));
  const { given, last } = sliceAfter(ordered, ({ key }) => key, cursor?.after ?? null, pageSize);
  return {
    items: given.map(({ item }) => item),
    nextPage: last === null ? null : { after: last, basis: writeBasis(basis), since: since && writeBasis(since) },
    nextSync: last === null ? writeBasis(basis) : null,
  };
}

function calendarHash(calendar: Calendar): string {
  return createHash('sha256').update(JSON.stringify(calendar)).digest('base64url').slice(0, 8);
}

function changes(calendars: readonly ListedCalendar[], since: Basis) {
  const now = calendars.map(({ calendar }) => calendar);
  const changed = now.filter((calendar) => since.get(calendar.id) !== calendarHash(calendar));
  const ids = new Set(now.map(({ id }) => id));
  const gone = [...since.keys()].filter((id) => !ids.has(id));
  const items: (Calendar | DeletedCalendar)[] = [...changed, ...gone.map((id) => ({ id, isDeleted: true as const }))];
  return items.map((item) => ({ key: item.id, item }));
}

/** Writes the common prefix of the ids once, because tokens travel in URLs. */
function writeBasis(basis: Basis): JsonValue {
  const prefix = commonPrefix([...basis.keys()]);
  return { prefix, calendars: [...basis].map(([id, hash]) => [id.slice(prefix.length), hash]) };
}

function readBasis(value: JsonValue | undefined): Basis {
  const { prefix, calendars } = cursorFields(value);
  if (typeof prefix !== 'string' || !Array.isArray(calendars)) throw tokenForeign();
  return new Map(
    calendars.map((entry) => {
      const [id, hash] = areTexts(entry) ? entry : [];
      if (id === undefined || hash === undefined) throw tokenForeign();
      return [prefix + id, hash];
    }),
  );
}

function readCursor(value: JsonValue) {
  const { after, basis, since } = cursorFields(value);
  if (typeof after !== 'string') throw tokenForeign();
  return { after, basis: readBasis(basis), since: since == null ? null : readBasis(since) };
}

function commonPrefix(texts: string[]): string {
  const [first = ''] = texts;
  let length = first.length;
  for (const text of texts) {
    while (!text.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}
