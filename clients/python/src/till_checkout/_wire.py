"""How values are written in requests and read from responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote


def parse_time(text: str) -> datetime:
    # Python 3.10 does not read the "Z".
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def encode_body(fields: Mapping[str, object], names: Mapping[str, str]) -> bytes:
    """JSON, with the API's names of fields."""
    body = {names.get(name, name): value for name, value in fields.items() if value is not None}
    return json.dumps(body, default=_encode_value).encode()


def _encode_value(value: object) -> Any:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"cannot send a {type(value).__name__}")


def encode_query(filters: Mapping[str, object]) -> dict[str, str]:
    return {name: _encode_filter(value) for name, value in filters.items() if value is not None}


def _encode_filter(value: object) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a datetime without a time zone is ambiguous: use one with a time zone")
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def encode_segment(identifier: str) -> str:
    """One segment of a path."""
    if identifier in ("", ".", ".."):
        raise ValueError(f"not an id: {identifier!r}")
    return quote(identifier, safe="")
