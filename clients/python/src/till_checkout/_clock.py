"""The manual clock of a demo: asks for its time, and moves it."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import httpx

from till_checkout._core import SEND_OPTIONS, connection_error
from till_checkout._operations import Operation
from till_checkout._wire import parse_time

MILLISECOND = timedelta(milliseconds=1)
# Deliveries on the way may take up to 10 s each, in real time, one after the other.
TIMEOUT = 660.0
# A demo has no TLS: the certificates of this machine are not read, because that takes time.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class ManualClock:
    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, operation: Operation[datetime]) -> datetime:
        with httpx.Client(timeout=TIMEOUT, verify=NO_CERTIFICATES) as http:
            try:
                response = http.send(self._request(http, operation), **SEND_OPTIONS)
            except httpx.RequestError as error:
                raise connection_error(error) from error
        return operation.read(response)

    async def send_async(self, operation: Operation[datetime]) -> datetime:
        async with httpx.AsyncClient(timeout=TIMEOUT, verify=NO_CERTIFICATES) as http:
            try:
                response = await http.send(self._request(http, operation), **SEND_OPTIONS)
            except httpx.RequestError as error:
                raise connection_error(error) from error
        return operation.read(response)

    def _request(
        self, http: httpx.Client | httpx.AsyncClient, operation: Operation[datetime]
    ) -> httpx.Request:
        headers = operation.headers(token=None)
        return http.build_request(operation.method, self._url, content=operation.body, headers=headers)


def read_clock() -> Operation[datetime]:
    return Operation(method="GET", path="", decode=_decode, repeatable=True, authorized=False)


def advance_clock(duration: timedelta) -> Operation[datetime]:
    if duration % MILLISECOND:
        raise ValueError("the clock moves by whole milliseconds")
    body = json.dumps({"advance_ms": duration // MILLISECOND}).encode()
    return Operation(method="POST", path="", decode=_decode, body=body, repeatable=False, authorized=False)


def encode_start(start: datetime) -> str:
    """A time as the command line takes it."""
    if start.tzinfo is None:
        raise ValueError("a datetime without a time zone is ambiguous: use one with a time zone")
    return start.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _decode(fields: Mapping[str, Any]) -> datetime:
    return parse_time(fields["now"])
