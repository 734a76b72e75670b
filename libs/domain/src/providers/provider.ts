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

export const REQUEST_CAUSES = ['call', 'connect', 'sync', 'channel', 'check'] as const;

/** Why a request was sent: for a caller, or in the background. */
export type RequestCause = (typeof REQUEST_CAUSES)[number];

/** Hears of the requests that an operation sends. */
export interface RequestObserver {
  /** @param requests as the provider counts them */
  sent(requests: number): void;
  /** The provider accepted the credentials. */
  accepted(): void;
}

/** Input of an adapter for one account. Valid for one call. */
export interface AccountSession {
  applicationId: string;
  accountId: string;
  email: string;
  serverUrl: string | null;
  credentials: Credentials;
  providerState: JsonObject | null;
  /** Aborts at the caller's deadline or when the caller disconnects. */
  signal: AbortSignal;
  /** Scopes that the user granted. undefined when unknown. */
  authorizedScopes?: readonly string[];
  /** True for work that no caller waits for. It steps behind the others. */
  isBackground?: boolean;
  observer?: RequestObserver;
  saveProviderState(state: JsonObject): Promise<void>;
}

export interface ConnectRequest {
  applicationId: string;
  email: string;
  /** As the user typed it. null unless the type is CALDAV. */
  serverUrl: string | null;
  credentials: Credentials;
  observer?: RequestObserver;
  /** Display name of the only calendar of a `url` account. null or undefined for the provider's name. */
  name?: string | null;
  /** Result of the authorization server, for `oauth` credentials. */
  grant?: { identity: AccountIdentity | null; scopes: string[] };
  signal: AbortSignal;
}

export interface ConnectedAccount {
  /** As the provider knows the account, else the one of the request. */
  email: string;
  /** Normalized. null unless a server address identifies the account. */
  serverUrl: string | null;
  providerAccountId: string | null;
  authorizedScopes: string[];
  providerState: JsonObject;
}

/** Code outside an adapter checks these, never the provider type. */
export interface ProviderCapabilities {
  /** `password`: login. `oauth`: redirect or refresh token. `url`: secret address of a calendar. */
  authentication: 'oauth' | 'password' | 'url';
  needsServerUrl: boolean;
  defaultEventPageSize: number;
  /** Extent of incremental `listEvents`: the whole calendar, or only a window with both bounds. */
  syncExtent: 'calendar' | 'window';
  /** Per account. */
  requestsPerMinute: number;
  /** Per project of an OAuth client. undefined without a limit. */
  requestsPerDay?: number;
  /** Per server, by reads of unchanged calendars. undefined without a limit. */
  backgroundRequestsPerMinute?: number;
  /** A rejected new access token means that the grant is dead. false when only the token endpoint can tell. */
  rejectedTokenEndsGrant: boolean;
}

export interface Page<T> {
  items: T[];
  /** null on the last page. Opaque outside the adapter; sealed before it leaves the process. */
  nextPage: JsonValue | null;
  /** On the last page only. */
  nextSync: JsonValue | null;
}

export interface ListCalendars {
  pageSize: number;
  page: JsonValue | null;
  sync: JsonValue | null;
}

export interface MetadataFilters {
  /** Matches the private property, else the public one. */
  any: ExtendedProperties;
  private: ExtendedProperties;
  public: ExtendedProperties;
}

export const EVENT_ORDERS = ['startDateTime', 'updatedDateTime'] as const;

export type EventOrder = (typeof EVENT_ORDERS)[number];

/** The part of a list request that page and sync tokens are bound to. Serialized in the token. */
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

export interface ListOccurrences extends ListEvents {
  query: EventQuery & { window: BoundedWindow };
}

export type NotifyParticipants = 'all' | 'external' | 'none';

export type EditScope = 'this' | 'following' | 'all';

export interface WriteOptions {
  /** undefined when not given, which means `all`. */
  notifyParticipants?: NotifyParticipants;
  /** Same for every retry of a request. The adapter finds the first write instead of repeating it. */
  idempotencyKey?: string;
}

