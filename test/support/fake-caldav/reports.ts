import { shownTag } from './objects.js';
import { calendarProperties, NAMES, revisionOf, select, syncToken } from './properties.js';
import { decodePath, type FakeCalendar, type FakeObject, type FakeStore } from './store.js';
import type { FakeResponse, FakeSwitches } from './switches.js';
import {
  CALDAV,
  child,
  descendants,
  errorBody,
  escapeXml,
  multistatus,
  type AnswerResponse,
  type RequestElement,
} from './xml.js';

export interface ReportContext {
  store: FakeStore;
  switches: FakeSwitches;
  /** Writes a path the way `hrefStyle` says. */
  show(path: string): string;
}

export function objectProperties(object: FakeObject, switches: FakeSwitches): Map<string, string> {
  const properties = new Map<string, string>();
  const tag = shownTag(object, switches.etags);
  if (tag !== null) properties.set(NAMES.etag, escapeXml(tag));
  if (switches.scheduleTags) properties.set(NAMES.scheduleTag, escapeXml(object.scheduleTag));
  properties.set(NAMES.lastModified, object.lastModified.toUTCString());
  properties.set(NAMES.contentType, 'text/calendar; charset=utf-8');
  properties.set(NAMES.resourceType, '');
  properties.set(NAMES.calendarData, escapeXml(object.body).replaceAll('\r', '&#13;'));
  return properties;
}

export function responseReport(calendar: FakeCalendar, body: RequestElement, context: ReportContext): FakeResponse {
  switch (body.name) {
    case `{${CALDAV}}calendar-query`:
      return calendarQuery(calendar, body, context);
    case `{${CALDAV}}calendar-multiget`:
      return multiget(calendar, body, context);
    case '{DAV:}sync-collection':
      return syncCollection(calendar, body, context);
    case `{${CALDAV}}free-busy-query`:
      return freeBusyQuery(context.switches.freeBusyLines);
    default:
      return { status: 403, body: errorBody('{DAV:}supported-report') };
  }
}

/** RFC 4791 §7.10: the answer is an object, not a multistatus. Content type as Xandikos sends it. */
function freeBusyQuery(lines: string[] | null): FakeResponse {
  if (lines === null) return { status: 400 };
  const body = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VFREEBUSY', ...lines, 'END:VFREEBUSY', 'END:VCALENDAR', ''];
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: body.join('\r\n') };
}

function askedProperties(body: RequestElement): string[] {
  return child(body, '{DAV:}prop')?.children.map(({ name }) => name) ?? [];
}

function found(calendar: FakeCalendar, name: string, body: RequestElement, context: ReportContext): AnswerResponse {
  const object = calendar.objects.get(name);
  const href = context.show(calendar.path + encodeURIComponent(name));
  if (object === undefined) return { href, status: 404 };
  return { href, properties: select(askedProperties(body), objectProperties(object, context.switches)) };
}

function extras(body: RequestElement, { switches }: ReportContext): AnswerResponse[] {
  return switches.foreignHrefs.map((href) => ({
    href,
    properties: askedProperties(body).map((name) => ({ name, xml: '"foreign"' })),
  }));
}

/**
 * A time-range is only looked at by the day, widened: a server may return too much (caldav-apple.md §3.5). A text-match
 * on UID and a prop-filter are exact.
 */
function calendarQuery(calendar: FakeCalendar, body: RequestElement, context: ReportContext): FakeResponse {
  const component = descendants(body, `{${CALDAV}}comp-filter`).at(-1)?.attributes.name;
  if (component !== 'VEVENT') return { status: 400 };
  const range = descendants(body, `{${CALDAV}}time-range`)[0]?.attributes;
  const { timeLimits } = context.switches;
  if (range !== undefined && timeLimits?.beyond === 403) {
    const limit = (range.start ?? '') < timeLimits.min ? 'min' : (range.end ?? '') > timeLimits.max ? 'max' : undefined;
    if (limit !== undefined) return { status: 403, body: errorBody(`{${CALDAV}}${limit}-date-time`) };
  }
  const uid = descendants(body, `{${CALDAV}}text-match`)[0]?.text;
  const property = descendants(body, `{${CALDAV}}prop-filter`)[0]?.attributes.name;
  const names = [...calendar.objects].filter(([name, { body: text }]) => {
    if (!text.includes('BEGIN:VEVENT')) return false;
    if (uid !== undefined) return calendar.findByUid(uid) === name;
    if (property !== undefined) return new RegExp(`^${property}[:;]`, 'm').test(text);
    return range === undefined || mayOverlap(text, range);
  });
  const responses = names.map(([name]) => found(calendar, name, body, context));
  return { status: 207, body: multistatus([...responses, ...extras(body, context)], context.switches.xmlStyle) };
}

