import type { Calendar as GraphCalendar, CalendarColor } from '@microsoft/microsoft-graph-types';
import type { Calendar } from '#domain/calendars';
import { channelsOf, textOf, textsOf, fallbackColor } from '#providers/kit/events';
import { ianaZone } from '#icalendar';
import { malformedResponse } from './errors.js';
import { ownPropertiesOf } from './events/own-properties.js';

export type OutlookCalendar = GraphCalendar & { id: string };

/** Graph's value when no provider of meetings is available. */
const NO_PROVIDER = 'unknown';

/** Facts that a calendar lacks. */
export interface CalendarContext {
  /** Lower-case addresses of the account. */
  ownAddresses: ReadonlySet<string>;
  /** IANA id, for calendars without a zone of their own. */
  mailboxTimeZone: string;
}

/** @throws DomainError ProviderUnavailable for anything but a calendar */
export function outlookCalendar(value: unknown): OutlookCalendar {
  const entry = value as OutlookCalendar | null | undefined;
  if (typeof entry !== 'object' || typeof entry?.id !== 'string' || entry.id === '') throw malformedResponse();
  return entry;
}

export function isPrimary({ isDefaultCalendar }: OutlookCalendar): boolean {
  return isDefaultCalendar === true;
}

export function isReadOnly({ canEdit }: OutlookCalendar): boolean {
  return canEdit === false;
}

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

/** The requested colour counts while Outlook shows the named colour nearest to it. */
function hexColor(entry: OutlookCalendar): string {
  const asked = hexColorOf(ownPropertiesOf(entry).get('ucHexColor'));
  if (asked !== null && nearestColor(asked) === entry.color) return asked;
  return hexColorOf(entry.hexColor) ?? namedColor(entry.color) ?? fallbackColor(entry.id, SHADES);
}

type NamedColor = Exclude<CalendarColor, 'auto' | 'maxColor'>;

/** Our shades: Graph does not define how its named colours look. */
const PALETTE: Readonly<Record<NamedColor, string>> = {
  lightBlue: '#4A90E2',
  lightGreen: '#5CB85C',
  lightOrange: '#F0883A',
  lightGray: '#8A8F98',
  lightYellow: '#E8C547',
  lightTeal: '#2FB5AC',
  lightPink: '#E26AA5',
  lightBrown: '#A5744A',
  lightRed: '#E05555',
};

export const SHADES = Object.values(PALETTE) as [string, ...string[]];

/** Returns `#RRGGBB` for Graph's name of a colour; null for `auto` and unknown names. */
export function namedColor(name: unknown): string | null {
  return typeof name === 'string' && Object.hasOwn(PALETTE, name) ? PALETTE[name as NamedColor] : null;
}

/** Returns Graph's name of the most similar colour. @param hexColor `#RRGGBB` */
export function nearestColor(hexColor: string): NamedColor {
  const names = Object.keys(PALETTE) as NamedColor[];
  return names.reduce((best, name) =>
    distance(PALETTE[name], hexColor) < distance(PALETTE[best], hexColor) ? name : best,
  );
}

/** Returns `#RRGGBB` in capitals; null for anything but a colour with or without `#`. */
function hexColorOf(value: unknown): string | null {
  const digits = typeof value === 'string' ? /^#?([0-9a-f]{6})$/i.exec(value)?.[1] : undefined;
  return digits === undefined ? null : `#${digits.toUpperCase()}`;
}

/** Perceived distance of two colours: https://www.compuphase.com/cmetric.htm */
function distance(one: string, other: string): number {
  const [r1, g1, b1] = channelsOf(one);
  const [r2, g2, b2] = channelsOf(other);
  const red = (r1 + r2) / 2;
  return (2 + red / 256) * (r1 - r2) ** 2 + 4 * (g1 - g2) ** 2 + (2 + (255 - red) / 256) * (b1 - b2) ** 2;
}
