# Generated from docs/openapi.json by generate.py.

from __future__ import annotations

from typing import Any, Literal, Union

from ._base import Input, Model


OAuthPrompt = Union[
    Literal[
        "consent",
        "select_account",
        "none",
    ],
    str,
]

EndUserAccountStatus = Union[
    Literal[
        "ACTIVE",
        "EXPIRED",
    ],
    str,
]

ProviderType = Union[
    Literal[
        "GOOGLE",
        "MICROSOFT",
        "APPLE",
        "CALDAV",
        "ICS",
    ],
    str,
]

StatusFilter = Union[
    Literal[
        "active",
        "expired",
    ],
    str,
]

EventOrder = Union[
    Literal[
        "startDateTime",
        "updatedDateTime",
    ],
    str,
]

ResponseStatus = Union[
    Literal[
        "needsAction",
        "declined",
        "tentative",
        "accepted",
    ],
    str,
]

Visibility = Union[
    Literal[
        "default",
        "public",
        "private",
        "confidential",
    ],
    str,
]

Transparency = Union[
    Literal[
        "transparent",
        "opaque",
    ],
    str,
]

EventType = Union[
    Literal[
        "default",
        "outOfOffice",
        "focusTime",
    ],
    str,
]

ReminderMethod = Union[
    Literal[
        "popup",
        "email",
    ],
    str,
]

NotifyParticipants = Union[
    Literal[
        "all",
        "external",
        "none",
    ],
    str,
]

EditScope = Union[
    Literal[
        "this",
        "following",
        "all",
    ],
    str,
]

ErrorCode = Union[
    Literal[
        "MissingApiKey",
        "InvalidApiKey",
        "ApiKeyExpired",
        "Forbidden",
        "ValidationFailed",
        "NotFound",
        "MethodNotAllowed",
        "EndUserAccountExpired",
        "NotSupportedByProvider",
        "ReadOnlyCalendar",
        "Conflict",
        "IdempotencyKeyReused",
        "SyncTokenExpired",
        "PageTokenInvalid",
        "PreconditionFailed",
        "PayloadTooLarge",
        "RateLimited",
        "ProviderRateLimited",
        "ProviderUnavailable",
        "ProviderTimeout",
        "ProviderRejected",
        "ServerNotAllowed",
        "CredentialsRejected",
        "Overloaded",
        "ServiceUnavailable",
        "InternalServerError",
    ],
    str,
]

SubscriptionDelivery = Union[
    Literal[
        "push",
        "polled",
    ],
    str,
]

RequestCause = Union[
    Literal[
        "call",
        "connect",
        "sync",
        "channel",
        "check",
    ],
    str,
]

AccountEventType = Union[
    Literal[
        "enduseraccount.created",
        "enduseraccount.updated",
        "enduseraccount.deleted",
        "enduseraccount.credential.updated",
    ],
    str,
]

WebhookMessageState = Union[
    Literal[
        "pending",
        "delivered",
        "failed",
    ],
    str,
]


class CreateAuthorizationUrl(Input):
    """CreateAuthorizationUrl"""
    provider: Literal["google", "microsoft"] | str
    """Where the user signs in, as in the address without a key. ``GOOGLE`` and ``MICROSOFT`` are taken as well."""
    redirect_url: str | None = None
    """Where the user is sent back to: one of the redirect URLs of the application. Without it the first one of
    them.
    """
    login_hint: str | None = None
    """Email that the user must sign in with."""
    external_id: str | None = None
    """Id of the user in the application's own system, for the account that is connected. An account that has
    another one keeps it: ``external_id_mismatch``.
    """
    prompt: OAuthPrompt | None = None
    """What the provider asks its user."""
    state: str | None = None
    """Comes back unchanged on the redirect; base64 recommended."""


class AuthorizationUrl(Model):
    """AuthorizationUrl"""
    expires_at: str
    """Ten minutes from now."""
    url: str
    """For this one user, and for one visit: whoever opens it begins the sign-in."""


class ConnectApple(Input):
    """ConnectApple"""
    external_id: str | None = None
    """Id of the user in the application's own system. Sets or replaces it; null removes it."""
    email: str
    """Email of the Apple account."""
    password: str
    """App-specific password, made at account.apple.com; not the password of the account itself."""