function mayOverlap(text: string, range: Record<string, string>): boolean {
  if (/^(RRULE|RDATE|RECURRENCE-ID)/m.test(text)) return true;
  const event = text.slice(text.indexOf('BEGIN:VEVENT'));
  const day = (name: string): string | undefined => new RegExp(`^${name}[^:\r\n]*:(\\d{8})`, 'm').exec(event)?.[1];
  const start = day('DTSTART');
  if (start === undefined) return true;
  const end = day('DTEND') ?? start;
  const from = range.start?.slice(0, 8) ?? '00000000';
  const to = range.end?.slice(0, 8) ?? '99999999';
  return end >= from && start <= to;
}

function multiget(calendar: FakeCalendar, body: RequestElement, context: ReportContext): FakeResponse {
  const { switches, store } = context;
  const hrefs = descendants(body, '{DAV:}href').map(({ text }) => text);
  // iCloud refuses absolute URIs here (kenn-io/msgvault#849).
  if (hrefs.some((href) => !href.startsWith('/'))) return { status: 400 };
  const responses = hrefs.map((href): AnswerResponse => {
    const place = store.locate(href);
    const isStale = [...switches.staleHrefs].some((stale) => decodePath(stale) === decodePath(href));
    if (place?.calendar !== calendar || isStale) return { href, status: 404 };
    return found(calendar, place.name, body, context);
  });
  if (responses.some(({ status }) => status === 404)) {
    if (switches.multigetMissing === 'whole-404') return { status: 404 };
    if (switches.multigetMissing === 'whole-403') return { status: 403 };
  }
  const shown = switches.multigetMissing === 'omitted' ? responses.filter(({ status }) => status !== 404) : responses;
  return { status: 207, body: multistatus([...shown, ...extras(body, context)], switches.xmlStyle) };
}

function syncCollection(calendar: FakeCalendar, body: RequestElement, context: ReportContext): FakeResponse {
  const { switches } = context;
  if (switches.syncCollection !== 'works') {
    return {
      status: switches.syncCollection,
      ...(switches.syncCollection === 403 ? { body: errorBody('{DAV:}supported-report') } : {}),
    };
  }
  const given = child(body, '{DAV:}sync-token')?.text ?? '';
  const since = given === '' ? 0 : revisionOf(calendar, given);
  if (since === null && typeof switches.invalidSyncToken === 'number') {
    const hasBody = [403, 409].includes(switches.invalidSyncToken);
    return { status: switches.invalidSyncToken, ...(hasBody ? { body: errorBody('{DAV:}valid-sync-token') } : {}) };
  }
  const changes = calendar.changesSince(since ?? 0, switches.syncPageSize ?? Infinity);
  const isInitial = given === '' || (since === null && switches.invalidSyncToken === 'as-initial');
  const wasThere = (name: string) => calendar.history.indexOf(name) < (since ?? 0);
  const isReported = (name: string) => !switches.omitsShortLived || calendar.objects.has(name) || wasThere(name);
  const responses = changes.names
    .filter(isReported)
    .map((name) => found(calendar, name, body, context))
    .filter(({ status }) => !isInitial || status !== 404);
  if (switches.ownListing) {
    responses.unshift({
      href: context.show(calendar.path),
      properties: select(
        askedProperties(body),
        new Map([...calendarProperties(calendar, switches), [NAMES.etag, '"self"']]),
      ),
    });
  }
  if (changes.isCut) responses.push({ href: context.show(calendar.path), status: 507 });
  return {
    status: 207,
    body: multistatus(
      [...responses, ...extras(body, context)],
      switches.xmlStyle,
      syncToken(calendar, changes.revision),
    ),
  };
}
