import type { calendar_v3 } from '@googleapis/calendar';
import type { Calendar } from '#domain/calendars';
import { textOf, textsOf, fallbackColor } from '#providers/kit/events';
import { malformedResponse } from './errors.js';

/** A calendar on the account's list, with the fields of this account alone. */
export type CalendarListEntry = calendar_v3.Schema$CalendarListEntry & { id: string };

const READER_ROLES: ReadonlySet<unknown> = new Set(['reader', 'freeBusyReader']);

const PALETTE = [
  '#AC725E',
  '#D06B64',
  '#F83A22',
  '#FA573C',
  '#FF7537',
  '#FFAD46',
  '#42D692',
  '#16A765',
  '#7BD148',
] as const;

const MEET = 'hangoutsMeet';

/** @throws DomainError ProviderUnavailable for anything but a calendar */
export function listEntry(value: unknown): CalendarListEntry {
  const entry = value as CalendarListEntry | null | undefined;
  if (typeof entry !== 'object' || typeof entry?.id !== 'string' || entry.id === '') throw malformedResponse();
  return entry;
}

export function isPrimary({ primary }: CalendarListEntry): boolean {
  return primary === true;
}

export function isReadOnly({ accessRole }: CalendarListEntry): boolean {
  return READER_ROLES.has(accessRole);
}

export function toCalendar(entry: CalendarListEntry, accountEmail: string): Calendar {
  const meetings = textsOf(entry.conferenceProperties?.allowedConferenceSolutionTypes);
  const defaultMeeting = meetings.includes(MEET) ? MEET : meetings[0];
  return {
    id: entry.id,
    name: textOf(entry.summaryOverride) ?? textOf(entry.summary) ?? '',
    hexColor: hexColor(entry),
    readOnly: isReadOnly(entry),
    ...(isPrimary(entry) && { isPrimary: true }),
    isShared: !isPrimary(entry) && !isOwn(entry, accountEmail),
    timeZone: textOf(entry.timeZone) ?? 'UTC',
    inviteEmail: entry.id.includes('@') ? entry.id : '',
    allowedOnlineMeetingProviders: meetings,
    ...(defaultMeeting !== undefined && { defaultOnlineMeetingProvider: defaultMeeting }),
  };
}

/** Several accounts may have the role of an owner, but only one is the data owner. */
function isOwn({ accessRole, dataOwner }: CalendarListEntry, accountEmail: string): boolean {
  const owner = textOf(dataOwner);
  return owner === undefined ? accessRole === 'owner' : owner.toLowerCase() === accountEmail.toLowerCase();
}

function hexColor({ id, backgroundColor }: CalendarListEntry): string {
  const color = textOf(backgroundColor);
  if (color !== undefined && /^#[0-9a-f]{6}$/i.test(color)) return color.toUpperCase();
  return fallbackColor(id, PALETTE);
}
