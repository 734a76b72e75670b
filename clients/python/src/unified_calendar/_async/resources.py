# Generated from docs/openapi.json by generate.py.

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from .. import models
from .._operations import Asked, Operation, Options
from .call import AsyncCaller
from .pages import items_of
from .sync import AsyncSyncedCalendars, AsyncSyncedEvents

_LIST_END_USER_ACCOUNTS = Operation("listEndUserAccounts", "GET", "/api/v1/endUserAccounts", TypeAdapter(models.EndUserAccountPage))
_GET_END_USER_ACCOUNT = Operation("getEndUserAccount", "GET", "/api/v1/endUserAccounts/{endUserAccountId}", TypeAdapter(models.EndUserAccount))
_GET_END_USER_ACCOUNT_CREDENTIALS = Operation("getEndUserAccountCredentials", "GET", "/api/v1/endUserAccounts/{endUserAccountId}/credentials", TypeAdapter(models.Credentials))
_UPSERT_END_USER_ACCOUNT = Operation("upsertEndUserAccount", "POST", "/api/v1/endUserAccounts", TypeAdapter(models.EndUserAccount))
_CREATE_AUTHORIZATION_URL = Operation("createAuthorizationUrl", "POST", "/api/v1/oauth/authorizationUrls", TypeAdapter(models.AuthorizationUrl))
_CREATE_CONNECT_LINK = Operation("createConnectLink", "POST", "/api/v1/connectLinks", TypeAdapter(models.ConnectLink))
_CONNECT_APPLE = Operation("connectApple", "POST", "/api/v1/basicAuth/connect/{applicationId}/apple", TypeAdapter(models.EndUserAccount))
_CONNECT_CAL_DAV = Operation("connectCalDav", "POST", "/api/v1/basicAuth/connect/{applicationId}/caldav", TypeAdapter(models.EndUserAccount))
_CONNECT_ICS = Operation("connectIcs", "POST", "/api/v1/basicAuth/connect/{applicationId}/ics", TypeAdapter(models.EndUserAccount))
_DELETE_END_USER_ACCOUNT = Operation("deleteEndUserAccount", "DELETE", "/api/v1/endUserAccounts/{endUserAccountId}", TypeAdapter(models.AccountDeleted))
_LIST_CALENDARS = Operation("listCalendars", "GET", "/api/v1/calendars/{endUserAccountId}", TypeAdapter(models.CalendarPage))
_GET_CALENDAR = Operation("getCalendar", "GET", "/api/v1/calendars/{endUserAccountId}/{calendarId}", TypeAdapter(models.Calendar))
_CREATE_CALENDAR = Operation("createCalendar", "POST", "/api/v1/calendars/{endUserAccountId}", TypeAdapter(models.Calendar))
_UPDATE_CALENDAR = Operation("updateCalendar", "PUT", "/api/v1/calendars/{endUserAccountId}/{calendarId}", TypeAdapter(models.Calendar))
_DELETE_CALENDAR = Operation("deleteCalendar", "DELETE", "/api/v1/calendars/{endUserAccountId}/{calendarId}", TypeAdapter(models.Success))
_LIST_EVENTS = Operation("listEvents", "GET", "/api/v1/events/{endUserAccountId}/{calendarId}", TypeAdapter(models.EventPage))
_LIST_EVENT_OCCURRENCES = Operation("listEventOccurrences", "GET", "/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}/occurrences", TypeAdapter(models.EventPage))
_GET_EVENT = Operation("getEvent", "GET", "/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}", TypeAdapter(models.Event))
_CREATE_EVENT = Operation("createEvent", "POST", "/api/v1/events/{endUserAccountId}/{calendarId}", TypeAdapter(models.Event))
_UPDATE_EVENT = Operation("updateEvent", "PUT", "/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}", TypeAdapter(models.Event))
_DELETE_EVENT = Operation("deleteEvent", "DELETE", "/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}", TypeAdapter(models.Success))
_RSVP_EVENT = Operation("rsvpEvent", "POST", "/api/v1/events/{endUserAccountId}/{calendarId}/{eventId}/rsvp", TypeAdapter(models.Success))
_QUERY_FREE_BUSY = Operation("queryFreeBusy", "POST", "/api/v1/freeBusy/{endUserAccountId}", TypeAdapter(list[models.FreeBusyCalendar]))
_LIST_CALENDAR_SUBSCRIPTIONS = Operation("listCalendarSubscriptions", "GET", "/api/v1/calendarSubscriptions/{endUserAccountId}", TypeAdapter(models.CalendarSubscriptionPage))
_CREATE_CALENDAR_SUBSCRIPTION = Operation("createCalendarSubscription", "POST", "/api/v1/calendarSubscriptions/{endUserAccountId}", TypeAdapter(models.CreatedCalendarSubscription))
_DELETE_CALENDAR_SUBSCRIPTION = Operation("deleteCalendarSubscription", "DELETE", "/api/v1/calendarSubscriptions/{endUserAccountId}", TypeAdapter(models.Success))
_GET_USAGE = Operation("getUsage", "GET", "/api/v1/usage", TypeAdapter(models.Usage))
_LIST_WEBHOOK_ENDPOINTS = Operation("listWebhookEndpoints", "GET", "/api/v1/webhookEndpoints", TypeAdapter(models.WebhookEndpointPage))
_GET_WEBHOOK_ENDPOINT = Operation("getWebhookEndpoint", "GET", "/api/v1/webhookEndpoints/{endpointId}", TypeAdapter(models.WebhookEndpoint))
_CREATE_WEBHOOK_ENDPOINT = Operation("createWebhookEndpoint", "POST", "/api/v1/webhookEndpoints", TypeAdapter(models.CreatedWebhookEndpoint))
_UPDATE_WEBHOOK_ENDPOINT = Operation("updateWebhookEndpoint", "PATCH", "/api/v1/webhookEndpoints/{endpointId}", TypeAdapter(models.WebhookEndpoint))
_DELETE_WEBHOOK_ENDPOINT = Operation("deleteWebhookEndpoint", "DELETE", "/api/v1/webhookEndpoints/{endpointId}", TypeAdapter(models.Success))
_ENABLE_WEBHOOK_ENDPOINT = Operation("enableWebhookEndpoint", "POST", "/api/v1/webhookEndpoints/{endpointId}/enable", TypeAdapter(models.WebhookEndpoint))
_ROTATE_ENDPOINT_SECRET = Operation("rotateEndpointSecret", "POST", "/api/v1/webhookEndpoints/{endpointId}/rotateSecret", TypeAdapter(models.RotatedEndpointSecret))
_SEND_TEST_MESSAGE = Operation("sendTestMessage", "POST", "/api/v1/webhookEndpoints/{endpointId}/test", TypeAdapter(models.SentTestMessage))
_LIST_WEBHOOK_MESSAGES = Operation("listWebhookMessages", "GET", "/api/v1/webhookEndpoints/{endpointId}/messages", TypeAdapter(models.WebhookMessagePage))
_LIST_DELIVERY_ATTEMPTS = Operation("listDeliveryAttempts", "GET", "/api/v1/webhookEndpoints/{endpointId}/messages/{messageId}/attempts", TypeAdapter(models.DeliveryAttemptList))
_RESEND_WEBHOOK_MESSAGE = Operation("resendWebhookMessage", "POST", "/api/v1/webhookEndpoints/{endpointId}/messages/{messageId}/resend", TypeAdapter(models.Success))
_RECOVER_MESSAGES = Operation("recoverMessages", "POST", "/api/v1/webhookEndpoints/{endpointId}/recover", TypeAdapter(models.RecoveredMessages))


