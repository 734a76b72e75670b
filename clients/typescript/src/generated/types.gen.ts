// Generated from docs/openapi.json.

export type ClientOptions = {
  baseUrl: `${string}://${string}` | (string & {});
};

export type Webhooks =
  | OnCalendarEventChangedWebhookRequest
  | OnCalendarEventUnknownWebhookRequest
  | OnEnduseraccountCreatedWebhookRequest
  | OnEnduseraccountUpdatedWebhookRequest
  | OnEnduseraccountDeletedWebhookRequest
  | OnEnduseraccountCredentialUpdatedWebhookRequest
  | OnWebhookTestWebhookRequest;

export type OAuthPrompt = 'consent' | 'select_account' | 'none';

export type CreateAuthorizationUrl = {
  /**
   * Where the user signs in, as in the address without a key. `GOOGLE` and `MICROSOFT` are taken as well.
   */
  provider: 'google' | 'microsoft';
  /**
   * Where the user is sent back to: one of the redirect URLs of the application. Without it the first one of them.
   */
  redirectUrl?: string | null;
  /**
   * Email that the user must sign in with.
   */
  loginHint?: string | null;
  /**
   * Id of the user in the application's own system, for the account that is connected. An account that has another one
   * keeps it: `external_id_mismatch`.
   */
  externalId?: string | null;
  /**
   * What the provider asks its user.
   */
  prompt?: OAuthPrompt | null;
  /**
   * Comes back unchanged on the redirect; base64 recommended.
   */
  state?: string | null;
};

export type AuthorizationUrl = {
  /**
   * Ten minutes from now.
   */
  expiresAt: string;
  /**
   * For this one user, and for one visit: whoever opens it begins the sign-in.
   */
  url: string;
};

export type ConnectApple = {
  /**
   * Id of the user in the application's own system. Sets or replaces it; null removes it.
   */
  externalId?: string | null;
  /**
   * Email of the Apple account.
   */
  email: string;
  /**
   * App-specific password, made at account.apple.com; not the password of the account itself.
   */
  password: string;
};

/**
 * EXPIRED: the provider no longer accepts the credentials; calendars and events cannot be accessed. Known values: `ACTIVE`, `EXPIRED`. Later versions may add some.
 */
export type EndUserAccountStatus = string;

/**
 * The provider.
 */
export type ProviderType = 'GOOGLE' | 'MICROSOFT' | 'APPLE' | 'CALDAV' | 'ICS';

export type EndUserAccount = {
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Time of the last change.
   */
  updatedAt: string;
  /**
   * Scopes that the user granted; empty for APPLE and CALDAV.
   */
  authorizedScopes: Array<string>;
  /**
   * Id of the account in the provider's own system; null where there is none.
   */
  providerAccountId: string | null;
  /**
   * EXPIRED: the provider no longer accepts the credentials; calendars and events cannot be accessed.
   */
  status: EndUserAccountStatus;
  /**
   * The provider. Known values: `GOOGLE`, `MICROSOFT`, `APPLE`, `CALDAV`, `ICS`. Later versions may add some.
   */
  providerType: string;
  /**
   * Address of the CalDAV server, normalised; null for every other provider.
   */
  serverUrl: string | null;
  /**
   * Only of an account whose provider gives nothing that can be used at present: since when what is shown is not what it
   * has.
   */
  staleSince?: string;
  /**
   * Unique identifier.
   */
  id: string;
  /**
   * Email of the user. For CALDAV the login at the server, which may be a plain user name.
   */
  email: string;
  /**
   * Id of the user in the application's own system; an empty string when none was given.
   */
  externalId: string;
  /**
   * Opaque, stable id of the application's configuration of the provider.
   */
  providerId: string;
  /**
   * The application that owns the account.
   */
  applicationId: string;
};

export type ConnectCalDav = {
  /**
   * Id of the user in the application's own system. Sets or replaces it; null removes it.
   */
  externalId?: string | null;
  /**
   * Address of the server: https, public, the scheme may be left out. Its base address is enough: calendars are
   * discovered (RFC 6764).
   */
  serverUrl: string;
  /**
   * Login at the server, which may be a plain user name.
   */
  email: string;
  /**
   * Password at the server; most hosted providers want an app-specific one.
   */
  password: string;
};

export type ConnectIcs = {
  /**
   * Id of the user in the application's own system. Sets or replaces it; null removes it.
   */
  externalId?: string | null;
  /**
   * Address of the feed: https or webcal, public. It is a secret, and never given out again.
   */
  url: string;
  /**
   * What the calendar is called; null or absent: as the feed calls itself.
   */
  name?: string | null;
};

export type CreateConnectLink = {
  /**
   * Where the user is sent back to: one of the redirect URLs of the application. Without it the first one of them.
   */
  redirectUrl?: string | null;
  /**
   * Id of the user in the application's own system, for the account that is connected. An account that has another one
   * keeps it: `external_id_mismatch`.
   */
  externalId?: string | null;
  /**
   * Comes back unchanged on the redirect; base64 recommended.
   */
  state?: string | null;
  /**
   * Where the account is; without it the user chooses. `GOOGLE`, `MICROSOFT`, `APPLE`, `CALDAV` and `ICS` are taken as well.
   */
  provider?: 'google' | 'microsoft' | 'apple' | 'caldav' | 'ics' | null;
};

export type ConnectLink = {
  /**
   * Thirty minutes from now.
   */
  expiresAt: string;
  /**
   * For this one user, and for one account: with it the account is connected, and the link is over.
   */
  url: string;
};

export type StatusFilter = 'active' | 'expired';

export type EndUserAccountPage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The accounts.
   */
  data: Array<EndUserAccount>;
};

export type Credentials = {
  /**
   * OAuth access token, valid for five minutes or more; null for accounts that have a password.
   */
  accessToken: string | null;
  /**
   * OAuth refresh token; null for accounts that have a password. The password is never given out.
   */
  refreshToken: string | null;
  /**
   * When the access token expires; null for accounts that have a password.
   */
  expiresAt: string | null;
  /**
   * Always ACTIVE: the credentials of an EXPIRED account are not given out. Known values: `ACTIVE`. Later versions may add some.
   */
  status: string;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Time of the last change.
   */
  updatedAt: string;
  /**
   * Unique identifier of the credentials.
   */
  id: string;
  /**
   * The account they belong to.
   */
  endUserAccountId: string;
};

export type UpsertEndUserAccount = {
  /**
   * The provider.
   */
  providerType: ProviderType;
  /**
   * Id of the user in the application's own system. Sets or replaces it; null removes it.
   */
  externalId?: string | null;
  /**
   * OAuth refresh token. Required for GOOGLE and MICROSOFT.
   */
  refreshToken?: string | null;
  /**
   * App-specific password. Required for APPLE and CALDAV.
   */
  password?: string | null;
  /**
   * Address of the server. Required for CALDAV, ignored for the others.
   */
  serverUrl?: string | null;
  /**
   * Email of the user; for CALDAV the login at the server.
   */
  email: string;
};

export type AccountDeleted = {
  /**
   * A sentence for people.
   */
  message: string;
  /**
   * Always true.
   */
  ok: boolean;
  /**
   * Always true.
   */
  success: boolean;
};

export type Calendar = {
  /**
   * Whether this is the primary calendar of the account. GOOGLE, MICROSOFT: left out when not; APPLE, CALDAV: false.
   */
  isPrimary?: boolean;
  /**
   * Providers of online meetings that the calendar allows.
   */
  allowedOnlineMeetingProviders: Array<string>;
  /**
   * Provider of online meetings that is used when none is named.
   */
  defaultOnlineMeetingProvider?: string;
  /**
   * Unique identifier within the account.
   */
  id: string;
  /**
   * Display name.
   */
  name: string;
  /**
   * Colour, `#RRGGBB`.
   */
  hexColor: string;
  /**
   * Whether the calendar cannot be written to. For APPLE and CALDAV it may not reflect the real permissions.
   */
  readOnly: boolean;
  /**
   * Whether somebody else shares the calendar with this account.
   */
  isShared: boolean;
  /**
   * Time zone of the calendar.
   */
  timeZone: string;
  /**
   * Address used for invitations to and from the calendar; empty when the provider knows none.
   */
  inviteEmail: string;
};

