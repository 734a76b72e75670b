import type { BoundedWindow, ExtendedProperties } from '#domain/events';

export interface EventContext {
  /** Id of the resource in its calendar. Never contains `_`. */
  eventId: string;
  /** Entity tag without quotes and `W/`; undefined when the server sends none. */
  etag?: string;
  /** HTTP Last-Modified as an ISO instant, when known. */
  lastModified?: string;
  /** IANA zone of the calendar, in which floating times are shown. */
  calendarTimeZone: string;
  /** Lower-cased e-mails and raw URIs of the user. The first e-mail is the preferred one. */
  ownAddresses: string[];
  /** From the private store: instance ('' for the series) → properties. */
  privateProperties: ReadonlyMap<string, ExtendedProperties>;
  /** Called for a recurrence that is broken, too costly, or of an unknown calendar. The reason holds no content. */
  onUnexpandable?: (reason: string) => void;
}

export interface BusyContext {
  window: BoundedWindow;
  /** IANA zone of dates and floating times. */
  floatingTimeZone: string;
  ownAddresses: string[];
  /** Called for a series with too many instances: the rest of the window after the last one read counts as busy. */
  onUnexpandable?: (reason: string) => void;
  /** Called for an event whose busy time is unknown; the result is then incomplete. */
  onUnreadable?: (reason: string) => void;
}

export interface WriteContext {
  calendarTimeZone: string;
  ownAddresses: string[];
  /** Calendar user address for ORGANIZER; null when the server reports none, which makes attendees a 400. */
  organizer: string | null;
  /** Who notifies guests (RFC 6638 §7.1): with CLIENT no one, with SERVER the server. null keeps the existing value. */
  scheduleAgent: 'CLIENT' | 'SERVER' | null;
  /** True when the DAV header has `calendar-no-timezone` (RFC 7809): VTIMEZONE may be left out. */
  omitTimezones: boolean;
  nowMs: number;
}

/** People other than the user whom a write concerns: guests of the user's event, or the organizer of a reply. */
export interface Audience {
  kind: 'guests' | 'organizer';
  concerned: number;
  notified: number;
}
