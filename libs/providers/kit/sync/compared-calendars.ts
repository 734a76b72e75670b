import { createHash } from 'node:crypto';
import type { Calendar, DeletedCalendar, JsonValue, ListCalendars, Page } from '#domain';
import { tokenForeign } from './cursors.js';

/** What a list held when a sync token was made: calendar id → hash of the calendar. */
type Basis = Map<string, string>;

export interface ListedCalendar {
  calendar: Calendar;
  /** Order of a full list; pages go on after it, so that a calendar that comes or goes shifts nothing. */
  key: string;
}

interface Entry {
  key: string;
  item: Calendar | DeletedCalendar;
}

/**
 * A page of the calendars, or of what changed among them since a sync token, for providers that have no such token: ours
 * holds a hash of each calendar as it was shown. It is made before the first page is given out and carried through the
 * pages.
 * @param calendars all there are now
 * @throws DomainError PageTokenInvalid
 */
export function comparedCalendars(
  calendars: readonly ListedCalendar[],
  { pageSize, page, sync }: ListCalendars,
): Page<Calendar | DeletedCalendar> {
  const cursor = page === null ? null : readCursor(page);
  const since = cursor === null ? (sync === null ? null : readBasis(sync)) : cursor.since;
  const basis: Basis = cursor?.basis ?? new Map(calendars.map(({ calendar }) => [calendar.id, calendarHash(calendar)]));
  const entries =
    since === null
      ? calendars.map(({ calendar, key }): Entry => ({ key, item: calendar }))
      : changed(
          calendars.map(({ calendar }) => calendar),
          since,
        );
  const ordered = entries.sort((one, other) => (one.key < other.key ? -1 : 1));
  const rest = cursor === null ? ordered : ordered.filter(({ key }) => key > cursor.after);
  const shown = rest.slice(0, pageSize);
  const last = shown.at(-1);
  const isLast = rest.length <= pageSize || last === undefined;
  return {
    items: shown.map(({ item }) => item),
    nextPage: isLast ? null : writeCursor({ after: last.key, basis, since }),
    nextSync: isLast ? writeBasis(basis) : null,
  };
}

/** Changes when anything of the calendar that is shown changes. */
function calendarHash(calendar: Calendar): string {
  return createHash('sha256').update(JSON.stringify(calendar)).digest('base64url').slice(0, 8);
}

function changed(calendars: Calendar[], since: Basis): Entry[] {
  const ids = new Set(calendars.map(({ id }) => id));
  const gone = [...since.keys()].filter((id) => !ids.has(id));
  return [
    ...calendars
      .filter((calendar) => since.get(calendar.id) !== calendarHash(calendar))
      .map((item) => ({ key: item.id, item })),
    ...gone.map((id): Entry => ({ key: id, item: { id, isDeleted: true } })),
  ];
}

/** Ids with their common beginning written once: tokens travel in URLs. */
function writeBasis(basis: Basis): JsonValue {
  const prefix = commonPrefix([...basis.keys()]);
  return { prefix, calendars: [...basis].map(([id, hash]) => [id.slice(prefix.length), hash]) };
}

function readBasis(value: JsonValue | undefined): Basis {
  if (!isRecord(value) || typeof value['prefix'] !== 'string' || !Array.isArray(value['calendars'])) {
    throw tokenForeign();
  }
  const { prefix, calendars } = value;
  return new Map(
    calendars.map((entry): [string, string] => {
      if (!Array.isArray(entry) || typeof entry[0] !== 'string' || typeof entry[1] !== 'string') throw tokenForeign();
      return [prefix + entry[0], entry[1]];
    }),
  );
}

interface Cursor {
  after: string;
  basis: Basis;
  since: Basis | null;
}

function writeCursor({ after, basis, since }: Cursor): JsonValue {
  return { after, basis: writeBasis(basis), since: since === null ? null : writeBasis(since) };
}

function readCursor(value: JsonValue): Cursor {
  if (!isRecord(value) || typeof value['after'] !== 'string') throw tokenForeign();
  const since = value['since'];
  return {
    after: value['after'],
    basis: readBasis(value['basis']),
    since: since === null || since === undefined ? null : readBasis(since),
  };
}

function commonPrefix(texts: string[]): string {
  const [first = ''] = texts;
  let length = first.length;
  for (const text of texts) {
    while (!text.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}

function isRecord(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
