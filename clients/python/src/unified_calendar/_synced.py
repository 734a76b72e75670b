from __future__ import annotations

from dataclasses import dataclass


@dataclass
class SyncedInto:
    """What a sync did to the copy."""

    upserted: int
    deleted: int
    is_full: bool
    """Everything was read: the first time, or because the token was too old."""