export type DeletedCalendar = {
  /**
   * Always true.
   */
  isDeleted: true;
  /**
   * Identifier that the calendar had.
   */
  id: string;
};

export type CalendarPage = {
  /**
   * The calendars; with a `syncToken` also those that are gone.
   */
  data: Array<Calendar | DeletedCalendar>;
  /**
   * Pass it back as `pageToken` to read on; left out on the last page.
   */
  nextPageToken?: string;
  /**
   * Pass it back later as `syncToken` to learn what has changed; on the last page.
   */
  nextSyncToken?: string;
};

export type CreateCalendar = {
  /**
   * Display name, 1 to 255 characters.
   */
  name: string;
  /**
   * Colour, `#RRGGBB`; the `#` may be left out.
   */
  hexColor?: string;
  /**
   * Time zone, an IANA name.
   */
  timeZone?: string;
};

export type UpdateCalendar = {
  /**
   * Display name, 1 to 255 characters.
   */
  name?: string;
  /**
   * Colour, `#RRGGBB`; the `#` may be left out.
   */
  hexColor?: string;
  /**
   * Time zone, an IANA name.
   */
  timeZone?: string;
};

export type Success = {
  /**
   * Always true.
   */
  success: boolean;
};

export type EventOrder = 'startDateTime' | 'updatedDateTime';

export type EventTime = {
  /**
   * Date of an all-day event, `YYYY-MM-DD`; as an end it is exclusive.
   */
  date?: string;
  /**
   * Date-time, with the offset of its zone unless nobody knows that.
   */
  dateTime?: string;
  /**
   * The zone it is shown in; a name that nobody knows is passed through.
   */
  timeZone?: string;
};

/**
 * The user's own answer to the invitation.
 */
export type ResponseStatus = 'needsAction' | 'declined' | 'tentative' | 'accepted';

/**
 * Who may see the event.
 */
export type Visibility = 'default' | 'public' | 'private' | 'confidential';

export type ConferenceData = {
  /**
   * Id of the meeting at its provider.
   */
  conferenceId?: string;
  /**
   * Kind of meeting.
   */
  conferenceType?: string;
  /**
   * Address to join at.
   */
  joinUrl?: string;
  /**
   * What else the provider tells about the meeting, in its own words.
   */
  conferenceDetails?: {
    [key: string]: unknown;
  };
};

/**
 * Whether the event blocks time: `opaque` does.
 */
export type Transparency = 'transparent' | 'opaque';

/**
 * Kind of event.
 */
export type EventType = 'default' | 'outOfOffice' | 'focusTime';

export type EventOrganizer = {
  /**
   * Full name.
   */
  name?: string;
  /**
   * Email address.
   */
  email: string;
  /**
   * Whether it is the user of the account.
   */
  isSelf: boolean;
};

export type EventCreator = {
  /**
   * Email address.
   */
  email: string;
};

export type EventAttendee = {
  /**
   * Full name.
   */
  name?: string;
  /**
   * Answer to the invitation. Known values: `needsAction`, `declined`, `tentative`, `accepted`. Later versions may add some.
   */
  responseStatus: string;
  /**
   * Identifier within the event.
   */
  id: string;
  /**
   * Email address.
   */
  email: string;
};

/**
 * How.
 */
export type ReminderMethod = 'popup' | 'email';

export type EventReminder = {
  /**
   * How. Known values: `popup`, `email`. Later versions may add some.
   */
  method: string;
  /**
   * Minutes before the start; below 0 after it.
   */
  minutes: number;
};

export type EventReminders = {
  /**
   * Whether there is a reminder at all.
   */
  isReminderOn?: boolean;
  /**
   * Reminders of this event's own.
   */
  overrides?: Array<EventReminder>;
  /**
   * Whether the calendar's own reminders apply.
   */
  useDefault: boolean;
};

/**
 * An event, a series, or one instance of a series. A removed event, which only answers to a `syncToken` name, has `id` and `isCancelled`, and where they are known `iCalUid`, `recurringEventId` and `originalStart`. Every other event has also `title`, `start`, `end`, `isAllDay`, `isRecurring`, `isException`, `recurrence`, `attendees`, `visibility`, `transparency`, `eventType`, `reminders`, `publicExtendedProperties` and `privateExtendedProperties`.
 */
export type Event = {
  /**
   * Description, plain text.
   */
  description?: string;
  /**
   * Version tag; send it as `If-Match` to change exactly this version.
   */
  etag?: string;
  /**
   * Creation time.
   */
  createdAt?: string;
  /**
   * Time of the last change.
   */
  updatedAt?: string;
  /**
   * Properties of the application's own, visible to others.
   */
  publicExtendedProperties?: {
    [key: string]: string;
  };
  /**
   * Properties of the application's own, visible only to the authenticated user.
   */
  privateExtendedProperties?: {
    [key: string]: string;
  };
  /**
   * RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545; null for what is no series.
   */
  recurrence?: Array<string> | null;
  /**
   * Start of an instance before it was moved. For an all-day one it is `date` alone.
   */
  originalStart?: EventTime;
  /**
   * The series that this instance belongs to.
   */
  recurringEventId?: string;
  /**
   * Colour from the palette, "1" to "11".
   */
  colorId?: string;
  /**
   * Colour, `#rrggbb`.
   */
  customColor?: string;
  /**
   * The user's own answer to the invitation. Known values: `needsAction`, `declined`, `tentative`, `accepted`. Later versions may add some.
   */
  myResponseStatus?: string;
  /**
   * Who may see the event. Known values: `default`, `public`, `private`, `confidential`. Later versions may add some.
   */
  visibility?: string;
  /**
   * Place, physical or virtual.
   */
  location?: string;
  /**
   * An online meeting. Not available for APPLE and CALDAV.
   */
  conferenceData?: ConferenceData;
  /**
   * Only while this provider is still making the meeting of the event: a later read has its `joinUrl`.
   */
  generateMeetingUrlProvider?: string;
  /**
   * Address of the event in the provider's own pages. Not available for APPLE and CALDAV.
   */
  webLink?: string;
  /**
   * UID in iCalendar terms: the same event has it everywhere.
   */
  iCalUid?: string;
  /**
   * Whether the event blocks time: `opaque` does. Known values: `transparent`, `opaque`. Later versions may add some.
   */
  transparency?: string;
  /**
   * Kind of event. Known values: `default`, `outOfOffice`, `focusTime`. Later versions may add some.
   */
  eventType?: string;
  /**
   * Who organises the event.
   */
  organizer?: EventOrganizer;
  /**
   * Who created the event.
   */
  creator?: EventCreator;
  /**
   * Identifier. That of an instance is the id of its series, an underscore and a date.
   */
  id: string;
  /**
   * Title.
   */
  title?: string;
  /**
   * Start.
   */
  start?: EventTime;
  /**
   * End, exclusive.
   */
  end?: EventTime;
  /**
   * Whether the event lasts all day.
   */
  isAllDay?: boolean;
  /**
   * Whether this is a series.
   */
  isRecurring?: boolean;
  /**
   * Whether this is an instance of a series.
   */
  isException?: boolean;
  /**
   * Whether the event is cancelled. True for a removed one.
   */
  isCancelled: boolean;
  /**
   * Everybody who is invited.
   */
  attendees?: Array<EventAttendee>;
  /**
   * Reminders.
   */
  reminders?: EventReminders;
};

