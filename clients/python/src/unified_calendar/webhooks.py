"""Webhooks of the service (Standard Webhooks)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from pydantic import ValidationError as MalformedBody

from ._base import Model

_SECRET_PREFIX = "whsec_"
# A Svix server in between may use names of its own.
_HEADER_PREFIXES = ("webhook", "svix")


class WebhookBody(Model):
    """What happened. Fields that do not belong to the event type are None."""

    event_type: str
    """``calendar.event.changed``: read the events of the calendar with the sync token of your last read."""
    timestamp: str
    """When it was noticed, ISO 8601."""
    end_user_account_id: str | None = None
    calendar_id: str | None = None
    webhook_subscription_id: str | None = None
    external_id: str | None = None
    provider_type: str | None = None
    status: str | None = None
    reason: str | None = None
    """Why the status changed: ``consent_revoked``."""


@dataclass(frozen=True)
class VerifiedWebhook:
    """A delivery that is genuine. ``id`` is the same whenever the message comes again."""

    id: str
    sent_at: datetime
    body: WebhookBody


class WebhookVerificationError(Exception):
    """Not genuine, or not now. Answer it with 400."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str] | Iterable[tuple[str, str]],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> VerifiedWebhook:
    """Proves that a delivery comes from the service: one of the signatures, by one of the secrets.

    ``body``: the bytes, or the text, as they came: not what a JSON parser made of them. ``headers``: all of the request.
    ``secret``: ``endpointSecret`` as it was shown, ``whsec_…``; several while one is being replaced.
    ``tolerance_seconds``: how far the time of sending may be off. ``now``: seconds since the epoch.

    Raises WebhookVerificationError; ValueError for a secret that is none.
    """
    content = body.encode() if isinstance(body, str) else bytes(body)
    message_id, timestamp, signatures = _signed_headers(headers)
    is_time = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    if not is_time or abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError(f"The time of sending is too far from now: {timestamp!r}.")
    signed = f"{message_id}.{timestamp}.".encode(errors="replace") + content
    for key in [_key_of(each) for each in ([secret] if isinstance(secret, str) else secret)]:
        expected = hmac.new(key, signed, hashlib.sha256).digest()
        if any(hmac.compare_digest(expected, signature) for signature in signatures):
            sent_at = datetime.fromtimestamp(int(timestamp), timezone.utc)
            return VerifiedWebhook(message_id, sent_at, _body_of(content))
    raise WebhookVerificationError("No signature matches.")


def _body_of(content: bytes) -> WebhookBody:
    try:
        return WebhookBody.model_validate_json(content)
    except MalformedBody as cause:
        raise WebhookVerificationError("The body is not that of a webhook.") from cause


def _signed_headers(headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> tuple[str, str, list[bytes]]:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    found = {name.lower(): value for name, value in pairs}
    for prefix in _HEADER_PREFIXES:
        message_id, timestamp, signature = (found.get(f"{prefix}-{name}") for name in ("id", "timestamp", "signature"))
        if message_id and timestamp and signature:
            return message_id, timestamp, _signatures_in(signature)
    raise WebhookVerificationError("The headers webhook-id, webhook-timestamp and webhook-signature are required.")


def _signatures_in(header: str) -> list[bytes]:
    """Those of version 1; a receiver passes over what it does not know."""
    signatures = []
    for versioned in header.split(" "):
        if versioned.startswith("v1,"):
            try:
                signatures.append(base64.b64decode(versioned[len("v1,") :], validate=True))
            except ValueError:  # a character that is not ASCII, or not base64
                continue
    return signatures


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except ValueError as cause:
        raise ValueError("The secret of the endpoint is not base64.") from cause
    if key == b"":
        raise ValueError("The secret of the endpoint is empty.")
    return key
