"""The verification of callbacks. Needs neither a client nor the network."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from till_checkout._operations import Environment
from till_checkout.errors import CallbackVerificationError
from till_checkout.events import Event, read_event

STANDARD_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


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
    tolerance of None, the `webhook-…` headers are checked when they are there, and the time does not matter.

    With `environment`, a callback that names another one is refused, and secrets of the other one are not
    used.
    """
    given = {name.lower(): value for name, value in headers.items()}
    keys = _keys([secrets] if isinstance(secrets, str) else secrets, environment)
    _check_signature(body, given, keys)
    if tolerance is not None or any(name in given for name in STANDARD_HEADERS):
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


def _keys(secrets: Sequence[str] | None, environment: Environment | None) -> list[bytes]:
    """The secrets to verify with. X-Environment is not signed: what tells the environments apart is the
    secret, which names its own."""
    present = [secret for secret in secrets or () if secret]
    if not present:
        raise CallbackVerificationError("no_secret", "there is no secret to verify the callback with")
    other = {"live": "sk_sandbox_", "sandbox": "sk_live_"}.get(environment or "")
    usable = [secret for secret in present if not (other and secret.startswith(other))]
    if not usable:
        raise CallbackVerificationError("wrong_environment", f"there is no secret of {environment}")
    return [secret.encode() for secret in usable]


def _check_signature(body: bytes, headers: dict[str, str], keys: list[bytes]) -> None:
    names = ("x-signature", "x-signature-alternate")
    signatures = [headers[name] for name in names if name in headers]
    if not signatures:
        raise CallbackVerificationError("missing_signature", "the callback has no X-Signature")
    expected = [hmac.new(key, body, hashlib.sha256).hexdigest() for key in keys]
    if not _any_equal(expected, signatures):
        raise CallbackVerificationError("invalid_signature", "X-Signature does not match")


def _check_standard_signature(body: bytes, headers: dict[str, str], keys: list[bytes]) -> None:
    missing = [name for name in STANDARD_HEADERS if name not in headers]
    if missing:
        raise CallbackVerificationError("missing_timestamp", f"the callback has no {', '.join(missing)}")
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode("utf-8", "replace") + body
    digests = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    expected = ["v1," + base64.b64encode(digest).decode() for digest in digests]
    if not _any_equal(expected, headers["webhook-signature"].split(" ")):
        raise CallbackVerificationError("invalid_signature", "webhook-signature does not match")


def _check_time(timestamp: str, tolerance: float, now: float) -> None:
    if not re.fullmatch("[0-9]{1,15}", timestamp):
        raise CallbackVerificationError("invalid_timestamp", "webhook-timestamp is not a number")
    age = now - int(timestamp)
    if not age <= tolerance:
        raise CallbackVerificationError("timestamp_too_old", "the callback was sent too long ago")
    if not age >= -tolerance:
        raise CallbackVerificationError("timestamp_too_new", "webhook-timestamp is in the future")


def _any_equal(expected: list[str], given: list[str]) -> bool:
    """Compares each pair in constant time."""
    pairs = [(one.encode(), other.encode("utf-8", "replace")) for one in expected for other in given]
    return any(hmac.compare_digest(one, other) for one, other in pairs)
