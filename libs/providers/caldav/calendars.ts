import type { Calendar, CalendarInput, DeletedCalendar } from '#domain/calendars';
import type { CalendarWritten, ListCalendars, Page, WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { vtimezoneFor } from '#icalendar';
import { checkedCalendarInput } from '#providers/kit/events';
import { syncCalendarsBySnapshot } from '#providers/kit/sync';
import { COLOR, DISPLAY_NAME, TIME_ZONE } from './collection-properties.js';
import { hexColorOf, paletteColor } from './events/colors.js';
import { prefixed, xmlText, type XmlContent } from './dav/built-request.js';
import type { CalDavAccountClient } from './account-client.js';
import type { CalendarCollection } from './dav/contract.js';
import { davFailure, DavStatusError, isDone } from './dav/dav-errors.js';
import { withTrailingSlash } from './dav/hrefs.js';
import { requestUuid } from './events/object-writer.js';

export async function listCalendars(
  connection: CalDavAccountClient,
  list: ListCalendars,
): Promise<Page<Calendar | DeletedCalendar>> {
  const collections = list.page === null ? await connection.freshCollections() : await connection.collections();
  const calendars = collections.map((collection) => {
    const calendar = toCalendar(connection, collection);
    return { calendar, key: placeOf(collection, calendar) };
  });
  return syncCalendarsBySnapshot(calendars, list);
}

/** @throws DomainError NotFound */
export async function getCalendar(connection: CalDavAccountClient, calendarId: string): Promise<Calendar> {
  return toCalendar(connection, await connection.freshCollection(calendarId));
}

/**
 * Creates a calendar for events only, because iCloud allows exactly one component type. A repeated idempotency key
 * finds the calendar of the earlier try.
 * @throws DomainError NotSupportedByProvider when the server cannot create calendars
 */
export async function createCalendar(
  connection: CalDavAccountClient,
  input: CalendarInput & { name: string },
  { idempotencyKey }: WriteOptions,
): Promise<CalendarWritten> {
  const home = connection.account.homeHrefs[0];
  if (home === undefined) throw cannotCreate();
  const wanted = wantedProperties(input);
  const href = `${withTrailingSlash(home)}${requestUuid(connection.session, idempotencyKey)}/`;
  const isThere = idempotencyKey !== undefined && (await find(connection, href)) !== null;
  if (!isThere) await make(connection, href, wanted);
  connection.clearCollections();
  const made = await find(connection, href);
  // The server stored the calendar under a name of its own, and no request finds it by that name.
  if (made === null) throw davFailure({ status: 500 }, 'write');
  const missing = wanted.filter((property) => !property.isKept(made));
  await setProperties(connection, made.href, missing);
  return written(connection, made.id, wanted);
}

/** @throws DomainError NotFound, ReadOnlyCalendar, Forbidden */
export async function updateCalendar(
  connection: CalDavAccountClient,
  calendarId: string,
  input: CalendarInput,
): Promise<CalendarWritten> {
  const collection = await connection.collection(calendarId);
  const wanted = wantedProperties(input);
  const rejected = await setProperties(connection, collection.href, wanted);
  const isNothingLeft = wanted.length > 0 && rejected.size === wanted.length;
  const isRejected = rejected.has(DISPLAY_NAME) || isNothingLeft;
  // The cached list may be older than the right to write.
  const isReadOnly = isRejected && (await connection.freshCollection(calendarId)).readOnly;
  const status = rejected.get(DISPLAY_NAME) ?? (isNothingLeft && isReadOnly ? 403 : undefined);
  if (status !== undefined) {
    const precondition = isReadOnly ? '{DAV:}need-privileges' : null;
    throw davFailure({ status: status === 424 ? 409 : status, precondition }, 'write');
  }
  return written(connection, calendarId, wanted);
}

/** @throws DomainError NotFound, Forbidden (the default calendar of many servers cannot be deleted) */
export async function deleteCalendar(connection: CalDavAccountClient, calendarId: string): Promise<void> {
  const { href } = await connection.collection(calendarId);
  const response = await connection.client.delete(href, {});
  connection.clearCollections();
  if (!isDone(response)) throw davFailure(response, 'write');
}

type WantedProperty = ReturnType<typeof wantedProperties>[number];

const PROPERTIES = [
  {
    field: 'name',
    name: DISPLAY_NAME,
    contentOf: (value: string) => value,
    isKept: ({ displayName }: CalendarCollection, value: string) => displayName === value,
  },
  {
    field: 'hexColor',
    name: COLOR,
    // SOGo rejects colours of six digits.
    contentOf: (value: string) => `${value}FF`,
    isKept: ({ color }: CalendarCollection, value: string) => hexColorOf(color ?? '') === value.toUpperCase(),
  },
  {
    field: 'timeZone',
    name: TIME_ZONE,
    contentOf: zoneObject,
    isKept: ({ timeZone }: CalendarCollection, value: string) => timeZone === value,
  },
] as const;

function wantedProperties(input: CalendarInput) {
  const checked = checkedCalendarInput(input);
  return PROPERTIES.flatMap(({ field, name, contentOf, isKept }) => {
    const value = checked[field];
    if (value === undefined) return [];
    return [{ field, name, content: contentOf(value), isKept: (found: CalendarCollection) => isKept(found, value) }];
  });
}

/** calendar-timezone is a complete iCalendar object with one VTIMEZONE (RFC 4791 §5.2.2). */
function zoneObject(timeZone: string): string {
  const vtimezone = vtimezoneFor(timeZone, Date.UTC(2020, 0, 1), Date.UTC(2040, 0, 1)).trimEnd();
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Unified Calendar//EN\r\n${vtimezone}\r\nEND:VCALENDAR\r\n`;
}

async function find(connection: CalDavAccountClient, href: string): Promise<CalendarCollection | null> {
  const pathOf = (each: string) => withTrailingSlash(connection.client.pathOf(each) ?? '');
  return (await connection.freshCollections()).find((each) => pathOf(each.href) === pathOf(href)) ?? null;
}

async function make(connection: CalDavAccountClient, href: string, wanted: WantedProperty[]): Promise<void> {
  const { client } = connection;
  const names = wanted.filter(({ field }) => field === 'name');
  let response = await client.mkcalendar(href, { ...elements(wanted), ...EVENTS_ONLY });
  // One rejected property fails the whole MKCALENDAR, so the other properties are set one by one afterwards.
  if (!isDone(response) && MAY_BE_A_PROPERTY.has(response.status) && wanted.length > names.length) {
    response = await client.mkcalendar(href, { ...elements(names), ...EVENTS_ONLY });
  }
  if (isDone(response)) return;
  if (!MAY_KNOW_MKCOL_ONLY.has(response.status)) throw davFailure(response, 'write');
  // Old Baikal versions support only the extended MKCOL.
  const mkcol = await client.mkcol(href, { ...CALENDAR, ...elements(names), ...EVENTS_ONLY });
  if (isDone(mkcol)) return;
  throw MAY_KNOW_MKCOL_ONLY.has(mkcol.status) ? cannotCreate() : davFailure(mkcol, 'write');
}

const MAY_BE_A_PROPERTY: ReadonlySet<number> = new Set([400, 403, 409, 422, 424]);
const MAY_KNOW_MKCOL_ONLY: ReadonlySet<number> = new Set([403, 405, 501]);

const CALENDAR = { 'd:resourcetype': { 'd:collection': {}, 'c:calendar': {} } };
const EVENTS_ONLY = { 'c:supported-calendar-component-set': { 'c:comp': { _attributes: { name: 'VEVENT' } } } };

function elements(wanted: WantedProperty[]): XmlContent {
  return Object.fromEntries(wanted.map(({ name, content }) => [prefixed(name), xmlText(content)]));
}

/** Sends one PROPPATCH per property, because each is all or nothing (RFC 4918 §9.2). @returns rejected → status */
async function setProperties(
  { client }: CalDavAccountClient,
  href: string,
  wanted: WantedProperty[],
): Promise<Map<string, number>> {
  const rejected = new Map<string, number>();
  for (const property of wanted) {
    try {
      const { responses } = await client.proppatch(href, elements([property]));
      const status = responses
        .flatMap((response) => [...response.rejected.values(), response.status ?? 200])
        .find((code) => code >= 300);
      if (status !== undefined) rejected.set(property.name, status);
    } catch (error) {
      // Only client errors count as a rejected property; a 404 and 5xx concern the calendar or the server.
      if (!(error instanceof DavStatusError) || error.status >= 500 || error.status === 404) throw error;
      rejected.set(property.name, error.status);
    }
  }
  return rejected;
}

async function written(
  connection: CalDavAccountClient,
  calendarId: string,
  wanted: WantedProperty[],
): Promise<CalendarWritten> {
  connection.clearCollections();
  const collection = await connection.freshCollection(calendarId);
  const ignoredFields = wanted.filter((property) => !property.isKept(collection)).map(({ field }) => field);
  return { calendar: toCalendar(connection, collection), ignoredFields };
}

function cannotCreate(): DomainError {
  return new DomainError('NotSupportedByProvider', 'The calendar server does not let calendars be created.');
}

/** Sorts by the user's own order (calendar-order of Apple's clients), then by name. */
function placeOf({ order }: CalendarCollection, { name, id }: Calendar): string {
  const place =
    order === null || order < 0 ? '9999999999' : String(Math.trunc(Math.min(order, 9_999_999_998))).padStart(10, '0');
  return `${place} ${name} ${id}`;
}

function toCalendar({ account, session }: CalDavAccountClient, collection: CalendarCollection): Calendar {
  return {
    id: collection.id,
    name: collection.displayName,
    hexColor: hexColorOf(collection.color ?? '') ?? paletteColor(collection.id),
    readOnly: collection.readOnly,
    isPrimary: false,
    isShared: collection.isShared,
    timeZone: collection.timeZone ?? 'UTC',
    inviteEmail: account.addresses[0] ?? (session.email.includes('@') ? session.email : ''),
    allowedOnlineMeetingProviders: [],
  };
}
