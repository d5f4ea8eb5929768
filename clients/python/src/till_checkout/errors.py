"""What can go wrong: Till responds with an error, Till cannot be reached, or a callback is not genuine."""

from __future__ import annotations

from typing import Literal

from till_checkout.types import FieldError

CallbackRefusal = Literal[
    "no_secret",
    "missing_signature",
    "invalid_signature",
    "missing_timestamp",
    "invalid_timestamp",
    "timestamp_too_old",
    "timestamp_too_new",
    "wrong_environment",
    "invalid_body",
]


class TillError(Exception):
    """The base of all errors of this library."""


class TillApiError(TillError):
    """Till responded with an error."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        errors: tuple[FieldError, ...] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, for developers."""
        self.status = status
        """The HTTP status."""
        self.code = code
        """The stable error code, for programs; `unexpected_response` if the response is not one of Till's."""
        self.errors = errors
        """Every invalid field."""
        self.request_id = request_id
        """The id to include when you contact the operator."""
        self.retry_after = retry_after
        """The seconds that Till asks you to wait."""

    def __str__(self) -> str:
        fields = "".join(f"; {error.field}: {error.message}" for error in self.errors)
        request = f" ({self.request_id})" if self.request_id else ""
        return f"{self.status} {self.code}: {self.message}{fields}{request}"


class TillConnectionError(TillError):
    """No response arrived: the connection failed or timed out. Till may have carried out the request."""


class CallbackVerificationError(TillError):
    """A callback failed verification: respond with 401 and do nothing else."""

    def __init__(self, reason: CallbackRefusal, message: str) -> None:
        super().__init__(message)
        self.reason: CallbackRefusal = reason
