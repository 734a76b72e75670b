from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict


def camel(name: str) -> str:
    """Returns the name of a field in JSON: ``iCalUid`` for ``ical_uid``."""
    words = re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.rstrip("_"))
    return re.sub(r"^ical(?=[A-Z])", "iCal", words)


class Model(BaseModel):
    """A part of an answer. Fields that later versions of the service add are kept."""

    model_config = ConfigDict(alias_generator=camel, populate_by_name=True, extra="allow", protected_namespaces=())


class Input(BaseModel):
    """A part of a request. Only fields that were given are sent: ``None`` clears one."""

    model_config = ConfigDict(alias_generator=camel, populate_by_name=True, extra="forbid", protected_namespaces=())
