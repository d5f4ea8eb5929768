"""Never run: the type checker must accept the right calls and reject the wrong ones. An ignored error that
does not happen is itself an error."""

from __future__ import annotations

from collections.abc import AsyncIterator
from decimal import Decimal

from typing_extensions import assert_type

from till_checkout import AsyncTill, RefundEvent, SessionEvent, SessionStatus, Till, verify_callback


def right(till: Till, body: bytes) -> str | None:
    created = till.sessions.create(
        product_name="Atlas", price=Decimal("1.00"), currency="EUR", order_id="A-1"
    )
    assert_type(created.session_url, str)
    for session in till.sessions.iterate(status="paid", limit=100):
        assert_type(session, SessionStatus)
    match verify_callback(body, {"X-Signature": "…"}, "secret"):
        case SessionEvent(event="session.paid", order_id=order_id):
            return order_id
        case RefundEvent() as event:
            return event.refund_id
    return None


async def right_with_asyncio(till: AsyncTill) -> None:
    assert_type(await till.sessions.retrieve("id"), SessionStatus)
    assert_type(till.sessions.iterate(), AsyncIterator[SessionStatus])


def wrong(till: Till, session: SessionStatus) -> None:
    till.sessions.create(product_name="Atlas", price="1.00", currency="EUR")  # type: ignore[call-arg]
    till.sessions.create(order_id="A-1", price=1.1)  # type: ignore[arg-type]
    till.sessions.create(order_id="A-1", colour="red")  # type: ignore[call-arg]
    till.sessions.list(status="open")  # type: ignore[arg-type]
    till.sessions.simulate("id", outcome="won")  # type: ignore[arg-type]
    session.status == "open"  # type: ignore[comparison-overlap]  # noqa: B015
    session.price = "0.01"  # type: ignore[misc]
    Till("https://pay.example.com", "id", "secret", environment="test")  # type: ignore[arg-type]
    verify_callback("text", {}, "secret")  # type: ignore[arg-type]
