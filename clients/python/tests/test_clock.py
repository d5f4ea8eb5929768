"""A demo with a seed and a manual clock."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from orders import create_session
from ports import free_port
from receiver import Receiver
from till_checkout import CallbackVerificationError, SessionEvent, TillApiError, verify_callback
from till_checkout.testing import TillDemo, till_demo

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def manual() -> Iterator[TillDemo]:
    with till_demo(seed=7, clock="manual", clock_start=START) as demo:
        yield demo


def test_it_stands_still_until_it_is_moved(manual: TillDemo) -> None:
    later = START + timedelta(milliseconds=1500)
    assert manual.now() == START
    assert manual.advance(timedelta(milliseconds=1500)) == later
    assert manual.run_due() == later
    assert manual.now() == later


def test_a_session_expires_on_the_way(manual: TillDemo, receiver: Receiver) -> None:
    start, secret = manual.now(), manual.sandbox.client_secret
    with manual.client() as till:
        session_id = create_session(till, "A-1", callback_url=receiver.url).session_id
        manual.advance(14 * MINUTE)
        assert till.sessions.retrieve(session_id).status == "pending"
        manual.advance(3 * MINUTE)
        assert till.sessions.retrieve(session_id).status == "expired"

    received = receiver.next()
    event = verify_callback(received.body, received.headers, secret, now=manual.now().timestamp())
    assert isinstance(event, SessionEvent)
    assert (event.event, event.occurred_at) == ("session.expired", start + 15 * MINUTE)
    assert int(received.headers["webhook-timestamp"]) == int(event.occurred_at.timestamp())
    with pytest.raises(CallbackVerificationError, match="too long ago"):
        verify_callback(received.body, received.headers, secret)


def test_what_is_due_now_has_happened(manual: TillDemo, receiver: Receiver) -> None:
    with manual.client() as till:
        session_id = create_session(till, "A-2", callback_url=receiver.url).session_id
        till.sessions.simulate(session_id, outcome="paid")
        manual.run_due()
    assert receiver.next().headers["x-attempt"] == "1"


def test_asyncio_has_the_same_calls(manual: TillDemo) -> None:
    async def move() -> list[datetime]:
        before = await manual.async_now()
        return [before, await manual.async_advance(MINUTE), await manual.async_run_due()]

    before, *after = asyncio.run(move())
    assert after == [before + MINUTE] * 2


def test_a_wrong_duration_is_an_error(manual: TillDemo) -> None:
    with pytest.raises(TillApiError):
        manual.advance(-MINUTE)
    with pytest.raises(ValueError, match="whole milliseconds"):
        manual.advance(timedelta(microseconds=1500))


def test_ids_and_secrets_are_those_of_the_seed(manual: TillDemo) -> None:
    with till_demo(seed=7, clock="manual") as again, till_demo(seed=8, clock="manual") as other:
        assert (again.sandbox, again.live) == (manual.sandbox, manual.live)
        assert other.sandbox.client_secret != manual.sandbox.client_secret


def test_it_listens_on_the_port_that_it_is_given() -> None:
    port = free_port()
    with till_demo(port=port) as demo:
        assert demo.base_url == f"http://127.0.0.1:{port}"


def test_a_start_without_a_time_zone_is_an_error() -> None:
    with (
        pytest.raises(ValueError, match="time zone"),
        till_demo(clock="manual", clock_start=datetime(2026, 3, 1)),
    ):
        pass


def test_without_a_manual_clock_the_time_cannot_be_moved(demo: TillDemo) -> None:
    for call in (demo.now, demo.run_due, lambda: demo.advance(MINUTE)):
        with pytest.raises(RuntimeError, match=r'no manual clock: start it with till_demo\(clock="manual"\)'):
            call()
