import { addressOf } from '../users.js';
import { wallAt } from '../../time-zones.js';
import { formatDate, formatStamp, formatWall, zoneOf, type DateTimeTimeZone } from './clock-time.js';
import { bodyAs, previewOf } from './event-body.js';
import { changeKeyOf, etagOf, formOf, itemId, type IdForm } from './ids.js';
import type { CalendarView, Content, EmailAddress, Item, Location, Response, Times } from './model.js';
import type { Row } from './odata-options.js';
import type { Recurrence } from './recurrence.js';
import { timesOn } from './recurrence.js';

/** Format of a response. */
export interface Wording {
  form: IdForm;
  /** As requested. */
  timeZone: string;
  bodyType: 'text' | 'html';
}

/** Navigation property of extended properties. */
export const PROPERTIES = 'singleValueExtendedProperties';

const NEVER = '0001-01-01T00:00:00Z';
const HIDDEN: Partial<Row> = { body: { contentType: 'html', content: '' }, bodyPreview: '', subject: 'Private' };

/** @throws GraphErrorResponse 400 `TimeZoneNotSupportedException` */
export function wordingOf(prefer: Readonly<Record<string, string>>): Wording {
  const timeZone = prefer['outlook.timezone'] ?? 'UTC';
  zoneOf(timeZone);
  const bodyType = prefer['outlook.body-content-type']?.toLowerCase() === 'text' ? 'text' : 'html';
  return { form: formOf(prefer), timeZone, bodyType };
}

/** https://learn.microsoft.com/graph/api/resources/event, without extended properties and instance lists. */
export function eventJson(item: Item, { owner, isShared }: CalendarView, wording: Wording): Row {
  const { record, date, content } = item;
  const { times, meeting } = content;
  const revision = revisionOf(item);
  const exception = date === null ? undefined : record.exceptions[date];
  const id = itemId({ key: record.key, date }, wording.form);
  const isHidden = isShared && (content.sensitivity === 'private' || content.sensitivity === 'confidential');
  return {
    '@odata.etag': etagOf(revision),
    id,
    createdDateTime: formatStamp(exception?.createdMs ?? record.createdMs),
    lastModifiedDateTime: formatStamp(exception?.modifiedMs ?? record.modifiedMs),
    changeKey: changeKeyOf(revision),
    categories: content.categories,
    transactionId: record.transactionId,
    originalStartTimeZone: times.startZone,
    originalEndTimeZone: times.endZone,
    iCalUId: `${record.uid}${(date ?? record.part ?? '').replaceAll('-', '')}`,
    reminderMinutesBeforeStart: content.reminderMinutesBeforeStart,
    isReminderOn: content.isReminderOn,
    hasAttachments: false,
    subject: content.subject,
    bodyPreview: previewOf(content.body),
    importance: content.importance,
    sensitivity: content.sensitivity,
    isAllDay: times.isAllDay,
    isCancelled: content.isCancelled,
    isOrganizer: record.isOrganizer,
    responseRequested: content.responseRequested,
    seriesMasterId: date === null ? null : itemId({ key: record.key, date: null }, wording.form),
    showAs: content.showAs,
    type: typeOf(item),
    webLink: `https://outlook.office365.com/owa/?itemid=${encodeURIComponent(id)}&exvsurl=1&path=/calendar/item`,
    onlineMeetingUrl: null,
    isOnlineMeeting: meeting !== null,
    onlineMeetingProvider: meeting?.provider ?? 'unknown',
    allowNewTimeProposals: content.allowNewTimeProposals,
    isDraft: false,
    hideAttendees: content.hideAttendees,
    recurrence: date === null ? recurrenceJson(record.recurrence) : null,
    ...(date !== null && { originalStart: originalStart(item, date) }),
    responseStatus: responseJson(content.response),
    body: bodyAs(content.body, wording.bodyType),
    ...timesJson(times, wording.timeZone),
    location: locationOf(content.locations),
    locations: content.locations,
    attendees: content.attendees.map(({ type, status, emailAddress }) => ({
      type,
      status: responseJson(status),
      emailAddress,
    })),
    organizer: { emailAddress: record.isOrganizer ? ownAddress(owner) : record.organizer },
    onlineMeeting:
      meeting?.joinUrl == null
        ? null
        : { joinUrl: meeting.joinUrl, conferenceId: meeting.conferenceId, tollNumber: '+49 30 5550100' },
    ...(isHidden && HIDDEN),
  };
}

