import type { ProviderType } from '../accounts/account.js';
import type { Credentials } from '../accounts/credentials.js';
import type { Calendar, CalendarInput, DeletedCalendar } from '../calendars/calendar.js';
import type { CalendarPush } from '../channels/channel.js';
import type {
  BusySlot,
  CalendarEvent,
  EventInput,
  EventItem,
  ExtendedProperties,
  NewEventInput,
  ResponseStatus,
} from '../events/event.js';
import type { BoundedWindow, TimeWindow } from '../events/time.js';
import type { AccountIdentity, AuthorizationServer } from '../oauth/authorization-server.js';
import type { DomainError } from '../system/errors.js';
import type { JsonObject, JsonValue } from '../system/ports.js';

/** What an adapter gets to act for one account. Nothing in it outlives the call. */
export interface AccountSession {
  applicationId: string;
  accountId: string;
  email: string;
  serverUrl: string | null;
  credentials: Credentials;
  /** What {@link CalendarProvider.connect} returned, or a later refresh of it. */
  providerState: JsonObject | null;
  /** Aborts when the caller's deadline passes or the caller is gone. */
  signal: AbortSignal;
  /** Stores a refreshed {@link providerState}, when discovery had to be repeated. */
  saveProviderState(state: JsonObject): Promise<void>;
}

export interface ConnectRequest {
  applicationId: string;
  email: string;
  /** CALDAV only, as the user typed it. */
  serverUrl: string | null;
  credentials: Credentials;
  /** What the user calls the account's only calendar; null or absent: what the provider calls it. */
  name?: string | null;
  /** What the authorization server said; `oauth` credentials come with it. */
  grant?: { identity: AccountIdentity | null; scopes: string[] };
  signal: AbortSignal;
}

export interface ConnectedAccount {
  /** As the provider knows the account; where it knows none, the one of the request. */
  email: string;
  /** Normalised; null unless the account is found by a server address. */
  serverUrl: string | null;
  providerAccountId: string | null;
  authorizedScopes: string[];
  providerState: JsonObject;
}

/** What a provider can do. Code outside of an adapter asks this, never which provider it is. */
export interface ProviderCapabilities {
  /**
   * `password` accounts connect with a login, `oauth` accounts with a redirect or a refresh token, `url` accounts with the
   * secret address of a calendar.
   */
  authentication: 'oauth' | 'password' | 'url';
  /** The account is found by a server address. */
  needsServerUrl: boolean;
  defaultEventPageSize: number;
  /** What `listEvents` tells changes of: a calendar as a whole, or nothing but a window with both bounds. */
  syncExtent: 'calendar' | 'window';
  /** Requests a minute toward the provider for one account. */
  requestsPerMinute: number;
  /**
   * Whether an access token that has just been granted, and that the API refuses, shows that the grant is dead. Where not,
   * the token endpoint alone can say so.
   */
  refusedTokenEndsGrant: boolean;
}

export interface Page<T> {
  items: T[];
  /** Where the next page goes on; null on the last page. Opaque to everyone but the adapter; sealed before it leaves. */
  nextPage: JsonValue | null;
  /** Where an incremental sync starts; only on the last page. */
  nextSync: JsonValue | null;
}

export interface ListCalendars {
  pageSize: number;
  page: JsonValue | null;
  sync: JsonValue | null;
}

export interface MetadataFilters {
  /** A key here matches the private property, else the public one. */
  any: ExtendedProperties;
  private: ExtendedProperties;
  public: ExtendedProperties;
}

export const EVENT_ORDERS = ['startDateTime', 'updatedDateTime'] as const;

export type EventOrder = (typeof EVENT_ORDERS)[number];

/** The part of a list that a token is bound to. JSON, so that it can travel inside the token. */
export interface EventQuery {
  window: TimeWindow;
  expandRecurrences: boolean;
  search: string | null;
  metadataFilters: MetadataFilters | null;
  orderBy: EventOrder | null;
  updatedAfterMs: number | null;
  isAllDay: boolean | null;
  isCancelled: boolean | null;
  iCalUid: string | null;
}

/** All there is, as it is stored: no window, filter or order. */
export const WHOLE_CALENDAR: EventQuery = {
  window: { startMs: null, endMs: null },
  expandRecurrences: false,
  search: null,
  metadataFilters: null,
  orderBy: null,
  updatedAfterMs: null,
  isAllDay: null,
  isCancelled: null,
  iCalUid: null,
};

export interface ListEvents {
  query: EventQuery;
  pageSize: number;
  page: JsonValue | null;
  sync: JsonValue | null;
}

/** Occurrences of one series; the window has both bounds. */
export interface ListOccurrences extends ListEvents {
  query: EventQuery & { window: BoundedWindow };
}

export type NotifyParticipants = 'all' | 'external' | 'none';

export type EditScope = 'this' | 'following' | 'all';

export interface WriteOptions {
  /** undefined: the caller did not say (`all`). */
  notifyParticipants?: NotifyParticipants;
  /** Stable over retries of the same request: a write that already happened must be found again, not repeated. */
  idempotencyKey?: string;
}

