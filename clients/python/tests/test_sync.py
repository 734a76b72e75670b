"""Copies of a calendar. No service is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

import httpx
import pytest

import unified_calendar as uc
from unified_calendar import models


class Copy:
    """A store in memory."""

    def __init__(self, token: str | None = None, ids: Iterable[str] = ()) -> None:
        self.token = token
        self.events: dict[str, models.Event | None] = dict.fromkeys(ids)

    def sync_token(self) -> str | None:
        return self.token

    def upsert(self, event: models.Event) -> None:
        self.events[event.id] = event

    def delete(self, event_id: str) -> None:
        self.events.pop(event_id, None)

    def ids(self) -> Iterable[str]:
        return self.events

    def save_sync_token(self, sync_token: str | None) -> None:
        self.token = sync_token


def event(event_id: str, **more: object) -> dict[str, object]:
    return {"id": event_id, "isCancelled": False, "title": event_id, "start": {"date": "2026-12-01"}, **more}


# By sync token and page token.
Answers = dict[tuple[Union[str, None], Union[str, None]], httpx.Response]


def client(answers: Answers, seen: list[httpx.QueryParams]) -> uc.Client:
    def handler(request: httpx.Request) -> httpx.Response:
        params = request.url.params
        seen.append(params)
        return answers[params.get("syncToken"), params.get("pageToken")]

    return uc.Client("https://c.test", "uck_x", http_client=httpx.Client(transport=httpx.MockTransport(handler)))


def page(*events: dict[str, object], **tokens: str) -> httpx.Response:
    return httpx.Response(200, json={"data": list(events), **tokens})


EXPIRED = httpx.Response(410, json={"code": "SyncTokenExpired", "message": "Too old."})


def test_the_first_sync_reads_everything_and_deletes_what_is_gone() -> None:
    seen: list[httpx.QueryParams] = []
    answers: Answers = {
        (None, None): page(event("a"), nextPageToken="2"),
        (None, "2"): page(event("b"), nextSyncToken="t1"),
    }
    store = Copy(ids=["gone"])
    done = client(answers, seen).events.sync_into(store, "acc", "cal", start_date_time="2026-01-01T00:00:00Z")
    assert done == uc.SyncedInto(upserted=2, deleted=1, is_full=True)
    assert (sorted(store.events), store.token) == (["a", "b"], "t1")
    assert [params.get("startDateTime") for params in seen] == ["2026-01-01T00:00:00Z"] * 2


def test_a_later_sync_applies_changes_with_the_token_alone() -> None:
    seen: list[httpx.QueryParams] = []
    changes = page({"id": "a", "isCancelled": True}, event("c"), nextSyncToken="t2")
    store = Copy("t1", ["a", "b"])
    done = client({("t1", None): changes}, seen).events.sync_into(store, "acc", "cal", search="x", page_size=10)
    assert done == uc.SyncedInto(upserted=1, deleted=1, is_full=False)
    assert (sorted(store.events), store.token) == (["b", "c"], "t2")
    assert dict(seen[0]) == {"pageSize": "10", "syncToken": "t1"}


def test_a_token_that_is_too_old_leads_to_a_full_read() -> None:
    answers: Answers = {("t1", None): EXPIRED, (None, None): page(event("a"), nextSyncToken="t3")}
    store = Copy("t1", ["a", "b"])
    assert client(answers, []).events.sync_into(store, "acc", "cal").is_full
    assert (sorted(store.events), store.token) == (["a"], "t3")
    changes = client(answers, []).events.sync("acc", "cal", sync_token="t1")
    with pytest.raises(uc.SyncTokenExpired):
        list(changes)
    with pytest.raises(RuntimeError):
        changes.next_sync_token  # noqa: B018


def test_nothing_is_kept_of_what_was_read_before_it_started_over() -> None:
    answers: Answers = {
        ("t1", None): page(event("a"), nextPageToken="2"),
        ("t1", "2"): EXPIRED,
        (None, None): page(nextSyncToken="t3"),
    }
    store = Copy("t1", ["b"])
    done = client(answers, []).events.sync_into(store, "acc", "cal")
    assert done == uc.SyncedInto(upserted=1, deleted=2, is_full=True)
    assert (sorted(store.events), store.token) == ([], "t3")


def test_an_error_leaves_the_old_token() -> None:
    answers: Answers = {
        ("t1", None): page(event("a"), nextPageToken="2"),
        ("t1", "2"): httpx.Response(404, json={"code": "NotFound", "message": "No."}),
    }
    store = Copy("t1")
    with pytest.raises(uc.NotFoundError):
        client(answers, []).events.sync_into(store, "acc", "cal")
    assert store.token == "t1"
