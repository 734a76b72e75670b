import { Pace } from '#platform/event-loop';
import { IcsDocument, objectZones, ianaZone } from '#icalendar';
import type { CalDavAccount, CalendarCollection, DavElement, DavResponse } from './dav/contract.js';
import { unlessBroken } from './events/calendar-object.js';
import { comparablePath, resolveHref, withTrailingSlash } from './dav/hrefs.js';
import { childNamed } from './dav/xml-reader.js';
import { calendarIdOfPath } from './ids.js';

const CALDAV = '{urn:ietf:params:xml:ns:caldav}';
const CS = '{http://calendarserver.org/ns/}';
const APPLE = '{http://apple.com/ns/ical/}';

const NAMES = {
  resourceType: '{DAV:}resourcetype',
  displayName: '{DAV:}displayname',
  owner: '{DAV:}owner',
  privileges: '{DAV:}current-user-privilege-set',
  reports: '{DAV:}supported-report-set',
  syncToken: '{DAV:}sync-token',
  color: `${APPLE}calendar-color`,
  order: `${APPLE}calendar-order`,
  timeZone: `${CALDAV}calendar-timezone`,
  timeZoneId: `${CALDAV}calendar-timezone-id`,
  componentSet: `${CALDAV}supported-calendar-component-set`,
  minDate: `${CALDAV}min-date-time`,
  maxDate: `${CALDAV}max-date-time`,
  changeTag: `${CS}getctag`,
};
export const {
  changeTag: CHANGE_TAG,
  color: COLOR,
  displayName: DISPLAY_NAME,
  timeZone: TIME_ZONE,
  resourceType: RESOURCE_TYPE,
} = NAMES;

/** Requests list these properties by name, because allprop has failed on iCloud and Bedework. */
export const COLLECTION_PROPERTIES: readonly string[] = Object.values(NAMES);

/** Collections of a home that hold no events of the user, even when they claim to be calendars. */
const HIDDEN_TYPES: readonly string[] = [
  `${CALDAV}schedule-inbox`,
  `${CS}notification`,
  `${CS}dropbox-home`,
  '{http://nextcloud.com/ns}trash-bin',
  '{http://nextcloud.com/ns}deleted-calendar',
];

/** Returns null for a resource that holds no events, and for hrefs of other origins. */
export function toCollection(response: DavResponse, account: CalDavAccount): CalendarCollection | null {
  const { path, properties } = response;
  if (path === null || (response.status !== null && response.status >= 300)) return null;
  const types = childNames(properties.get(NAMES.resourceType));
  // SOGo's personal calendar is also its schedule-outbox, so this type does not hide a calendar.
  if (!types.includes(`${CALDAV}calendar`) || HIDDEN_TYPES.some((type) => types.includes(type))) return null;
  if (!holdsEvents(properties.get(NAMES.componentSet))) return null;
  const collectionPath = withTrailingSlash(path);
  const owner = childNamed(properties.get(NAMES.owner), '{DAV:}href')?.text.trim() || null;
  const privileges = privilegesOf(properties.get(NAMES.privileges));
  const lastSegment = collectionPath.split('/').findLast((segment) => segment !== '');
  const order = Number(text(properties.get(NAMES.order)) ?? Number.NaN);
  const isSubscribed = types.includes(`${CS}subscribed`);
  return {
    id: calendarIdOfPath(collectionPath),
    // iCloud returns absolute hrefs (`https://p42-…:443/…`); requests use only their path.
    href: withTrailingSlash(resolveHref(response.href, account.origin)?.pathname ?? response.href),
    displayName: text(properties.get(NAMES.displayName)) ?? comparablePath(lastSegment ?? ''),
    color: text(properties.get(NAMES.color)),
    timeZone: timeZoneOf(properties),
    readOnly: isSubscribed || (privileges !== null && !WRITE_PRIVILEGES.some((name) => privileges.has(name))),
    isShared: isShared(types, owner, account),
    order: Number.isFinite(order) ? order : null,
    ...supportedReports(properties),
    freeBusyOnly: privileges?.has('read-free-busy') === true && !privileges.has('read') && !privileges.has('all'),
    minDateTime: text(properties.get(NAMES.minDate)),
    maxDateTime: text(properties.get(NAMES.maxDate)),
    changeTag: reliableTag(text(properties.get(NAMES.changeTag))),
  };
}