export type EventPage = {
  /**
   * Pass it back as `pageToken` to read on; left out on the last page.
   */
  nextPageToken?: string;
  /**
   * Pass it back later as `syncToken` to learn what has changed; on the last page.
   */
  nextSyncToken?: string;
  /**
   * The events; with a `syncToken` also those that are removed.
   */
  data: Array<Event>;
};

export type EventDateTime = {
  /**
   * Date of an all-day event, `YYYY-MM-DD`. The end is exclusive.
   */
  date?: string | null;
  /**
   * ISO 8601 date-time; may carry an offset or none.
   */
  dateTime?: string | null;
  /**
   * Time zone, an IANA name; Windows names are understood too.
   */
  timeZone?: string | null;
};

export type EventReminderInput = {
  /**
   * How.
   */
  method: ReminderMethod;
  /**
   * Minutes before the start; below 0 after it, for APPLE and CALDAV only.
   */
  minutes: number;
};

export type EventRemindersInput = {
  /**
   * Whether the calendar's own reminders apply. Left out: true, or false beside `overrides` or `isReminderOn: false`.
   */
  useDefault?: boolean;
  /**
   * Whether there is a reminder at all.
   */
  isReminderOn?: boolean;
  /**
   * Reminders of this event's own.
   */
  overrides?: Array<EventReminderInput>;
};

export type EventAttendeeInput = {
  /**
   * Full name.
   */
  name?: string | null;
  /**
   * Email address.
   */
  email: string;
  /**
   * Answer to the invitation; `needsAction` when left out.
   */
  responseStatus?: ResponseStatus;
};

export type CreateEvent = {
  /**
   * Description, plain text.
   */
  description?: string | null;
  /**
   * End, exclusive. On create: one hour after the start, or one day when all-day, when left out.
   */
  end?: EventDateTime | null;
  /**
   * Whether the event lasts all day.
   */
  isAllDay?: boolean;
  /**
   * Properties of the application's own, visible to others.
   */
  publicExtendedProperties?: {
    [key: string]: string;
  } | null;
  /**
   * Properties of the application's own, visible only to the authenticated user.
   */
  privateExtendedProperties?: {
    [key: string]: string;
  } | null;
  /**
   * Recurrence: RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545. null makes a series a single event.
   */
  recurrence?: Array<string> | null;
  /**
   * Colour from the palette, "1" to "11".
   */
  colorId?: string | null;
  /**
   * Colour, `#rrggbb`.
   */
  customColor?: string | null;
  /**
   * The user's own answer to the invitation, given as by an RSVP. Of the organizer 400 for MICROSOFT.
   */
  myResponseStatus?: ResponseStatus;
  /**
   * Who may see the event.
   */
  visibility?: Visibility | null;
  /**
   * Place, physical or virtual.
   */
  location?: string | null;
  /**
   * An online meeting of a third party. Written for GOOGLE alone; 400 for others, unless it comes back as it was read.
   */
  conferenceData?: ConferenceData | null;
  /**
   * Whether the event blocks time: `opaque` does.
   */
  transparency?: Transparency | null;
  /**
   * Kind of event.
   */
  eventType?: EventType | null;
  /**
   * Reminders.
   */
  reminders?: EventRemindersInput | null;
  /**
   * Provider at which a meeting is made for the event. Not available for APPLE and CALDAV.
   */
  generateMeetingUrlProvider?: string | null;
  /**
   * Start.
   */
  start: EventDateTime;
  /**
   * Everybody who is invited.
   */
  attendees?: Array<EventAttendeeInput> | null;
  /**
   * With `originalStart`: the series of this calendar that one instance is to be changed of, to what the body says. Where
   * the two name no such instance, the event is a single one, and they are named in `x-ignored-fields`.
   */
  recurringEventId?: string | null;
  /**
   * With `recurringEventId`: where the series puts the instance.
   */
  originalStart?: EventDateTime | null;
  /**
   * Title.
   */
  title: string;
};

export type NotifyParticipants = 'all' | 'external' | 'none';

export type EventAttendeeChange = {
  /**
   * Answer to the invitation; `needsAction` when left out.
   */
  responseStatus?: ResponseStatus;
  /**
   * Of somebody whom the event shows; it tells who that is where there is no email address.
   */
  id?: string | null;
  /**
   * Full name, of at most 255 characters where it is a new one.
   */
  name?: string | null;
  /**
   * Email address; with an `id` it may be whatever the event shows, nothing included.
   */
  email: string;
};

export type UpdateEvent = {
  /**
   * Description, plain text.
   */
  description?: string | null;
  /**
   * End, exclusive. On create: one hour after the start, or one day when all-day, when left out.
   */
  end?: EventDateTime | null;
  /**
   * Whether the event lasts all day.
   */
  isAllDay?: boolean;
  /**
   * Properties of the application's own, visible to others.
   */
  publicExtendedProperties?: {
    [key: string]: string;
  } | null;
  /**
   * Properties of the application's own, visible only to the authenticated user.
   */
  privateExtendedProperties?: {
    [key: string]: string;
  } | null;
  /**
   * Recurrence: RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545. null makes a series a single event.
   */
  recurrence?: Array<string> | null;
  /**
   * Colour from the palette, "1" to "11".
   */
  colorId?: string | null;
  /**
   * Colour, `#rrggbb`.
   */
  customColor?: string | null;
  /**
   * The user's own answer to the invitation, given as by an RSVP. Of the organizer 400 for MICROSOFT.
   */
  myResponseStatus?: ResponseStatus;
  /**
   * Everybody who is invited; replaces the list.
   */
  attendees?: Array<EventAttendeeChange> | null;
  /**
   * Who may see the event.
   */
  visibility?: Visibility | null;
  /**
   * Place, physical or virtual.
   */
  location?: string | null;
  /**
   * An online meeting of a third party. Written for GOOGLE alone; 400 for others, unless it comes back as it was read.
   */
  conferenceData?: ConferenceData | null;
  /**
   * Whether the event blocks time: `opaque` does.
   */
  transparency?: Transparency | null;
  /**
   * Kind of event.
   */
  eventType?: EventType | null;
  /**
   * Reminders.
   */
  reminders?: EventRemindersInput | null;
  /**
   * Provider at which a meeting is made for the event. Not available for APPLE and CALDAV.
   */
  generateMeetingUrlProvider?: string | null;
  /**
   * true cancels the event, the series or the instance, as deleting it does: nothing else is applied then, and the answer
   * is the event as it was, with `isCancelled` true. false is what every event says that can be changed.
   */
  isCancelled?: boolean | null;
  /**
   * Title.
   */
  title?: string;
  /**
   * Start.
   */
  start?: EventDateTime;
};

export type EditScope = 'this' | 'following' | 'all';

export type Rsvp = {
  /**
   * The answer.
   */
  responseStatus: ResponseStatus;
};

export type FreeBusyQuery = {
  /**
   * Start of the period, ISO 8601. Without an offset it is read in `timeZone`.
   */
  startDateTime: string;
  /**
   * End of the period, exclusive, ISO 8601.
   */
  endDateTime: string;
  /**
   * The calendars, 1 to 100.
   */
  calendarIds: Array<string>;
  /**
   * true: a calendar that cannot be read carries its error. Otherwise the whole request fails with it.
   */
  allowPartial?: boolean;
  /**
   * Time zone in which the answer shows its times, an IANA name.
   */
  timeZone: string;
};

export type ZonedDateTime = {
  /**
   * The moment, with the offset of its zone.
   */
  dateTime: string;
  /**
   * The zone.
   */
  timeZone: string;
};

export type BusySlot = {
  /**
   * When it begins.
   */
  start: ZonedDateTime;
  /**
   * When it ends, exclusive.
   */
  end: ZonedDateTime;
};

