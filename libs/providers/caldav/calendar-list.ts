import {
  DomainError,
  type Calendar,
  type DeletedCalendar,
  type JsonValue,
  type ListCalendars,
  type Page,
} from '#domain';
import { calendarHash, toCalendar } from './calendar-view.js';
import type { CalDavConnection, CalendarCollection } from './dav/contract.js';
import { calendarIdOfPath, pathOfCalendarId } from './ids.js';

/** What the list held when a sync token was made: calendar id → hash of the calendar. */
type Basis = Map<string, string>;

interface Entry {
  /** Order inside of one list; pages go on after it, so that a calendar that comes or goes shifts nothing. */
  key: string;
  item: Calendar | DeletedCalendar;
}

/**
 * The calendars, or what changed among them since a sync token. CalDAV has no token for a home: ours
 * holds a hash of each calendar. It is made before the first page is given out and carried through the pages.
 */
export async function listCalendars(
  connection: CalDavConnection,
  { pageSize, page, sync }: ListCalendars,
): Promise<Page<Calendar | DeletedCalendar>> {
  const cursor = page === null ? null : readCursor(page);
  const since = cursor === null ? (sync === null ? null : readBasis(sync)) : cursor.since;
  const collections = cursor === null ? await connection.freshCollections() : await connection.collections();
  const calendars = collections.map((collection) => ({ collection, calendar: toCalendar(connection, collection) }));
  const basis: Basis = cursor?.basis ?? new Map(calendars.map(({ calendar }) => [calendar.id, calendarHash(calendar)]));
  const entries =
    since === null
      ? calendars.map(({ collection, calendar }) => listed(collection, calendar))
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

/** In the order the user gave them (calendar-order of Apple's clients), then by name. */
function listed({ order }: CalendarCollection, calendar: Calendar): Entry {
  const place =
    order === null || order < 0 ? '9999999999' : String(Math.trunc(Math.min(order, 9_999_999_998))).padStart(10, '0');
  return { key: `${place} ${calendar.name} ${calendar.id}`, item: calendar };
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

/** Paths with their common beginning written once: tokens travel in URLs. */
function writeBasis(basis: Basis): JsonValue {
  const paths = [...basis].map(([id, hash]): [string, string] => [pathOfCalendarId(id) ?? '', hash]);
  const prefix = commonPrefix(paths.map(([path]) => path));
  return { prefix, calendars: paths.map(([path, hash]) => [path.slice(prefix.length), hash]) };
}

function readBasis(value: JsonValue | undefined): Basis {
  if (!isRecord(value) || typeof value['prefix'] !== 'string' || !Array.isArray(value['calendars'])) throw foreign();
  const { prefix, calendars } = value;
  return new Map(
    calendars.map((entry): [string, string] => {
      if (!Array.isArray(entry) || typeof entry[0] !== 'string' || typeof entry[1] !== 'string') throw foreign();
      return [calendarIdOfPath(prefix + entry[0]), entry[1]];
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
  if (!isRecord(value) || typeof value['after'] !== 'string') throw foreign();
  const since = value['since'];
  return {
    after: value['after'],
    basis: readBasis(value['basis']),
    since: since === null || since === undefined ? null : readBasis(since),
  };
}

function commonPrefix(paths: string[]): string {
  const [first = ''] = paths;
  let length = first.length;
  for (const path of paths) {
    while (!path.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}

function isRecord(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function foreign(): DomainError {
  return new DomainError('PageTokenInvalid', 'The token is not one that this service can go on from.');
}
