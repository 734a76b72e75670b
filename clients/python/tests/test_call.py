"""One request: what is sent, what is repeated, and what becomes of answers. No service is needed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable

import httpx
import pytest

import unified_calendar as uc
from unified_calendar import _retries, models

ACCOUNT: dict[str, object] = {
    "id": "acc",
    "email": "ada@example.com",
    "providerType": "GOOGLE",
    "status": "ACTIVE",
    "externalId": "ada",
    "providerId": "1",
    "applicationId": "app",
    "authorizedScopes": [],
    "providerAccountId": "g1",
    "serverUrl": None,
    "createdAt": "2026-11-21T09:30:00.000Z",
    "updatedAt": "2026-11-21T09:30:00.000Z",
}
EVENT = {"id": "e", "isCancelled": False, "title": "Talk", "start": {"dateTime": "2026-12-01T10:00:00+01:00"}}


def client(handler: Callable[[httpx.Request], httpx.Response], **options: object) -> uc.Client:
    http = httpx.Client(transport=httpx.MockTransport(handler))
    return uc.Client("https://calendar.test/", "uck_secret", http_client=http, **options)  # type: ignore[arg-type]


def error(status: int, code: str, headers: dict[str, str] | None = None, **more: object) -> httpx.Response:
    body = {"code": code, "message": f"It is {code}.", "requestId": "r1", **more}
    return httpx.Response(status, json=body, headers=headers)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


def test_sends_key_path_query_and_reads_a_model() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"data": [EVENT], "nextPageToken": "p"})

    page = client(handler).events.list("acc", "a/b c", page_size=5, is_all_day=False, request_id="mine")
    [request] = seen
    assert str(request.url) == "https://calendar.test/api/v1/events/acc/a%2Fb%20c?pageSize=5&isAllDay=false"
    assert request.headers["x-api-key"] == "uck_secret"
    assert request.headers["x-request-id"] == "mine"
    assert "idempotency-key" not in request.headers
    assert page.next_page_token == "p"
    assert page.data[0].start is not None and page.data[0].start.date_time == "2026-12-01T10:00:00+01:00"


@pytest.mark.parametrize("bad", ["", ".", "..", None])
def test_takes_no_id_that_would_change_the_path(bad: object) -> None:
    with pytest.raises(ValueError, match="calendarId is not an id"):
        client(lambda _: httpx.Response(500)).events.list("acc", bad)  # type: ignore[arg-type]


def test_sends_what_was_given_and_clears_with_none() -> None:
    bodies: list[object] = []

    def handler(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(200, json=EVENT)

    events = client(handler).events
    events.update("acc", "cal", "e", models.UpdateEvent(location=None, title="New"), if_match='"1"')
    events.create("acc", "cal", {"title": "Raw", "start": {"date": "2026-12-01"}})
    assert bodies == [
        {"location": None, "title": "New"},
        {"title": "Raw", "start": {"date": "2026-12-01"}},
    ]
    with pytest.raises(ValueError, match="titel"):
        models.UpdateEvent(titel="Typo")  # type: ignore[call-arg]


def test_keeps_unknown_fields_and_unknown_codes() -> None:
    answer = {**ACCOUNT, "status": "PAUSED", "mood": "good"}
    account = client(lambda _: httpx.Response(200, json=answer)).end_user_accounts.get("acc")
    assert account.status == "PAUSED"
    assert account.model_extra is not None and account.model_extra["mood"] == "good"


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "ValidationFailed", uc.ValidationError),
        (401, "InvalidApiKey", uc.AuthenticationError),
        (403, "EndUserAccountExpired", uc.AccountExpiredError),
        (404, "NotFound", uc.NotFoundError),
        (409, "Conflict", uc.ConflictError),
        (410, "SyncTokenExpired", uc.SyncTokenExpired),
        (400, "ProviderRejected", uc.ProviderError),
        (418, "SomethingNew", uc.UnifiedCalendarError),
    ],
)
def test_errors_have_classes(status: int, code: str, kind: type[uc.UnifiedCalendarError]) -> None:
    with pytest.raises(kind) as raised:
        client(lambda _: error(status, code)).end_user_accounts.get("acc")
    assert type(raised.value) is kind
    assert (raised.value.status, raised.value.code, raised.value.request_id) == (status, code, "r1")
    assert "uck_secret" not in repr(raised.value)


@pytest.mark.parametrize("answer", [httpx.Response(502, text="<html>"), httpx.Response(200, text="<html>")])
def test_other_bodies_are_unexpected(answer: httpx.Response) -> None:
    with pytest.raises(uc.UnifiedCalendarError, match="without a body of the service: <html>") as raised:
        client(lambda _: answer, retries=0).end_user_accounts.get("acc")
    assert raised.value.code == "UnexpectedAnswer"


def test_an_error_has_its_details_and_is_no_other_for_malformed_ones() -> None:
    details = [{"path": "start.dateTime", "message": "must be a time"}]
    with pytest.raises(uc.ValidationError) as raised:
        client(lambda _: error(400, "ValidationFailed", details=details)).end_user_accounts.get("acc")
    assert [(each.path, each.message) for each in raised.value.details] == [("start.dateTime", "must be a time")]
    with pytest.raises(uc.ValidationError) as raised:
        client(lambda _: error(400, "ValidationFailed", details="x", provider=1)).end_user_accounts.get("acc")
    assert (raised.value.details, raised.value.provider) == ([], None)


def test_follows_no_redirect() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        assert request.url.host == "calendar.test"
        return httpx.Response(302, headers={"location": "https://evil.test/"})

    with pytest.raises(uc.UnifiedCalendarError):
        client(handler).end_user_accounts.get("acc")


def test_repeats_reads_as_retry_after_says(no_pauses: list[float]) -> None:
    answers = [error(429, "RateLimited", {"retry-after": "3"}), error(503, "Overloaded"), httpx.Response(200, json=ACCOUNT)]
    records: list[uc.TryRecord] = []
    account = client(lambda _: answers.pop(0), logger=records.append).end_user_accounts.get("acc")
    assert account.id == "acc"
    assert 3 <= no_pauses[0] <= 3.5 and 0.5 <= no_pauses[1] <= 1
    assert [(each.attempt, each.status, each.operation) for each in records] == [
        (1, 429, "getEndUserAccount"),
        (2, 503, "getEndUserAccount"),
        (3, 200, "getEndUserAccount"),
    ]
    assert [each.retry_in_seconds for each in records] == [*no_pauses, None]
    assert records[0].url == "https://calendar.test/api/v1/endUserAccounts/acc"


@pytest.mark.parametrize(
    ("answer", "tries"),
    [
        (error(429, "RateLimited", {"retry-after": "61"}), 1),
        (error(404, "NotFound"), 1),
        (error(409, "Conflict"), 1),
        (error(409, "Conflict", {"retry-after": "1"}), 3),
        (error(502, "ProviderUnavailable", provider={"status": 502, "code": None, "message": "No.", "retryable": False}), 1),
        (error(502, "ProviderUnavailable"), 3),
    ],
)
def test_repeats_only_what_may_help(answer: httpx.Response, tries: int) -> None:
    seen: list[httpx.Request] = []
    with pytest.raises(uc.UnifiedCalendarError):
        client(lambda request: seen.append(request) or answer).end_user_accounts.get("acc")  # type: ignore[func-returns-value]
    assert len(seen) == tries


def test_a_post_is_repeated_with_one_key_and_other_writes_are_not() -> None:
    keys: list[str | None] = []

    def handler(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers.get("idempotency-key"))
        raise httpx.ConnectError("refused")

    events = client(handler).events
    new = models.CreateEvent(title="Talk", start=models.EventDateTime(date="2026-12-01"))
    with pytest.raises(uc.UnifiedCalendarNetworkError, match="no answer"):
        events.create("acc", "cal", new)
    assert len(keys) == 3 and len(set(keys)) == 1 and keys[0]
    keys.clear()
    with pytest.raises(uc.UnifiedCalendarNetworkError):
        events.delete("acc", "cal", "e")
    with pytest.raises(uc.UnifiedCalendarNetworkError):
        client(handler, retries=0).events.create("acc", "cal", new)
    assert keys == [None, None]


def test_an_answer_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    class Endless(httpx.SyncByteStream):
        def __iter__(self):  # type: ignore[no-untyped-def]
            while True:
                now[0] += 1
                yield b" "

    with pytest.raises(uc.UnifiedCalendarNetworkError, match="no answer within 5 s"):
        client(lambda _: httpx.Response(200, stream=Endless()), timeout=5, retries=0).end_user_accounts.get("acc")
    assert now[0] == 6


def test_a_logger_that_fails_changes_nothing() -> None:
    def logger(_: uc.TryRecord) -> None:
        raise RuntimeError("full disk")

    assert client(lambda _: httpx.Response(200, json=ACCOUNT), logger=logger).end_user_accounts.get("acc").id == "acc"


def test_reads_all_pages() -> None:
    pages = {None: (["a"], "2"), "2": ([], "3"), "3": (["b"], None)}

    def handler(request: httpx.Request) -> httpx.Response:
        ids, following = pages[request.url.params.get("pageToken")]
        data = [{**ACCOUNT, "id": each} for each in ids]
        return httpx.Response(200, json={"data": data, "nextPageToken": following})

    assert [each.id for each in client(handler).end_user_accounts.list_all()] == ["a", "b"]


def test_the_asynchronous_client_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sleep(_: float) -> None:
        return None

    monkeypatch.setattr(asyncio, "sleep", sleep)
    answers = [error(503, "Overloaded"), httpx.Response(200, json={"data": [ACCOUNT], "nextPageToken": None})]

    async def read() -> list[str]:
        http = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: answers.pop(0)))
        async with uc.AsyncClient("https://calendar.test", "uck_secret", http_client=http) as asynchronous:
            ids = [each.id async for each in asynchronous.end_user_accounts.list_all()]
        assert not http.is_closed
        await http.aclose()
        return ids

    assert asyncio.run(read()) == ["acc"]


def test_retry_after_may_be_a_date() -> None:
    answer = error(503, "Overloaded", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    with pytest.raises(uc.UnifiedCalendarError) as raised:
        client(lambda _: answer, retries=0).end_user_accounts.get("acc")
    assert raised.value.retry_after_seconds == 0
    assert _retries.pause_before_retry(raised.value, 1) is not None


def test_a_sign_in_url_is_escaped() -> None:
    url = uc.sign_in_url("https://calendar.test/", "a/b", "google", state="x&y", redirect_url="https://app.test/?q=1")
    assert url == (
        "https://calendar.test/api/v1/oauth/authorize/a%2Fb/google?redirectUrl=https%3A%2F%2Fapp.test%2F%3Fq%3D1&state=x%26y"
    )
