from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import pytest

from orders import create_session
from receiver import Receiver
from till_checkout import CallbackVerificationError, Event, SessionEvent, Till, verify_callback
from till_checkout.testing import TillDemo

VECTORS = json.loads(
    (Path(__file__).parents[3] / "docs/callbacks/vectors.json").read_text("utf-8"),
)["vectors"]
SECRET = "sk_sandbox_secret"
STANDARD_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"]
NOW = 1_800_000_000
BODY = json.dumps(
    {
        "event": "session.paid",
        "eventId": "01963f2a-9d40-7c11-9a52-3f0c5b7e21d4",
        "occurredAt": "2026-11-15T09:31:30.000Z",
        "sessionId": "01963f2a-7b1c-7def-8123-456789abcdef",
        "status": "paid",
        "productName": "Atlas",
        "price": "49.90",
        "currency": "RUB",
        "createdAt": "2026-11-15T09:30:00.000Z",
        "updatedAt": "2026-11-15T09:31:30.000Z",
        "orderId": "A-1001",
        "paymentMethod": "card",
        "addedLater": {"any": "thing"},
    }
).encode()


NUMBERS = b'{"event":1,"eventId":2,"occurredAt":"2026-11-15T09:31:30.000Z"}'


def sign(body: bytes = BODY, secret: str = SECRET, *, at: int | str = NOW) -> dict[str, str]:
    """The headers that Till sends."""
    standard = hmac.new(secret.encode(), f"an-id.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "X-Signature": hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
        "X-Environment": "sandbox",
        "webhook-id": "an-id",
        "webhook-timestamp": str(at),
        "webhook-signature": "v1," + base64.b64encode(standard).decode(),
    }


def refusal(body: bytes, headers: dict[str, str], secrets: str | list[str] = SECRET, **options: Any) -> str:
    with pytest.raises(CallbackVerificationError) as caught:
        verify_callback(body, headers, secrets, **({"now": NOW} | options))
    return caught.value.reason


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors(vector: dict[str, Any]) -> None:
    body, secret = vector["body"].encode(), vector["secret"]
    headers = {"X-Signature": vector["xSignature"]}
    if not vector["valid"]:
        reason = "invalid_signature" if secret else "no_secret"
        assert refusal(body, headers, secret, tolerance=None) == reason
        assert refusal(body, headers, secret) == reason
        return
    expected = json.loads(vector["body"])
    assert verify_callback(body, headers, secret, tolerance=None).data == expected
    headers |= {
        "webhook-id": vector["webhookId"],
        "webhook-timestamp": vector["webhookTimestamp"],
        "webhook-signature": vector["webhookSignature"],
    }
    event = verify_callback(body, headers, secret, now=int(vector["webhookTimestamp"]) + 300)
    assert type(event) is not Event
    assert event.event == expected["event"]
    assert event.event_id == vector["webhookId"]


def test_a_real_callback(till: Till, demo: TillDemo, receiver: Receiver) -> None:
    session_id = create_session(till, "A-1001", callback_url=receiver.url).session_id
    till.sessions.simulate(session_id, outcome="failed", failure_reason="insufficient_funds")
    received = receiver.next()
    secret = demo.sandbox.client_secret
    event = verify_callback(received.body, received.headers, secret, environment="sandbox")
    assert isinstance(event, SessionEvent)
    assert (event.event, event.status) == ("session.failed", "failed")
    assert (event.session_id, event.order_id, event.price) == (session_id, "A-1001", "49.90")
    assert event.failure_reason == "insufficient_funds"
    now = time.time()
    tampered = received.body.replace(b"49.90", b"99.90")
    assert refusal(tampered, received.headers, secret, now=now) == "invalid_signature"
    assert refusal(received.body, received.headers, "sk_live_other", now=now) == "invalid_signature"
    assert refusal(received.body, received.headers, secret, now=now + 400) == "timestamp_too_old"
    assert (
        refusal(received.body, received.headers, secret, now=now, environment="live") == "wrong_environment"
    )


@pytest.mark.parametrize("body", [b"{}", b"\xef\xbb\xbf\xff\x00"])
def test_the_mistake_in_a_signature_is_found(till: Till, demo: TillDemo, body: bytes) -> None:
    right = hmac.new(demo.sandbox.client_secret.encode(), body, hashlib.sha256)
    assert till.signatures.check(body=body, signature=right.hexdigest()).right
    in_base64 = base64.b64encode(right.digest()).decode()
    verdict = till.signatures.check(body=body, signature=in_base64)
    assert not verdict.right
    assert [found.code for found in verdict.diagnosis] == ["base64"]


def test_unknown_fields_are_kept() -> None:
    assert verify_callback(BODY, sign(), SECRET, now=NOW).data["addedLater"] == {"any": "thing"}