/**
 * What happened.
 *
 * - `MissingApiKey` (401): The x-api-key header is missing, empty or was sent twice. What to do: Send the key of the application once, in the header x-api-key.
 * - `InvalidApiKey` (401): The application key is malformed, unknown or revoked. What to do: Use a key that the operator has not revoked; asking again with this one does not help.
 * - `ApiKeyExpired` (401): The application key has expired. What to do: Ask the operator for a new key.
 * - `Forbidden` (403): The key lacks a scope, or the provider does not let the user do this. What to do: Use a key that has the scope, or let the user ask the owner of the calendar for access.
 * - `ValidationFailed` (400): The request is not valid; `details` names each field. What to do: Correct the fields that `details` names; the same request fails again.
 * - `NotFound` (404): Nothing with this id belongs to the application. What to do: Drop the id, or read the list again.
 * - `MethodNotAllowed` (405): There is nothing for this method at the address; `Allow` names the methods that there are. What to do: Use one of the methods that `Allow` names.
 * - `EndUserAccountExpired` (403): The account is EXPIRED: the user has to connect it again. What to do: Send the user through the sign-in again.
 * - `NotSupportedByProvider` (400): The provider of this account cannot do this. What to do: Leave out what the provider cannot do.
 * - `ReadOnlyCalendar` (403): The calendar cannot be written to. What to do: Write to a calendar that is not read-only.
 * - `Conflict` (409): It exists already, has changed meanwhile, or a request with the same Idempotency-Key is still running. What to do: Read the present state and decide anew; while a request with the same key is running, wait and send it again.
 * - `IdempotencyKeyReused` (422): The Idempotency-Key was used with another request. What to do: Use a new Idempotency-Key for each new request.
 * - `SyncTokenExpired` (410): The sync token is too old: start a full read again. What to do: Read the whole list once without the token, and go on with the new one.
 * - `PageTokenInvalid` (400): The token was not given out for this request. What to do: Start the list again at its first page.
 * - `PreconditionFailed` (412): The event has changed since the version named in If-Match. What to do: Read the event again, and apply the change to what it is now.
 * - `PayloadTooLarge` (413): The request body, or its header, is too large. What to do: Send a smaller body, or fewer and shorter headers.
 * - `RateLimited` (429): Too many requests; Retry-After says how long to wait. What to do: Wait as long as Retry-After says, and send the request again.
 * - `ProviderRateLimited` (429): The provider asks to slow down; Retry-After says how long to wait. What to do: Wait as long as Retry-After says, and send the request again.
 * - `ProviderUnavailable` (502): The provider cannot be reached or answered nonsense. What to do: Try again later, and at ever longer intervals.
 * - `ProviderTimeout` (504): The provider did not answer in time. What to do: Try again later; whether a write was carried out is to be read first, or sent with its Idempotency-Key.
 * - `ProviderRejected` (400): The provider refused the request as invalid. What to do: Change what `provider` and the message name; the same request fails again.
 * - `ServerNotAllowed` (400): The server address is not https or not public. What to do: Give a public https address, or have the operator allow this one.
 * - `CredentialsRejected` (400): The provider refused the credentials. What to do: Ask the user for the right credentials.
 * - `Overloaded` (503): More requests came than this instance can answer; nothing was done for this one. What to do: Wait as long as Retry-After says, and send the request again.
 * - `ServiceUnavailable` (503): The database of the service is away, or this instance is starting or shutting down. What to do: Wait as long as Retry-After says, and send the request again, a POST with its Idempotency-Key.
 * - `InternalServerError` (500): The fault is ours. What to do: Report the `requestId` to the operator; trying again may help.
 *
 * Later versions may add some.
 */
export type ErrorCode = string;

export type FreeBusyError = {
  /**
   * One of the error codes.
   */
  code: ErrorCode;
  /**
   * A sentence for people, naming the calendar.
   */
  message: string;
};

export type FreeBusyCalendar = {
  /**
   * Its busy time: sorted, merged, clipped to the period. Absent when the calendar could not be read.
   */
  busySlots?: Array<BusySlot>;
  /**
   * Only with `allowPartial`: why the calendar could not be read.
   */
  error?: FreeBusyError;
  /**
   * The calendar.
   */
  calendarId: string;
};

/**
 * How changes are detected now: by notifications of the provider, or by a sync every minute. Known values: `push`, `polled`. Later versions may add some.
 */
export type SubscriptionDelivery = string;

export type CalendarSubscription = {
  /**
   * The provider of the account. Known values: `GOOGLE`, `MICROSOFT`, `APPLE`, `CALDAV`, `ICS`. Later versions may add some.
   */
  provider: string;
  /**
   * How changes are detected now: by notifications of the provider, or by a sync every minute.
   */
  delivery: SubscriptionDelivery;
  /**
   * End of the provider's channel, which is renewed in time; null where there is none: the calendar is polled.
   */
  expiration: string | null;
  /**
   * The provider's own id of its channel; null where there is none.
   */
  subscriptionId: string | null;
  /**
   * The provider's id of what its channel watches, for MICROSOFT that of the subscription; null without a channel.
   */
  resourceId: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Time of the last change.
   */
  updatedAt: string;
  /**
   * Unique identifier: the `webhookSubscriptionId` that its creation answered.
   */
  id: string;
  /**
   * Where messages are sent.
   */
  url: string;
  /**
   * The calendar.
   */
  calendarId: string;
  /**
   * The account that the calendar belongs to.
   */
  endUserAccountId: string;
};

export type CalendarSubscriptionPage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The subscriptions.
   */
  data: Array<CalendarSubscription>;
};

export type CreateCalendarSubscription = {
  /**
   * Messages per second at most, 1 or more; without it there is no limit.
   */
  rateLimit?: number | null;
  /**
   * What is subscribed to: the events of the calendar. Changes of the calendar itself cannot be.
   */
  subscriptionType?: 'event';
  /**
   * The calendar, an id from the calendar list.
   */
  calendarId: string;
  /**
   * Where messages are sent: https, a public address. The service checks it now and before every message.
   */
  webhookUrl: string;
};

export type CreatedCalendarSubscription = {
  /**
   * How changes are detected: by notifications of the provider, or by a sync every minute, because the provider does
   * not push or cannot reach this installation.
   */
  delivery: SubscriptionDelivery;
  /**
   * Unique identifier of the subscription.
   */
  webhookSubscriptionId: string;
  /**
   * What messages are signed with (Standard Webhooks). It is shown now and never again.
   */
  endpointSecret: string;
};

export type DeleteCalendarSubscription = {
  /**
   * The subscription; required unless it is a query parameter.
   */
  subscriptionId?: string;
};

/**
 * Why they were sent. `call`: by a request of the application. `connect`: an account was connected. `sync`: a calendar
 * with subscriptions was read for changes. `channel`: notifications of the provider were set up. `check`: the
 * credentials were checked. Others may be added.
 *
 * Later versions may add some.
 */
export type RequestCause = string;

export type DailyRequests = {
  /**
   * The day, in UTC.
   */
  date: string;
  /**
   * The provider. Known values: `GOOGLE`, `MICROSOFT`, `APPLE`, `CALDAV`, `ICS`. Later versions may add some.
   */
  providerType: string;
  /**
   * Why they were sent. `call`: by a request of the application. `connect`: an account was connected. `sync`: a calendar
   * with subscriptions was read for changes. `channel`: notifications of the provider were set up. `check`: the
   * credentials were checked. Others may be added.
   */
  cause: RequestCause;
  /**
   * How many, as the provider counts them; each retry counts.
   */
  requests: number;
};

export type Usage = {
  /**
   * One element for each day, provider and cause with requests, newest day first.
   */
  data: Array<DailyRequests>;
};

