import { createHash } from 'node:crypto';
import type { CalendarView } from './model.js';
import { onlineMeetingProviders } from './calendar-access.js';
import { instantOn, wallAt } from '../../time-zones.js';
import { DAY_MS, wallOf, zoneOf, type DateTimeTimeZone } from './clock-time.js';
import { hasInvitation } from './event-body.js';
import type { Attendee, Body, Content, Location, Meeting, Times } from './model.js';
import { GraphErrorResponse } from '../contract.js';
import { invalidProperty } from './errors.js';
import type { Pattern, Range } from './recurrence.js';

type Property = { id: string; value: string | null };

/** Body of a creation or a change; its shape is already validated. */
export interface EventInput {
  subject?: string | null;
  body?: { contentType: string; content: string | null } | null;
  start?: DateTimeTimeZone;
  end?: DateTimeTimeZone;
  isAllDay?: boolean;
  location?: Partial<Location> | null;
  locations?: Partial<Location>[];
  attendees?: { emailAddress: { address: string; name?: string | null }; type?: Attendee['type'] }[];
  recurrence?: { pattern: Pattern; range: Range } | null;
  isReminderOn?: boolean;
  reminderMinutesBeforeStart?: number;
  showAs?: string;
  sensitivity?: string;
  importance?: string;
  categories?: string[];
  responseRequested?: boolean;
  allowNewTimeProposals?: boolean;
  hideAttendees?: boolean;
  isOnlineMeeting?: boolean;
  onlineMeetingProvider?: string;
  singleValueExtendedProperties?: Property[];
  transactionId?: string;
}

/** Settings stored unchanged. */
const PLAIN = [
  'isReminderOn',
  'reminderMinutesBeforeStart',
  'showAs',
  'sensitivity',
  'importance',
  'categories',
  'responseRequested',
  'allowNewTimeProposals',
  'hideAttendees',
] as const;
const MAX_ATTENDEES = 500;

/** Default content of a new event. */
export function blankContent(times: Times): Content {
  return {
    subject: '',
    body: { contentType: 'html', content: '' },
    times,
    importance: 'normal',
    sensitivity: 'normal',
    showAs: times.isAllDay ? 'free' : 'busy',
    categories: [],
    locations: [],
    attendees: [],
    isReminderOn: true,
    reminderMinutesBeforeStart: times.isAllDay ? 1_080 : 15,
    responseRequested: true,
    allowNewTimeProposals: true,
    hideAttendees: false,
    meeting: null,
    isCancelled: false,
    response: { response: 'none', atMs: null },
    properties: {},
  };
}

/** Applies a change: absent fields stay, arrays and objects are replaced as a whole. @throws GraphErrorResponse 400 */
export function changedContent(content: Content, input: EventInput): Content {
  const plain = Object.fromEntries(PLAIN.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));
  const changed: Content = {
    ...content,
    ...(plain as Partial<Content>),
    times: changedTimes(content.times, input),
    ...(input.subject !== undefined && { subject: input.subject ?? '' }),
    ...(input.body !== undefined && { body: readBody(input.body) }),
    ...changedLocations(input),
    ...(input.attendees !== undefined && { attendees: readAttendees(input.attendees, content.attendees) }),
    properties: writtenProperties(content.properties, input.singleValueExtendedProperties ?? []),
  };
  // Removing the invitation from the body removes the meeting (https://learn.microsoft.com/graph/api/event-update).
  const { meeting } = changed;
  return meeting !== null && input.body !== undefined && !hasInvitation(changed.body, meeting)
    ? { ...changed, meeting: null }
    : changed;
}

/**
 * Returns the requested meeting. A calendar without support ignores the request; an existing meeting stays.
 * @param due when the link appears, epoch milliseconds; null for never
 */
export function newMeeting(
  input: EventInput,
  view: CalendarView,
  seed: string,
  due: number | null,
): Pick<Content, 'meeting'> | null {
  const providers = onlineMeetingProviders(view);
  const asked = input.onlineMeetingProvider;
  const provider = asked === undefined || asked === 'unknown' ? providers[0] : asked;
  if (input.isOnlineMeeting !== true || provider === undefined || !providers.includes(provider)) return null;
  const digits = BigInt(`0x${createHash('sha256').update(seed).digest('hex')}`).toString();
  const meeting: Meeting = { provider, conferenceId: digits.slice(0, 9), joinUrl: null, dueMs: due };
  return { meeting };
}

