"""Refunds, transactions and balances."""

from __future__ import annotations

from decimal import Decimal

import pytest

from orders import create_session
from till_checkout import Till, TillApiError, verify_callback
from till_checkout.events import DisputeEvent, Event, PaymentEvent, RefundEvent
from till_checkout.testing import TillDemo


def paid_session(till: Till) -> str:
    session_id = create_session(till).session_id
    till.sessions.simulate(session_id, outcome="paid")
    return session_id


def events_of(till: Till, demo: TillDemo, session_id: str, *, expected: int) -> list[Event]:
    """The events of a session, from the feed, once there are enough of them."""
    events: list[Event] = []
    after = None
    while len(events) < expected:
        page = till.callbacks.fetch(after=after, limit=100, wait=10)
        assert page.callbacks, f"only {events}"
        for callback in page.callbacks:
            event = verify_callback(callback.body.encode(), callback.headers, demo.sandbox.client_secret)
            assert event.event_id == callback.event_id
            if event.data["sessionId"] == session_id:
                events.append(event)
        after = page.next
    return events


def test_a_refund_in_parts(till: Till, demo: TillDemo) -> None:
    session_id = paid_session(till)
    refund = till.refunds.create(session_id, amount=Decimal("10.00"), reason="wrong size")
    assert (refund.amount, refund.currency, refund.reason) == ("10.00", "EUR", "wrong size")
    events = events_of(till, demo, session_id, expected=2)
    assert isinstance(events[1], RefundEvent)
    assert (events[1].refund_id, events[1].refund_status) == (refund.refund_id, "succeeded")
    assert (events[1].refunded_total, events[1].status) == ("10.00", "paid")
    assert till.refunds.retrieve(session_id, refund.refund_id).status == "succeeded"
    rest = till.refunds.create(session_id)
    assert rest.amount == "39.90"
    assert [each.refund_id for each in till.refunds.list(session_id).refunds] == [
        refund.refund_id,
        rest.refund_id,
    ]
    with pytest.raises(TillApiError) as caught:
        till.refunds.create(session_id)
    assert caught.value.code == "nothing_to_refund"


def test_transactions_follow_the_cursor(till: Till, demo: TillDemo) -> None:
    session_id = paid_session(till)
    till.refunds.create(session_id, amount="1.00")
    events_of(till, demo, session_id, expected=2)
    transactions = list(till.transactions.iterate(session_id=session_id, limit=1))
    assert [each.type for each in transactions] == ["refund", "payment"]
    assert transactions[0].refund_id
    assert [
        each.amount for each in till.transactions.list(session_id=session_id, type="payment").transactions
    ] == ["49.90"]


def test_events_about_disputes_and_other_payments(till: Till, demo: TillDemo) -> None:
    session_id = paid_session(till)
    till.sessions.simulate(session_id, event="payment.over", amount="5.00")
    till.sessions.simulate(session_id, event="payment.resolved", resolution="accepted")
    till.sessions.simulate(session_id, event="dispute.opened")
    till.sessions.simulate(session_id, event="dispute.won")
    _, over, resolved, opened, won = events_of(till, demo, session_id, expected=5)
    assert isinstance(over, PaymentEvent)
    assert isinstance(resolved, PaymentEvent)
    assert (over.amount, over.resolution, resolved.resolution) == ("5.00", None, "accepted")
    assert over.transaction_id == resolved.transaction_id
    assert isinstance(opened, DisputeEvent)
    assert isinstance(won, DisputeEvent)
    assert opened.dispute_id == won.dispute_id
    assert opened.answer_by is not None
    assert won.answer_by is None


def test_the_feed_waits_and_keeps_its_cursor(till: Till) -> None:
    cursor = None
    while True:
        page = till.callbacks.fetch(after=cursor, limit=100)
        cursor = page.next
        if not page.has_more:
            break
    empty = till.callbacks.fetch(after=cursor, wait=0.05)
    assert (empty.callbacks, empty.next) == ((), cursor)