class EndUserAccount(Model):
    """EndUserAccount"""
    created_at: str
    """Creation time."""
    updated_at: str
    """Time of the last change."""
    authorized_scopes: list[str]
    """Scopes that the user granted; empty for APPLE and CALDAV."""
    provider_account_id: str | None
    """Id of the account in the provider's own system; null where there is none."""
    status: EndUserAccountStatus
    """EXPIRED: the provider no longer accepts the credentials; calendars and events cannot be accessed."""
    provider_type: Literal["GOOGLE", "MICROSOFT", "APPLE", "CALDAV", "ICS"] | str
    """The provider. Known values: ``GOOGLE``, ``MICROSOFT``, ``APPLE``, ``CALDAV``, ``ICS``. Later versions may
    add some.
    """
    server_url: str | None
    """Address of the CalDAV server, normalised; null for every other provider."""
    stale_since: str | None = None
    """Only of an account whose provider gives nothing that can be used at present: since when what is shown is
    not what it has.
    """
    id: str
    """Unique identifier."""
    email: str
    """Email of the user. For CALDAV the login at the server, which may be a plain user name."""
    external_id: str
    """Id of the user in the application's own system; an empty string when none was given."""
    provider_id: str
    """Opaque, stable id of the application's configuration of the provider."""
    application_id: str
    """The application that owns the account."""


class ConnectCalDav(Input):
    """ConnectCalDav"""
    external_id: str | None = None
    """Id of the user in the application's own system. Sets or replaces it; null removes it."""
    server_url: str
    """Address of the server: https, public, the scheme may be left out. Its base address is enough: calendars
    are discovered (RFC 6764).
    """
    email: str
    """Login at the server, which may be a plain user name."""
    password: str
    """Password at the server; most hosted providers want an app-specific one."""


class ConnectIcs(Input):
    """ConnectIcs"""
    external_id: str | None = None
    """Id of the user in the application's own system. Sets or replaces it; null removes it."""
    url: str
    """Address of the feed: https or webcal, public. It is a secret, and never given out again."""
    name: str | None = None
    """What the calendar is called; null or absent: as the feed calls itself."""


class CreateConnectLink(Input):
    """CreateConnectLink"""
    redirect_url: str | None = None
    """Where the user is sent back to: one of the redirect URLs of the application. Without it the first one of
    them.
    """
    external_id: str | None = None
    """Id of the user in the application's own system, for the account that is connected. An account that has
    another one keeps it: ``external_id_mismatch``.
    """
    state: str | None = None
    """Comes back unchanged on the redirect; base64 recommended."""
    provider: Literal["google", "microsoft", "apple", "caldav", "ics", None] | str | None = None
    """Where the account is; without it the user chooses. ``GOOGLE``, ``MICROSOFT``, ``APPLE``, ``CALDAV`` and
    ``ICS`` are taken as well.
    """


class ConnectLink(Model):
    """ConnectLink"""
    expires_at: str
    """Thirty minutes from now."""
    url: str
    """For this one user, and for one account: with it the account is connected, and the link is over."""


class EndUserAccountPage(Model):
    """EndUserAccountPage"""
    next_page_token: str | None
    """Pass it back as ``page_token`` to read on; null on the last page."""
    data: list[EndUserAccount]
    """The accounts."""


class Credentials(Model):
    """Credentials"""
    access_token: str | None
    """OAuth access token, valid for five minutes or more; null for accounts that have a password."""
    refresh_token: str | None
    """OAuth refresh token; null for accounts that have a password. The password is never given out."""
    expires_at: str | None
    """When the access token expires; null for accounts that have a password."""
    status: Literal["ACTIVE"] | str
    """Always ACTIVE: the credentials of an EXPIRED account are not given out. Known values: ``ACTIVE``. Later
    versions may add some.
    """
    created_at: str
    """Creation time."""
    updated_at: str
    """Time of the last change."""
    id: str
    """Unique identifier of the credentials."""
    end_user_account_id: str
    """The account they belong to."""


class UpsertEndUserAccount(Input):
    """UpsertEndUserAccount"""
    provider_type: ProviderType
    """The provider."""
    external_id: str | None = None
    """Id of the user in the application's own system. Sets or replaces it; null removes it."""
    refresh_token: str | None = None
    """OAuth refresh token. Required for GOOGLE and MICROSOFT."""
    password: str | None = None
    """App-specific password. Required for APPLE and CALDAV."""
    server_url: str | None = None
    """Address of the server. Required for CALDAV, ignored for the others."""
    email: str
    """Email of the user; for CALDAV the login at the server."""


