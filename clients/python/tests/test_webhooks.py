"""Signatures of webhooks, with the example of the Standard Webhooks specification's libraries."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from unified_calendar import WebhookVerificationError, verify_webhook

KEY = b"a key of the endpoint, 32 bytes."
SECRET = "whsec_" + base64.b64encode(KEY).decode()
OTHER = "whsec_" + base64.b64encode(b"another key").decode()
NOW = 1_800_000_000
BODY = b'{"eventType":"calendar.event.changed","timestamp":"2026-11-28T10:00:00.000Z","later":"kept"}'


def headers(body: bytes = BODY, key: bytes = KEY, at: int = NOW, prefix: str = "webhook") -> dict[str, str]:
    signature = base64.b64encode(hmac.new(key, f"msg_1.{at}.".encode() + body, hashlib.sha256).digest()).decode()
    names = {"id": "msg_1", "timestamp": str(at), "signature": f"v2,xyz v1,?? v1,{signature}"}
    return {f"{prefix.title()}-{name}": value for name, value in names.items()}


@pytest.mark.parametrize("prefix", ["webhook", "svix"])
@pytest.mark.parametrize("secret", [SECRET, [OTHER, SECRET]])
def test_takes_what_is_signed(prefix: str, secret: str | list[str]) -> None:
    verified = verify_webhook(BODY, headers(prefix=prefix), secret, now=NOW + 299)
    assert (verified.id, verified.sent_at.timestamp()) == ("msg_1", NOW)
    assert verified.body.event_type == "calendar.event.changed"
    assert verified.body.model_extra == {"later": "kept"}
    assert verify_webhook(BODY.decode(), list(headers().items()), SECRET, now=NOW).id == "msg_1"


@pytest.mark.parametrize(
    ("body", "given", "now"),
    [
        (BODY + b" ", headers(), NOW),
        (BODY, headers(key=b"another key"), NOW),
        (BODY, headers(), NOW + 301),
        (BODY, headers(), NOW - 301),
        (BODY, {**headers(), "Webhook-Timestamp": "soon"}, NOW),
        (BODY, {**headers(), "Webhook-Timestamp": "٣"}, NOW),
        (BODY, {**headers(), "Webhook-Id": "msg_2"}, NOW),
        (BODY, {**headers(), "Webhook-Id": "msg_\udcff"}, NOW),
        (BODY, {**headers(), "Webhook-Signature": "v1,é"}, NOW),
        (BODY, {"webhook-id": "msg_1"}, NOW),
        (b"not JSON", headers(b"not JSON"), NOW),
    ],
)
def test_refuses_what_is_not(body: bytes, given: dict[str, str], now: int) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(body, given, SECRET, now=now)


@pytest.mark.parametrize("secret", ["whsec_", "whsec_???", "whsec_é"])
def test_a_secret_that_is_none_is_a_mistake_of_the_caller(secret: str) -> None:
    with pytest.raises(ValueError, match="secret"):
        verify_webhook(BODY, headers(), secret, now=NOW)