export type WebhookEndpoint = {
  /**
   * Event types that the endpoint receives.
   */
  eventTypes: Array<string>;
  /**
   * Messages per second at most; null: no limit.
   */
  rateLimit: number | null;
  /**
   * Since when every attempt has failed; null: the last one succeeded, or there was none.
   */
  failingSince: string | null;
  /**
   * Since when nothing is sent; null: messages are sent.
   */
  disabledAt: string | null;
  /**
   * `gone`: it answered 410. `failing`: every attempt failed for five days. `requested`: by hand. Later versions may add some.
   */
  disabledReason: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Time of the last change.
   */
  updatedAt: string;
  /**
   * Unique identifier; of a subscription, its id.
   */
  id: string;
  /**
   * Where messages are sent.
   */
  url: string;
};

export type WebhookEndpointPage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The endpoints.
   */
  data: Array<WebhookEndpoint>;
};

/**
 * Events of the application's accounts, each named once.
 */
export type AccountEventType =
  'enduseraccount.created' | 'enduseraccount.updated' | 'enduseraccount.deleted' | 'enduseraccount.credential.updated';

export type CreateWebhookEndpoint = {
  /**
   * Events of the application's accounts, each named once.
   */
  eventTypes: Array<AccountEventType>;
  /**
   * Messages per second at most, 1 or more; without it there is no limit.
   */
  rateLimit?: number | null;
  /**
   * Where messages are sent: https, a public address. The service checks it now and before every message.
   */
  url: string;
};

export type CreatedWebhookEndpoint = {
  /**
   * Event types that the endpoint receives.
   */
  eventTypes: Array<string>;
  /**
   * Messages per second at most; null: no limit.
   */
  rateLimit: number | null;
  /**
   * Since when every attempt has failed; null: the last one succeeded, or there was none.
   */
  failingSince: string | null;
  /**
   * Since when nothing is sent; null: messages are sent.
   */
  disabledAt: string | null;
  /**
   * `gone`: it answered 410. `failing`: every attempt failed for five days. `requested`: by hand. Later versions may add some.
   */
  disabledReason: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Time of the last change.
   */
  updatedAt: string;
  /**
   * Unique identifier; of a subscription, its id.
   */
  id: string;
  /**
   * Where messages are sent.
   */
  url: string;
  /**
   * What messages are signed with (Standard Webhooks). It is shown now and never again.
   */
  endpointSecret: string;
};

export type UpdateWebhookEndpoint = {
  /**
   * Messages per second at most, 1 or more; null lifts the limit.
   */
  rateLimit: number | null;
};

export type RotateEndpointSecret = {
  /**
   * How long the replaced secret signs beside the new one; 0 when it became known to others.
   */
  overlapSeconds?: number;
};

export type RotatedEndpointSecret = {
  /**
   * What messages are signed with from now on. It is shown now and never again.
   */
  endpointSecret: string;
};

export type SentTestMessage = {
  /**
   * The message: the header `webhook-id` that the receiver sees.
   */
  messageId: string;
};

export type WebhookMessageState = 'pending' | 'delivered' | 'failed';

export type WebhookMessage = {
  /**
   * `pending`: there is another attempt. `failed`: it was given up. Known values: `pending`, `delivered`, `failed`. Later versions may add some.
   */
  state: string;
  /**
   * Why it was given up: `exhausted`, `gone`, `endpoint-disabled`, or why its URL is not allowed; null unless it was.
   */
  failureReason: string | null;
  /**
   * When it is tried next, at the earliest; null unless it is pending.
   */
  nextAttemptAt: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Unique identifier: the header `webhook-id` of every attempt.
   */
  id: string;
  /**
   * What it tells.
   */
  eventType: string;
};

export type WebhookMessagePage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The messages.
   */
  data: Array<WebhookMessage>;
};

export type DeliveryAttempt = {
  /**
   * From 1 upwards by the schedule; from -1 downwards by hand.
   */
  number: number;
  /**
   * When it started.
   */
  startedAt: string;
  /**
   * How long it took, milliseconds; null: it is under way, or the process that made it died.
   */
  durationMs: number | null;
  /**
   * Status of the receiver's answer; null: there was none.
   */
  status: number | null;
  /**
   * What went wrong on the way; null: nothing did.
   */
  failure: string | null;
  /**
   * The beginning of the receiver's answer, at most 1 KiB; null: there was none.
   */
  responseText: string | null;
  /**
   * When the schedule tries again; null: it does not.
   */
  nextAttemptAt: string | null;
};

export type DeliveryAttemptList = {
  /**
   * The attempts.
   */
  data: Array<DeliveryAttempt>;
};

export type RecoverMessages = {
  /**
   * Those that were made since then, ISO 8601.
   */
  since: string;
};

export type RecoveredMessages = {
  /**
   * Messages that had failed and are pending now.
   */
  recovered: number;
};

/**
 * One part of the request that is not valid.
 */
export type ErrorDetail = {
  /**
   * Where, in dotted form; empty for the body as a whole.
   */
  path: string;
  /**
   * What is wrong with it.
   */
  message: string;
};

/**
 * What the provider said, reduced to facts.
 */
export type ProviderFault = {
  /**
   * HTTP status of the provider's answer, if any.
   */
  status: number | null;
  /**
   * The provider's own code, if any.
   */
  code: string | null;
  /**
   * A sentence for people.
   */
  message: string;
  /**
   * Whether trying again later may help.
   */
  retryable: boolean;
};

/**
 * The body of every error.
 */
export type Error = {
  error: ErrorCode;
  code: ErrorCode;
  /**
   * A sentence for people.
   */
  message: string;
  /**
   * The id of the request, as in `x-request-id`.
   */
  requestId: string;
  /**
   * Each part of the request that is not valid.
   */
  details?: Array<ErrorDetail>;
  provider?: ProviderFault;
};

/**
 * It holds no event: read the events with the sync token of your last read. The ids are in the headers, and in the body for applications whose operator has set so.
 */
export type CalendarEventMessage = {
  /**
   * What happened. Later versions may add some.
   */
  eventType: string;
  /**
   * When the service found the change.
   */
  timestamp: string;
  /**
   * The account.
   */
  endUserAccountId?: string;
  /**
   * The calendar.
   */
  calendarId?: string;
  /**
   * The subscription.
   */
  webhookSubscriptionId?: string;
  /**
   * Its provider. Later versions may add some.
   */
  providerType?: string;
};

/**
 * An account of the application as it is after the event.
 */
export type AccountEventMessage = {
  /**
   * What happened. Later versions may add some.
   */
  eventType: string;
  /**
   * When it happened.
   */
  timestamp: string;
  /**
   * The account.
   */
  endUserAccountId: string;
  /**
   * Id of the user in the application's own system; empty without one.
   */
  externalId: string;
  /**
   * Its provider. Later versions may add some.
   */
  providerType: string;
  /**
   * EXPIRED: the user has to connect the account again. Later versions may add some.
   */
  status: string;
  /**
   * Why the status changed; only with a change of the status.
   */
  reason?: string;
};

/**
 * Nothing happened.
 */
export type TestMessage = {
  /**
   * Always the same. Later versions may add some.
   */
  eventType: string;
  /**
   * When it was asked for.
   */
  timestamp: string;
};

export type BeginSignInData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The application; where a key is sent, the one that the key belongs to.
     */
    applicationId: string;
    /**
     * The provider, in lower case; one whose accounts do not sign in like this is refused.
     */
    provider: 'google' | 'microsoft';
  };
  query?: {
    /**
     * What the provider asks its user: for consent, for one of several accounts, or nothing at all. `none` ends with the
     * error `interaction_required` where the user would have to be asked.
     */
    prompt?: OAuthPrompt;
    /**
     * Email that the user must sign in with; any other account ends with the error `login_hint_mismatch`.
     */
    loginHint?: string;
    /**
     * Where the user is sent back to: one of the redirect URLs of the application, letter for letter. Without it the first
     * one of them.
     */
    redirectUrl?: string;
    /**
     * Comes back unchanged on the redirect; base64 recommended.
     */
    state?: string;
    /**
     * Id of the user in the application's own system, for the account that is connected. An account that has another one
     * already keeps it: the sign-in ends with the error `external_id_mismatch`. Anybody can write this address: use
     * `POST /v1/oauth/authorizationUrls` for one that nobody can change.
     */
    externalId?: string;
    /**
     * A sign-in that the application has fixed: comes with an address of `POST /v1/oauth/authorizationUrls`, once, and
     * with no other parameter.
     */
    request?: string;
  };
  url: '/api/v1/oauth/authorize/{applicationId}/{provider}';
};