class AccountDeleted(Model):
    """AccountDeleted"""
    message: str
    """A sentence for people."""
    ok: bool
    """Always true."""
    success: bool
    """Always true."""


class Calendar(Model):
    """Calendar"""
    is_primary: bool | None = None
    """Whether this is the primary calendar of the account. GOOGLE, MICROSOFT: left out when not; APPLE, CALDAV:
    false.
    """
    allowed_online_meeting_providers: list[str]
    """Providers of online meetings that the calendar allows."""
    default_online_meeting_provider: str | None = None
    """Provider of online meetings that is used when none is named."""
    id: str
    """Unique identifier within the account."""
    name: str
    """Display name."""
    hex_color: str
    """Colour, ``#RRGGBB``."""
    read_only: bool
    """Whether the calendar cannot be written to. For APPLE and CALDAV it may not reflect the real permissions."""
    is_shared: bool
    """Whether somebody else shares the calendar with this account."""
    time_zone: str
    """Time zone of the calendar."""
    invite_email: str
    """Address used for invitations to and from the calendar; empty when the provider knows none."""


class DeletedCalendar(Model):
    """DeletedCalendar"""
    is_deleted: Literal[True]
    """Always true."""
    id: str
    """Identifier that the calendar had."""


class CalendarPage(Model):
    """CalendarPage"""
    data: list[Calendar | DeletedCalendar]
    """The calendars; with a ``sync_token`` also those that are gone."""
    next_page_token: str | None = None
    """Pass it back as ``page_token`` to read on; left out on the last page."""
    next_sync_token: str | None = None
    """Pass it back later as ``sync_token`` to learn what has changed; on the last page."""


class CreateCalendar(Input):
    """CreateCalendar"""
    name: str
    """Display name, 1 to 255 characters."""
    hex_color: str | None = None
    """Colour, ``#RRGGBB``; the ``#`` may be left out."""
    time_zone: str | None = None
    """Time zone, an IANA name."""


class UpdateCalendar(Input):
    """UpdateCalendar"""
    name: str | None = None
    """Display name, 1 to 255 characters."""
    hex_color: str | None = None
    """Colour, ``#RRGGBB``; the ``#`` may be left out."""
    time_zone: str | None = None
    """Time zone, an IANA name."""


class Success(Model):
    """Success"""
    success: bool
    """Always true."""


class EventTime(Model):
    """EventTime"""
    date: str | None = None
    """Date of an all-day event, ``YYYY-MM-DD``; as an end it is exclusive."""
    date_time: str | None = None
    """Date-time, with the offset of its zone unless nobody knows that."""
    time_zone: str | None = None
    """The zone it is shown in; a name that nobody knows is passed through."""


class ConferenceData(Model):
    """ConferenceData"""
    conference_id: str | None = None
    """Id of the meeting at its provider."""
    conference_type: str | None = None
    """Kind of meeting."""
    join_url: str | None = None
    """Address to join at."""
    conference_details: dict[str, Any] | None = None
    """What else the provider tells about the meeting, in its own words."""


class EventOrganizer(Model):
    """EventOrganizer"""
    name: str | None = None
    """Full name."""
    email: str
    """Email address."""
    is_self: bool
    """Whether it is the user of the account."""


class EventCreator(Model):
    """EventCreator"""
    email: str
    """Email address."""


class EventAttendee(Model):
    """EventAttendee"""
    name: str | None = None
    """Full name."""
    response_status: Literal["needsAction", "declined", "tentative", "accepted"] | str
    """Answer to the invitation. Known values: ``needsAction``, ``declined``, ``tentative``, ``accepted``. Later
    versions may add some.
    """
    id: str
    """Identifier within the event."""
    email: str
    """Email address."""


class EventReminder(Model):
    """EventReminder"""
    method: Literal["popup", "email"] | str
    """How. Known values: ``popup``, ``email``. Later versions may add some."""
    minutes: int
    """Minutes before the start; below 0 after it."""


class EventReminders(Model):
    """EventReminders"""
    is_reminder_on: bool | None = None
    """Whether there is a reminder at all."""
    overrides: list[EventReminder] | None = None
    """Reminders of this event's own."""
    use_default: bool
    """Whether the calendar's own reminders apply."""


