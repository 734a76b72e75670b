import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';
import type { Calendar } from '#domain';
import { textOf, textsOf, usualColor } from '#providers/kit/events';
import { ianaZone } from '#icalendar';
import { hexColorOf, namedColor, nearestColor, SHADES } from './calendar-colors.js';
import { nonsense } from './errors.js';
import { ownPropertiesOf } from './events/own-properties.js';

/** A calendar on the account's list, with our own properties. */
export type OutlookCalendar = GraphCalendar & { id: string };

/** What Graph says where no meeting can be made. */
const NO_PROVIDER = 'unknown';

/** What a calendar does not say itself. */
export interface CalendarContext {
  /** Lower-case addresses of the account. */
  ownAddresses: ReadonlySet<string>;
  /** IANA id, for calendars without a zone of their own. */
  mailboxTimeZone: string;
}

/** @throws DomainError ProviderUnavailable, for what is no calendar */
export function outlookCalendar(value: unknown): OutlookCalendar {
  const entry = value as OutlookCalendar | null | undefined;
  if (typeof entry !== 'object' || typeof entry?.id !== 'string' || entry.id === '') throw nonsense();
  return entry;
}

export function isPrimary({ isDefaultCalendar }: OutlookCalendar): boolean {
  return isDefaultCalendar === true;
}

export function isReadOnly({ canEdit }: OutlookCalendar): boolean {
  return canEdit === false;
}

/** Lower-case address of the owner. */
export function ownerOf({ owner }: OutlookCalendar): string | undefined {
  return textOf(owner?.address)?.toLowerCase();
}

export function isOfOthers(entry: OutlookCalendar, ownAddresses: ReadonlySet<string>): boolean {
  const owner = ownerOf(entry);
  return !isPrimary(entry) && owner !== undefined && !ownAddresses.has(owner);
}

export function toCalendar(entry: OutlookCalendar, { ownAddresses, mailboxTimeZone }: CalendarContext): Calendar {
  const meetings = textsOf(entry.allowedOnlineMeetingProviders).filter((provider) => provider !== NO_PROVIDER);
  const preferred = textOf(entry.defaultOnlineMeetingProvider);
  const defaultMeeting = preferred !== undefined && meetings.includes(preferred) ? preferred : meetings[0];
  return {
    id: entry.id,
    name: textOf(entry.name) ?? '',
    hexColor: hexColor(entry),
    readOnly: isReadOnly(entry),
    ...(isPrimary(entry) && { isPrimary: true }),
    isShared: isOfOthers(entry, ownAddresses),
    timeZone: ianaZone(ownPropertiesOf(entry).get('ucTimeZone') ?? '') ?? mailboxTimeZone,
    inviteEmail: textOf(entry.owner?.address) ?? '',
    allowedOnlineMeetingProviders: meetings,
    ...(defaultMeeting !== undefined && { defaultOnlineMeetingProvider: defaultMeeting }),
  };
}

/** The colour that was asked for, while Outlook still shows the named colour nearest to it. */
function hexColor(entry: OutlookCalendar): string {
  const asked = hexColorOf(ownPropertiesOf(entry).get('ucHexColor'));
  if (asked !== null && nearestColor(asked) === entry.color) return asked;
  return hexColorOf(entry.hexColor) ?? namedColor(entry.color) ?? usualColor(entry.id, SHADES);
}
