# Generated from _async by generate.py.
from __future__ import annotations

from collections.abc import Callable

import httpx

from .._operations import TryRecord
from .call import Caller
from .resources import (
    Calendars,
    CalendarSubscriptions,
    EndUserAccounts,
    Events,
    FreeBusy,
    UsageReports,
    WebhookEndpoints,
)


class Client:
    """The service, as one application sees it.

    ``base_url``: without ``/api``: ``https://calendar.example.com``. ``api_key``: ``uck_…``. ``timeout``: seconds that
    one try may take. ``retries``: how often reads, and writes that have an idempotency key, are repeated when that may
    help. ``http_client``: in place of one of its own, which ``close`` would close. ``logger`` gets a record of each try
    when it has ended; what it raises is ignored.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        retries: int = 2,
        http_client: httpx.Client | None = None,
        logger: Callable[[TryRecord], None] | None = None,
    ) -> None:
        call = Caller(
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            retries=retries,
            http_client=http_client,
            logger=logger,
        )
        self._call = call
        self.end_user_accounts = EndUserAccounts(call)
        self.calendars = Calendars(call)
        self.events = Events(call)
        self.free_busy = FreeBusy(call)
        self.calendar_subscriptions = CalendarSubscriptions(call)
        self.usage = UsageReports(call)
        self.webhook_endpoints = WebhookEndpoints(call)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._call.close()
