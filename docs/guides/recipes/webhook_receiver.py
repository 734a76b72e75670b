"""Hears of changes of calendars, and keeps a copy of their events up to date. Needs nothing but Python 3.9."""

import base64
import hashlib
import hmac
import json
import time
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

TOLERANCE_SECONDS = 300


def is_genuine(secret, headers, body):
    """What `Webhook(secret).verify(body, headers)` of the package standardwebhooks does, which raises instead."""
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or len(sent_at) > 12 or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = hmac.new(key, f"{message_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(signature)
    # Several while a secret is being replaced.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, each) for each in given)


def webhook_receiver(api, subscriptions, seen, store):
    """
    A WSGI application for `POST /webhooks/calendar`.

    api: the calendar service, `{"url": "https://calendar.example.com/api", "key": an API key}`
    subscriptions: your table of subscriptions, `find(id)` and `save_sync_token(id, sync_token)`; a row is a dict with
        endpoint_secret, end_user_account_id, calendar_id, window (startDateTime, endDateTime) and sync_token
    seen: your table of deliveries that were worked off, a set or what behaves like one
    store: what to do with events that changed, `store(events, subscription)`
    """

    def receive(environ, start_response):
        def answer(status):
            start_response(status, [("content-length", "0")])
            return []

        # The signature is over the bytes: they must not go through a JSON parser first.
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name[:5] == "HTTP_"}
        subscription_id = headers.get("x-webhook-subscription-id", "")
        subscription = subscriptions.find(subscription_id)
        if subscription is None:
            return answer("404 Not Found")

        # Its own secret proves whose message it is: account and calendar come from your table, not from the request.
        if not is_genuine(subscription["endpoint_secret"], headers, body):
            return answer("400 Bad Request")

        # What raises is a 500, and the message comes again; one that comes again although it was worked off costs nothing.
        if headers["webhook-id"] not in seen:
            subscriptions.save_sync_token(subscription_id, catch_up(subscription))
            seen.add(headers["webhook-id"])
        return answer("204 No Content")

    def catch_up(subscription):
        """Reads what changed since the last time, or everything. Returns where to go on the next time."""
        account, calendar = subscription["end_user_account_id"], subscription["calendar_id"]
        events = f"{api['url']}/v1/events/{quote(account, safe='')}/{quote(calendar, safe='')}"
        since, page_token = subscription["sync_token"], None
        while True:
            query = {"syncToken": since} if since else dict(subscription["window"])
            if page_token:
                query["pageToken"] = page_token
            request = Request(f"{events}?{urlencode(query)}", headers={"x-api-key": api["key"]})
            try:
                with urlopen(request, timeout=30) as response:
                    page = json.load(response)
            except HTTPError as error:
                if error.code != 410 or not since:
                    raise
                since = page_token = None  # the token is too old
                continue
            store(page["data"], subscription)  # deleted ones come with isCancelled: true
            page_token = page.get("nextPageToken")
            if not page_token:
                return page["nextSyncToken"]

    return receive