export type FinishSignInData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The provider, in lower case; one whose accounts do not sign in like this is refused.
     */
    provider: 'google' | 'microsoft';
  };
  query?: {
    /**
     * The sign-in: what the provider was sent, unchanged.
     */
    state?: string;
    /**
     * The authorization code (RFC 6749 §4.1.2).
     */
    code?: string;
    /**
     * Why there is none (RFC 6749 §4.1.2.1).
     */
    error?: string;
    /**
     * The error in words of the provider; shown to nobody.
     */
    error_description?: string;
    /**
     * More about the error, from Google.
     */
    error_subtype?: string;
    /**
     * Who answers (RFC 9207).
     */
    iss?: string;
  };
  url: '/api/v1/oauth/callback/{provider}';
};

export type CreateAuthorizationUrlData = {
  body: CreateAuthorizationUrl;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: never;
  url: '/api/v1/oauth/authorizationUrls';
};

export type CreateAuthorizationUrlResponses = {
  /**
   * Done.
   */
  200: AuthorizationUrl;
};

export type CreateAuthorizationUrlResponse = CreateAuthorizationUrlResponses[keyof CreateAuthorizationUrlResponses];

export type ConnectAppleData = {
  body: ConnectApple;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The application; where a key is sent, the one that the key belongs to.
     */
    applicationId: string;
  };
  query?: never;
  url: '/api/v1/basicAuth/connect/{applicationId}/apple';
};

export type ConnectAppleResponses = {
  /**
   * Done.
   */
  200: EndUserAccount;
};

export type ConnectAppleResponse = ConnectAppleResponses[keyof ConnectAppleResponses];

export type ConnectCalDavData = {
  body: ConnectCalDav;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The application; where a key is sent, the one that the key belongs to.
     */
    applicationId: string;
  };
  query?: never;
  url: '/api/v1/basicAuth/connect/{applicationId}/caldav';
};

export type ConnectCalDavResponses = {
  /**
   * Done.
   */
  200: EndUserAccount;
};

export type ConnectCalDavResponse = ConnectCalDavResponses[keyof ConnectCalDavResponses];

export type ConnectIcsData = {
  body: ConnectIcs;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The application; where a key is sent, the one that the key belongs to.
     */
    applicationId: string;
  };
  query?: never;
  url: '/api/v1/basicAuth/connect/{applicationId}/ics';
};

export type ConnectIcsResponses = {
  /**
   * Done.
   */
  200: EndUserAccount;
};

export type ConnectIcsResponse = ConnectIcsResponses[keyof ConnectIcsResponses];

export type CreateConnectLinkData = {
  body: CreateConnectLink;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: never;
  url: '/api/v1/connectLinks';
};

export type CreateConnectLinkResponses = {
  /**
   * Done.
   */
  200: ConnectLink;
};

export type CreateConnectLinkResponse = CreateConnectLinkResponses[keyof CreateConnectLinkResponses];

export type ListEndUserAccountsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: {
    /**
     * Accounts on a page; larger is clamped to 200.
     */
    limit?: number;
    /**
     * Another name of `limit`.
     */
    pageSize?: number;
    /**
     * Accounts of one status; without it all of them.
     */
    statusFilter?: StatusFilter;
    /**
     * `nextPageToken` of the page before, whose filters it knows.
     */
    pageToken?: string;
    /**
     * Part of the email or of the external id, in any case of letters, taken literally.
     */
    search?: string;
  };
  url: '/api/v1/endUserAccounts';
};

export type ListEndUserAccountsResponses = {
  /**
   * Done.
   */
  200: EndUserAccountPage;
};

export type ListEndUserAccountsResponse = ListEndUserAccountsResponses[keyof ListEndUserAccountsResponses];

export type UpsertEndUserAccountData = {
  body: UpsertEndUserAccount;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: never;
  url: '/api/v1/endUserAccounts';
};

export type UpsertEndUserAccountResponses = {
  /**
   * Done.
   */
  200: EndUserAccount;
};

export type UpsertEndUserAccountResponse = UpsertEndUserAccountResponses[keyof UpsertEndUserAccountResponses];

export type DeleteEndUserAccountData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: never;
  url: '/api/v1/endUserAccounts/{endUserAccountId}';
};

export type DeleteEndUserAccountResponses = {
  /**
   * Done.
   */
  200: AccountDeleted;
};

export type DeleteEndUserAccountResponse = DeleteEndUserAccountResponses[keyof DeleteEndUserAccountResponses];

export type GetEndUserAccountData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: never;
  url: '/api/v1/endUserAccounts/{endUserAccountId}';
};

export type GetEndUserAccountResponses = {
  /**
   * Done.
   */
  200: EndUserAccount;
};

export type GetEndUserAccountResponse = GetEndUserAccountResponses[keyof GetEndUserAccountResponses];

export type GetEndUserAccountCredentialsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: never;
  url: '/api/v1/endUserAccounts/{endUserAccountId}/credentials';
};

export type GetEndUserAccountCredentialsResponses = {
  /**
   * Done.
   */
  200: Credentials;
};

export type GetEndUserAccountCredentialsResponse =
  GetEndUserAccountCredentialsResponses[keyof GetEndUserAccountCredentialsResponses];

export type ListCalendarsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: {
    /**
     * Calendars on a page; larger is clamped to 250.
     */
    pageSize?: number;
    /**
     * `nextPageToken` of the page before.
     */
    pageToken?: string;
    /**
     * `nextSyncToken` of an earlier read: only what has changed since comes back.
     */
    syncToken?: string;
  };
  url: '/api/v1/calendars/{endUserAccountId}';
};

export type ListCalendarsResponses = {
  /**
   * Done.
   */
  200: CalendarPage;
};

export type ListCalendarsResponse = ListCalendarsResponses[keyof ListCalendarsResponses];

export type CreateCalendarData = {
  body: CreateCalendar;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: never;
  url: '/api/v1/calendars/{endUserAccountId}';
};

export type CreateCalendarResponses = {
  /**
   * Done.
   */
  200: Calendar;
};

export type CreateCalendarResponse = CreateCalendarResponses[keyof CreateCalendarResponses];

export type DeleteCalendarData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
  };
  query?: never;
  url: '/api/v1/calendars/{endUserAccountId}/{calendarId}';
};

export type DeleteCalendarResponses = {
  /**
   * Done.
   */
  200: Success;
};

export type DeleteCalendarResponse = DeleteCalendarResponses[keyof DeleteCalendarResponses];

export type GetCalendarData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
  };
  query?: never;
  url: '/api/v1/calendars/{endUserAccountId}/{calendarId}';
};

export type GetCalendarResponses = {
  /**
   * Done.
   */
  200: Calendar;
};

export type GetCalendarResponse = GetCalendarResponses[keyof GetCalendarResponses];

export type UpdateCalendarData = {
  body: UpdateCalendar;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
  };
  query?: never;
  url: '/api/v1/calendars/{endUserAccountId}/{calendarId}';
};

export type UpdateCalendarResponses = {
  /**
   * Done.
   */
  200: Calendar;
};

export type UpdateCalendarResponse = UpdateCalendarResponses[keyof UpdateCalendarResponses];

