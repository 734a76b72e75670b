"""The running service: ``BASE_URL``, ``API_KEY``, and ``ACCOUNT``, the id of an account that nobody else uses."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

import unified_calendar as uc
from unified_calendar import models

ACCOUNT = os.environ["ACCOUNT"]
WINDOW: dict[str, Any] = {"start_date_time": "2027-03-01T00:00:00Z", "end_date_time": "2027-04-01T00:00:00Z"}


@pytest.fixture
def client() -> Iterator[uc.Client]:
    with uc.Client(os.environ["BASE_URL"], os.environ["API_KEY"]) as opened:
        yield opened


@pytest.fixture
def calendar(client: uc.Client) -> str:
    return next(each.id for each in client.calendars.list_all(ACCOUNT) if not each.read_only)


def new_event(title: str, day: int) -> models.CreateEvent:
    return models.CreateEvent(
        title=title,
        start=models.EventDateTime(date_time=f"2027-03-{day:02}T10:00:00", time_zone="Europe/Berlin"),
        end=models.EventDateTime(date_time=f"2027-03-{day:02}T11:00:00", time_zone="Europe/Berlin"),
    )


def test_an_event_lives(client: uc.Client, calendar: str) -> None:
    account = client.end_user_accounts.get(ACCOUNT)
    assert (account.id, account.status) == (ACCOUNT, "ACTIVE")
    created = client.events.create(ACCOUNT, calendar, new_event("Planning", 3), idempotency_key="python-planning")
    again = client.events.create(ACCOUNT, calendar, new_event("Planning", 3), idempotency_key="python-planning")
    assert again.id == created.id
    assert created.start is not None and created.start.date_time == "2027-03-03T10:00:00+01:00"
    changed = client.events.update(
        ACCOUNT, calendar, created.id, models.UpdateEvent(title="Review"), if_match=created.etag
    )
    assert changed.title == "Review"
    with pytest.raises(uc.ConflictError) as conflict:
        client.events.update(ACCOUNT, calendar, created.id, {"title": "Late"}, if_match=created.etag)
    assert conflict.value.code == "PreconditionFailed"
    found = list(client.events.list_all(ACCOUNT, calendar, page_size=1, **WINDOW))
    assert [each.title for each in found if each.id == created.id] == ["Review"]
    assert client.events.delete(ACCOUNT, calendar, created.id).success
    with pytest.raises(uc.NotFoundError):
        client.events.get(ACCOUNT, calendar, created.id)


def test_changes_are_read_with_the_token(client: uc.Client, calendar: str) -> None:
    before = client.events.sync(ACCOUNT, calendar, **WINDOW)
    known = {each.id for each in before}
    created = client.events.create(ACCOUNT, calendar, new_event("Synced", 4))
    changes = client.events.sync(ACCOUNT, calendar, sync_token=before.next_sync_token)
    assert created.id not in known and [each.id for each in changes] == [created.id]
    client.events.delete(ACCOUNT, calendar, created.id)
    [gone] = client.events.sync(ACCOUNT, calendar, sync_token=changes.next_sync_token)
    assert uc.is_removed(gone) and gone.id == created.id


def test_free_busy_and_subscriptions(client: uc.Client, calendar: str) -> None:
    created = client.events.create(ACCOUNT, calendar, new_event("Busy", 5))
    [busy] = client.free_busy.query(
        ACCOUNT,
        models.FreeBusyQuery(
            start_date_time="2027-03-05T00:00:00Z",
            end_date_time="2027-03-06T00:00:00Z",
            calendar_ids=[calendar],
            time_zone="UTC",
        ),
    )
    assert busy.busy_slots is not None and len(busy.busy_slots) == 1
    client.events.delete(ACCOUNT, calendar, created.id)


def test_endpoints_are_made_and_deleted(client: uc.Client) -> None:
    endpoint = client.webhook_endpoints.create(
        models.CreateWebhookEndpoint(url="https://8.8.8.8/hook", event_types=["enduseraccount.updated"])
    )
    assert endpoint.endpoint_secret.startswith("whsec_")
    assert endpoint.id in {each.id for each in client.webhook_endpoints.list_all()}
    client.webhook_endpoints.test(endpoint.id)
    assert [each.event_type for each in client.webhook_endpoints.all_messages(endpoint.id)] == ["webhook.test"]
    assert client.webhook_endpoints.delete(endpoint.id).success


def test_errors_of_the_service(client: uc.Client) -> None:
    with pytest.raises(uc.NotFoundError) as raised:
        client.end_user_accounts.get("019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5", request_id="python-404")
    assert raised.value.request_id == "python-404"
    with pytest.raises(uc.ValidationError) as invalid:
        client.events.create(ACCOUNT, "cal", {"title": "No start"})
    assert [each.path for each in invalid.value.details] == ["start"]
    with uc.Client(os.environ["BASE_URL"], "uck_wrong") as stranger, pytest.raises(uc.AuthenticationError):
        stranger.end_user_accounts.list()


def test_the_asynchronous_client(calendar: str) -> None:
    async def titles() -> list[str | None]:
        async with uc.AsyncClient(os.environ["BASE_URL"], os.environ["API_KEY"]) as client:
            created = await client.events.create(ACCOUNT, calendar, new_event("Async", 6))
            found = [each.title async for each in client.events.list_all(ACCOUNT, calendar, **WINDOW)]
            await client.events.delete(ACCOUNT, calendar, created.id)
            return found

    assert "Async" in asyncio.run(titles())
