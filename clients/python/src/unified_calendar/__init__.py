"""Client of the Unified Calendar service: one model over Google, Microsoft, Apple and CalDAV calendars."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from . import models
from ._async.client import AsyncClient
from ._async.sync import AsyncEventStore, AsyncSync
from ._operations import TryRecord
from ._sync.client import Client
from ._sync.sync import EventStore, Sync
from ._synced import SyncedInto
from .errors import (
    AccountExpiredError,
    AuthenticationError,
    ConflictError,
    NotFoundError,
    ProviderError,
    RateLimitedError,
    SyncTokenExpired,
    UnifiedCalendarError,
    UnifiedCalendarNetworkError,
    ValidationError,
)
from .webhooks import VerifiedWebhook, WebhookBody, WebhookVerificationError, verify_webhook

__all__ = [
    "AccountExpiredError",
    "AsyncClient",
    "AsyncEventStore",
    "AsyncSync",
    "AuthenticationError",
    "Client",
    "ConflictError",
    "EventStore",
    "NotFoundError",
    "ProviderError",
    "RateLimitedError",
    "Sync",
    "SyncTokenExpired",
    "SyncedInto",
    "TryRecord",
    "UnifiedCalendarError",
    "UnifiedCalendarNetworkError",
    "ValidationError",
    "VerifiedWebhook",
    "WebhookBody",
    "WebhookVerificationError",
    "is_removed",
    "models",
    "sign_in_url",
    "verify_webhook",
]


def is_removed(event: models.Event) -> bool:
    """Whether the event is gone: answers to a sync token name such events with their ids alone."""
    return event.start is None


def sign_in_url(
    base_url: str,
    application_id: str,
    provider: str,
    *,
    redirect_url: str | None = None,
    external_id: str | None = None,
    state: str | None = None,
    login_hint: str | None = None,
    prompt: str | None = None,
) -> str:
    """Returns where to send a user's browser so that a GOOGLE or MICROSOFT account gets connected.

    No key is needed: whoever sees the address can write another one. ``end_user_accounts.authorization_url`` makes one
    that nobody can change. ``provider``: ``google``, ``microsoft``.
    """
    query = {
        "redirectUrl": redirect_url,
        "externalId": external_id,
        "state": state,
        "loginHint": login_hint,
        "prompt": prompt,
    }
    given = urlencode({name: value for name, value in query.items() if value is not None})
    path = f"/api/v1/oauth/authorize/{quote(application_id, safe='')}/{quote(provider, safe='')}"
    return base_url.rstrip("/") + path + (f"?{given}" if given else "")
