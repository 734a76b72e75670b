import type { BoundedWindow, ExtendedProperties } from '#domain';

export interface EventContext {
  /** Id of the resource inside of its calendar. Never contains `_`. */
  eventId: string;
  /** Entity tag without quotes and `W/`; undefined when the server gives none. */
  etag?: string;
  /** HTTP Last-Modified of the resource as an ISO instant, when known. */
  lastModified?: string;
  /** IANA id of the calendar; floating times are shown in it. */
  calendarTimeZone: string;
  /** Own addresses: lower-cased e-mails and raw URIs. First e-mail is the preferred one. */
  ownAddresses: string[];
  /** From the private store: instance ('' for the series) → properties. */
  privateProperties: ReadonlyMap<string, ExtendedProperties>;
  /** Hears of a recurrence that is broken, of an unknown calendar, or too costly. The reason holds no content. */
  onUnexpandable?: (reason: string) => void;
}

export interface BusyContext {
  window: BoundedWindow;
  /** IANA id; dates and floating times are lived in it. */
  floatingTimeZone: string;
  ownAddresses: string[];
  /** Hears of a series with too many instances: all of the window from the last one looked at counts as busy. */
  onUnexpandable?: (reason: string) => void;
  /** Hears of an event that blocks time nobody can tell: what is returned is not all of it. */
  onUnreadable?: (reason: string) => void;
}

export interface WriteContext {
  calendarTimeZone: string;
  ownAddresses: string[];
  /** Calendar user address for ORGANIZER; null when the server tells none: then attendees are a 400. */
  organizer: string | null;
  /** Who tells guests (RFC 6638 §7.1): CLIENT nobody, SERVER the server. null: what is there stays. */
  scheduleAgent: 'CLIENT' | 'SERVER' | null;
  /** DAV header has `calendar-no-timezone` (RFC 7809): VTIMEZONE may be left out. */
  omitTimezones: boolean;
  nowMs: number;
}

/** Those whom a write concerns besides the user: guests of an event of his, or the organizer whom he answers. */
export interface Audience {
  kind: 'guests' | 'organizer';
  concerned: number;
  told: number;
}
