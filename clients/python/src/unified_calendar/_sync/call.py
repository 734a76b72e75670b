# Generated from _async by generate.py.
from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
from pydantic import ValidationError as MalformedAnswer

from .._operations import Asked, Operation, Options, TryRecord, address, json_of
from .._retries import pause_before_retry
from ..errors import UnifiedCalendarNetworkError, error_of

Answer = TypeVar("Answer")


class Caller:
    """Sends requests as the application that the key belongs to."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout: float,
        retries: int,
        http_client: httpx.Client | None,
        logger: Callable[[TryRecord], None] | None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None
        self._logger = logger

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def __call__(self, operation: Operation[Answer], asked: Asked, options: Options) -> Answer:
        is_post = operation.method == "POST"
        idempotency_key = options.idempotency_key
        if idempotency_key is None and is_post and self._retries > 0:
            idempotency_key = str(uuid.uuid4())
        headers = {
            "accept": "application/json",
            "x-api-key": self._api_key,
            "x-request-id": options.request_id,
            "idempotency-key": idempotency_key,
            "if-match": options.if_match,
        }
        request: dict[str, Any] = {
            "method": operation.method,
            "url": self._base_url + address(operation, asked),
            "headers": {name: value for name, value in headers.items() if value is not None},
        }
        if asked.body is not None:
            request["json"] = json_of(asked.body)
        timeout = self._timeout if options.timeout is None else options.timeout
        repetitions = self._retries if is_post or operation.method == "GET" else 0
        attempt = 1
        while True:
            started = time.monotonic()
            response: list[httpx.Response] = []
            try:
                answer = self._answer(operation, request, timeout, response)
            except Exception as error:
                pause = None if attempt > repetitions else pause_before_retry(error, attempt)
                self._record(operation, request, attempt, started, response, error, pause)
                if pause is None:
                    raise
                time.sleep(pause)
                attempt += 1
            else:
                self._record(operation, request, attempt, started, response, None, None)
                return answer

    def _answer(
        self, operation: Operation[Answer], request: dict[str, Any], timeout: float, received: list[httpx.Response]
    ) -> Answer:
        """One try. ``timeout`` ends it while the answer arrives, too."""
        deadline = time.monotonic() + timeout
        content = bytearray()
        try:
            # A redirect is not followed: the key is for this service alone.
            with self._http.stream(**request, timeout=timeout, follow_redirects=False) as response:
                received.append(response)
                for piece in response.iter_bytes():
                    content += piece
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the answer did not end in time")
        except httpx.HTTPError as cause:
            what = f"no answer within {timeout:g} s" if isinstance(cause, httpx.TimeoutException) else "no answer"
            url = request["url"].split("?")[0]
            raise UnifiedCalendarNetworkError(f"{operation.method} {url}: {what}") from cause
        if not response.is_success:
            raise error_of(response.status_code, response.headers, bytes(content))
        try:
            return operation.answer.validate_json(bytes(content))
        except MalformedAnswer as cause:
            raise error_of(response.status_code, response.headers, bytes(content)) from cause

    def _record(
        self,
        operation: Operation[Any],
        request: dict[str, Any],
        attempt: int,
        started: float,
        received: list[httpx.Response],
        error: Exception | None,
        pause: float | None,
    ) -> None:
        if self._logger is None:
            return
        response = received[0] if received else None
        record = TryRecord(
            operation=operation.id,
            method=operation.method,
            url=request["url"].split("?")[0],
            attempt=attempt,
            duration_seconds=time.monotonic() - started,
            status=None if response is None else response.status_code,
            request_id=None if response is None else response.headers.get("x-request-id"),
            error=error,
            retry_in_seconds=pause,
        )
        try:
            self._logger(record)
        except Exception:
            # The request did not fail because its record could not be kept.
            pass
