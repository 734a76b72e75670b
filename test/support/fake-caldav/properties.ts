import type { FakeCalendar } from './store.js';
import type { FakeSwitches } from './switches.js';
import { APPLE, CALDAV, CALENDARSERVER, DAV, escapeXml, tag, type ResponseProperty } from './xml.js';

/** What a server needs to describe itself. */
export interface FakeAddresses {
  principalPath: string;
  homeHrefs: string[];
  username: string;
}

const href = (path: string): string => `<d:href xmlns:d="DAV:">${escapeXml(path)}</d:href>`;

/** Properties of an entry point, principal or home. */
export function plainProperties(
  kind: 'entry' | 'principal' | 'home',
  switches: FakeSwitches,
  addresses: FakeAddresses,
): Map<string, string> {
  const properties = new Map<string, string>();
  const types = kind === 'principal' ? ['{DAV:}collection', '{DAV:}principal'] : ['{DAV:}collection'];
  properties.set('{DAV:}resourcetype', types.map((name) => tag(name, '', 'prefixed')).join(''));
  if (switches.currentUserPrincipal === 'href') {
    properties.set('{DAV:}current-user-principal', href(addresses.principalPath));
  }
  if (switches.currentUserPrincipal === 'unauthenticated') {
    properties.set('{DAV:}current-user-principal', '<d:unauthenticated xmlns:d="DAV:"/>');
  }
  if (kind === 'principal') {
    if (addresses.homeHrefs.length > 0) {
      properties.set(`{${CALDAV}}calendar-home-set`, addresses.homeHrefs.map(href).join(''));
    }
    properties.set(
      `{${CALDAV}}calendar-user-address-set`,
      switches.addressSet ??
        `${href(addresses.principalPath)}<d:href xmlns:d="DAV:" preferred="1">mailto:${escapeXml(addresses.username)}</d:href>`,
    );
    properties.set('{DAV:}displayname', 'Alice');
  }
  return properties;
}

export function calendarProperties(calendar: FakeCalendar, switches: FakeSwitches): Map<string, string> {
  const properties = new Map(calendar.properties);
  const empty = (name: string): string => tag(name, '', 'prefixed');
  properties.set('{DAV:}resourcetype', calendar.resourceTypes.map(empty).join(''));
  if (calendar.components !== null) {
    properties.set(
      `{${CALDAV}}supported-calendar-component-set`,
      calendar.components.map((name) => `<cal:comp name="${name}"/>`).join(''),
    );
  }
  properties.set(
    '{DAV:}current-user-privilege-set',
    calendar.privileges.map((name) => tag('{DAV:}privilege', empty(name), 'prefixed')).join(''),
  );
  if (calendar.ownerHref !== null) properties.set('{DAV:}owner', href(calendar.ownerHref));
  const reports = [`{${CALDAV}}calendar-query`, `{${CALDAV}}calendar-multiget`];
  if (switches.syncCollection === 'works') reports.push('{DAV:}sync-collection');
  if (switches.reportSet !== 'absent') {
    const inner = (name: string): string =>
      switches.reportSet === 'full' ? tag('{DAV:}report', empty(name), 'prefixed') : empty(name);
    const list = reports.map((name) => tag('{DAV:}supported-report', inner(name), 'prefixed'));
    properties.set('{DAV:}supported-report-set', list.join(''));
  }
  if (switches.changeTags !== 'none') {
    properties.set(`{${CALENDARSERVER}}getctag`, escapeXml(`"${calendar.revision}"`));
  }
  if (switches.changeTags === 'both' && switches.syncCollection === 'works') {
    properties.set('{DAV:}sync-token', escapeXml(syncToken(calendar, calendar.revision)));
  }
  if (switches.timeLimits !== null) {
    properties.set(`{${CALDAV}}min-date-time`, switches.timeLimits.min);
    properties.set(`{${CALDAV}}max-date-time`, switches.timeLimits.max);
  }
  return properties;
}

export function syncToken(calendar: FakeCalendar, revision: number): string {
  return `data:,${encodeURIComponent(calendar.path)}&${revision}`;
}

/** The revision of a token of this collection; null for any other text. */
export function revisionOf(calendar: FakeCalendar, token: string): number | null {
  const [path, revision] = token.split('&');
  if (path !== `data:,${encodeURIComponent(calendar.path)}` || !/^\d+$/.test(revision ?? '')) return null;
  const value = Number(revision);
  return value <= calendar.revision && value >= calendar.oldestRevision ? value : null;
}

export const NAMES = {
  etag: '{DAV:}getetag',
  lastModified: '{DAV:}getlastmodified',
  contentType: '{DAV:}getcontenttype',
  resourceType: '{DAV:}resourcetype',
  scheduleTag: `{${CALDAV}}schedule-tag`,
  calendarData: `{${CALDAV}}calendar-data`,
  color: `{${APPLE}}calendar-color`,
} as const;

/** The properties asked for: the ones there are with 200, the others with 404. */
export function select(asked: string[], available: Map<string, string>): ResponseProperty[] {
  return asked.map((name) => {
    const xml = available.get(name);
    return xml === undefined ? { name, xml: '', status: 404 } : { name, xml };
  });
}

export { DAV };