export function joinUrlOf({ conferenceId }: Meeting): string {
  return `https://teams.microsoft.com/l/meetup-join/19%3ameeting_${conferenceId}%40thread.v2/0`;
}

/** @throws GraphErrorResponse 400 */
export function readTimes(start: DateTimeTimeZone, end: DateTimeTimeZone, isAllDay: boolean): Times {
  const [startWall, endWall] = [wallOf(start), wallOf(end)];
  const zones = { startZone: start.timeZone, endZone: end.timeZone };
  const [startZone, endZone] = [zoneOf(start.timeZone), zoneOf(end.timeZone)];
  if (isAllDay) {
    if (startWall % DAY_MS !== 0 || endWall % DAY_MS !== 0) {
      throw invalidProperty('The start and end of an all-day event must be set to midnight.');
    }
    if (start.timeZone !== end.timeZone) {
      throw invalidProperty('The start and end of an all-day event must be in the same time zone.');
    }
    if (endWall - startWall < DAY_MS) {
      throw invalidProperty('The duration of an event marked as all day must be at least 24 hours.');
    }
    return { isAllDay, startMs: startWall, endMs: endWall, ...zones };
  }
  const [startMs, endMs] = [instantOn(startZone, startWall), instantOn(endZone, endWall)];
  if (endMs < startMs) {
    throw new GraphErrorResponse(
      400,
      'ErrorCalendarEndDateIsEarlierThanStartDate',
      'The end of the event is before its start.',
    );
  }
  return { isAllDay, startMs, endMs, ...zones };
}

function changedTimes(times: Times, { start, end, isAllDay }: EventInput): Times {
  if (start === undefined && end === undefined && (isAllDay === undefined || isAllDay === times.isAllDay)) return times;
  const written = (ms: number, timeZone: string): DateTimeTimeZone => ({
    dateTime: new Date(times.isAllDay ? ms : wallAt(zoneOf(timeZone), ms)).toISOString().slice(0, 19),
    timeZone,
  });
  return readTimes(
    start ?? written(times.startMs, times.startZone),
    end ?? written(times.endMs, times.endZone),
    isAllDay ?? times.isAllDay,
  );
}

function readBody(body: EventInput['body']): Body {
  if (body == null) return { contentType: 'html', content: '' };
  return { contentType: body.contentType.toLowerCase() === 'text' ? 'text' : 'html', content: body.content ?? '' };
}

/** `location` replaces all of `locations`, and vice versa. */
function changedLocations({ location, locations }: EventInput): Partial<Content> {
  if (locations !== undefined) return { locations: locations.map(readLocation) };
  if (location === undefined) return {};
  const isNone = location === null || (location.displayName ?? '') === '';
  return { locations: isNone ? [] : [readLocation(location)] };
}

function readLocation(location: Partial<Location>): Location {
  const displayName = location.displayName ?? '';
  return { locationType: 'default', uniqueId: displayName, uniqueIdType: 'private', ...location, displayName };
}

/** Keeps the replies of existing attendees. @throws GraphErrorResponse 400 */
function readAttendees(asked: NonNullable<EventInput['attendees']>, before: readonly Attendee[]): Attendee[] {
  if (asked.length > MAX_ATTENDEES) throw invalidProperty(`An event has at most ${MAX_ATTENDEES} attendees.`);
  const known = new Map(before.map((attendee) => [attendee.emailAddress.address.toLowerCase(), attendee]));
  const read = new Map<string, Attendee>();
  for (const { emailAddress, type } of asked) {
    const { address } = emailAddress;
    const key = address.toLowerCase();
    if (!address.includes('@')) throw invalidProperty('At least one attendee has no valid address.');
    if (read.has(key)) continue;
    read.set(key, {
      emailAddress: { name: emailAddress.name ?? known.get(key)?.emailAddress.name ?? address, address },
      type: type ?? 'required',
      status: known.get(key)?.status ?? { response: 'none', atMs: null },
    });
  }
  return [...read.values()];
}

/** Namespaces are case-insensitive, names are not. A property without value is deleted. */
export function writtenProperties(
  properties: Readonly<Record<string, string>>,
  written: readonly Property[],
): Record<string, string> {
  const changed = new Map(Object.entries(properties));
  for (const { id, value } of written) {
    const canonical = id.replace(/\{[^}]*\}/, (namespace) => namespace.toLowerCase());
    if (value === null) changed.delete(canonical);
    else changed.set(canonical, value);
  }
  return Object.fromEntries(changed);
}