class Event(Model):
    """An event, a series, or one instance of a series. A removed event, which only answers to a ``sync_token``
    name, has ``id`` and ``is_cancelled``, and where they are known ``ical_uid``, ``recurring_event_id`` and
    ``original_start``. Every other event has also ``title``, ``start``, ``end``, ``is_all_day``,
    ``is_recurring``, ``is_exception``, ``recurrence``, ``attendees``, ``visibility``, ``transparency``,
    ``event_type``, ``reminders``, ``public_extended_properties`` and ``private_extended_properties``.
    """
    description: str | None = None
    """Description, plain text."""
    etag: str | None = None
    """Version tag; send it as ``If-Match`` to change exactly this version."""
    created_at: str | None = None
    """Creation time."""
    updated_at: str | None = None
    """Time of the last change."""
    public_extended_properties: dict[str, str] | None = None
    """Properties of the application's own, visible to others."""
    private_extended_properties: dict[str, str] | None = None
    """Properties of the application's own, visible only to the authenticated user."""
    recurrence: list[str] | None = None
    """RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545; null for what is no series."""
    original_start: EventTime | None = None
    """Start of an instance before it was moved. For an all-day one it is ``date`` alone."""
    recurring_event_id: str | None = None
    """The series that this instance belongs to."""
    color_id: str | None = None
    """Colour from the palette, '1' to '11'."""
    custom_color: str | None = None
    """Colour, ``#rrggbb``."""
    my_response_status: Literal["needsAction", "declined", "tentative", "accepted"] | str | None = None
    """The user's own answer to the invitation. Known values: ``needsAction``, ``declined``, ``tentative``,
    ``accepted``. Later versions may add some.
    """
    visibility: Literal["default", "public", "private", "confidential"] | str | None = None
    """Who may see the event. Known values: ``default``, ``public``, ``private``, ``confidential``. Later
    versions may add some.
    """
    location: str | None = None
    """Place, physical or virtual."""
    conference_data: ConferenceData | None = None
    """An online meeting. Not available for APPLE and CALDAV."""
    generate_meeting_url_provider: str | None = None
    """Only while this provider is still making the meeting of the event: a later read has its ``join_url``."""
    web_link: str | None = None
    """Address of the event in the provider's own pages. Not available for APPLE and CALDAV."""
    ical_uid: str | None = None
    """UID in iCalendar terms: the same event has it everywhere."""
    transparency: Literal["transparent", "opaque"] | str | None = None
    """Whether the event blocks time: ``opaque`` does. Known values: ``transparent``, ``opaque``. Later versions
    may add some.
    """
    event_type: Literal["default", "outOfOffice", "focusTime"] | str | None = None
    """Kind of event. Known values: ``default``, ``outOfOffice``, ``focusTime``. Later versions may add some."""
    organizer: EventOrganizer | None = None
    """Who organises the event."""
    creator: EventCreator | None = None
    """Who created the event."""
    id: str
    """Identifier. That of an instance is the id of its series, an underscore and a date."""
    title: str | None = None
    """Title."""
    start: EventTime | None = None
    """Start."""
    end: EventTime | None = None
    """End, exclusive."""
    is_all_day: bool | None = None
    """Whether the event lasts all day."""
    is_recurring: bool | None = None
    """Whether this is a series."""
    is_exception: bool | None = None
    """Whether this is an instance of a series."""
    is_cancelled: bool
    """Whether the event is cancelled. True for a removed one."""
    attendees: list[EventAttendee] | None = None
    """Everybody who is invited."""
    reminders: EventReminders | None = None
    """Reminders."""


class EventPage(Model):
    """EventPage"""
    next_page_token: str | None = None
    """Pass it back as ``page_token`` to read on; left out on the last page."""
    next_sync_token: str | None = None
    """Pass it back later as ``sync_token`` to learn what has changed; on the last page."""
    data: list[Event]
    """The events; with a ``sync_token`` also those that are removed."""


class EventDateTime(Input):
    """EventDateTime"""
    date: str | None = None
    """Date of an all-day event, ``YYYY-MM-DD``. The end is exclusive."""
    date_time: str | None = None
    """ISO 8601 date-time; may carry an offset or none."""
    time_zone: str | None = None
    """Time zone, an IANA name; Windows names are understood too."""


class EventReminderInput(Input):
    """EventReminderInput"""
    method: ReminderMethod
    """How."""
    minutes: int
    """Minutes before the start; below 0 after it, for APPLE and CALDAV only."""


