from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, TypeAdapter

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class TryRecord:
    """One try of a request, for a log or metrics. It holds no key, no query and no body."""

    operation: str
    method: str
    url: str
    """With ids, without the query."""
    attempt: int
    """1 for the first."""
    duration_seconds: float
    status: int | None
    """None: there was no answer."""
    request_id: str | None
    error: Exception | None
    retry_in_seconds: float | None
    """None: it will not be repeated."""


@dataclass(frozen=True)
class Operation(Generic[Answer]):
    """An operation of the OpenAPI document."""

    id: str
    method: str
    path: str
    answer: TypeAdapter[Answer]


@dataclass(frozen=True)
class Options:
    """How one request is made."""

    timeout: float | None = None
    request_id: str | None = None
    idempotency_key: str | None = None
    if_match: str | None = None


@dataclass(frozen=True)
class Asked:
    """Parts of a request besides its options."""

    path: tuple[str, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict)
    body: BaseModel | Mapping[str, Any] | None = None


def address(operation: Operation[Any], asked: Asked) -> str:
    """Returns path and query. Raises ValueError for an id that would change the path."""
    values = iter(asked.path)
    path = re.sub(r"\{(\w+)\}", lambda match: _segment(match[1], next(values)), operation.path)
    query = urlencode({name: _text(value) for name, value in asked.query.items() if value is not None})
    return path if query == "" else f"{path}?{query}"


def json_of(body: BaseModel | Mapping[str, Any]) -> Any:
    if isinstance(body, BaseModel):
        return body.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return dict(body)


def _segment(name: str, value: str) -> str:
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"{name} is not an id: {value!r}")
    return quote(value, safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
