# Generated from _async by generate.py.
from __future__ import annotations

from collections.abc import Iterator, Callable
from typing import Any


def items_of(read: Callable[[str | None], Any]) -> Iterator[Any]:
    """Yields item after item of page after page. A page may be empty: only the missing token ends the list."""
    page_token: str | None = None
    while True:
        page = read(page_token)
        for item in page.data:
            yield item
        page_token = page.next_page_token
        if page_token is None:
            return
