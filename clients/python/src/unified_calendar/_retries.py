from __future__ import annotations

import random

from .errors import UnifiedCalendarError, UnifiedCalendarNetworkError

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 10.0
# A longer wait is left to the caller, who reads it from the error.
_LONGEST_RETRY_AFTER = 60
_TRY_AGAIN = (429, 502, 503, 504)


def pause_before_retry(failure: Exception, failures: int) -> float | None:
    """Returns the seconds to wait before a request that may be repeated is repeated; None: repeating does not help.

    Pauses double, each up to a half shorter, so that clients do not come back together. ``Retry-After`` is never
    shortened. ``failures`` counts this one too.
    """
    pause = min(_FIRST_PAUSE * 2.0 ** (failures - 1), _LONGEST_PAUSE) * (1 - random.random() / 2)
    if isinstance(failure, UnifiedCalendarNetworkError):
        return pause
    if not isinstance(failure, UnifiedCalendarError) or not _is_passing(failure):
        return None
    if failure.retry_after_seconds is None:
        return pause
    if failure.retry_after_seconds > _LONGEST_RETRY_AFTER:
        return None
    return failure.retry_after_seconds + random.random() * _FIRST_PAUSE


def _is_passing(error: UnifiedCalendarError) -> bool:
    # A conflict that says when to come back: an earlier try with this Idempotency-Key is still running.
    if error.status == 409:
        return error.retry_after_seconds is not None
    return error.status in _TRY_AGAIN and (error.provider is None or error.provider.retryable is not False)