class AsyncEndUserAccounts:
    """Users' accounts at their providers."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(
        self,
        *,
        limit: int | None = None,
        page_size: int | None = None,
        status_filter: models.StatusFilter | None = None,
        page_token: str | None = None,
        search: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EndUserAccountPage:
        """List the end user accounts of the application, newest first."""
        asked = Asked(
            query={
                "limit": limit,
                "pageSize": page_size,
                "statusFilter": status_filter,
                "pageToken": page_token,
                "search": search,
            },
        )
        return await self._call(_LIST_END_USER_ACCOUNTS, asked, Options(timeout=timeout, request_id=request_id))

    def list_all(
        self,
        *,
        limit: int | None = None,
        page_size: int | None = None,
        status_filter: models.StatusFilter | None = None,
        search: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.EndUserAccount]:
        """List the end user accounts of the application, newest first. Reads page after page."""
        return items_of(
            lambda page_token: self.list(
                limit=limit,
                page_size=page_size,
                status_filter=status_filter,
                search=search,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def get(
        self,
        end_user_account_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EndUserAccount:
        """Read one end user account."""
        asked = Asked(
            path=(end_user_account_id,),
        )
        return await self._call(_GET_END_USER_ACCOUNT, asked, Options(timeout=timeout, request_id=request_id))

    async def credentials(
        self,
        end_user_account_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Credentials:
        """Read the credentials of an end user account. Every read is recorded; the key needs the scope
        ``credentials:read``.
        """
        asked = Asked(
            path=(end_user_account_id,),
        )
        return await self._call(_GET_END_USER_ACCOUNT_CREDENTIALS, asked, Options(timeout=timeout, request_id=request_id))

    async def upsert(
        self,
        body: models.UpsertEndUserAccount | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EndUserAccount:
        """Create an end user account, or give an existing one new credentials. The account is ACTIVE in the
        answer, and only after the provider accepted the credentials.
        """
        asked = Asked(
            body=body,
        )
        return await self._call(_UPSERT_END_USER_ACCOUNT, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def authorization_url(
        self,
        body: models.CreateAuthorizationUrl | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.AuthorizationUrl:
        """Make an address at which one user can connect an account. The parameters are fixed in it: the user, or
        whoever wrote a link, cannot change them. It can be opened once, within ten minutes, and leads to the
        provider of this application alone. What comes of it is told on the redirect, as with the address
        without a key.
        """
        asked = Asked(
            body=body,
        )
        return await self._call(_CREATE_AUTHORIZATION_URL, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def connect_link(
        self,
        body: models.CreateConnectLink | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.ConnectLink:
        """Make a link to a page of the service where one user connects one account of any provider. The page
        asks for the password of an Apple or CalDAV account, or the address of a calendar feed, so that these
        never pass through the application; for the other providers it leads to their sign-in page. It ends at
        the redirect URL, as a sign-in does: with ``end_user_account_id`` when the account is connected, else
        with ``error``. A link connects one account, within thirty minutes.
        """
        asked = Asked(
            body=body,
        )
        return await self._call(_CREATE_CONNECT_LINK, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def connect_apple(
        self,
        application_id: str,
        body: models.ConnectApple | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EndUserAccount:
        """Connect an Apple account with an app-specific password."""
        asked = Asked(
            path=(application_id,),
            body=body,
        )
        return await self._call(_CONNECT_APPLE, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def connect_caldav(
        self,
        application_id: str,
        body: models.ConnectCalDav | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EndUserAccount:
        """Connect an account at a CalDAV server. Its calendars are discovered from the server's address."""
        asked = Asked(
            path=(application_id,),
            body=body,
        )
        return await self._call(_CONNECT_CAL_DAV, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def connect_ics(
        self,
        application_id: str,
        body: models.ConnectIcs | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EndUserAccount:
        """Connect a calendar feed (iCalendar under an address). Its calendar can be read alone."""
        asked = Asked(
            path=(application_id,),
            body=body,
        )
        return await self._call(_CONNECT_ICS, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def delete(
        self,
        end_user_account_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.AccountDeleted:
        """Remove an end user account and everything that the service keeps for it."""
        asked = Asked(
            path=(end_user_account_id,),
        )
        return await self._call(_DELETE_END_USER_ACCOUNT, asked, Options(timeout=timeout, request_id=request_id))


class AsyncCalendars(AsyncSyncedCalendars):
    """The calendars of an account."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(
        self,
        end_user_account_id: str,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        sync_token: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.CalendarPage:
        """List the calendars of an account, or the changes since a ``sync_token``."""
        asked = Asked(
            path=(end_user_account_id,),
            query={
                "pageSize": page_size,
                "pageToken": page_token,
                "syncToken": sync_token,
            },
        )
        return await self._call(_LIST_CALENDARS, asked, Options(timeout=timeout, request_id=request_id))

    def list_all(
        self,
        end_user_account_id: str,
        *,
        page_size: int | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.Calendar]:
        """List the calendars of an account, or the changes since a ``sync_token``. Reads page after page."""
        return items_of(
            lambda page_token: self.list(
                end_user_account_id,
                page_size=page_size,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def get(
        self,
        end_user_account_id: str,
        calendar_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Calendar:
        """Read one calendar."""
        asked = Asked(
            path=(end_user_account_id, calendar_id,),
        )
        return await self._call(_GET_CALENDAR, asked, Options(timeout=timeout, request_id=request_id))

    async def create(
        self,
        end_user_account_id: str,
        body: models.CreateCalendar | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Calendar:
        """Create a calendar."""
        asked = Asked(
            path=(end_user_account_id,),
            body=body,
        )
        return await self._call(_CREATE_CALENDAR, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def update(
        self,
        end_user_account_id: str,
        calendar_id: str,
        body: models.UpdateCalendar | Mapping[str, Any],
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Calendar:
        """Change a calendar: only the fields that are sent."""
        asked = Asked(
            path=(end_user_account_id, calendar_id,),
            body=body,
        )
        return await self._call(_UPDATE_CALENDAR, asked, Options(timeout=timeout, request_id=request_id))

    async def delete(
        self,
        end_user_account_id: str,
        calendar_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Success:
        """Delete a calendar and every event in it."""
        asked = Asked(
            path=(end_user_account_id, calendar_id,),
        )
        return await self._call(_DELETE_CALENDAR, asked, Options(timeout=timeout, request_id=request_id))


class AsyncEvents(AsyncSyncedEvents):
    """The events of a calendar."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(
        self,
        end_user_account_id: str,
        calendar_id: str,
        *,
        page_size: int | None = None,
        start_date_time: str | None = None,
        end_date_time: str | None = None,
        expand_recurrences: bool | None = None,
        order_by: models.EventOrder | None = None,
        updated_after: str | None = None,
        is_all_day: bool | None = None,
        is_cancelled: bool | None = None,
        page_token: str | None = None,
        sync_token: str | None = None,
        metadata_filters: str | None = None,
        search: str | None = None,
        ical_uid: str | None = None,
        time_zone: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EventPage:
        """List the events of a calendar, or the changes since a ``sync_token``."""
        asked = Asked(
            path=(end_user_account_id, calendar_id,),
            query={
                "pageSize": page_size,
                "startDateTime": start_date_time,
                "endDateTime": end_date_time,
                "expandRecurrences": expand_recurrences,
                "orderBy": order_by,
                "updatedAfter": updated_after,
                "isAllDay": is_all_day,
                "isCancelled": is_cancelled,
                "pageToken": page_token,
                "syncToken": sync_token,
                "metadataFilters": metadata_filters,
                "search": search,
                "iCalUid": ical_uid,
                "timeZone": time_zone,
            },
        )
        return await self._call(_LIST_EVENTS, asked, Options(timeout=timeout, request_id=request_id))

    def list_all(
        self,
        end_user_account_id: str,
        calendar_id: str,
        *,
        page_size: int | None = None,
        start_date_time: str | None = None,
        end_date_time: str | None = None,
        expand_recurrences: bool | None = None,
        order_by: models.EventOrder | None = None,
        updated_after: str | None = None,
        is_all_day: bool | None = None,
        is_cancelled: bool | None = None,
        metadata_filters: str | None = None,
        search: str | None = None,
        ical_uid: str | None = None,
        time_zone: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.Event]:
        """List the events of a calendar, or the changes since a ``sync_token``. Reads page after page."""
        return items_of(
            lambda page_token: self.list(
                end_user_account_id,
                calendar_id,
                page_size=page_size,
                start_date_time=start_date_time,
                end_date_time=end_date_time,
                expand_recurrences=expand_recurrences,
                order_by=order_by,
                updated_after=updated_after,
                is_all_day=is_all_day,
                is_cancelled=is_cancelled,
                metadata_filters=metadata_filters,
                search=search,
                ical_uid=ical_uid,
                time_zone=time_zone,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def occurrences(
        self,
        end_user_account_id: str,
        calendar_id: str,
        event_id: str,
        *,
        page_size: int | None = None,
        updated_after: str | None = None,
        is_all_day: bool | None = None,
        is_cancelled: bool | None = None,
        time_zone: str | None = None,
        page_token: str | None = None,
        metadata_filters: str | None = None,
        search: str | None = None,
        ical_uid: str | None = None,
        start_date_time: str | None = None,
        end_date_time: str | None = None,
        order_by: models.EventOrder | None = None,
        sync_token: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.EventPage:
        """List the occurrences of a series. ``start_date_time`` and ``end_date_time`` are required, unless a
        token is sent.
        """
        asked = Asked(
            path=(end_user_account_id, calendar_id, event_id,),
            query={
                "pageSize": page_size,
                "updatedAfter": updated_after,
                "isAllDay": is_all_day,
                "isCancelled": is_cancelled,
                "timeZone": time_zone,
                "pageToken": page_token,
                "metadataFilters": metadata_filters,
                "search": search,
                "iCalUid": ical_uid,
                "startDateTime": start_date_time,
                "endDateTime": end_date_time,
                "orderBy": order_by,
                "syncToken": sync_token,
            },
        )
        return await self._call(_LIST_EVENT_OCCURRENCES, asked, Options(timeout=timeout, request_id=request_id))

    def all_occurrences(
        self,
        end_user_account_id: str,
        calendar_id: str,
        event_id: str,
        *,
        page_size: int | None = None,
        updated_after: str | None = None,
        is_all_day: bool | None = None,
        is_cancelled: bool | None = None,
        time_zone: str | None = None,
        metadata_filters: str | None = None,
        search: str | None = None,
        ical_uid: str | None = None,
        start_date_time: str | None = None,
        end_date_time: str | None = None,
        order_by: models.EventOrder | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.Event]:
        """List the occurrences of a series. ``start_date_time`` and ``end_date_time`` are required, unless a
        token is sent. Reads page after page.
        """
        return items_of(
            lambda page_token: self.occurrences(
                end_user_account_id,
                calendar_id,
                event_id,
                page_size=page_size,
                updated_after=updated_after,
                is_all_day=is_all_day,
                is_cancelled=is_cancelled,
                time_zone=time_zone,
                metadata_filters=metadata_filters,
                search=search,
                ical_uid=ical_uid,
                start_date_time=start_date_time,
                end_date_time=end_date_time,
                order_by=order_by,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def get(
        self,
        end_user_account_id: str,
        calendar_id: str,
        event_id: str,
        *,
        time_zone: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Event:
        """Read one event, series or instance."""
        asked = Asked(
            path=(end_user_account_id, calendar_id, event_id,),
            query={
                "timeZone": time_zone,
            },
        )
        return await self._call(_GET_EVENT, asked, Options(timeout=timeout, request_id=request_id))

    async def create(
        self,
        end_user_account_id: str,
        calendar_id: str,
        body: models.CreateEvent | Mapping[str, Any],
        *,
        notify_participants: models.NotifyParticipants | None = None,
        time_zone: str | None = None,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Event:
        """Create an event. The answer is what the provider now holds."""
        asked = Asked(
            path=(end_user_account_id, calendar_id,),
            query={
                "notifyParticipants": notify_participants,
                "timeZone": time_zone,
            },
            body=body,
        )
        return await self._call(_CREATE_EVENT, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def update(
        self,
        end_user_account_id: str,
        calendar_id: str,
        event_id: str,
        body: models.UpdateEvent | Mapping[str, Any],
        *,
        notify_participants: models.NotifyParticipants | None = None,
        scope: models.EditScope | None = None,
        time_zone: str | None = None,
        if_match: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Event:
        """Change an event, a series or an instance: only the fields that are sent."""
        asked = Asked(
            path=(end_user_account_id, calendar_id, event_id,),
            query={
                "notifyParticipants": notify_participants,
                "scope": scope,
                "timeZone": time_zone,
            },
            body=body,
        )
        return await self._call(_UPDATE_EVENT, asked, Options(timeout=timeout, request_id=request_id, if_match=if_match))

    async def delete(
        self,
        end_user_account_id: str,
        calendar_id: str,
        event_id: str,
        *,
        notify_participants: models.NotifyParticipants | None = None,
        scope: models.EditScope | None = None,
        time_zone: str | None = None,
        if_match: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Success:
        """Delete an event, a series or an instance."""
        asked = Asked(
            path=(end_user_account_id, calendar_id, event_id,),
            query={
                "notifyParticipants": notify_participants,
                "scope": scope,
                "timeZone": time_zone,
            },
        )
        return await self._call(_DELETE_EVENT, asked, Options(timeout=timeout, request_id=request_id, if_match=if_match))

    async def rsvp(
        self,
        end_user_account_id: str,
        calendar_id: str,
        event_id: str,
        body: models.Rsvp | Mapping[str, Any],
        *,
        notify_participants: models.NotifyParticipants | None = None,
        time_zone: str | None = None,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Success:
        """Answer an invitation."""
        asked = Asked(
            path=(end_user_account_id, calendar_id, event_id,),
            query={
                "notifyParticipants": notify_participants,
                "timeZone": time_zone,
            },
            body=body,
        )
        return await self._call(_RSVP_EVENT, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))


class AsyncFreeBusy:
    """When calendars are busy."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def query(
        self,
        end_user_account_id: str,
        body: models.FreeBusyQuery | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> list[models.FreeBusyCalendar]:
        """Find out when calendars are busy: one element for each calendar asked, in that order."""
        asked = Asked(
            path=(end_user_account_id,),
            body=body,
        )
        return await self._call(_QUERY_FREE_BUSY, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))


class AsyncCalendarSubscriptions:
    """Signed messages after changes in a calendar."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(
        self,
        end_user_account_id: str,
        *,
        limit: int | None = None,
        page_token: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.CalendarSubscriptionPage:
        """List the subscriptions of an account, oldest first. Works while the account is EXPIRED, too."""
        asked = Asked(
            path=(end_user_account_id,),
            query={
                "limit": limit,
                "pageToken": page_token,
            },
        )
        return await self._call(_LIST_CALENDAR_SUBSCRIPTIONS, asked, Options(timeout=timeout, request_id=request_id))

    def list_all(
        self,
        end_user_account_id: str,
        *,
        limit: int | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.CalendarSubscription]:
        """List the subscriptions of an account, oldest first. Works while the account is EXPIRED, too. Reads
        page after page.
        """
        return items_of(
            lambda page_token: self.list(
                end_user_account_id,
                limit=limit,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def create(
        self,
        end_user_account_id: str,
        body: models.CreateCalendarSubscription | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.CreatedCalendarSubscription:
        """Subscribe to the events of a calendar. After each change a signed message is sent to the URL; the
        secret is in this answer and in no other.
        """
        asked = Asked(
            path=(end_user_account_id,),
            body=body,
        )
        return await self._call(_CREATE_CALENDAR_SUBSCRIPTION, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def delete(
        self,
        end_user_account_id: str,
        body: models.DeleteCalendarSubscription | Mapping[str, Any] | None = None,
        *,
        subscription_id: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Success:
        """End a subscription. Once this has been answered, no message is sent for it. Works while the account is
        EXPIRED, too.
        """
        asked = Asked(
            path=(end_user_account_id,),
            query={
                "subscriptionId": subscription_id,
            },
            body=body,
        )
        return await self._call(_DELETE_CALENDAR_SUBSCRIPTION, asked, Options(timeout=timeout, request_id=request_id))


class AsyncUsageReports:
    """Requests that the service sent to providers for the application."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def get(
        self,
        *,
        days: int | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Usage:
        """Read how many requests were sent to providers for this application. The last minute may be missing."""
        asked = Asked(
            query={
                "days": days,
            },
        )
        return await self._call(_GET_USAGE, asked, Options(timeout=timeout, request_id=request_id))


class AsyncWebhookEndpoints:
    """Where messages go, and how that goes. A calendar subscription is an endpoint too."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(
        self,
        *,
        limit: int | None = None,
        page_token: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.WebhookEndpointPage:
        """List the endpoints of the application, oldest first. Subscriptions are not among them."""
        asked = Asked(
            query={
                "limit": limit,
                "pageToken": page_token,
            },
        )
        return await self._call(_LIST_WEBHOOK_ENDPOINTS, asked, Options(timeout=timeout, request_id=request_id))

    def list_all(
        self,
        *,
        limit: int | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.WebhookEndpoint]:
        """List the endpoints of the application, oldest first. Subscriptions are not among them. Reads page
        after page.
        """
        return items_of(
            lambda page_token: self.list(
                limit=limit,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def get(
        self,
        endpoint_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.WebhookEndpoint:
        """Read how an endpoint or a subscription is doing."""
        asked = Asked(
            path=(endpoint_id,),
        )
        return await self._call(_GET_WEBHOOK_ENDPOINT, asked, Options(timeout=timeout, request_id=request_id))

    async def create(
        self,
        body: models.CreateWebhookEndpoint | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.CreatedWebhookEndpoint:
        """Create an endpoint that receives the events of the application's accounts. Only this response contains
        the secret.
        """
        asked = Asked(
            body=body,
        )
        return await self._call(_CREATE_WEBHOOK_ENDPOINT, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def update(
        self,
        endpoint_id: str,
        body: models.UpdateWebhookEndpoint | Mapping[str, Any],
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.WebhookEndpoint:
        """Change how fast messages may come at an endpoint or a subscription. It is in force within two seconds."""
        asked = Asked(
            path=(endpoint_id,),
            body=body,
        )
        return await self._call(_UPDATE_WEBHOOK_ENDPOINT, asked, Options(timeout=timeout, request_id=request_id))

    async def delete(
        self,
        endpoint_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Success:
        """Delete an endpoint of the application. Once this has been answered, no message is sent to it."""
        asked = Asked(
            path=(endpoint_id,),
        )
        return await self._call(_DELETE_WEBHOOK_ENDPOINT, asked, Options(timeout=timeout, request_id=request_id))

    async def enable(
        self,
        endpoint_id: str,
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.WebhookEndpoint:
        """Enable an endpoint or a subscription that was disabled. What it missed can be recovered."""
        asked = Asked(
            path=(endpoint_id,),
        )
        return await self._call(_ENABLE_WEBHOOK_ENDPOINT, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def rotate_secret(
        self,
        endpoint_id: str,
        body: models.RotateEndpointSecret | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.RotatedEndpointSecret:
        """Replace the secret of an endpoint or a subscription. For the overlap, a day by default, every message
        carries a signature with each secret.
        """
        asked = Asked(
            path=(endpoint_id,),
            body=body,
        )
        return await self._call(_ROTATE_ENDPOINT_SECRET, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def test(
        self,
        endpoint_id: str,
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.SentTestMessage:
        """Send a test message, ``webhook.test``, to an endpoint or a subscription, the way that all messages go."""
        asked = Asked(
            path=(endpoint_id,),
        )
        return await self._call(_SEND_TEST_MESSAGE, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def messages(
        self,
        endpoint_id: str,
        *,
        state: models.WebhookMessageState | None = None,
        limit: int | None = None,
        page_token: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.WebhookMessagePage:
        """List the messages to an endpoint or a subscription, newest first."""
        asked = Asked(
            path=(endpoint_id,),
            query={
                "state": state,
                "limit": limit,
                "pageToken": page_token,
            },
        )
        return await self._call(_LIST_WEBHOOK_MESSAGES, asked, Options(timeout=timeout, request_id=request_id))

    def all_messages(
        self,
        endpoint_id: str,
        *,
        state: models.WebhookMessageState | None = None,
        limit: int | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.WebhookMessage]:
        """List the messages to an endpoint or a subscription, newest first. Reads page after page."""
        return items_of(
            lambda page_token: self.messages(
                endpoint_id,
                state=state,
                limit=limit,
                request_id=request_id,
                timeout=timeout,
                page_token=page_token,
            )
        )

    async def attempts(
        self,
        endpoint_id: str,
        message_id: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.DeliveryAttemptList:
        """List the attempts to deliver a message."""
        asked = Asked(
            path=(endpoint_id, message_id,),
        )
        return await self._call(_LIST_DELIVERY_ATTEMPTS, asked, Options(timeout=timeout, request_id=request_id))

    async def resend(
        self,
        endpoint_id: str,
        message_id: str,
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.Success:
        """Send a message once more, under the same id and whatever became of it. Its schedule goes on as it was."""
        asked = Asked(
            path=(endpoint_id, message_id,),
        )
        return await self._call(_RESEND_WEBHOOK_MESSAGE, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))

    async def recover(
        self,
        endpoint_id: str,
        body: models.RecoverMessages | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> models.RecoveredMessages:
        """Send all messages once more that failed and were made since an instant."""
        asked = Asked(
            path=(endpoint_id,),
            body=body,
        )
        return await self._call(_RECOVER_MESSAGES, asked, Options(timeout=timeout, request_id=request_id, idempotency_key=idempotency_key))
