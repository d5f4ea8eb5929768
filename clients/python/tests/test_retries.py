from __future__ import annotations

import threading
import time
import uuid
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import httpx
import pytest

from orders import create_session
from proxy import Proxy, lose_answer, respond
from till_checkout import RetryPolicy, Till, TillApiError, TillConnectionError
from till_checkout.retries import Attempts
from till_checkout.testing import TillDemo

SESSIONS = "/checkout-session"


def test_a_lost_answer_to_a_create_makes_one_session(till: Till, proxy: Proxy) -> None:
    order_id = str(uuid.uuid4())
    proxy.on("POST", SESSIONS, lose_answer)
    created = create_session(till, order_id)
    sent = proxy.find("POST", SESSIONS)
    assert len(sent) == 2
    assert sent[0].body == sent[1].body
    assert len({request.headers["Idempotency-Key"] for request in sent}) == 1
    assert [session.session_id for session in till.sessions.iterate(order_id=order_id)] == [
        created.session_id
    ]


def test_two_creates_have_different_keys(till: Till, proxy: Proxy) -> None:
    first, second = create_session(till, "same"), create_session(till, "same")
    assert first.session_id != second.session_id


def test_a_key_of_the_caller_returns_the_same_session(till: Till) -> None:
    key = str(uuid.uuid4())
    assert create_session(till, "once", idempotency_key=key) == create_session(
        till, "once", idempotency_key=key
    )


def test_a_lost_answer_to_a_refund_makes_one_refund(till: Till, proxy: Proxy) -> None:
    session_id = create_session(till).session_id
    till.sessions.simulate(session_id, outcome="paid")
    proxy.on("POST", "/refunds", lose_answer)
    refund = till.refunds.create(session_id, amount="10.00")
    assert proxy.count("POST", "/refunds") == 2
    assert [each.refund_id for each in till.refunds.list(session_id).refunds] == [refund.refund_id]


def test_a_lost_token_is_requested_again(till: Till, proxy: Proxy) -> None:
    proxy.on("POST", "/tokens", lose_answer)
    till.sessions.list()
    assert proxy.count("POST", "/tokens") == 2


def test_retry_after_is_obeyed(till: Till, proxy: Proxy) -> None:
    proxy.on("GET", SESSIONS, respond(503, Retry_After="1"))
    started = time.monotonic()
    till.sessions.list()
    assert time.monotonic() - started >= 1
    assert proxy.count("GET", SESSIONS) == 2


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_temporary_errors_are_retried(till: Till, proxy: Proxy, status: int) -> None:
    proxy.on("POST", SESSIONS, respond(status))
    create_session(till)
    assert proxy.count("POST", SESSIONS) == 2


def test_the_error_is_raised_after_the_last_retry(till: Till, proxy: Proxy) -> None:
    proxy.on("GET", SESSIONS, *[respond(503)] * 10)
    with pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert (caught.value.status, caught.value.code) == (503, "unexpected_response")
    assert proxy.count("GET", SESSIONS) == 4


@pytest.mark.parametrize("after", ["31", format_datetime(datetime.now(timezone.utc) + timedelta(hours=1))])
def test_a_long_retry_after_is_not_waited_for(till: Till, proxy: Proxy, after: str) -> None:
    proxy.on("GET", SESSIONS, respond(429, Retry_After=after))
    with pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert caught.value.retry_after is not None
    assert caught.value.retry_after > 30
    assert proxy.count("GET", SESSIONS) == 1


@pytest.mark.parametrize("after", ["soon", "-1", "Mon, 01 Jan 99999999999 00:00:00 GMT", "1.5"])
def test_a_retry_after_that_cannot_be_read_is_ignored(till: Till, proxy: Proxy, after: str) -> None:
    proxy.on("GET", SESSIONS, respond(503, Retry_After=after))
    till.sessions.list()
    assert proxy.count("GET", SESSIONS) == 2


@pytest.mark.parametrize("status", [400, 404, 500, 501])
def test_other_errors_are_not_retried(till: Till, proxy: Proxy, status: int) -> None:
    proxy.on("GET", SESSIONS, respond(status))
    with pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert caught.value.status == status
    assert proxy.count("GET", SESSIONS) == 1


def test_a_simulation_is_never_repeated(till: Till, proxy: Proxy) -> None:
    session_id = create_session(till).session_id
    proxy.on("POST", "/simulate", lose_answer)
    with pytest.raises(TillConnectionError):
        till.sessions.simulate(session_id, outcome="paid")
    assert proxy.count("POST", "/simulate") == 1
    assert till.sessions.retrieve(session_id).status == "paid"


def test_a_refused_connection_is_an_error_of_its_own(demo: TillDemo) -> None:
    with Proxy(demo.base_url) as closed:
        url = closed.url
    till = Till(url, "id", "secret", retries=RetryPolicy(max_retries=1, first_delay=0.01))
    with till, pytest.raises(TillConnectionError) as caught:
        till.sessions.list()
    assert isinstance(caught.value.__cause__, httpx.ConnectError)


def test_a_timeout_is_a_connection_error(proxy: Proxy) -> None:
    given_up = threading.Event()

    def hang(_: object) -> None:
        given_up.wait(10)

    proxy.on("POST", "/tokens", hang)
    till = Till(proxy.url, "id", "secret", timeout=0.05, retries=RetryPolicy(max_retries=0))
    with till, pytest.raises(TillConnectionError) as caught:
        till.sessions.list()
    given_up.set()
    assert isinstance(caught.value.__cause__, httpx.TimeoutException)


def test_a_create_that_waits_for_its_key_is_retried() -> None:
    attempts = Attempts(RetryPolicy(max_retries=1), repeatable=True)
    error = TillApiError("wait", status=409, code="idempotency_in_progress")
    assert attempts.pause_after(error) > 0
    with pytest.raises(TillApiError):
        attempts.pause_after(error)
    other = TillApiError("broken", status=500, code="idempotency_in_progress")
    with pytest.raises(TillApiError):
        Attempts(RetryPolicy(), repeatable=True).pause_after(other)


def test_delays_grow_to_a_maximum() -> None:
    policy = RetryPolicy(first_delay=1, max_delay=3)
    for retries, longest in enumerate([1, 2, 3, 3]):
        assert longest / 2 <= policy.delay(retries) <= longest
