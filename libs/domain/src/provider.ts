import type { Credentials, JsonObject, JsonValue, ProviderType } from './account.js';
import type { Calendar, CalendarInput, DeletedCalendar } from './calendar.js';
import type { AccountIdentity, AuthorizationServer } from './oauth.js';
import type {
  BusySlot,
  CalendarEvent,
  EventInput,
  EventItem,
  ExtendedProperties,
  NewEventInput,
  ResponseStatus,
} from './event.js';
import type { BoundedWindow, TimeWindow } from './time.js';

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
  { calendarId: string; busySlots: BusySlot[] } | { calendarId: string; error: import('./errors.js').DomainError };

/** Where a provider is to push to. */
export interface ChannelRequest {
  /** UUID of ours, never used before. */
  channelId: string;
  /** What makes a push genuine: 43 characters of base64url, random, never logged. */
  token: string;
  /** Pushes, and what a provider has to say about the channel itself, go here: absolute, under `PUBLIC_URL`. */
  notificationUrl: string;
  lifecycleUrl: string;
}

/** What a provider says about a channel by itself, as it was read: only its form is checked. */
export interface ChannelNotification {
  channelId: string;
  /** Only the channel's own makes the notification genuine. */
  token: string;
  /**
   * `sync`: the channel is open. `missed`: the provider could not report every change. `reauthorize`: the channel ends
   * unless it is renewed. `removed`: the provider has dropped it. `gone`: what it watches does not exist any more.
   */
  kind: 'sync' | 'change' | 'missed' | 'reauthorize' | 'removed' | 'gone';
}

/** What the provider says of a channel. */
export interface ChannelFacts {
  /** The provider's ids; both are needed to stop it. */
  subscriptionId: string;
  resourceId: string | null;
  /** It pushes until then, unless it is renewed or dropped. */
  expiresAt: Date;
}

/** What stopping and renewing take. */
export type KnownChannel = Pick<ChannelFacts, 'subscriptionId' | 'resourceId'> & Pick<ChannelRequest, 'token'>;

/** How a provider is made to tell of changes by itself. Methods throw as those of {@link CalendarProvider} do. */
export abstract class CalendarPush {
  /**
   * Channels have our ids at the provider, and all channels of a calendar have one resource id: one whose answer was lost
   * can be stopped once another one was answered.
   */
  abstract readonly usesOurIds: boolean;

  /**
   * Opens a channel for the events of a calendar. A request whose answer was lost may have opened one: `channelId` is not
   * used again, what such a channel pushes is ignored, and it ends by itself.
   * @returns null when the provider will never push for this calendar, which can be read all the same: it has to be polled
   * @throws DomainError NotSupportedByProvider, when subscribing to this calendar has to be refused; Conflict, when the
   *   provider has known the channel's id: another one will do
   */
  abstract open(session: AccountSession, calendarId: string, request: ChannelRequest): Promise<ChannelFacts | null>;
  /**
   * Makes a live channel last longer, under the ids that it has.
   * @returns null when another one has to be opened in its place: the provider cannot renew, or knows it no more
   */
  abstract renew(session: AccountSession, channel: KnownChannel): Promise<ChannelFacts | null>;
  /** Pushes may still be under way afterwards. Nothing happens when the provider does not know it (any more). */
  abstract stop(session: AccountSession, channel: KnownChannel): Promise<void>;
}

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