def test_an_unknown_event_is_accepted() -> None:
    body = b'{"event":"test.ping","eventId":"1","occurredAt":"2026-11-15T09:31:30.000Z","test":true}'
    event = verify_callback(body, sign(body), SECRET, now=NOW)
    assert (type(event), event.event, event.data["test"]) == (Event, "test.ping", True)


def test_names_of_headers_have_any_case() -> None:
    verify_callback(BODY, {name.upper(): value for name, value in sign().items()}, SECRET, now=NOW)


def test_either_secret_of_a_rotation_is_enough() -> None:
    old, new = sign(secret="old"), sign(secret="new")
    headers = old | {
        "X-Signature-Alternate": new["X-Signature"],
        "webhook-signature": old["webhook-signature"] + " " + new["webhook-signature"],
    }
    for secrets in ("old", "new", ["old", "new"], ["new", "another"]):
        verify_callback(BODY, headers, secrets, now=NOW)
    assert refusal(BODY, headers, ["another"]) == "invalid_signature"
    verify_callback(BODY, new, ["old", "new"], now=NOW)


@pytest.mark.parametrize(("offset", "accepted"), [(300, True), (-300, True), (301, False), (-301, False)])
def test_the_replay_window(offset: int, accepted: bool) -> None:
    if accepted:
        verify_callback(BODY, sign(), SECRET, now=NOW + offset)
    else:
        reason = "timestamp_too_old" if offset > 0 else "timestamp_too_new"
        assert refusal(BODY, sign(), now=NOW + offset) == reason
        verify_callback(BODY, sign(), SECRET, now=NOW + offset, tolerance=400)
        verify_callback(BODY, sign(), SECRET, now=NOW + offset, tolerance=None)


def test_a_fresh_timestamp_needs_its_own_signature() -> None:
    later = NOW + 1000
    assert refusal(BODY, sign() | {"webhook-timestamp": str(later)}, now=later) == "invalid_signature"
    assert refusal(BODY, sign() | {"webhook-timestamp": str(later)}, tolerance=None) == "invalid_signature"


def test_a_tolerance_that_is_no_number_accepts_nothing() -> None:
    assert refusal(BODY, sign(), tolerance=float("nan")) == "timestamp_too_old"


def test_a_timestamp_that_is_no_number_is_refused_even_if_it_is_signed() -> None:
    for at in ("1e9", "", "-1", "٣", "9" * 5000):
        assert refusal(BODY, sign(at=at)) == "invalid_timestamp"


def test_the_signature_cannot_be_left_out() -> None:
    headers = sign()
    del headers["X-Signature"]
    assert refusal(BODY, headers) == "missing_signature"


@pytest.mark.parametrize("name", STANDARD_HEADERS)
def test_a_standard_header_cannot_be_left_out(name: str) -> None:
    headers = sign()
    del headers[name]
    assert refusal(BODY, headers) == "missing_timestamp"
    assert refusal(BODY, headers, tolerance=None) == "missing_timestamp"


def test_the_standard_headers_are_required_unless_no_time_window_is_wanted() -> None:
    headers = {name: value for name, value in sign().items() if name not in STANDARD_HEADERS}
    assert refusal(BODY, headers) == "missing_timestamp"
    verify_callback(BODY, headers, SECRET, tolerance=None)


def test_a_right_signature_of_nothing_useful() -> None:
    for body in (b"", b"[]", b"1", b"{}", b'{"event":"session.paid"}', NUMBERS, b"\xff"):
        assert refusal(body, sign(body)) == "invalid_body"


def test_secrets_are_never_empty() -> None:
    assert refusal(BODY, sign(secret=""), "") == "no_secret"
    assert refusal(BODY, sign(secret=""), []) == "no_secret"
    assert refusal(BODY, sign(secret=""), ["", ""]) == "no_secret"
    assert refusal(BODY, sign(secret=""), None) == "no_secret"  # type: ignore[arg-type]
    assert refusal(BODY, sign(secret=""), [SECRET, ""]) == "invalid_signature"
    verify_callback(BODY, sign(), [SECRET, ""], now=NOW)


def test_a_secret_of_the_other_environment_is_not_used() -> None:
    forged = sign() | {"X-Environment": "live"}
    assert refusal(BODY, forged, environment="live") == "wrong_environment"
    assert refusal(BODY, forged, [SECRET, "sk_live_secret"], environment="live") == "invalid_signature"
    verify_callback(BODY, sign(), [SECRET, "sk_live_secret"], environment="sandbox", now=NOW)


def test_a_callback_without_its_environment_is_refused_if_one_is_expected() -> None:
    headers = sign()
    del headers["X-Environment"]
    verify_callback(BODY, headers, SECRET, now=NOW)
    assert refusal(BODY, headers, environment="sandbox") == "wrong_environment"