class EventRemindersInput(Input):
    """EventRemindersInput"""
    use_default: bool | None = None
    """Whether the calendar's own reminders apply. Left out: true, or false beside ``overrides`` or
    ``isReminderOn: false``.
    """
    is_reminder_on: bool | None = None
    """Whether there is a reminder at all."""
    overrides: list[EventReminderInput] | None = None
    """Reminders of this event's own."""


class EventAttendeeInput(Input):
    """EventAttendeeInput"""
    name: str | None = None
    """Full name."""
    email: str
    """Email address."""
    response_status: ResponseStatus | None = None
    """Answer to the invitation; ``needsAction`` when left out."""


class CreateEvent(Input):
    """CreateEvent"""
    description: str | None = None
    """Description, plain text."""
    end: EventDateTime | None = None
    """End, exclusive. On create: one hour after the start, or one day when all-day, when left out."""
    is_all_day: bool | None = None
    """Whether the event lasts all day."""
    public_extended_properties: dict[str, str] | None = None
    """Properties of the application's own, visible to others."""
    private_extended_properties: dict[str, str] | None = None
    """Properties of the application's own, visible only to the authenticated user."""
    recurrence: list[str] | None = None
    """Recurrence: RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545. null makes a series a single event."""
    color_id: str | None = None
    """Colour from the palette, '1' to '11'."""
    custom_color: str | None = None
    """Colour, ``#rrggbb``."""
    my_response_status: ResponseStatus | None = None
    """The user's own answer to the invitation, given as by an RSVP. Of the organizer 400 for MICROSOFT."""
    visibility: Visibility | None = None
    """Who may see the event."""
    location: str | None = None
    """Place, physical or virtual."""
    conference_data: ConferenceData | None = None
    """An online meeting of a third party. Written for GOOGLE alone; 400 for others, unless it comes back as it
    was read.
    """
    transparency: Transparency | None = None
    """Whether the event blocks time: ``opaque`` does."""
    event_type: EventType | None = None
    """Kind of event."""
    reminders: EventRemindersInput | None = None
    """Reminders."""
    generate_meeting_url_provider: str | None = None
    """Provider at which a meeting is made for the event. Not available for APPLE and CALDAV."""
    start: EventDateTime
    """Start."""
    attendees: list[EventAttendeeInput] | None = None
    """Everybody who is invited."""
    recurring_event_id: str | None = None
    """With ``original_start``: the series of this calendar that one instance is to be changed of, to what the
    body says. Where the two name no such instance, the event is a single one, and they are named in
    ``x-ignored-fields``.
    """
    original_start: EventDateTime | None = None
    """With ``recurring_event_id``: where the series puts the instance."""
    title: str
    """Title."""


class EventAttendeeChange(Input):
    """EventAttendeeChange"""
    response_status: ResponseStatus | None = None
    """Answer to the invitation; ``needsAction`` when left out."""
    id: str | None = None
    """Of somebody whom the event shows; it tells who that is where there is no email address."""
    name: str | None = None
    """Full name, of at most 255 characters where it is a new one."""
    email: str
    """Email address; with an ``id`` it may be whatever the event shows, nothing included."""


class UpdateEvent(Input):
    """UpdateEvent"""
    description: str | None = None
    """Description, plain text."""
    end: EventDateTime | None = None
    """End, exclusive. On create: one hour after the start, or one day when all-day, when left out."""
    is_all_day: bool | None = None
    """Whether the event lasts all day."""
    public_extended_properties: dict[str, str] | None = None
    """Properties of the application's own, visible to others."""
    private_extended_properties: dict[str, str] | None = None
    """Properties of the application's own, visible only to the authenticated user."""
    recurrence: list[str] | None = None
    """Recurrence: RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545. null makes a series a single event."""
    color_id: str | None = None
    """Colour from the palette, '1' to '11'."""
    custom_color: str | None = None
    """Colour, ``#rrggbb``."""
    my_response_status: ResponseStatus | None = None
    """The user's own answer to the invitation, given as by an RSVP. Of the organizer 400 for MICROSOFT."""
    attendees: list[EventAttendeeChange] | None = None
    """Everybody who is invited; replaces the list."""
    visibility: Visibility | None = None
    """Who may see the event."""
    location: str | None = None
    """Place, physical or virtual."""
    conference_data: ConferenceData | None = None
    """An online meeting of a third party. Written for GOOGLE alone; 400 for others, unless it comes back as it
    was read.
    """
    transparency: Transparency | None = None
    """Whether the event blocks time: ``opaque`` does."""
    event_type: EventType | None = None
    """Kind of event."""
    reminders: EventRemindersInput | None = None
    """Reminders."""
    generate_meeting_url_provider: str | None = None
    """Provider at which a meeting is made for the event. Not available for APPLE and CALDAV."""
    is_cancelled: bool | None = None
    """true cancels the event, the series or the instance, as deleting it does: nothing else is applied then, and
    the answer is the event as it was, with ``is_cancelled`` true. false is what every event says that can be
    changed.
    """
    title: str | None = None
    """Title."""
    start: EventDateTime | None = None
    """Start."""


