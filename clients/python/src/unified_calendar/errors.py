"""Errors of the client."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic import ValidationError as MalformedAnswer

from .models import ErrorDetail, ProviderFault

_SHOWN_CHARACTERS = 200
_DETAILS = TypeAdapter(list[ErrorDetail])
_FAULT = TypeAdapter(ProviderFault)
Part = TypeVar("Part")


class UnifiedCalendarError(Exception):
    """The service answered with an error.

    ``status``: HTTP status. ``code``: what happened; ``UnexpectedAnswer``: the body is not one of the service's.
    ``request_id``: names the request in the logs of the service. ``retry_after_seconds``: None when the service does not
    say. ``details``: each part of the request that is not valid. ``provider``: what the calendar provider said.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: Mapping[str, Any]) -> None:
        super().__init__(body["message"])
        self.status = status
        self.code: str = body["code"]
        self.request_id: str | None = body.get("requestId") or headers.get("x-request-id")
        self.retry_after_seconds = _seconds_until(headers.get("retry-after"))
        self.details = _read(_DETAILS, body.get("details")) or []
        self.provider = _read(_FAULT, body.get("provider"))


class ValidationError(UnifiedCalendarError):
    """Part of the request is not valid: ``details`` says which."""


class AuthenticationError(UnifiedCalendarError):
    """The API key is missing, unknown or expired, or may not do this."""


class NotFoundError(UnifiedCalendarError):
    """There is no such account, calendar, event or endpoint."""


class AccountExpiredError(UnifiedCalendarError):
    """The user has to connect the account again."""


class ConflictError(UnifiedCalendarError):
    """The event has another version than ``if_match``, or another request is in the way."""


class RateLimitedError(UnifiedCalendarError):
    """The service or the provider takes no more requests for ``retry_after_seconds``."""


class ProviderError(UnifiedCalendarError):
    """The calendar provider failed or refused: ``provider`` has its answer."""


class SyncTokenExpired(UnifiedCalendarError):
    """The sync token is too old: everything has to be read again."""


class UnifiedCalendarNetworkError(Exception):
    """There was no answer: the network failed, or time ran out. Whether the request was carried out is not known."""


_CLASS_OF_CODE: dict[str, type[UnifiedCalendarError]] = {
    "ValidationFailed": ValidationError,
    "PageTokenInvalid": ValidationError,
    "MissingApiKey": AuthenticationError,
    "InvalidApiKey": AuthenticationError,
    "ApiKeyExpired": AuthenticationError,
    "Forbidden": AuthenticationError,
    "NotFound": NotFoundError,
    "EndUserAccountExpired": AccountExpiredError,
    "Conflict": ConflictError,
    "IdempotencyKeyReused": ConflictError,
    "PreconditionFailed": ConflictError,
    "RateLimited": RateLimitedError,
    "ProviderRateLimited": RateLimitedError,
    "ProviderUnavailable": ProviderError,
    "ProviderTimeout": ProviderError,
    "ProviderRejected": ProviderError,
    "SyncTokenExpired": SyncTokenExpired,
}


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> UnifiedCalendarError:
    """Returns the error of a response that is not what was asked for."""
    body = _parsed(content)
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) for name in ("code", "message")):
        text = content.decode(errors="replace")[:_SHOWN_CHARACTERS]
        message = f"HTTP {status} without a body of the service: {text}"
        return UnifiedCalendarError(status, headers, {"code": "UnexpectedAnswer", "message": message})
    return _CLASS_OF_CODE.get(body["code"], UnifiedCalendarError)(status, headers, body)


def _read(adapter: TypeAdapter[Part], value: Any) -> Part | None:
    """Returns None for what is absent or not as the document says: the error itself must not get lost."""
    try:
        return None if value is None else adapter.validate_python(value)
    except MalformedAnswer:
        return None


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _seconds_until(retry_after: str | None) -> int | None:
    """The service writes seconds, proxies before it may write a date (RFC 9110 §10.2.3)."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return int(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0, math.ceil((at - datetime.now(timezone.utc)).total_seconds()))
