from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from .._synced import SyncedInto
from ..errors import SyncTokenExpired
from ..models import Calendar, DeletedCalendar, Event

Item = TypeVar("Item")


class AsyncSync(Generic[Item]):
    """What changed since a sync token, or everything without one; then ``next_sync_token``."""

    def __init__(
        self,
        read: Callable[[str | None, str | None], Awaitable[Any]],
        sync_token: str | None,
        start_over: bool,
    ) -> None:
        self._read = read
        self._sync_token = sync_token
        self._start_over = start_over
        self._next_sync_token: str | None = None
        self._has_ended = False
        self.has_started_over = False
        """The sync token was too old, and everything is read again: what is not yielded this time is gone."""

    @property
    def next_sync_token(self) -> str | None:
        """Where to go on the next time; None where the service gives none (MICROSOFT events without a window)."""
        if not self._has_ended:
            raise RuntimeError("There is no next sync token before everything was read.")
        return self._next_sync_token

    async def __aiter__(self) -> AsyncIterator[Item]:
        try:
            async for item in self._since(self._sync_token):
                yield item
        except SyncTokenExpired:
            if not self._start_over or self._sync_token is None:
                raise
            self.has_started_over = True
            async for item in self._since(None):
                yield item

    async def _since(self, sync_token: str | None) -> AsyncIterator[Item]:
        page_token: str | None = None
        while True:
            page = await self._read(sync_token, page_token)
            for item in page.data:
                yield item
            page_token = page.next_page_token
            if page_token is None:
                self._next_sync_token = page.next_sync_token
                self._has_ended = True
                return


class AsyncEventStore(Protocol):
    """An application's copy of the events of one calendar. All methods may be repeated with the same arguments."""

    async def sync_token(self) -> str | None:
        """Returns the token of the last sync that ended; None: none has."""

    async def upsert(self, event: Event) -> None:
        """Adds or replaces an event."""

    async def delete(self, event_id: str) -> None:
        """Removes an event, or does nothing when there is none with this id."""

    async def ids(self) -> Iterable[str]:
        """Returns the ids of all events of the copy, to delete what was not there any more."""

    async def save_sync_token(self, sync_token: str | None) -> None:
        """Called at the end. None: the provider gives none, and the next sync reads everything."""


class AsyncSyncedEvents:
    """Sync of the events of a calendar."""

    def sync(
        self,
        end_user_account_id: str,
        calendar_id: str,
        *,
        sync_token: str | None = None,
        start_over: bool = False,
        **params: Any,
    ) -> AsyncSync[Event]:
        """Everything that the parameters of ``list`` ask for, or what changed since ``sync_token``.

        Removed events have ``is_cancelled`` and no ``start``. MICROSOFT gives a token for reads with
        ``start_date_time`` and ``end_date_time`` only. ``start_over``: reads everything again when the token is too old,
        in place of raising SyncTokenExpired.
        """
        # The token stands for the rest of what was asked for.
        allowed = ("page_size", "time_zone", "request_id", "timeout")
        later = {name: value for name, value in params.items() if name in allowed}

        def read(token: str | None, page_token: str | None) -> Any:
            given = params if token is None else {**later, "sync_token": token}
            return self.list(end_user_account_id, calendar_id, page_token=page_token, **given)  # type: ignore[attr-defined]

        return AsyncSync(read, sync_token, start_over)

    async def sync_into(
        self, store: AsyncEventStore, end_user_account_id: str, calendar_id: str, **params: Any
    ) -> SyncedInto:
        """Brings an application's copy of a calendar up to date.

        An error leaves the old token, so the next sync repeats. A token that is too old leads to a full read, which also
        deletes what is gone.
        """
        sync_token = await store.sync_token()
        changes = self.sync(end_user_account_id, calendar_id, sync_token=sync_token, start_over=True, **params)
        done = SyncedInto(upserted=0, deleted=0, is_full=False)
        seen: set[str] = set()
        seen_after_restart: set[str] = set()
        async for event in changes:
            if event.is_cancelled or event.start is None:
                await store.delete(event.id)
                done.deleted += 1
                continue
            (seen_after_restart if changes.has_started_over else seen).add(event.id)
            await store.upsert(event)
            done.upserted += 1
        done.is_full = sync_token is None or changes.has_started_over
        current = seen_after_restart if changes.has_started_over else seen
        if done.is_full:
            for event_id in list(await store.ids()):
                if event_id not in current:
                    await store.delete(event_id)
                    done.deleted += 1
        await store.save_sync_token(changes.next_sync_token)
        return done


class AsyncSyncedCalendars:
    """Sync of the calendars of an account."""

    def sync(
        self,
        end_user_account_id: str,
        *,
        sync_token: str | None = None,
        start_over: bool = False,
        **params: Any,
    ) -> AsyncSync[Calendar | DeletedCalendar]:
        """Everything, or what changed since ``sync_token``; then its ``next_sync_token``."""

        def read(token: str | None, page_token: str | None) -> Any:
            return self.list(end_user_account_id, sync_token=token, page_token=page_token, **params)  # type: ignore[attr-defined]

        return AsyncSync(read, sync_token, start_over)