class Rsvp(Input):
    """Rsvp"""
    response_status: ResponseStatus
    """The answer."""


class FreeBusyQuery(Input):
    """FreeBusyQuery"""
    start_date_time: str
    """Start of the period, ISO 8601. Without an offset it is read in ``time_zone``."""
    end_date_time: str
    """End of the period, exclusive, ISO 8601."""
    calendar_ids: list[str]
    """The calendars, 1 to 100."""
    allow_partial: bool | None = None
    """true: a calendar that cannot be read carries its error. Otherwise the whole request fails with it."""
    time_zone: str
    """Time zone in which the answer shows its times, an IANA name."""


class ZonedDateTime(Model):
    """ZonedDateTime"""
    date_time: str
    """The moment, with the offset of its zone."""
    time_zone: str
    """The zone."""


class BusySlot(Model):
    """BusySlot"""
    start: ZonedDateTime
    """When it begins."""
    end: ZonedDateTime
    """When it ends, exclusive."""


class FreeBusyError(Model):
    """FreeBusyError"""
    code: ErrorCode
    """One of the error codes."""
    message: str
    """A sentence for people, naming the calendar."""


class FreeBusyCalendar(Model):
    """FreeBusyCalendar"""
    busy_slots: list[BusySlot] | None = None
    """Its busy time: sorted, merged, clipped to the period. Absent when the calendar could not be read."""
    error: FreeBusyError | None = None
    """Only with ``allow_partial``: why the calendar could not be read."""
    calendar_id: str
    """The calendar."""


class CalendarSubscription(Model):
    """CalendarSubscription"""
    provider: Literal["GOOGLE", "MICROSOFT", "APPLE", "CALDAV", "ICS"] | str
    """The provider of the account. Known values: ``GOOGLE``, ``MICROSOFT``, ``APPLE``, ``CALDAV``, ``ICS``.
    Later versions may add some.
    """
    delivery: SubscriptionDelivery
    """How changes are detected now: by notifications of the provider, or by a sync every minute."""
    expiration: str | None
    """End of the provider's channel, which is renewed in time; null where there is none: the calendar is polled."""
    subscription_id: str | None
    """The provider's own id of its channel; null where there is none."""
    resource_id: str | None
    """The provider's id of what its channel watches, for MICROSOFT that of the subscription; null without a
    channel.
    """
    created_at: str
    """Creation time."""
    updated_at: str
    """Time of the last change."""
    id: str
    """Unique identifier: the ``webhook_subscription_id`` that its creation answered."""
    url: str
    """Where messages are sent."""
    calendar_id: str
    """The calendar."""
    end_user_account_id: str
    """The account that the calendar belongs to."""


class CalendarSubscriptionPage(Model):
    """CalendarSubscriptionPage"""
    next_page_token: str | None
    """Pass it back as ``page_token`` to read on; null on the last page."""
    data: list[CalendarSubscription]
    """The subscriptions."""


class CreateCalendarSubscription(Input):
    """CreateCalendarSubscription"""
    rate_limit: float | None = None
    """Messages per second at most, 1 or more; without it there is no limit."""
    subscription_type: Literal["event"] | str | None = None
    """What is subscribed to: the events of the calendar. Changes of the calendar itself cannot be."""
    calendar_id: str
    """The calendar, an id from the calendar list."""
    webhook_url: str
    """Where messages are sent: https, a public address. The service checks it now and before every message."""