export interface EditOptions extends WriteOptions {
  /** undefined means `this` for an instance id and `all` for a series id. */
  scope?: EditScope;
  /** ETag of the caller. Another one at the provider throws `PreconditionFailed`. */
  ifMatch?: string;
}

export interface EventWritten {
  event: CalendarEvent;
  /** Input fields that the provider cannot store, by their public names. */
  ignoredFields: string[];
}

export interface CalendarWritten {
  calendar: Calendar;
  ignoredFields: string[];
}

export interface FreeBusyRequest {
  window: BoundedWindow;
  /** IANA id. Floating times of calendars without a zone are read in it. */
  timeZone: string;
  calendarIds: string[];
}

export type FreeBusyOutcome =
  { calendarId: string; busySlots: BusySlot[] } | { calendarId: string; error: DomainError };

/**
 * One provider. Stateless. Unknown and malformed ids of calendars and events are `NotFound`.
 * @throws DomainError CredentialsRejected, ProviderUnavailable, ProviderTimeout, ProviderRateLimited, ProviderRejected,
 *   Forbidden, ReadOnlyCalendar, NotSupportedByProvider, Conflict, PreconditionFailed, SyncTokenExpired,
 *   PayloadTooLarge
 */
export abstract class CalendarProvider {
  abstract readonly type: ProviderType;
  abstract readonly capabilities: ProviderCapabilities;
  /** null unless `capabilities.authentication` is `oauth`. */
  abstract readonly authorization: AuthorizationServer | null;
  /** null when the provider has no push: the worker polls. */
  readonly push: CalendarPush | null = null;

  /** @throws DomainError ServerNotAllowed, CredentialsRejected, ProviderUnavailable, ValidationFailed */
  abstract connect(request: ConnectRequest): Promise<ConnectedAccount>;

  /**
   * The cheapest call that verifies the credentials. @returns false when only a refresh of the tokens can show it
   * @throws DomainError CredentialsRejected, …
   */
  abstract verify(session: AccountSession): Promise<boolean>;

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

  /** One outcome per requested calendar, in that order. Slots are sorted, merged and clipped to the window. */
  abstract freeBusy(session: AccountSession, request: FreeBusyRequest): Promise<FreeBusyOutcome[]>;
}

export abstract class CalendarProviders {
  abstract for(type: ProviderType): CalendarProvider;
  abstract all(): CalendarProvider[];
}

/** Limits concurrent requests per account at its provider, over all processes. */
export abstract class ProviderConcurrencyLimiter {
  /**
   * Frees the permit of a dead process within seconds. Does not stop work that outlives its lease.
   * @throws DomainError RateLimited (with retryAfterSeconds) after 20 s or the signal's deadline
   */
  abstract withPermit<T>(
    scope: { applicationId: string; accountId: string },
    limit: number,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T>;
}

/** Limits the request rate per account at its provider. */
export abstract class ProviderRateLimiter {
  /** @throws DomainError RateLimited (with retryAfterSeconds) when the wait exceeds 20 s or the signal's deadline */
  abstract take(
    scope: { applicationId: string; accountId: string },
    requestsPerMinute: number,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Reserves all requests of an operation at once, first come, first served over all processes.
   * @returns the number of reserved requests: those that were asked for, or as many as may be sent at once
   * @throws DomainError RateLimited at once, reserving nothing, when its turn is too far off, or at the signal's end.
   *   `retryAfterSeconds`, 1 to 60, counts those that were refused before.
   */
  abstract admit(
    scope: { applicationId: string; accountId: string },
    requestsPerMinute: number,
    operation: { requests: number; isBackground: boolean },
    signal: AbortSignal,
  ): Promise<number>;

  /** Counts requests beyond a reservation, or gives unused ones back (negative). Never waits and never throws. */
  abstract correct(
    scope: { applicationId: string; accountId: string },
    requestsPerMinute: number,
    requests: number,
  ): Promise<void>;
}
