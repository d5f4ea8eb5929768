"""The client for synchronous programs. `async_client.py` has the same calls for asyncio."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
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

    def __call__(self, operation: Operation[T]) -> T: ...


class Till:
    """A client for one vendor in one environment. Threads can share it.

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
        http_client: httpx.Client | None = None,
    ) -> None:
        self._core = Core(base_url, client_id, client_secret, environment, timeout, retries)
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None
        self._obtaining_token = threading.Lock()
        operations = self._core.operations
        self.sessions = Sessions(self._run, operations)
        self.refunds = Refunds(self._run, operations)
        self.transactions = Transactions(self._run, operations)
        self.callbacks = Callbacks(self._run, operations)
        self.signatures = Signatures(self._run, operations)
        self.wallet = Wallet(self._run, operations)

    def close(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, operation: Operation[T]) -> T:
        attempts = self._core.attempts(operation)
        while True:
            token = self._token() if operation.authorized else None
            try:
                return self._send(operation, token)
            except TillError as error:
                if attempts.renews_token(error):
                    self._core.tokens.discard(token)
                    continue
                pause = attempts.pause_after(error)
            time.sleep(pause)

    def _send(self, operation: Operation[T], token: str | None) -> T:
        try:
            request = self._core.request(self._http, operation, token)
            response = self._http.send(request, **SEND_OPTIONS)
        except httpx.RequestError as error:
            raise connection_error(error) from error
        return operation.read(response)

    def _token(self) -> str:
        with self._obtaining_token:
            now = time.monotonic()
            token = self._core.tokens.get(now)
            if token is None:
                token = self._core.tokens.put(self._run(self._core.obtain_token()), now)
            return token


class _Resource:
    def __init__(self, run: Run, operations: Operations) -> None:
        self._run = run
        self._operations = operations


class Sessions(_Resource):
    """Payment sessions."""

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.CreateSession]
    ) -> types.SessionCreated:
        """Creates a session. Redirect the customer to its `session_url`.

        The same key returns the same session for 24 hours. Without a key, one is made for this call and its
        retries; give your own if your program may make the call again.
        """
        return self._run(self._operations.create_session(fields, idempotency_key))

    def retrieve(self, session_id: str) -> types.SessionStatus:
        """The status of a session."""
        return self._run(self._operations.retrieve_session(session_id))

    def list(self, **filters: Unpack[types.ListSessions]) -> types.SessionList:
        """One page of sessions, newest first."""
        return self._run(self._operations.list_sessions(filters))

    def iterate(self, **filters: Unpack[types.ListSessions]) -> Iterator[types.SessionStatus]:
        """All sessions, newest first, page by page; `limit` is the size of a page."""
        while True:
            page = self.list(**filters)
            yield from page.sessions
            if page.next_cursor is None:
                return
            filters["cursor"] = page.next_cursor

    def expire(self, session_id: str) -> types.SessionStatus:
        """Ends a pending session now."""
        return self._run(self._operations.expire_session(session_id))

    def simulate(self, session_id: str, **fields: Unpack[types.Simulate]) -> types.SessionStatus:
        """Chooses the outcome of a sandbox session, or an event after its end. Live has no such call."""
        return self._run(self._operations.simulate(session_id, fields))


class Refunds(_Resource):
    """Refunds of paid sessions."""

    def create(
        self, session_id: str, *, idempotency_key: str | None = None, **fields: Unpack[types.CreateRefund]
    ) -> types.Refund:
        """Refunds `amount`, or everything that is left. The key works as in `sessions.create`."""
        return self._run(self._operations.create_refund(session_id, fields, idempotency_key))

    def retrieve(self, session_id: str, refund_id: str) -> types.Refund:
        """One refund of a session."""
        return self._run(self._operations.retrieve_refund(session_id, refund_id))

    def list(self, session_id: str) -> types.RefundList:
        """All refunds of a session, oldest first."""
        return self._run(self._operations.list_refunds(session_id))


class Transactions(_Resource):
    """Movements of your customers' money."""

    def list(self, **filters: Unpack[types.ListTransactions]) -> types.TransactionList:
        """One page of transactions, newest first."""
        return self._run(self._operations.list_transactions(filters))

    def iterate(self, **filters: Unpack[types.ListTransactions]) -> Iterator[types.Transaction]:
        """All transactions, newest first, page by page; `limit` is the size of a page."""
        while True:
            page = self.list(**filters)
            yield from page.transactions
            if page.next_cursor is None:
                return
            filters["cursor"] = page.next_cursor


class Callbacks(_Resource):
    """The feed of callbacks, for a server that has no public URL or was down."""

    def fetch(
        self, *, after: str | None = None, limit: int | None = None, wait: float = 0.0
    ) -> types.CallbackPage:
        """Callbacks after a cursor, oldest first. Pass each to `verify_callback`, as one that was received.

        `wait` keeps the call open for up to 30 seconds until there is one.
        """
        return self._run(self._operations.fetch_callbacks(after, limit, wait))


class Signatures(_Resource):
    """Finds the mistake in your own verification. Only in the sandbox."""

    def check(self, *, body: bytes, signature: str) -> types.SignatureVerdict:
        """Whether a signature is right and, if not, which mistake leads to it. Till keeps nothing of it.

        `body` is the raw body of a callback, and `signature` what your code computed over it.
        """
        return self._run(self._operations.check_signature(body, signature))


class Wallet(_Resource):
    """Your balances. The sandbox has none."""

    def retrieve(self) -> types.Wallet:
        """What the operator holds for you in each currency."""
        return self._run(self._operations.retrieve_wallet())
