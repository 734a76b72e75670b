import type { Calendar } from '#domain';
import { hexColorOf, paletteColor } from './colors.js';
import type { CalDavConnection, CalendarCollection } from './dav/contract.js';

/** A collection as the public model shows it. */
export function toCalendar({ account, session }: CalDavConnection, collection: CalendarCollection): Calendar {
  return {
    id: collection.id,
    name: collection.displayName,
    hexColor: hexColorOf(collection.color ?? '') ?? paletteColor(collection.id),
    readOnly: collection.readOnly,
    isPrimary: false,
    isShared: collection.isShared,
    timeZone: collection.timeZone ?? 'UTC',
    inviteEmail: account.addresses[0] ?? (session.email.includes('@') ? session.email : ''),
    allowedOnlineMeetingProviders: [],
  };
}