export interface EditOptions extends WriteOptions {
  /** undefined: `this` on an instance id, `all` on a series id. */
  scope?: EditScope;
  /** The caller's version tag; a different one at the provider is `PreconditionFailed`. */
  ifMatch?: string;
}

export interface EventWritten {
  /** Canonical re-read of what the provider now holds. */
  event: CalendarEvent;
  /** Fields of the input that this provider cannot hold, by the names of the public interface. */
  ignoredFields: string[];
}

export interface CalendarWritten {
  calendar: Calendar;
  ignoredFields: string[];
}

export interface FreeBusyRequest {
  window: BoundedWindow;
  /** IANA id; floating times of calendars without a zone are read in it. */
  timeZone: string;
  calendarIds: string[];
}

export type FreeBusyOutcome =
  { calendarId: string; busySlots: BusySlot[] } | { calendarId: string; error: DomainError };

/**
 * One provider. Stateless: everything about the account comes in the session. Methods throw `DomainError` only, with
 * `NotFound` for unknown calendars and events (ids that cannot be decoded included, without asking the provider),
 * `CredentialsRejected` when the provider refuses the credentials (confirmed), `ProviderUnavailable`,
 * `ProviderTimeout`, `ProviderRateLimited`, `ProviderRejected`, `Forbidden`, `ReadOnlyCalendar`,
 * `NotSupportedByProvider`, `Conflict`, `PreconditionFailed`, `SyncTokenExpired`, `PayloadTooLarge`.
 */
export abstract class CalendarProvider {
  abstract readonly type: ProviderType;
  abstract readonly capabilities: ProviderCapabilities;
  /** Where grants come from; null unless `capabilities.authentication` is `oauth`. */
  abstract readonly authorization: AuthorizationServer | null;
  /** null: changes are found by asking alone. */
  readonly push: CalendarPush | null = null;

  /**
   * Proves credentials with a real call and discovers the account.
   * @throws DomainError ServerNotAllowed, CredentialsRejected, ProviderUnavailable, ValidationFailed
   */
  abstract connect(request: ConnectRequest): Promise<ConnectedAccount>;

  /** The cheapest call that shows whether the credentials still work. @throws DomainError CredentialsRejected, … */
  abstract verify(session: AccountSession): Promise<void>;

  abstract listCalendars(session: AccountSession, list: ListCalendars): Promise<Page<Calendar | DeletedCalendar>>;
  abstract getCalendar(session: AccountSession, calendarId: string): Promise<Calendar>;
  abstract createCalendar(
    session: AccountSession,
    input: CalendarInput & { name: string },
    options: WriteOptions,
  ): Promise<CalendarWritten>;
  abstract updateCalendar(session: AccountSession, calendarId: string, input: CalendarInput): Promise<CalendarWritten>;
  abstract deleteCalendar(session: AccountSession, calendarId: string): Promise<void>;

  abstract listEvents(session: AccountSession, calendarId: string, list: ListEvents): Promise<Page<EventItem>>;
  abstract listOccurrences(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    list: ListOccurrences,
  ): Promise<Page<EventItem>>;
  abstract getEvent(session: AccountSession, calendarId: string, eventId: string): Promise<CalendarEvent>;
  abstract createEvent(
    session: AccountSession,
    calendarId: string,
    input: NewEventInput,
    options: WriteOptions,
  ): Promise<EventWritten>;
  abstract updateEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    input: EventInput,
    options: EditOptions,
  ): Promise<EventWritten>;
  abstract deleteEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    options: EditOptions,
  ): Promise<{ ignoredFields: string[] }>;
  abstract respond(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    responseStatus: ResponseStatus,
    options: WriteOptions,
  ): Promise<{ ignoredFields: string[] }>;

  /** One outcome per calendar asked, in that order. Slots sorted, merged and clipped to the window. */
  abstract freeBusy(session: AccountSession, request: FreeBusyRequest): Promise<FreeBusyOutcome[]>;
}

/** The providers of this installation. */
export abstract class CalendarProviders {
  abstract for(type: ProviderType): CalendarProvider;
  abstract all(): CalendarProvider[];
}

/** How many requests of one account may be under way at its provider at once, over all processes. */
export abstract class ProviderSlots {
  /**
   * Runs `work` when one of the account's `limit` slots is free. A slot of a process that died is free again within
   * seconds; work that outlives its slot's lease is not stopped.
   * @throws DomainError RateLimited (with retryAfterSeconds) when none becomes free before the signal's deadline or 20 s;
   *   what `work` throws
   */
  abstract hold<T>(
    scope: { applicationId: string; accountId: string },
    limit: number,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T>;
}

/** How many requests an account may still send to its provider. */
export abstract class ProviderBudget {
  /**
   * Takes one request from the account's budget, waiting for it when it is not far off.
   * @throws DomainError RateLimited (with retryAfterSeconds) when it would take longer than the signal's deadline or 20 s
   */
  abstract take(
    scope: { applicationId: string; accountId: string },
    requestsPerMinute: number,
    signal: AbortSignal,
  ): Promise<void>;
}
