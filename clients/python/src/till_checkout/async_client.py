"""The client for asyncio. `client.py` has the same calls for synchronous programs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol, TypeVar

import httpx

from till_checkout import types
from till_checkout._core import DEFAULT_TIMEOUT, SEND_OPTIONS, Core, connection_error
from till_checkout._operations import Environment, Operation, Operations
from till_checkout.errors import TillError
from till_checkout.retries import RetryPolicy

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

T = TypeVar("T")


class Run(Protocol):
    """Makes one call and returns its result."""

    async def __call__(self, operation: Operation[T]) -> T: ...


class AsyncTill:
    """A client for one vendor in one environment. The tasks of one event loop can share it.

    `timeout` is in seconds, for connecting and for each wait for data. An `http_client` of your own, for a
    proxy or for your own certificates, stays yours to close.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        environment: Environment = "live",
        timeout: float = DEFAULT_TIMEOUT,
        retries: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._core = Core(base_url, client_id, client_secret, environment, timeout, retries)
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None
        self._obtaining_token = asyncio.Lock()
        operations = self._core.operations
        self.sessions = AsyncSessions(self._run, operations)
        self.refunds = AsyncRefunds(self._run, operations)
        self.transactions = AsyncTransactions(self._run, operations)
        self.callbacks = AsyncCallbacks(self._run, operations)
        self.signatures = AsyncSignatures(self._run, operations)
        self.wallet = AsyncWallet(self._run, operations)

    async def close(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _run(self, operation: Operation[T]) -> T:
        attempts = self._core.attempts(operation)
        while True:
            token = await self._token() if operation.authorized else None
            try:
                return await self._send(operation, token)
            except TillError as error:
                if attempts.renews_token(error):
                    self._core.tokens.discard(token)
                    continue
                pause = attempts.pause_after(error)
            await asyncio.sleep(pause)

    async def _send(self, operation: Operation[T], token: str | None) -> T:
        try:
            request = self._core.request(self._http, operation, token)
            response = await self._http.send(request, **SEND_OPTIONS)
        except httpx.RequestError as error:
            raise connection_error(error) from error
        return operation.read(response)

    async def _token(self) -> str:
        async with self._obtaining_token:
            now = time.monotonic()
            token = self._core.tokens.get(now)
            if token is None:
                token = self._core.tokens.put(await self._run(self._core.obtain_token()), now)
            return token


class _Resource:
    def __init__(self, run: Run, operations: Operations) -> None:
        self._run = run
        self._operations = operations


class AsyncSessions(_Resource):
    """Payment sessions."""

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.CreateSession]
    ) -> types.SessionCreated:
        """Creates a session. Redirect the customer to its `session_url`.

        The same key returns the same session for 24 hours. Without a key, one is made for this call and its
        retries; give your own if your program may make the call again.
        """
        return await self._run(self._operations.create_session(fields, idempotency_key))

    async def retrieve(self, session_id: str) -> types.SessionStatus:
        """The status of a session."""
        return await self._run(self._operations.retrieve_session(session_id))

    async def list(self, **filters: Unpack[types.ListSessions]) -> types.SessionList:
        """One page of sessions, newest first."""
        return await self._run(self._operations.list_sessions(filters))

    async def iterate(self, **filters: Unpack[types.ListSessions]) -> AsyncIterator[types.SessionStatus]:
        """All sessions, newest first, page by page; `limit` is the size of a page."""
        while True:
            page = await self.list(**filters)
            for session in page.sessions:
                yield session
            if page.next_cursor is None:
                return
            filters["cursor"] = page.next_cursor

    async def expire(self, session_id: str) -> types.SessionStatus:
        """Ends a pending session now."""
        return await self._run(self._operations.expire_session(session_id))

    async def simulate(self, session_id: str, **fields: Unpack[types.Simulate]) -> types.SessionStatus:
        """Chooses the outcome of a sandbox session, or an event after its end. Live has no such call."""
        return await self._run(self._operations.simulate(session_id, fields))


class AsyncRefunds(_Resource):
    """Refunds of paid sessions."""

    async def create(
        self, session_id: str, *, idempotency_key: str | None = None, **fields: Unpack[types.CreateRefund]
    ) -> types.Refund:
        """Refunds `amount`, or everything that is left. The key works as in `sessions.create`."""
        return await self._run(self._operations.create_refund(session_id, fields, idempotency_key))

    async def retrieve(self, session_id: str, refund_id: str) -> types.Refund:
        """One refund of a session."""
        return await self._run(self._operations.retrieve_refund(session_id, refund_id))

    async def list(self, session_id: str) -> types.RefundList:
        """All refunds of a session, oldest first."""
        return await self._run(self._operations.list_refunds(session_id))


class AsyncTransactions(_Resource):
    """Movements of your customers' money."""

    async def list(self, **filters: Unpack[types.ListTransactions]) -> types.TransactionList:
        """One page of transactions, newest first."""
        return await self._run(self._operations.list_transactions(filters))

    async def iterate(self, **filters: Unpack[types.ListTransactions]) -> AsyncIterator[types.Transaction]:
        """All transactions, newest first, page by page; `limit` is the size of a page."""
        while True:
            page = await self.list(**filters)
            for transaction in page.transactions:
                yield transaction
            if page.next_cursor is None:
                return
            filters["cursor"] = page.next_cursor


class AsyncCallbacks(_Resource):
    """The feed of callbacks, for a server that has no public URL or was down."""

    async def fetch(
        self, *, after: str | None = None, limit: int | None = None, wait: float = 0.0
    ) -> types.CallbackPage:
        """Callbacks after a cursor, oldest first. Pass each to `verify_callback`, as one that was received.

        `wait` keeps the call open for up to 30 seconds until there is one.
        """
        return await self._run(self._operations.fetch_callbacks(after, limit, wait))


class AsyncSignatures(_Resource):
    """Finds the mistake in your own verification. Only in the sandbox."""

    async def check(self, *, body: bytes, signature: str) -> types.SignatureVerdict:
        """Whether a signature is right and, if not, which mistake leads to it. Till keeps nothing of it.

        `body` is the raw body of a callback, and `signature` what your code computed over it.
        """
        return await self._run(self._operations.check_signature(body, signature))


class AsyncWallet(_Resource):
    """Your balances. The sandbox has none."""

    async def retrieve(self) -> types.Wallet:
        """What the operator holds for you in each currency."""
        return await self._run(self._operations.retrieve_wallet())
