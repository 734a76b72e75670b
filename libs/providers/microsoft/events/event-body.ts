import type { Event, ItemBody } from '@microsoft/microsoft-graph-types';
import { invalid, type EventInput } from '#domain';
import { recordOf, textOf, textsOf } from '#providers/kit/events';
import type { Span } from '#providers/kit/series';
import type { GraphCall } from '../graph-transport.js';
import { attendeesOf, changedAttendees } from './attendees.js';
import { changedAvailability } from './availability.js';
import { formattedBody, readBody, replacedAboveMeeting, writtenBody } from './body-text.js';
import { paletteCategory, readConference, readVisibility } from './event-mapper.js';
import { toGraphSpan } from './graph-times.js';
import { changedMeeting } from './meeting.js';
import { pathIn, readTogether, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { changedProperties, writtenProperties, type OwnName, type OwnProperties } from './own-properties.js';
import type { GraphSeries } from './recurrence/patterned-recurrence.js';
import { changedReminders } from './reminders.js';

/** What a write says; what it leaves out stays. */
export interface EventChange {
  body: Event;
  own: Map<OwnName, string>;
  /** By the names of the public interface. */
  ignoredFields: string[];
}

/** Properties that say something of one event only. */
const BOUND: ReadonlySet<OwnName> = new Set(['ucIndex', 'ucTimeZone', 'ucRule', 'ucPending', 'ucWrite']);
const HEX_COLOR = /^#[0-9a-f]{6}$/;

/**
 * Everything of an input but times and recurrence.
 * @param current the event as it is; null for a new one
 * @param seen what the caller looks at, when that is an instance of it
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export async function changedFields(
  calendar: OpenCalendar,
  input: EventInput,
  current: OutlookEvent | null,
  { transactionId, seen = null }: { transactionId?: string; seen?: OutlookEvent | null } = {},
): Promise<EventChange> {
  const raw = current?.raw ?? null;
  const own = changedProperties(input, current?.own ?? new Map(), transactionId);
  const availability = changedAvailability(input, current);
  if (availability.marker !== undefined) own.set('ucEventType', availability.marker);
  const color = changedColor(input, current?.own ?? new Map());
  if (color !== undefined) own.set('ucHexColor', color);
  const { attendees, ignoredFields: ofAttendees } = changedAttendees(input, raw, calendar.ownAddresses);
  const reminders = changedReminders(input.reminders, raw);
  const meeting = changedMeeting(input, current, calendar);
  const categories = changedCategories(input, current);
  const body: Event = {
    ...(await changedTexts(calendar, input, current, seen)),
    ...changedVisibility(input, current),
    ...(availability.showAs !== undefined && { showAs: availability.showAs }),
    ...(categories !== undefined && { categories }),
    ...(attendees !== undefined && { attendees }),
    ...reminders.body,
    ...meeting.body,
  };
  const ignoredFields = [
    ...ofAttendees,
    ...reminders.ignoredFields,
    ...meeting.ignoredFields,
    ...(input.visibility === 'public' ? ['visibility'] : []),
  ];
  return { body, own, ignoredFields };
}

/** As Graph takes times, with the zone that was asked for where its name for it says less. */
export function spanBody(span: Span, calendarZone: string): Pick<EventChange, 'body' | 'own'> {
  const { body, timeZone } = toGraphSpan(span, calendarZone);
  return { body, own: new Map([['ucTimeZone', timeZone]]) };
}

/** A recurrence, with the rule that it was made of. @param series null: none */
export function seriesBody(series: Pick<GraphSeries, 'recurrence' | 'rule'> | null): Pick<EventChange, 'body' | 'own'> {
  return { body: { recurrence: series?.recurrence ?? null }, own: new Map([['ucRule', series?.rule ?? '']]) };
}

/** One body of both, with the properties that only this service reads. */
export function bodyOf(body: Event, own: OwnProperties): Event {
  return { ...body, ...(own.size > 0 && { singleValueExtendedProperties: writtenProperties(own) }) };
}

/** What another event takes over from one: everything that a caller may write but its times. */
export function carriedBody({ raw, own }: OutlookEvent): Pick<EventChange, 'body' | 'own'> {
  const meeting = readConference(raw);
  const body: Event = {
    subject: textOf(raw.subject) ?? '',
    body: { contentType: 'text', content: readBody(raw.body, meeting?.joinUrl) },
    // Named when there is none, too: an instance may lack what its series has.
    location: { displayName: textOf(recordOf(raw.location)['displayName']) ?? '' },
    attendees: attendeesOf(raw),
    categories: textsOf(raw.categories),
    ...(raw.showAs != null && { showAs: raw.showAs }),
    ...(raw.sensitivity != null && { sensitivity: raw.sensitivity }),
    ...(raw.isReminderOn != null && { isReminderOn: raw.isReminderOn }),
    ...(raw.reminderMinutesBeforeStart != null && { reminderMinutesBeforeStart: raw.reminderMinutesBeforeStart }),
    ...(meeting?.conferenceType !== undefined && {
      isOnlineMeeting: true,
      onlineMeetingProvider: raw.onlineMeetingProvider ?? null,
    }),
  };
  return { body, own: new Map([...own].filter(([name]) => !BOUND.has(name))) };
}

/** The same with a body that is more than text, which has to be asked for. */
export async function carriedWhole(
  calendar: OpenCalendar,
  event: OutlookEvent,
): Promise<ReturnType<typeof carriedBody>> {
  const carried = carriedBody(event);
  const body = await formattedDescription(calendar, event);
  return body === null ? carried : { ...carried, body: { ...carried.body, body } };
}

/** The description of an event with its formatting, which has to be asked for; null for one that is text alone. */
export async function formattedDescription(calendar: OpenCalendar, event: OutlookEvent): Promise<ItemBody | null> {
  const joinUrl = readConference(event.raw)?.joinUrl;
  if (readBody(event.raw.body, joinUrl) === '') return null;
  return formattedBody(await htmlBody(calendar, event), joinUrl);
}

/** The same of many events, none of which shows nothing. */
export async function formattedDescriptions(
  calendar: OpenCalendar,
  events: readonly OutlookEvent[],
): Promise<(ItemBody | null)[]> {
  const answers = await readTogether(
    calendar,
    events.map((event) => htmlCall(calendar, event)),
  );
  return events.map(({ raw }, at) => formattedBody(recordOf(answers[at])['body'], readConference(raw)?.joinUrl));
}

/** A body that was carried over, with its description above the invitation that the event has by now. */
export async function fittedBody(calendar: OpenCalendar, event: OutlookEvent, body: Event): Promise<Event> {
  const joinUrl = readConference(event.raw)?.joinUrl;
  if (body.body == null || joinUrl === undefined) return body;
  return { ...body, body: replacedAboveMeeting(await htmlBody(calendar, event), joinUrl, body.body) };
}

async function changedTexts(
  calendar: OpenCalendar,
  { title, description, location }: EventInput,
  current: OutlookEvent | null,
  seen: OutlookEvent | null,
): Promise<Event> {
  const raw = current?.raw;
  const isNewText = description !== undefined && !isShown(description ?? '', current);
  const place = textOf(recordOf(raw?.location)['displayName']) ?? '';
  return {
    ...(title !== undefined && (raw === undefined || title !== (raw.subject ?? '')) && { subject: title }),
    ...(isNewText && { body: await newBody(calendar, description ?? '', current, seen) }),
    ...(location !== undefined && (location ?? '') !== place && { location: { displayName: location ?? '' } }),
  };
}

async function newBody(
  calendar: OpenCalendar,
  description: string,
  current: OutlookEvent | null,
  seen: OutlookEvent | null,
): Promise<ItemBody> {
  const wanted = await describedAs(calendar, description, seen);
  const joinUrl = current === null ? undefined : readConference(current.raw)?.joinUrl;
  if (current === null || joinUrl === undefined) return wanted;
  return replacedAboveMeeting(await htmlBody(calendar, current), joinUrl, wanted);
}

/** A description as it is written: what comes back as it was shown of an event has the formatting that it has there. */
export async function describedAs(
  calendar: OpenCalendar,
  description: string,
  seen: OutlookEvent | null,
): Promise<ItemBody> {
  const formatted = seen !== null && isShown(description, seen) ? await formattedDescription(calendar, seen) : null;
  return formatted ?? writtenBody(description);
}

/** Whether an event shows this description already, whatever ends its lines. */
function isShown(description: string, event: OutlookEvent | null): boolean {
  const shown = event === null ? '' : readBody(event.raw.body, readConference(event.raw)?.joinUrl);
  return readBody({ contentType: 'text', content: description }, undefined) === shown;
}

async function htmlBody(calendar: OpenCalendar, event: OutlookEvent): Promise<unknown> {
  return recordOf(await calendar.connection.call('read', htmlCall(calendar, event)))['body'];
}

function htmlCall(calendar: OpenCalendar, { graphId }: OutlookEvent): GraphCall {
  return {
    method: 'GET',
    path: pathIn(calendar, 'events', graphId),
    query: { $select: 'id,body' },
    headers: { prefer: 'outlook.body-content-type="html"' },
  };
}

function changedVisibility({ visibility }: EventInput, current: OutlookEvent | null): Pick<Event, 'sensitivity'> {
  if (visibility === undefined) return {};
  const wanted = visibility === 'private' || visibility === 'confidential' ? visibility : 'default';
  const present = current === null ? 'default' : readVisibility(current.raw);
  if (wanted === present) return {};
  return { sensitivity: wanted === 'default' ? 'normal' : wanted };
}

/** One category is the colour; the others are somebody's, and stay. */
function changedCategories({ colorId }: EventInput, current: OutlookEvent | null): string[] | undefined {
  const color = current === null ? undefined : paletteCategory(current.raw);
  if (colorId === undefined || (colorId ?? undefined) === color) return undefined;
  const others = textsOf(current?.raw.categories).filter((category) => category !== color);
  return colorId === null ? others : [colorId, ...others.filter((category) => category !== colorId)];
}

function changedColor({ customColor }: EventInput, own: OwnProperties): string | undefined {
  if (customColor === undefined) return undefined;
  const hex = customColor?.toLowerCase() ?? '';
  if (hex !== '' && !HEX_COLOR.test(hex)) throw invalid('customColor', 'must be a colour written #rrggbb');
  return hex === (own.get('ucHexColor') ?? '') ? undefined : hex;
}