/** Returns null for a timestamp, which misses a second change within one second. */
export function reliableTag(tag: string | null): string | null {
  return tag === null || /^"?\d{9,13}"?$/.test(tag) ? null : tag;
}

export async function collectionsOf(
  members: readonly DavResponse[],
  homePath: string,
  account: CalDavAccount,
): Promise<Map<string, CalendarCollection>> {
  const pace = new Pace();
  const found = new Map<string, CalendarCollection>();
  for (const response of members) {
    await pace.step();
    const collection = toCollection(response, account);
    if (collection !== null && comparablePath(collection.href) !== homePath) found.set(collection.id, collection);
  }
  return found;
}

const WRITE_PRIVILEGES: readonly string[] = ['all', 'write', 'write-content', 'bind'];

export function childNames(element: DavElement | undefined): string[] {
  return element?.children.map(({ name }) => name) ?? [];
}

function text(element: DavElement | undefined): string | null {
  return element?.text.trim() || null;
}

/** An absent or empty set allows every component (RFC 4791 §5.2.3). */
function holdsEvents(element: DavElement | undefined): boolean {
  const names = (element?.children ?? []).flatMap(({ attributes }) => attributes['name']?.toUpperCase() ?? []);
  return names.length === 0 || names.includes('VEVENT');
}

/** Local names; null when the server does not report privileges. */
function privilegesOf(element: DavElement | undefined): Set<string> | null {
  if (element === undefined) return null;
  return new Set(element.children.flatMap(({ children }) => children.map(({ name }) => name.replace(/^\{.*\}/, ''))));
}

function isShared(types: string[], owner: string | null, account: CalDavAccount): boolean {
  if (types.includes(`${CS}shared`)) return true;
  if (types.includes(`${CS}shared-owner`) || owner === null || account.principalHref === null) return false;
  const ownerPath = pathOf(owner, account.origin);
  const ownPaths = [account.principalHref, ...account.addressUris].map((uri) => pathOf(uri, account.origin));
  return ownerPath !== null && !ownPaths.includes(ownerPath);
}

/** Compares paths only, because iCloud serves principals and calendars from different hosts. */
function pathOf(href: string, origin: string): string | null {
  const url = resolveHref(href, origin);
  return url === null ? null : withTrailingSlash(comparablePath(url.pathname));
}

function supportedReports(
  properties: ReadonlyMap<string, DavElement>,
): Pick<CalendarCollection, 'supportsSyncCollection' | 'supportsMultiget'> {
  const hasToken = text(properties.get(NAMES.syncToken)) !== null;
  // Xandikos 0.2.8 omits the `report` level, so any descendant counts.
  const names = new Set(descendantNames(properties.get(NAMES.reports)));
  if (names.size === 0) return { supportsSyncCollection: hasToken || null, supportsMultiget: null };
  return {
    supportsSyncCollection: hasToken || names.has('{DAV:}sync-collection'),
    supportsMultiget: names.has(`${CALDAV}calendar-multiget`),
  };
}

function descendantNames(element: DavElement | undefined): string[] {
  return (element?.children ?? []).flatMap((child) => [child.name, ...descendantNames(child)]);
}

/** IANA id of calendar-timezone-id (RFC 7809 §5.2), else of the VTIMEZONE in calendar-timezone; null when unknown. */
function timeZoneOf(properties: ReadonlyMap<string, DavElement>): string | null {
  const id = text(properties.get(NAMES.timeZoneId));
  const known = id === null ? null : ianaZone(id);
  if (known !== null) return known;
  const object = text(properties.get(NAMES.timeZone));
  if (object === null) return null;
  return unlessBroken(() => {
    const [calendar] = IcsDocument.parse(object).calendars;
    const tzid = calendar?.componentsNamed('VTIMEZONE')[0]?.property('TZID')?.value;
    return calendar === undefined || tzid === undefined ? null : ianaZone(objectZones(calendar).zone(tzid).timeZone);
  });
}