/** A delta's short form of an unchanged instance. */
export function stubJson(item: Item, wording: Wording): Row {
  const { key } = item.record;
  return {
    '@odata.type': '#microsoft.graph.event',
    '@odata.etag': etagOf(revisionOf(item)),
    id: itemId({ key, date: item.date }, wording.form),
    seriesMasterId: itemId({ key, date: null }, wording.form),
    type: 'occurrence',
    ...timesJson(item.content.times, wording.timeZone),
  };
}

/** Revision of the version that a client has seen; unchanged instances share that of their series. */
export function revisionOf({ record, date }: Item): number {
  return (date === null ? undefined : record.exceptions[date]?.revision) ?? record.revision;
}

export function typeOf({ record, date }: Item): string {
  if (date === null) return record.recurrence === null ? 'singleInstance' : 'seriesMaster';
  return record.exceptions[date] === undefined ? 'occurrence' : 'exception';
}

/** Extended properties as rows, for filters. */
export function propertyRows(properties: Content['properties']): Row[] {
  return Object.entries(properties).map(([id, value]) => ({ id, value }));
}

/** Returns the expanded rows; an empty object without any. */
export function expandedProperties(rows: readonly Row[], isExpanded: (row: Row) => boolean): Row {
  const found = rows.filter(isExpanded);
  return found.length > 0 ? { [PROPERTIES]: found } : {};
}

/** An all-day event keeps midnight of its own day in every zone. */
function timeJson(ms: number, isAllDay: boolean, timeZone: string): DateTimeTimeZone {
  return { dateTime: formatWall(isAllDay ? ms : wallAt(zoneOf(timeZone), ms)), timeZone };
}

function locationOf(locations: readonly Location[]): Row {
  const [first, ...others] = locations;
  if (first === undefined) return { displayName: '', locationType: 'default', uniqueIdType: 'unknown' };
  return others.length === 0
    ? { ...first }
    : { ...first, displayName: locations.map(({ displayName }) => displayName).join('; ') };
}

export function ownAddress(owner: CalendarView['owner']): EmailAddress {
  return { name: owner.displayName, address: addressOf(owner) };
}

function timesJson({ isAllDay, startMs, endMs }: Times, timeZone: string): { start: unknown; end: unknown } {
  return { start: timeJson(startMs, isAllDay, timeZone), end: timeJson(endMs, isAllDay, timeZone) };
}

function originalStart({ record }: Item, date: string): string {
  const { startMs } = timesOn(record.content.times, record.recurrence!, date);
  return `${new Date(startMs).toISOString().slice(0, 19)}Z`;
}

function responseJson({ response, atMs }: Response): Row {
  return { response, time: atMs === null ? NEVER : formatStamp(atMs) };
}

/** Graph fills in unused fields of a pattern. */
function recurrenceJson(recurrence: Recurrence | null): Row | null {
  if (recurrence === null) return null;
  const { pattern, range } = recurrence;
  const { daysOfWeek } = pattern;
  return {
    pattern: {
      type: pattern.type,
      interval: pattern.interval,
      month: pattern.month ?? 0,
      dayOfMonth: pattern.dayOfMonth ?? 0,
      ...(daysOfWeek !== undefined && { daysOfWeek }),
      firstDayOfWeek: pattern.firstDayOfWeek ?? 'sunday',
      index: pattern.index ?? 'first',
    },
    range: {
      type: range.type,
      startDate: range.startDate,
      endDate: range.type === 'endDate' ? formatDate(Date.parse(range.endDate!)) : '0001-01-01',
      recurrenceTimeZone: range.recurrenceTimeZone,
      numberOfOccurrences: range.numberOfOccurrences ?? 0,
    },
  };
}