export type ListEventsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
  };
  query?: {
    /**
     * Events on a page; larger is clamped to 1,000. The default varies by provider (400; MICROSOFT 100). A page may be short.
     */
    pageSize?: number;
    /**
     * Events that end after this, ISO 8601.
     */
    startDateTime?: string;
    /**
     * Events that start before this, ISO 8601.
     */
    endDateTime?: string;
    /**
     * Show the occurrences of series instead of the series. Needs `startDateTime` and `endDateTime`.
     */
    expandRecurrences?: boolean;
    /**
     * Order, ascending. Only with `expandRecurrences`; without it events are unordered.
     */
    orderBy?: EventOrder;
    /**
     * Events that were changed after this, ISO 8601.
     */
    updatedAfter?: string;
    /**
     * All-day events only, or none of them.
     */
    isAllDay?: boolean;
    /**
     * true: cancelled events are listed as well, with those deleted that the provider still knows; false: none is.
     */
    isCancelled?: boolean;
    /**
     * `nextPageToken` of the page before.
     */
    pageToken?: string;
    /**
     * `nextSyncToken` of an earlier read: only what has changed since comes back, deleted events with `isCancelled` true.
     * Only `pageSize`, `pageToken` and `timeZone` may come along.
     */
    syncToken?: string;
    /**
     * JSON object of extended properties that must all match: `{"key":"value"}` (private first, then public), or
     * `{"private":{…},"public":{…}}`. At most 10 keys.
     */
    metadataFilters?: string;
    /**
     * Part of the title, taken literally.
     */
    search?: string;
    /**
     * The event, or series, with this iCalendar UID.
     */
    iCalUid?: string;
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}';
};

export type ListEventsResponses = {
  /**
   * Done.
   */
  200: EventPage;
};

export type ListEventsResponse = ListEventsResponses[keyof ListEventsResponses];

export type CreateEventData = {
  body: CreateEvent;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
  };
  query?: {
    /**
     * Whom the provider notifies by e-mail. Named in `x-ignored-fields` where the provider decides that itself.
     */
    notifyParticipants?: NotifyParticipants;
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}';
};

export type CreateEventResponses = {
  /**
   * Done.
   */
  200: Event;
};

export type CreateEventResponse = CreateEventResponses[keyof CreateEventResponses];

export type DeleteEventData = {
  body?: never;
  headers?: {
    /**
     * The `etag` of the version to change; any other is refused.
     */
    'If-Match'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
    /**
     * The event, series or instance, an id from an event list.
     */
    eventId: string;
  };
  query?: {
    /**
     * Whom the provider notifies by e-mail. Named in `x-ignored-fields` where the provider decides that itself.
     */
    notifyParticipants?: NotifyParticipants;
    /**
     * This instance, this and the following ones, or the series. Default: `this` on an instance id, `all` on a series id.
     */
    scope?: EditScope;
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}';
};

export type DeleteEventResponses = {
  /**
   * Done.
   */
  200: Success;
};

export type DeleteEventResponse = DeleteEventResponses[keyof DeleteEventResponses];

export type GetEventData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
    /**
     * The event, series or instance, an id from an event list.
     */
    eventId: string;
  };
  query?: {
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}';
};

export type GetEventResponses = {
  /**
   * Done.
   */
  200: Event;
};

export type GetEventResponse = GetEventResponses[keyof GetEventResponses];

export type UpdateEventData = {
  body: UpdateEvent;
  headers?: {
    /**
     * The `etag` of the version to change; any other is refused.
     */
    'If-Match'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
    /**
     * The event, series or instance, an id from an event list.
     */
    eventId: string;
  };
  query?: {
    /**
     * Whom the provider notifies by e-mail. Named in `x-ignored-fields` where the provider decides that itself.
     */
    notifyParticipants?: NotifyParticipants;
    /**
     * This instance, this and the following ones, or the series. Default: `this` on an instance id, `all` on a series id.
     */
    scope?: EditScope;
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}';
};

export type UpdateEventResponses = {
  /**
   * Done.
   */
  200: Event;
};

export type UpdateEventResponse = UpdateEventResponses[keyof UpdateEventResponses];

export type ListEventOccurrencesData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
    /**
     * The event, series or instance, an id from an event list.
     */
    eventId: string;
  };
  query?: {
    /**
     * Events on a page; larger is clamped to 1,000. The default varies by provider (400; MICROSOFT 100). A page may be short.
     */
    pageSize?: number;
    /**
     * Events that were changed after this, ISO 8601.
     */
    updatedAfter?: string;
    /**
     * All-day events only, or none of them.
     */
    isAllDay?: boolean;
    /**
     * true: cancelled events are listed as well, with those deleted that the provider still knows; false: none is.
     */
    isCancelled?: boolean;
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
    /**
     * `nextPageToken` of the page before.
     */
    pageToken?: string;
    /**
     * JSON object of extended properties that must all match: `{"key":"value"}` (private first, then public), or
     * `{"private":{…},"public":{…}}`. At most 10 keys.
     */
    metadataFilters?: string;
    /**
     * Part of the title, taken literally.
     */
    search?: string;
    /**
     * The event, or series, with this iCalendar UID.
     */
    iCalUid?: string;
    /**
     * Occurrences that end after this, ISO 8601. Needed without a token.
     */
    startDateTime?: string;
    /**
     * Occurrences that start before this, ISO 8601. Needed without a token.
     */
    endDateTime?: string;
    /**
     * Order, ascending; without it occurrences are unordered.
     */
    orderBy?: EventOrder;
    /**
     * `nextSyncToken` of an earlier read: only what has changed since comes back, deleted events with `isCancelled` true.
     * The other parameters may come along as in that read, or be left out.
     */
    syncToken?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}/occurrences';
};

export type ListEventOccurrencesResponses = {
  /**
   * Done.
   */
  200: EventPage;
};

export type ListEventOccurrencesResponse = ListEventOccurrencesResponses[keyof ListEventOccurrencesResponses];

export type RsvpEventData = {
  body: Rsvp;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
    /**
     * The calendar, an id from the calendar list.
     */
    calendarId: string;
    /**
     * The event, series or instance, an id from an event list.
     */
    eventId: string;
  };
  query?: {
    /**
     * Whom the provider notifies by e-mail. Named in `x-ignored-fields` where the provider decides that itself.
     */
    notifyParticipants?: NotifyParticipants;
    /**
     * Show every time in this zone, an IANA name; without it each event's own.
     */
    timeZone?: string;
  };
  url: '/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}/rsvp';
};

export type RsvpEventResponses = {
  /**
   * Done.
   */
  200: Success;
};

export type RsvpEventResponse = RsvpEventResponses[keyof RsvpEventResponses];

export type QueryFreeBusyData = {
  body: FreeBusyQuery;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: never;
  url: '/api/v1/freeBusy/{endUserAccountId}';
};

export type QueryFreeBusyResponses = {
  /**
   * Done.
   */
  200: Array<FreeBusyCalendar>;
};

export type QueryFreeBusyResponse = QueryFreeBusyResponses[keyof QueryFreeBusyResponses];

export type DeleteCalendarSubscriptionData = {
  body?: DeleteCalendarSubscription;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: {
    /**
     * The subscription; required unless it is in the body.
     */
    subscriptionId?: string;
  };
  url: '/api/v1/calendarSubscriptions/{endUserAccountId}';
};

export type DeleteCalendarSubscriptionResponses = {
  /**
   * Done.
   */
  200: Success;
};

export type DeleteCalendarSubscriptionResponse =
  DeleteCalendarSubscriptionResponses[keyof DeleteCalendarSubscriptionResponses];

export type ListCalendarSubscriptionsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: {
    /**
     * Subscriptions on a page; larger is clamped to 200.
     */
    limit?: number;
    /**
     * `nextPageToken` of the page before.
     */
    pageToken?: string;
  };
  url: '/api/v1/calendarSubscriptions/{endUserAccountId}';
};

export type ListCalendarSubscriptionsResponses = {
  /**
   * Done.
   */
  200: CalendarSubscriptionPage;
};

export type ListCalendarSubscriptionsResponse =
  ListCalendarSubscriptionsResponses[keyof ListCalendarSubscriptionsResponses];

