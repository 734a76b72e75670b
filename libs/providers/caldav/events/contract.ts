import type {
  BoundedWindow,
  BusySlot,
  CalendarEvent,
  EditScope,
  EventInput,
  EventItem,
  ExtendedProperties,
  NewEventInput,
  ResponseStatus,
  TimeWindow,
} from '#domain';

/** What the mapper must know besides the object itself. */
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
  /**
   * Hears of a series that is not expanded, or an instance that cannot be found, because its recurrence is broken, of an
   * unknown calendar, or too costly. The reason names a part of the rule and holds no content.
   */
  onUnexpandable?: (reason: string) => void;
}

/** What counts as busy, and when. */
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

/**
 * Reads one calendar object resource. Pure. All of it throws `IcsSyntaxError` on an object that cannot be read and
 * returns nothing for one without VEVENT.
 */
export interface EventReader {
  /** UID of the object; null when it holds no VEVENT. */
  uid(text: Uint8Array | string): string | null;
  /**
   * Master (or single event) first, then its overrides as events of their own, cancelled ones included: whoever expands
   * the series himself must know of them. Overlap with the window decides each.
   */
  unexpanded(text: Uint8Array | string, context: EventContext, window: TimeWindow): CalendarEvent[];
  /**
   * Instances that overlap the window, cancelled ones included; a non-recurring event yields itself. Never the series: its
   * own start would stand for all of its instances.
   * @throws DomainError ValidationFailed naming the series when it has more instances than the caps, or cannot be expanded
   */
  expanded(text: Uint8Array | string, context: EventContext, window: BoundedWindow): CalendarEvent[];
  /** The same one by one, so that the caller can let others go on in between: they are thousands now and then. */
  eachUnexpanded(text: Uint8Array | string, context: EventContext, window: TimeWindow): Iterable<CalendarEvent>;
  eachExpanded(text: Uint8Array | string, context: EventContext, window: BoundedWindow): Iterable<CalendarEvent>;
  /** Ids with isCancelled for EXDATEs and cancelled overrides (inside of the window when one is given). */
  cancelledInstances(text: Uint8Array | string, context: EventContext, window: TimeWindow): EventItem[];
  /** One instance by the date part of its id; null when the series has no such instance. */
  instance(text: Uint8Array | string, context: EventContext, instanceDate: string): CalendarEvent | null;
  /** Master or single event (or, when there is none, null). */
  master(text: Uint8Array | string, context: EventContext): CalendarEvent | null;
  /** Whom a scheduling server tells of a write, by what it held before and holds now; null: nothing. Never throws. */
  audience(
    before: Uint8Array | string | null,
    after: Uint8Array | string | null,
    ownAddresses: readonly string[],
  ): Audience;
  /** Busy time by the rules of docs; all-day and floating in `zone`. Fast path: does not build events. */
  busy(text: Uint8Array | string, options: BusyContext): BusySlot[];
}

export interface WriteContext {
  calendarTimeZone: string;
  ownAddresses: string[];
  /**
   * Calendar user address for ORGANIZER when attendees are given: `mailto:…`, else what the server knows the user by; null
   * when there is none: then attendees are a 400.
   */
  organizer: string | null;
  /**
   * Who tells guests of this write where the server would (RFC 6638 §7.1): CLIENT, nobody; SERVER, the server. null where
   * the parameter decides nothing: what is there stays.
   */
  scheduleAgent: 'CLIENT' | 'SERVER' | null;
  /** DAV header has `calendar-no-timezone` (RFC 7809): VTIMEZONE may be left out. */
  omitTimezones: boolean;
  nowMs: number;
}

/** Those whom a write concerns besides the user: guests of an event of his, or the organizer whom he answers. */
export interface Audience {
  kind: 'guests' | 'organizer';
  concerned: number;
  /** How many of them a server that schedules tells of it. */
  told: number;
}

export interface Written {
  /** The whole new object; null when nothing is left of it (delete the resource). */
  body: Buffer | null;
  /** Fields of the input this format cannot hold. */
  ignoredFields: string[];
}

/**
 * Changes one calendar object resource: the object's bytes in, its new bytes out. Pure; touches nothing but the lines
 * concerned. Throws DomainError (ValidationFailed, NotFound, Conflict, NotSupportedByProvider).
 */
export interface EventWriter {
  create(uid: string, input: NewEventInput, context: WriteContext): Written & { body: Buffer };
  /** `instanceDate` null: the series or single event. */
  update(
    object: Uint8Array,
    instanceDate: string | null,
    scope: EditScope,
    input: EventInput,
    context: WriteContext,
  ): Written & {
    body: Buffer;
    /** `following`: the old series ends (in `body`), a new object holds the rest. */
    split?: { uid: string; body: Buffer };
    /** Instance the answer should show, by the date its id has; null for the series. */
    instanceDate: string | null;
  };
  remove(object: Uint8Array, instanceDate: string | null, scope: EditScope, context: WriteContext): Written;
  respond(
    object: Uint8Array,
    instanceDate: string | null,
    status: ResponseStatus,
    context: WriteContext,
  ): Written & { body: Buffer };
  /**
   * Where instances of a series are after an edit, by the date parts of their ids; null for those that are gone.
   * `firstInstance`: the one that `after` begins with; null when it begins like `before`.
   */
  instancesAfter(
    before: Uint8Array,
    after: Uint8Array,
    firstInstance: string | null,
    instanceDates: readonly string[],
    calendarTimeZone: string,
  ): Map<string, string | null>;
}
