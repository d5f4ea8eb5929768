"""Lets a test for the synchronous client use the asynchronous one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar, cast

import httpx

from till_checkout import AsyncTill, Till

T = TypeVar("T")


class Blocking:
    def __init__(self, client: AsyncTill, http: httpx.AsyncClient) -> None:
        self._client = client
        self._http = http
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Blocking:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._http.aclose())
        self._loop.close()

    def as_till(self) -> Till:
        return cast("Till", _Wrapped(self._client, self._loop))


class _Wrapped:
    """Every method that it has runs to its end."""

    def __init__(self, target: object, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._target, name)
        if not callable(attribute):
            return _Wrapped(attribute, self._loop)

        def call(*arguments: Any, **named: Any) -> Any:
            result = attribute(*arguments, **named)
            if inspect.isasyncgen(result):
                return self._iterate(result)
            return self._loop.run_until_complete(result)

        return call

    def _iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        while True:
            try:
                yield self._loop.run_until_complete(anext(items))
            except StopAsyncIteration:
                return
