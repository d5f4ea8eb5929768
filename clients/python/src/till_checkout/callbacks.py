"""The verification of callbacks. Needs neither a client nor the network."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from till_checkout._operations import Environment
from till_checkout.errors import CallbackVerificationError
from till_checkout.events import Event, read_event


class Headers(Protocol):
    """A dict, or the headers of a request in any web framework."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_callback(
    body: bytes,
    headers: Headers,
    secrets: str | Sequence[str],
    *,
    tolerance: float | None = 300.0,
    environment: Environment | None = None,
    now: float | None = None,
) -> Event:
    """Returns the event of a callback, or raises CallbackVerificationError.

    `body` is the raw body, before any parsing. `secrets` is the client secret, or several during a rotation.

    `X-Signature` proves that the body comes from Till. `webhook-signature` also covers `webhook-timestamp`,
    which must be within `tolerance` seconds of `now`: a recorded callback cannot be sent again later. With a
    tolerance of None, `webhook-signature` is checked only if it is there, and the time does not matter.

    The secret distinguishes live from sandbox: verify live callbacks with live secrets only. With
    `environment`, a callback whose `X-Environment` is another one is refused too.
    """
    given = {name.lower(): value for name, value in headers.items()}
    keys = [secret.encode() for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys or b"" in keys:
        # An empty secret is a lost setting, and anybody could sign with it.
        raise CallbackVerificationError("no_secret", "there is no secret, or an empty one, to verify with")
    _check_signature(body, given, keys)
    if tolerance is not None or "webhook-signature" in given:
        _check_standard_signature(body, given, keys)
    if tolerance is not None:
        _check_time(given["webhook-timestamp"], tolerance, time.time() if now is None else now)
    if environment is not None and given.get("x-environment") != environment:
        message = f"the callback is from {given.get('x-environment')!r}, not from {environment}"
        raise CallbackVerificationError("wrong_environment", message)
    try:
        return read_event(json.loads(body))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise CallbackVerificationError("invalid_body", f"the body is not an event: {error!r}") from error


def _check_signature(body: bytes, headers: dict[str, str], keys: list[bytes]) -> None:
    names = ("x-signature", "x-signature-alternate")
    signatures = [headers[name] for name in names if name in headers]
    if not signatures:
        raise CallbackVerificationError("missing_signature", "the callback has no X-Signature")
    expected = [hmac.new(key, body, hashlib.sha256).hexdigest() for key in keys]
    if not _any_equal(expected, signatures):
        raise CallbackVerificationError("wrong_signature", "X-Signature is wrong")


def _check_standard_signature(body: bytes, headers: dict[str, str], keys: list[bytes]) -> None:
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    missing = [name for name in names if name not in headers]
    if missing:
        raise CallbackVerificationError("missing_signature", f"the callback has no {', '.join(missing)}")
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode("utf-8", "replace") + body
    digests = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    expected = ["v1," + base64.b64encode(digest).decode() for digest in digests]
    if not _any_equal(expected, headers["webhook-signature"].split(" ")):
        raise CallbackVerificationError("wrong_signature", "webhook-signature is wrong")


def _check_time(timestamp: str, tolerance: float, now: float) -> None:
    if not timestamp.isdecimal():
        raise CallbackVerificationError("invalid_timestamp", "webhook-timestamp is not a number")
    if abs(now - int(timestamp)) > tolerance:
        message = f"the callback was sent more than {tolerance:g} seconds from now, at {timestamp}"
        raise CallbackVerificationError("timestamp_out_of_tolerance", message)


def _any_equal(expected: list[str], given: list[str]) -> bool:
    """Compares each pair in constant time."""
    pairs = [(one.encode(), other.encode("utf-8", "replace")) for one in expected for other in given]
    return any(hmac.compare_digest(one, other) for one, other in pairs)