class CreatedCalendarSubscription(Model):
    """CreatedCalendarSubscription"""
    delivery: SubscriptionDelivery
    """How changes are detected: by notifications of the provider, or by a sync every minute, because the
    provider does not push or cannot reach this installation.
    """
    webhook_subscription_id: str
    """Unique identifier of the subscription."""
    endpoint_secret: str
    """What messages are signed with (Standard Webhooks). It is shown now and never again."""


class DeleteCalendarSubscription(Input):
    """DeleteCalendarSubscription"""
    subscription_id: str | None = None
    """The subscription; required unless it is a query parameter."""


class DailyRequests(Model):
    """DailyRequests"""
    date: str
    """The day, in UTC."""
    provider_type: Literal["GOOGLE", "MICROSOFT", "APPLE", "CALDAV", "ICS"] | str
    """The provider. Known values: ``GOOGLE``, ``MICROSOFT``, ``APPLE``, ``CALDAV``, ``ICS``. Later versions may
    add some.
    """
    cause: RequestCause
    """Why they were sent. ``call``: by a request of the application. ``connect``: an account was connected.
    ``sync``: a calendar with subscriptions was read for changes. ``channel``: notifications of the provider
    were set up. ``check``: the credentials were checked. Others may be added.
    """
    requests: int
    """How many, as the provider counts them; each retry counts."""


class Usage(Model):
    """Usage"""
    data: list[DailyRequests]
    """One element for each day, provider and cause with requests, newest day first."""


class WebhookEndpoint(Model):
    """WebhookEndpoint"""
    event_types: list[str]
    """Event types that the endpoint receives."""
    rate_limit: float | None
    """Messages per second at most; null: no limit."""
    failing_since: str | None
    """Since when every attempt has failed; null: the last one succeeded, or there was none."""
    disabled_at: str | None
    """Since when nothing is sent; null: messages are sent."""
    disabled_reason: Literal["gone", "failing", "requested"] | str | None
    """``gone``: it answered 410. ``failing``: every attempt failed for five days. ``requested``: by hand. Later
    versions may add some.
    """
    created_at: str
    """Creation time."""
    updated_at: str
    """Time of the last change."""
    id: str
    """Unique identifier; of a subscription, its id."""
    url: str
    """Where messages are sent."""


class WebhookEndpointPage(Model):
    """WebhookEndpointPage"""
    next_page_token: str | None
    """Pass it back as ``page_token`` to read on; null on the last page."""
    data: list[WebhookEndpoint]
    """The endpoints."""


class CreateWebhookEndpoint(Input):
    """CreateWebhookEndpoint"""
    event_types: list[AccountEventType]
    """Events of the application's accounts, each named once."""
    rate_limit: float | None = None
    """Messages per second at most, 1 or more; without it there is no limit."""
    url: str
    """Where messages are sent: https, a public address. The service checks it now and before every message."""


class CreatedWebhookEndpoint(Model):
    """CreatedWebhookEndpoint"""
    event_types: list[str]
    """Event types that the endpoint receives."""
    rate_limit: float | None
    """Messages per second at most; null: no limit."""
    failing_since: str | None
    """Since when every attempt has failed; null: the last one succeeded, or there was none."""
    disabled_at: str | None
    """Since when nothing is sent; null: messages are sent."""
    disabled_reason: Literal["gone", "failing", "requested"] | str | None
    """``gone``: it answered 410. ``failing``: every attempt failed for five days. ``requested``: by hand. Later
    versions may add some.
    """
    created_at: str
    """Creation time."""
    updated_at: str
    """Time of the last change."""
    id: str
    """Unique identifier; of a subscription, its id."""
    url: str
    """Where messages are sent."""
    endpoint_secret: str
    """What messages are signed with (Standard Webhooks). It is shown now and never again."""


class UpdateWebhookEndpoint(Input):
    """UpdateWebhookEndpoint"""
    rate_limit: float | None
    """Messages per second at most, 1 or more; null lifts the limit."""


class RotateEndpointSecret(Input):
    """RotateEndpointSecret"""
    overlap_seconds: int | None = None
    """How long the replaced secret signs beside the new one; 0 when it became known to others."""


class RotatedEndpointSecret(Model):
    """RotatedEndpointSecret"""
    endpoint_secret: str
    """What messages are signed with from now on. It is shown now and never again."""


class SentTestMessage(Model):
    """SentTestMessage"""
    message_id: str
    """The message: the header ``webhook-id`` that the receiver sees."""


