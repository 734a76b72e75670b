"""Writes what follows from the service's OpenAPI document: ``python3 generate.py [--check]``.

``models.py`` and ``_async/resources.py`` come from the document, ``_sync`` from ``_async``.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
PACKAGE = ROOT / "src" / "unified_calendar"
DOCUMENT = json.loads((ROOT.parent.parent / "docs" / "openapi.json").read_text())
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
# Of fields and parameters, which descriptions mention.
NAMES = {name for schema in SCHEMAS.values() for name in schema.get("properties", {})} | {
    each["name"]
    for item in DOCUMENT["paths"].values()
    for operation in item.values()
    for each in operation.get("parameters", [])
    if each["in"] == "query"
}
HEADER = "# Generated from docs/openapi.json by generate.py.\n"
WIDTH = 116

# Class, docstring, base, and for each method its operation and the method that reads all pages.
RESOURCES: list[tuple[str, str, str, list[tuple[str, str, str | None]]]] = [
    (
        "EndUserAccounts",
        "Users' accounts at their providers.",
        "",
        [
            ("list", "listEndUserAccounts", "list_all"),
            ("get", "getEndUserAccount", None),
            ("credentials", "getEndUserAccountCredentials", None),
            ("upsert", "upsertEndUserAccount", None),
            ("authorization_url", "createAuthorizationUrl", None),
            ("connect_link", "createConnectLink", None),
            ("connect_apple", "connectApple", None),
            ("connect_caldav", "connectCalDav", None),
            ("connect_ics", "connectIcs", None),
            ("delete", "deleteEndUserAccount", None),
        ],
    ),
    (
        "Calendars",
        "The calendars of an account.",
        "AsyncSyncedCalendars",
        [
            ("list", "listCalendars", "list_all"),
            ("get", "getCalendar", None),
            ("create", "createCalendar", None),
            ("update", "updateCalendar", None),
            ("delete", "deleteCalendar", None),
        ],
    ),
    (
        "Events",
        "The events of a calendar.",
        "AsyncSyncedEvents",
        [
            ("list", "listEvents", "list_all"),
            ("occurrences", "listEventOccurrences", "all_occurrences"),
            ("get", "getEvent", None),
            ("create", "createEvent", None),
            ("update", "updateEvent", None),
            ("delete", "deleteEvent", None),
            ("rsvp", "rsvpEvent", None),
        ],
    ),
    ("FreeBusy", "When calendars are busy.", "", [("query", "queryFreeBusy", None)]),
    (
        "CalendarSubscriptions",
        "Signed messages after changes in a calendar.",
        "",
        [
            ("list", "listCalendarSubscriptions", "list_all"),
            ("create", "createCalendarSubscription", None),
            ("delete", "deleteCalendarSubscription", None),
        ],
    ),
    (
        "UsageReports",
        "Requests that the service sent to providers for the application.",
        "",
        [("get", "getUsage", None)],
    ),
    (
        "WebhookEndpoints",
        "Where messages go, and how that goes. A calendar subscription is an endpoint too.",
        "",
        [
            ("list", "listWebhookEndpoints", "list_all"),
            ("get", "getWebhookEndpoint", None),
            ("create", "createWebhookEndpoint", None),
            ("update", "updateWebhookEndpoint", None),
            ("delete", "deleteWebhookEndpoint", None),
            ("enable", "enableWebhookEndpoint", None),
            ("rotate_secret", "rotateEndpointSecret", None),
            ("test", "sendTestMessage", None),
            ("messages", "listWebhookMessages", "all_messages"),
            ("attempts", "listDeliveryAttempts", None),
            ("resend", "resendWebhookMessage", None),
            ("recover", "recoverMessages", None),
        ],
    ),
]

# Parameters that tell pages and changes apart; a method that reads all pages gives them itself.
TOKENS = ("pageToken", "syncToken")
HEADERS = {"Idempotency-Key": "idempotency_key", "If-Match": "if_match"}


def snake(name: str) -> str:
    """Returns ``ical_uid`` for ``iCalUid``, ``end_date_time`` for ``endDateTime``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("iCal", "ical").replace("calDav", "caldav")).lower()
    return f"{words}_" if keyword.iskeyword(words) else words


