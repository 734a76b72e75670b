import type { Event, FreeBusyStatus, ItemBody } from '@microsoft/microsoft-graph-types';
import type { EventInput } from '#domain/events';
import { invalid } from '#domain/system';
import { recordOf, textOf, textsOf } from '#providers/kit/events';
import type { TimeSpan } from '#providers/kit/series';
import type { GraphCall } from '../graph-transport.js';
import { attendeesOf, changedAttendees } from './attendees.js';
import { formattedBody, readBody, replacedAboveConferenceBlock, writtenBody } from './body-text.js';
import { paletteCategory, readConference, readEventType, readTransparency, readVisibility } from './event-mapper.js';
import { toGraphSpan } from './graph-times.js';
import { changedConference } from './conference.js';
import { pathIn, readTogether, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { changedProperties, writtenProperties, type OwnName, type OwnProperties } from './own-properties.js';
import type { GraphSeries } from './recurrence/patterned-recurrence.js';
import { changedReminders } from './reminders.js';

/** Fields of a write; absent fields stay. */
export interface OutlookEventChange {
  body: Event;
  own: Map<OwnName, string>;
  ignoredFields: string[];
}

export type EventParts = Pick<OutlookEventChange, 'body' | 'own'>;

/** Properties that belong to one event only. */
const BOUND: ReadonlySet<OwnName> = new Set(['ucIndex', 'ucTimeZone', 'ucRule', 'ucPending', 'ucWrite']);
const HEX_COLOR = /^#[0-9a-f]{6}$/;

/**
 * Builds the change of everything but times and recurrence.
 * @param current null for a new event
 * @param seen the instance that the caller addressed
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export async function changedFields(
  calendar: OutlookCalendarHandle,
  input: EventInput,
  current: OutlookEvent | null,
  { transactionId, seen = null }: { transactionId?: string; seen?: OutlookEvent | null } = {},
): Promise<OutlookEventChange> {
  const raw = current?.raw ?? null;
  const own = changedProperties(input, current?.own ?? new Map(), transactionId);
  const availability = changedAvailability(input, current);
  if (availability.marker !== undefined) own.set('ucEventType', availability.marker);
  const color = changedColor(input, current?.own ?? new Map());
  if (color !== undefined) own.set('ucHexColor', color);
  const { attendees, ignoredFields: ofAttendees } = changedAttendees(input, raw, calendar.ownAddresses);
  const reminders = changedReminders(input.reminders, raw);
  const conference = changedConference(input, current, calendar);
  const categories = changedCategories(input, current);
  const body: Event = {
    ...(await changedTexts(calendar, input, current, seen)),
    ...changedVisibility(input, current),
    ...(availability.showAs !== undefined && { showAs: availability.showAs }),
    ...(categories !== undefined && { categories }),
    ...(attendees !== undefined && { attendees }),
    ...reminders.body,
    ...conference.body,
  };
  const ignoredFields = [
    ...ofAttendees,
    ...reminders.ignoredFields,
    ...conference.ignoredFields,
    ...(input.visibility === 'public' ? ['visibility'] : []),
  ];
  return { body, own, ignoredFields };
}

/** Returns Graph's times, and the requested zone where they lack it. */
export function spanBody(span: TimeSpan, calendarZone: string) {
  const { body, timeZone } = toGraphSpan(span, calendarZone);
  return { body, own: new Map<OwnName, string>([['ucTimeZone', timeZone]]) };
}

/** Returns a recurrence and its original rule. @param series null removes the recurrence */
export function seriesBody(series: Pick<GraphSeries, 'recurrence' | 'rule'> | null): EventParts {
  return { body: { recurrence: series?.recurrence ?? null }, own: new Map([['ucRule', series?.rule ?? '']]) };
}

export function bodyOf(body: Event, own: OwnProperties): Event {
  return { ...body, ...(own.size > 0 && { singleValueExtendedProperties: writtenProperties(own) }) };
}

/** Returns all writable fields but the times, for another event. */
export function copiedBody({ raw, own }: OutlookEvent): EventParts {
  const conference = readConference(raw);
  const body: Event = {
    subject: textOf(raw.subject) ?? '',
    body: { contentType: 'text', content: readBody(raw.body, conference?.joinUrl) },
    // Written even when empty, because an instance may lack the location of its series.
    location: { displayName: textOf(recordOf(raw.location)['displayName']) ?? '' },
    attendees: attendeesOf(raw),
    categories: textsOf(raw.categories),
    ...(raw.showAs != null && { showAs: raw.showAs }),
    ...(raw.sensitivity != null && { sensitivity: raw.sensitivity }),
    ...(raw.isReminderOn != null && { isReminderOn: raw.isReminderOn }),
    ...(raw.reminderMinutesBeforeStart != null && { reminderMinutesBeforeStart: raw.reminderMinutesBeforeStart }),
    ...(conference?.conferenceType !== undefined && {
      isOnlineMeeting: true,
      onlineMeetingProvider: raw.onlineMeetingProvider ?? null,
    }),
  };
  return { body, own: new Map([...own].filter(([name]) => !BOUND.has(name))) };
}

/** {@link copiedBody} with the formatted body, which takes another read. */
export async function copiedWhole(calendar: OutlookCalendarHandle, event: OutlookEvent): Promise<EventParts> {
  const carried = copiedBody(event);
  const body = await formattedDescription(calendar, event);
  return body === null ? carried : { ...carried, body: { ...carried.body, body } };
}

async function formattedDescription(calendar: OutlookCalendarHandle, event: OutlookEvent): Promise<ItemBody | null> {
  const joinUrl = readConference(event.raw)?.joinUrl;
  if (readBody(event.raw.body, joinUrl) === '') return null;
  return formattedBody(await htmlBody(calendar, event), joinUrl);
}

/** Reads formatted descriptions of many events, none of which is empty. */
export async function formattedDescriptions(calendar: OutlookCalendarHandle, events: readonly OutlookEvent[]) {
  const responses = await readTogether(
    calendar,
    events.map((event) => htmlCall(calendar, event)),
  );
  return events.map(({ raw }, at) => formattedBody(recordOf(responses[at])['body'], readConference(raw)?.joinUrl));
}

/** Returns a carried body with its description above the event's current invitation. */
export async function fittedBody(calendar: OutlookCalendarHandle, event: OutlookEvent, body: Event): Promise<Event> {
  const joinUrl = readConference(event.raw)?.joinUrl;
  if (body.body == null || joinUrl === undefined) return body;
  return { ...body, body: replacedAboveConferenceBlock(await htmlBody(calendar, event), joinUrl, body.body) };
}

async function changedTexts(
  calendar: OutlookCalendarHandle,
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
  calendar: OutlookCalendarHandle,
  description: string,
  current: OutlookEvent | null,
  seen: OutlookEvent | null,
): Promise<ItemBody> {
  const wanted = await describedAs(calendar, description, seen);
  const joinUrl = current === null ? undefined : readConference(current.raw)?.joinUrl;
  if (current === null || joinUrl === undefined) return wanted;
  return replacedAboveConferenceBlock(await htmlBody(calendar, current), joinUrl, wanted);
}

/** Keeps the formatting of `seen` when its text is unchanged. */
export async function describedAs(
  calendar: OutlookCalendarHandle,
  description: string,
  seen: OutlookEvent | null,
): Promise<ItemBody> {
  const formatted = seen !== null && isShown(description, seen) ? await formattedDescription(calendar, seen) : null;
  return formatted ?? writtenBody(description);
}

function isShown(description: string, event: OutlookEvent | null): boolean {
  const shown = event === null ? '' : readBody(event.raw.body, readConference(event.raw)?.joinUrl);
  return readBody({ contentType: 'text', content: description }, undefined) === shown;
}

async function htmlBody(calendar: OutlookCalendarHandle, event: OutlookEvent): Promise<unknown> {
  return recordOf(await calendar.connection.call('read', htmlCall(calendar, event)))['body'];
}

function htmlCall(calendar: OutlookCalendarHandle, { graphId }: OutlookEvent): GraphCall {
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

/** One category stands for the colour; all others are the user's own. */
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

/**
 * Graph has one field, `showAs`, for type and transparency; `marker` is the value of our property `ucEventType`.
 * Unchanged values are absent.
 * @throws DomainError ValidationFailed for an absence that is free
 */
function changedAvailability(
  input: EventInput,
  current: OutlookEvent | null,
): { showAs?: FreeBusyStatus; marker?: string } {
  const before = {
    type: current === null ? ('default' as const) : readEventType(current),
    transparency: current === null ? ('opaque' as const) : readTransparency(current.raw),
  };
  const type = input.eventType === undefined ? before.type : (input.eventType ?? 'default');
  const asked = input.transparency === undefined ? undefined : (input.transparency ?? 'opaque');
  if (type !== 'default' && asked === 'transparent') {
    throw invalid('transparency', `must be opaque for an event of type ${type}`);
  }
  const transparency = type === 'default' ? (asked ?? before.transparency) : 'opaque';
  const marker = type === 'focusTime' ? 'focusTime' : '';
  const isMarked = (current?.own.get('ucEventType') ?? '') === marker;
  // Tentative and workingElsewhere stay while the requested transparency matches.
  const isSame = current !== null && type === before.type && transparency === before.transparency;
  return {
    ...(!isSame && { showAs: type === 'outOfOffice' ? 'oof' : transparency === 'transparent' ? 'free' : 'busy' }),
    ...(!isMarked && { marker }),
  };
}