export type CreateCalendarSubscriptionData = {
  body: CreateCalendarSubscription;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The end user account.
     */
    endUserAccountId: string;
  };
  query?: never;
  url: '/api/v1/calendarSubscriptions/{endUserAccountId}';
};

export type CreateCalendarSubscriptionResponses = {
  /**
   * Done.
   */
  200: CreatedCalendarSubscription;
};

export type CreateCalendarSubscriptionResponse =
  CreateCalendarSubscriptionResponses[keyof CreateCalendarSubscriptionResponses];

export type GetUsageData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: {
    /**
     * Number of days, today included; larger is clamped to 35.
     */
    days?: number;
  };
  url: '/api/v1/usage';
};

export type GetUsageResponses = {
  /**
   * Done.
   */
  200: Usage;
};

export type GetUsageResponse = GetUsageResponses[keyof GetUsageResponses];

export type ListWebhookEndpointsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: {
    /**
     * Endpoints on a page; larger is clamped to 200.
     */
    limit?: number;
    /**
     * `nextPageToken` of the page before.
     */
    pageToken?: string;
  };
  url: '/api/v1/webhookEndpoints';
};

export type ListWebhookEndpointsResponses = {
  /**
   * Done.
   */
  200: WebhookEndpointPage;
};

export type ListWebhookEndpointsResponse = ListWebhookEndpointsResponses[keyof ListWebhookEndpointsResponses];

export type CreateWebhookEndpointData = {
  body: CreateWebhookEndpoint;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path?: never;
  query?: never;
  url: '/api/v1/webhookEndpoints';
};

export type CreateWebhookEndpointResponses = {
  /**
   * Done.
   */
  200: CreatedWebhookEndpoint;
};

export type CreateWebhookEndpointResponse = CreateWebhookEndpointResponses[keyof CreateWebhookEndpointResponses];

export type DeleteWebhookEndpointData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}';
};

export type DeleteWebhookEndpointResponses = {
  /**
   * Done.
   */
  200: Success;
};

export type DeleteWebhookEndpointResponse = DeleteWebhookEndpointResponses[keyof DeleteWebhookEndpointResponses];

export type GetWebhookEndpointData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}';
};

export type GetWebhookEndpointResponses = {
  /**
   * Done.
   */
  200: WebhookEndpoint;
};

export type GetWebhookEndpointResponse = GetWebhookEndpointResponses[keyof GetWebhookEndpointResponses];

export type UpdateWebhookEndpointData = {
  body: UpdateWebhookEndpoint;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}';
};

export type UpdateWebhookEndpointResponses = {
  /**
   * Done.
   */
  200: WebhookEndpoint;
};

export type UpdateWebhookEndpointResponse = UpdateWebhookEndpointResponses[keyof UpdateWebhookEndpointResponses];

export type EnableWebhookEndpointData = {
  body?: never;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}/enable';
};

export type EnableWebhookEndpointResponses = {
  /**
   * Done.
   */
  200: WebhookEndpoint;
};

export type EnableWebhookEndpointResponse = EnableWebhookEndpointResponses[keyof EnableWebhookEndpointResponses];

export type RotateEndpointSecretData = {
  body?: RotateEndpointSecret;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}/rotateSecret';
};

export type RotateEndpointSecretResponses = {
  /**
   * Done.
   */
  200: RotatedEndpointSecret;
};

export type RotateEndpointSecretResponse = RotateEndpointSecretResponses[keyof RotateEndpointSecretResponses];

export type SendTestMessageData = {
  body?: never;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}/test';
};

export type SendTestMessageResponses = {
  /**
   * Done.
   */
  200: SentTestMessage;
};

export type SendTestMessageResponse = SendTestMessageResponses[keyof SendTestMessageResponses];

export type ListWebhookMessagesData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: {
    /**
     * Messages in one state; without it all of them.
     */
    state?: WebhookMessageState;
    /**
     * Messages on a page; larger is clamped to 200.
     */
    limit?: number;
    /**
     * `nextPageToken` of the page before.
     */
    pageToken?: string;
  };
  url: '/api/v1/webhookEndpoints/{endpointId}/messages';
};

export type ListWebhookMessagesResponses = {
  /**
   * Done.
   */
  200: WebhookMessagePage;
};

export type ListWebhookMessagesResponse = ListWebhookMessagesResponses[keyof ListWebhookMessagesResponses];

export type ListDeliveryAttemptsData = {
  body?: never;
  headers?: {
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
    /**
     * The message: the header `webhook-id` of its attempts.
     */
    messageId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}/messages/{messageId}/attempts';
};

export type ListDeliveryAttemptsResponses = {
  /**
   * Done.
   */
  200: DeliveryAttemptList;
};

export type ListDeliveryAttemptsResponse = ListDeliveryAttemptsResponses[keyof ListDeliveryAttemptsResponses];

export type ResendWebhookMessageData = {
  body?: never;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
    /**
     * The message: the header `webhook-id` of its attempts.
     */
    messageId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}/messages/{messageId}/resend';
};

export type ResendWebhookMessageResponses = {
  /**
   * Done.
   */
  200: Success;
};

export type ResendWebhookMessageResponse = ResendWebhookMessageResponses[keyof ResendWebhookMessageResponses];

export type RecoverMessagesData = {
  body: RecoverMessages;
  headers?: {
    /**
     * Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.
     */
    'Idempotency-Key'?: string;
    /**
     * An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.
     */
    'x-request-id'?: string;
  };
  path: {
    /**
     * The endpoint, or the subscription.
     */
    endpointId: string;
  };
  query?: never;
  url: '/api/v1/webhookEndpoints/{endpointId}/recover';
};

export type RecoverMessagesResponses = {
  /**
   * Done.
   */
  200: RecoveredMessages;
};

export type RecoverMessagesResponse = RecoverMessagesResponses[keyof RecoverMessagesResponses];

export type OnCalendarEventChangedWebhookPayload = CalendarEventMessage;

export type OnCalendarEventChangedWebhookRequest = {
  body: OnCalendarEventChangedWebhookPayload;
  key: 'calendar.event.changed';
  path?: never;
  query?: never;
};

export type OnCalendarEventUnknownWebhookPayload = CalendarEventMessage;

export type OnCalendarEventUnknownWebhookRequest = {
  body: OnCalendarEventUnknownWebhookPayload;
  key: 'calendar.event.unknown';
  path?: never;
  query?: never;
};

export type OnEnduseraccountCreatedWebhookPayload = AccountEventMessage;

export type OnEnduseraccountCreatedWebhookRequest = {
  body: OnEnduseraccountCreatedWebhookPayload;
  key: 'enduseraccount.created';
  path?: never;
  query?: never;
};

export type OnEnduseraccountUpdatedWebhookPayload = AccountEventMessage;

export type OnEnduseraccountUpdatedWebhookRequest = {
  body: OnEnduseraccountUpdatedWebhookPayload;
  key: 'enduseraccount.updated';
  path?: never;
  query?: never;
};

export type OnEnduseraccountDeletedWebhookPayload = AccountEventMessage;

export type OnEnduseraccountDeletedWebhookRequest = {
  body: OnEnduseraccountDeletedWebhookPayload;
  key: 'enduseraccount.deleted';
  path?: never;
  query?: never;
};

export type OnEnduseraccountCredentialUpdatedWebhookPayload = AccountEventMessage;

export type OnEnduseraccountCredentialUpdatedWebhookRequest = {
  body: OnEnduseraccountCredentialUpdatedWebhookPayload;
  key: 'enduseraccount.credential.updated';
  path?: never;
  query?: never;
};

export type OnWebhookTestWebhookPayload = TestMessage;

export type OnWebhookTestWebhookRequest = {
  body: OnWebhookTestWebhookPayload;
  key: 'webhook.test';
  path?: never;
  query?: never;
};