def camel(name: str) -> str:
    """As in _base.py, which needs pydantic."""
    words = re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.rstrip("_"))
    return re.sub(r"^ical(?=[A-Z])", "iCal", words)


def type_of(schema: dict[str, Any]) -> str:
    """Returns the Python type. Lists of codes are open: later versions add some."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    for union in ("allOf", "anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(type_of(part) for part in schema[union]))
    codes = schema.get("enum") or schema.get("x-extensible-enum")
    if codes:
        return open_codes(codes) + (" | None" if "null" in schema.get("type", ()) else "")
    types = schema.get("type")
    if isinstance(types, list):
        return " | ".join(type_of({**schema, "type": each}) for each in types)
    if types == "array":
        return f"list[{type_of(schema['items'])}]"
    if types == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values) if isinstance(values, dict) else 'Any'}]"
    simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    return simple.get(str(types), "Any")


def open_codes(codes: list[Any]) -> str:
    known = f"Literal[{', '.join(text(code) for code in codes)}]"
    return f"{known} | str" if any(isinstance(code, str) for code in codes) else known


def text(code: Any) -> str:
    return json.dumps(code) if isinstance(code, str) else repr(code)


def docstring(text: str, indent: str) -> str:
    """Returns a docstring of one paragraph, without the Markdown of the document."""
    plain = " ".join(text.replace("\\", "").replace('"', "'").split())
    names = re.compile(r"`(\w+)`")
    plain = names.sub(lambda match: f"`{snake(match[1]) if match[1] in NAMES else match[1]}`", plain)
    plain = plain.replace("`", "``")
    lines = textwrap.wrap(plain, WIDTH - len(indent) - 6)
    if len(lines) <= 1:
        return f'{indent}"""{"".join(lines)}"""\n'
    return f'{indent}"""{lines[0]}\n' + "".join(f"{indent}{line}\n" for line in lines[1:]) + f'{indent}"""\n'


def models() -> str:
    """Returns the module of all schemas, each after those that it needs."""
    inputs = {
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
        for _, _, operation in operations()
        if "requestBody" in operation
    }
    code = [HEADER, "from __future__ import annotations\n", "from typing import Any, Literal, Union\n"]
    code += ["from ._base import Input, Model\n", ""]
    aliases = [name for name, schema in SCHEMAS.items() if "properties" not in schema]
    for name in aliases:
        # Evaluated when the module is loaded, unlike annotations.
        code += [f"{name} = {runtime_type(SCHEMAS[name])}", ""]
    for name, schema in SCHEMAS.items():
        if name not in aliases:
            is_input = name in inputs or schema.get("additionalProperties") is False
            code.append(model(name, schema, "Input" if is_input else "Model"))
    return "\n".join(code) + "\n"


def runtime_type(schema: dict[str, Any]) -> str:
    codes = schema.get("enum") or schema.get("x-extensible-enum")
    if codes:
        values = "".join(f"        {text(code)},\n" for code in codes)
        return f"Union[\n    Literal[\n{values}    ],\n    str,\n]"
    return type_of(schema)


def model(name: str, schema: dict[str, Any], base: str) -> str:
    lines = [f"\nclass {name}({base}):\n", docstring(schema.get("description", name), "    ")]
    for field, of in schema["properties"].items():
        # The service drops them: an application that gives them has made a mistake.
        if of.get("readOnly"):
            continue
        kind = type_of(of)
        python = snake(field)
        if camel(python) != field:
            raise SystemExit(f"{field} does not follow from {python}: see camel in _base.py")
        default = ""
        if field not in schema.get("required", []):
            kind = kind if kind.endswith("None") or kind == "Any" else f"{kind} | None"
            default = " = None"
        lines.append(f"    {python}: {kind}{default}\n")
        if of.get("description"):
            lines.append(docstring(of["description"], "    "))
    return "".join(lines)


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method.upper(), operation)
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        if "200" in operation.get("responses", {})
    ]


def resources() -> str:
    by_id = {operation["operationId"]: (path, method, operation) for path, method, operation in operations()}
    named = {operation for _, _, _, methods in RESOURCES for _, operation, _ in methods}
    if named != set(by_id):
        raise SystemExit(f"operations without a method, or methods without one: {named ^ set(by_id)}")
    constants, classes = [], []
    for name, description, base, methods in RESOURCES:
        body = [f"\nclass Async{name}{f'({base})' if base else ''}:\n", docstring(description, "    "), "\n"]
        body.append("    def __init__(self, call: AsyncCaller) -> None:\n        self._call = call\n")
        for method, operation_id, all_method in methods:
            path, verb, operation = by_id[operation_id]
            constants.append(constant(operation_id, verb, path, operation))
            body.append(method_of(method, operation_id, path, operation))
            if all_method is not None:
                body.append(all_method_of(all_method, method, path, operation))
        classes.append("".join(body))
    imports = [
        HEADER,
        "from __future__ import annotations\n",
        "from collections.abc import AsyncIterator, Mapping",
        "from typing import Any\n",
        "from pydantic import TypeAdapter\n",
        "from .. import models",
        "from .._operations import Asked, Operation, Options",
        "from .call import AsyncCaller",
        "from .pages import items_of",
        "from .sync import AsyncSyncedCalendars, AsyncSyncedEvents\n",
    ]
    return "\n".join(imports) + "\n" + "".join(constants) + "\n" + "\n".join(classes)


def answer_of(operation: dict[str, Any]) -> str:
    return qualified(type_of(operation["responses"]["200"]["content"]["application/json"]["schema"]))


def qualified(kind: str) -> str:
    """Returns the type with the module of its models."""
    return re.sub(r'(?<!["\w.])([A-Z]\w+)(?!["\w])', lambda m: m[1] if m[1] in PLAIN else f"models.{m[1]}", kind)


PLAIN = ("Any", "Literal", "None")


def constant(operation_id: str, verb: str, path: str, operation: dict[str, Any]) -> str:
    name = snake(operation_id).upper()
    answer = answer_of(operation)
    return f'_{name} = Operation("{operation_id}", "{verb}", "{path}", TypeAdapter({answer}))\n'


def parameters_of(operation: dict[str, Any], where: str) -> list[dict[str, Any]]:
    return [each for each in operation.get("parameters", []) if each["in"] == where]


def query_type(parameter: dict[str, Any]) -> str:
    kind = type_of(parameter["schema"])
    return "str" if "Literal" in kind else qualified(kind)


def signature(operation: dict[str, Any], without: tuple[str, ...] = ()) -> list[str]:
    """Returns the parameters of a method: ids, body; then by name the query, headers, and how it is sent."""
    given = [f"{snake(each['name'])}: str" for each in parameters_of(operation, "path")]
    if "requestBody" in operation:
        kind = qualified(type_of(operation["requestBody"]["content"]["application/json"]["schema"]))
        is_required = operation["requestBody"].get("required", False)
        given.append(f"body: {kind} | Mapping[str, Any]{'' if is_required else ' | None = None'}")
    given.append("*")
    for each in parameters_of(operation, "query"):
        if each["name"] not in without:
            given.append(f"{snake(each['name'])}: {query_type(each)} | None = None")
    for each in parameters_of(operation, "header"):
        if each["name"] in HEADERS:
            given.append(f"{HEADERS[each['name']]}: str | None = None")
    return [*given, "request_id: str | None = None", "timeout: float | None = None"]


def definition(name: str, operation: dict[str, Any], answer: str, without: tuple[str, ...] = ()) -> str:
    parameters = "".join(f"        {each},\n" for each in ["self", *signature(operation, without)])
    prefix = "def" if without else "async def"
    return f"\n    {prefix} {name}(\n{parameters}    ) -> {answer}:\n"


def method_of(name: str, operation_id: str, path: str, operation: dict[str, Any]) -> str:
    ids = "".join(f"{snake(each['name'])}, " for each in parameters_of(operation, "path"))
    query = "".join(f'                "{q["name"]}": {snake(q["name"])},\n' for q in parameters_of(operation, "query"))
    headers = [HEADERS[each["name"]] for each in parameters_of(operation, "header") if each["name"] in HEADERS]
    options = ", ".join(f"{each}={each}" for each in ["timeout", "request_id", *headers])
    asked = f"            path=({ids.rstrip(' ')}),\n" if ids else ""
    asked += f"            query={{\n{query}            }},\n" if query else ""
    asked += "            body=body,\n" if "requestBody" in operation else ""
    return (
        definition(name, operation, answer_of(operation))
        + docstring(summary_of(operation), "        ")
        + f"        asked = Asked(\n{asked}        )\n"
        + f"        return await self._call(_{snake(operation_id).upper()}, asked, Options({options}))\n"
    )


def all_method_of(name: str, method: str, path: str, operation: dict[str, Any]) -> str:
    page = type_of(operation["responses"]["200"]["content"]["application/json"]["schema"])
    item = type_of(SCHEMAS[page]["properties"]["data"]["items"])
    # What is gone is named in answers to a sync token alone.
    item = qualified(item.split(" | ")[0])
    ids = [snake(each["name"]) for each in parameters_of(operation, "path")]
    names = [each.split(":")[0] for each in signature(operation, TOKENS)]
    others = names[names.index("*") + 1 :]
    given = "".join(
        f"                {each},\n" for each in [*ids, *(f"{each}={each}" for each in others), "page_token=page_token"]
    )
    return (
        definition(name, operation, f"AsyncIterator[{item}]", TOKENS)
        + docstring(f"{summary_of(operation)} Reads page after page.", "        ")
        + f"        return items_of(\n            lambda page_token: self.{method}(\n{given}            )\n        )\n"
    )


def summary_of(operation: dict[str, Any]) -> str:
    parts = [operation.get("summary"), operation.get("description")]
    return " ".join(f"{part.strip().rstrip('.')}." for part in parts if part)


SYNC_WORDS = [
    (r"async with ", "with "),
    (r"async for ", "for "),
    (r"async def ", "def "),
    (r"await asyncio\.sleep", "time.sleep"),
    (r"await ", ""),
    (r"^import asyncio\n", ""),
    (r"Awaitable\[Any\]", "Any"),
    (r", Awaitable\b", ""),
    (r"__aiter__", "__iter__"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"aiter_bytes", "iter_bytes"),
    (r"aclose", "close"),
    (r"AsyncIterator", "Iterator"),
    (r"httpx\.AsyncClient", "httpx.Client"),
    (r"\bAsync([A-Z])", r"\1"),
]


def sync_of(code: str) -> str:
    for pattern, replacement in SYNC_WORDS:
        code = re.sub(pattern, replacement, code, flags=re.MULTILINE)
    return code


def files() -> dict[Path, str]:
    asynchronous = PACKAGE / "_async"
    written = {PACKAGE / "models.py": models(), asynchronous / "resources.py": resources()}
    for source in [*sorted(asynchronous.glob("*.py")), asynchronous / "resources.py"]:
        code = written.get(source) or source.read_text()
        header = "" if code.startswith(HEADER) else "# Generated from _async by generate.py.\n"
        written[PACKAGE / "_sync" / source.name] = header + sync_of(code)
    return written


def main() -> int:
    stale = 0
    for path, code in files().items():
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(code)
        elif not path.exists() or path.read_text() != code:
            print(f"{path.relative_to(ROOT)} is not what the document says: run python3 generate.py")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
