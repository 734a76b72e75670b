from __future__ import annotations

from collections.abc import Callable

import httpx

from .._operations import TryRecord
from .call import AsyncCaller
from .resources import (
    AsyncCalendars,
    AsyncCalendarSubscriptions,
    AsyncEndUserAccounts,
    AsyncEvents,
    AsyncFreeBusy,
    AsyncUsageReports,
    AsyncWebhookEndpoints,
)


class AsyncClient:
    """The service, as one application sees it.

    ``base_url``: without ``/api``: ``https://calendar.example.com``. ``api_key``: ``uck_…``. ``timeout``: seconds that
    one try may take. ``retries``: how often reads, and writes that have an idempotency key, are repeated when that may
    help. ``http_client``: in place of one of its own, which ``aclose`` would close. ``logger`` gets a record of each try
    when it has ended; what it raises is ignored.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        retries: int = 2,
        http_client: httpx.AsyncClient | None = None,
        logger: Callable[[TryRecord], None] | None = None,
    ) -> None:
        call = AsyncCaller(
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            retries=retries,
            http_client=http_client,
            logger=logger,
        )
        self._call = call
        self.end_user_accounts = AsyncEndUserAccounts(call)
        self.calendars = AsyncCalendars(call)
        self.events = AsyncEvents(call)
        self.free_busy = AsyncFreeBusy(call)
        self.calendar_subscriptions = AsyncCalendarSubscriptions(call)
        self.usage = AsyncUsageReports(call)
        self.webhook_endpoints = AsyncWebhookEndpoints(call)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._call.aclose()
