"""Every call of the API as data: what to send, whether it is safe to repeat, and how to read the response.
Both clients send these; nothing here does I/O."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Generic, Literal, TypeVar

import httpx

from till_checkout import types
from till_checkout._version import __version__
from till_checkout._wire import encode_body, encode_query, encode_segment
from till_checkout.errors import TillApiError, TillError

T = TypeVar("T")
Environment = Literal["live", "sandbox"]

PREFIXES: Mapping[Environment, str] = {"live": "/api", "sandbox": "/api/sandbox/vendor"}
SESSIONS: Mapping[Environment, str] = {
    "live": f"{PREFIXES['live']}/product/session",
    "sandbox": f"{PREFIXES['sandbox']}/checkout-session",
}


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[T]):
    """One call."""

    method: Literal["GET", "POST"]
    path: str
    decode: Callable[[Mapping[str, Any]], T]
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    """Not in the repr, because it can have the client secret."""
    idempotency_key: str | None = None
    repeatable: bool
    authorized: bool = True
    waits: float = 0.0
    """Seconds that Till may keep the call open."""

    def headers(self, token: str | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": f"till-checkout-python/{__version__}"}
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return headers

    def read(self, response: httpx.Response) -> T:
        """The result, or a TillApiError."""
        if not response.is_success:
            raise _error_of(response)
        try:
            return self.decode(response.json())
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise _unexpected(response) from error


class Operations:
    """The calls of one environment."""

    def __init__(self, environment: Environment) -> None:
        if environment not in PREFIXES:
            raise ValueError(f"the environment is live or sandbox, not {environment!r}")
        self._environment = environment
        self._prefix = PREFIXES[environment]
        self._sessions = SESSIONS[environment]

    def obtain_token(self, credentials: types.TokenRequest) -> Operation[types.AccessToken]:
        return Operation(
            method="POST",
            path=f"{self._prefix}/tokens",
            decode=types.AccessToken.from_json,
            body=encode_body(credentials, {}),
            repeatable=True,
            authorized=False,
        )

    def create_session(
        self, fields: types.CreateSession, idempotency_key: str | None
    ) -> Operation[types.SessionCreated]:
        return _create(self._sessions, fields, idempotency_key, types.SessionCreated.from_json)

    def retrieve_session(self, session_id: str) -> Operation[types.SessionStatus]:
        return _get(self._session(session_id), types.SessionStatus.from_json)

    def list_sessions(self, filters: types.ListSessions) -> Operation[types.SessionList]:
        return _get(self._sessions, types.SessionList.from_json, filters)

    def expire_session(self, session_id: str) -> Operation[types.SessionStatus]:
        return Operation(
            method="POST",
            path=f"{self._session(session_id)}/expire",
            decode=types.SessionStatus.from_json,
            body=b"{}",
            # A session that has expired before stays as it is.
            repeatable=True,
        )

    def simulate(self, session_id: str, fields: types.Simulate) -> Operation[types.SessionStatus]:
        self._require("sandbox", "sessions.simulate")
        return Operation(
            method="POST",
            path=f"{self._session(session_id)}/simulate",
            decode=types.SessionStatus.from_json,
            body=encode_body(fields, types.WIRE_NAMES),
            repeatable=False,
        )

    def create_refund(
        self, session_id: str, fields: types.CreateRefund, idempotency_key: str | None
    ) -> Operation[types.Refund]:
        return _create(self._refunds(session_id), fields, idempotency_key, types.Refund.from_json)

    def retrieve_refund(self, session_id: str, refund_id: str) -> Operation[types.Refund]:
        return _get(f"{self._refunds(session_id)}/{encode_segment(refund_id)}", types.Refund.from_json)

    def list_refunds(self, session_id: str) -> Operation[types.RefundList]:
        return _get(self._refunds(session_id), types.RefundList.from_json)

    def list_transactions(self, filters: types.ListTransactions) -> Operation[types.TransactionList]:
        return _get(f"{self._prefix}/transactions", types.TransactionList.from_json, filters)

    def fetch_callbacks(
        self, after: str | None, limit: int | None, wait: float
    ) -> Operation[types.CallbackPage]:
        query = {"after": after, "limit": limit, "wait": f"{round(wait * 1000)}ms" if wait else None}
        return _get(f"{self._prefix}/callbacks", types.CallbackPage.from_json, query, waits=wait)

    def check_signature(self, body: bytes, signature: str) -> Operation[types.SignatureVerdict]:
        self._require("sandbox", "signatures.check")
        # In base64, no byte of the body can change on the way.
        fields = types.CheckSignature(
            body=base64.b64encode(body).decode(), body_encoding="base64", signature=signature
        )
        return Operation(
            method="POST",
            path=f"{self._prefix}/signature-checks",
            decode=types.SignatureVerdict.from_json,
            body=encode_body(fields, types.WIRE_NAMES),
            # Till keeps nothing of it.
            repeatable=True,
        )

    def retrieve_wallet(self) -> Operation[types.Wallet]:
        self._require("live", "wallet.retrieve")
        return _get(f"{self._prefix}/wallet", types.Wallet.from_json)

    def _require(self, environment: Environment, call: str) -> None:
        if self._environment != environment:
            raise TillError(f"{call} exists only in {environment}")

    def _session(self, session_id: str) -> str:
        return f"{self._sessions}/{encode_segment(session_id)}"

    def _refunds(self, session_id: str) -> str:
        return f"{self._session(session_id)}/refunds"


def _get(
    path: str,
    decode: Callable[[Mapping[str, Any]], T],
    query: Mapping[str, object] | None = None,
    *,
    waits: float = 0.0,
) -> Operation[T]:
    return Operation(
        method="GET", path=path, decode=decode, query=encode_query(query or {}), repeatable=True, waits=waits
    )


def _create(
    path: str,
    fields: Mapping[str, object],
    idempotency_key: str | None,
    decode: Callable[[Mapping[str, Any]], T],
) -> Operation[T]:
    return Operation(
        method="POST",
        path=path,
        decode=decode,
        body=encode_body(fields, types.WIRE_NAMES),
        idempotency_key=str(uuid.uuid4()) if idempotency_key is None else idempotency_key,
        repeatable=True,
    )


def _error_of(response: httpx.Response) -> TillApiError:
    try:
        problem = types.Problem.from_json(response.json())
    except (ValueError, LookupError, TypeError, AttributeError):
        return _unexpected(response)
    return TillApiError(
        problem.detail,
        status=response.status_code,
        code=problem.code,
        errors=problem.errors,
        request_id=problem.request_id,
        retry_after=_retry_after(response),
    )


def _unexpected(response: httpx.Response) -> TillApiError:
    """The error of a response that is not one of Till's, such as that of a proxy in between. Its message does
    not show the body, which could contain a token."""
    kind = response.headers.get("content-type", "no content type")
    return TillApiError(
        f"the response is not one of Till's: {len(response.content)} bytes, {kind}",
        status=response.status_code,
        code="unexpected_response",
        request_id=response.headers.get("x-request-id"),
        retry_after=_retry_after(response),
    )


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds, or the time until a date."""
    value = response.headers.get("retry-after", "")
    if value.isdecimal():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds()) if until.tzinfo else None