class WebhookMessage(Model):
    """WebhookMessage"""
    state: Literal["pending", "delivered", "failed"] | str
    """``pending``: there is another attempt. ``failed``: it was given up. Known values: ``pending``,
    ``delivered``, ``failed``. Later versions may add some.
    """
    failure_reason: str | None
    """Why it was given up: ``exhausted``, ``gone``, ``endpoint-disabled``, or why its URL is not allowed; null
    unless it was.
    """
    next_attempt_at: str | None
    """When it is tried next, at the earliest; null unless it is pending."""
    created_at: str
    """Creation time."""
    id: str
    """Unique identifier: the header ``webhook-id`` of every attempt."""
    event_type: str
    """What it tells."""


class WebhookMessagePage(Model):
    """WebhookMessagePage"""
    next_page_token: str | None
    """Pass it back as ``page_token`` to read on; null on the last page."""
    data: list[WebhookMessage]
    """The messages."""


class DeliveryAttempt(Model):
    """DeliveryAttempt"""
    number: int
    """From 1 upwards by the schedule; from -1 downwards by hand."""
    started_at: str
    """When it started."""
    duration_ms: int | None
    """How long it took, milliseconds; null: it is under way, or the process that made it died."""
    status: int | None
    """Status of the receiver's answer; null: there was none."""
    failure: str | None
    """What went wrong on the way; null: nothing did."""
    response_text: str | None
    """The beginning of the receiver's answer, at most 1 KiB; null: there was none."""
    next_attempt_at: str | None
    """When the schedule tries again; null: it does not."""


class DeliveryAttemptList(Model):
    """DeliveryAttemptList"""
    data: list[DeliveryAttempt]
    """The attempts."""


class RecoverMessages(Input):
    """RecoverMessages"""
    since: str
    """Those that were made since then, ISO 8601."""


class RecoveredMessages(Model):
    """RecoveredMessages"""
    recovered: int
    """Messages that had failed and are pending now."""


class ErrorDetail(Model):
    """One part of the request that is not valid."""
    path: str
    """Where, in dotted form; empty for the body as a whole."""
    message: str
    """What is wrong with it."""


class ProviderFault(Model):
    """What the provider said, reduced to facts."""
    status: int | None
    """HTTP status of the provider's answer, if any."""
    code: str | None
    """The provider's own code, if any."""
    message: str
    """A sentence for people."""
    retryable: bool
    """Whether trying again later may help."""


class Error(Model):
    """The body of every error."""
    error: ErrorCode
    code: ErrorCode
    message: str
    """A sentence for people."""
    request_id: str
    """The id of the request, as in ``x-request-id``."""
    details: list[ErrorDetail] | None = None
    """Each part of the request that is not valid."""
    provider: ProviderFault | None = None


class CalendarEventMessage(Model):
    """It holds no event: read the events with the sync token of your last read. The ids are in the headers, and
    in the body for applications whose operator has set so.
    """
    event_type: Literal["calendar.event.changed", "calendar.event.unknown"] | str
    """What happened. Later versions may add some."""
    timestamp: str
    """When the service found the change."""
    end_user_account_id: str | None = None
    """The account."""
    calendar_id: str | None = None
    """The calendar."""
    webhook_subscription_id: str | None = None
    """The subscription."""
    provider_type: Literal["GOOGLE", "MICROSOFT", "APPLE", "CALDAV", "ICS"] | str | None = None
    """Its provider. Later versions may add some."""


class AccountEventMessage(Model):
    """An account of the application as it is after the event."""
    event_type: Literal["enduseraccount.created", "enduseraccount.updated", "enduseraccount.deleted", "enduseraccount.credential.updated"] | str
    """What happened. Later versions may add some."""
    timestamp: str
    """When it happened."""
    end_user_account_id: str
    """The account."""
    external_id: str
    """Id of the user in the application's own system; empty without one."""
    provider_type: Literal["GOOGLE", "MICROSOFT", "APPLE", "CALDAV", "ICS"] | str
    """Its provider. Later versions may add some."""
    status: Literal["ACTIVE", "EXPIRED"] | str
    """EXPIRED: the user has to connect the account again. Later versions may add some."""
    reason: str | None = None
    """Why the status changed; only with a change of the status."""


class TestMessage(Model):
    """Nothing happened."""
    event_type: Literal["webhook.test"] | str
    """Always the same. Later versions may add some."""
    timestamp: str
    """When it was asked for."""

