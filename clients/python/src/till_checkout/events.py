"""The events that callbacks report. Till can add events and fields at any time: an event that this version
does not know is a plain `Event`, and `data` has all fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from till_checkout._wire import parse_time


@dataclass(frozen=True, kw_only=True)
class Event:
    """Any event. If it is none of the classes below, such as a `test.ping`, ignore it."""

    event: str
    event_id: str
    """The same whenever the event is sent again: ignore duplicates by it."""

    occurred_at: datetime
    data: Mapping[str, Any] = field(repr=False)
    """The whole body, with the names of the API."""


@dataclass(frozen=True, kw_only=True)
class _AboutSession(Event):
    session_id: str
    order_id: str
    status: Literal["pending", "paid", "failed", "expired"]
    """The status of the session. Only a SessionEvent reports a change of it."""

    product_name: str
    price: str
    """The digits that you sent."""

    currency: str
    payment_method: str
    failure_reason: str | None
    metadata: Mapping[str, str]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class SessionEvent(_AboutSession):
    """A session has its final status."""

    event: Literal["session.paid", "session.failed", "session.expired"]


@dataclass(frozen=True, kw_only=True)
class RefundEvent(_AboutSession):
    """A refund has ended."""

    event: Literal["refund.succeeded", "refund.failed"]
    refund_id: str
    refund_amount: str
    refund_status: Literal["succeeded", "failed"]
    refunded_total: str
    refund_failure_reason: str | None


@dataclass(frozen=True, kw_only=True)
class PaymentEvent(_AboutSession):
    """Money arrived that the session does not cover, or it was decided what becomes of it."""

    event: Literal["payment.late", "payment.partial", "payment.over", "payment.resolved"]
    transaction_id: str
    amount: str
    coin: str | None
    coin_amount: str | None
    resolution: Literal["accepted", "refunded"] | None
    """Only in `payment.resolved`."""


@dataclass(frozen=True, kw_only=True)
class DisputeEvent(_AboutSession):
    """A customer's bank demands a payment back, or the dispute has ended."""

    event: Literal["dispute.opened", "dispute.won", "dispute.lost"]
    dispute_id: str
    transaction_id: str
    amount: str
    answer_by: datetime | None
    """Only in `dispute.opened`, if there is a deadline: the last moment for evidence."""


def read_event(data: Mapping[str, Any]) -> Event:
    match data["event"]:
        case "session.paid" | "session.failed" | "session.expired":
            return SessionEvent(**_session(data))
        case "refund.succeeded" | "refund.failed":
            return RefundEvent(
                **_session(data),
                refund_id=data["refundId"],
                refund_amount=data["refundAmount"],
                refund_status=data["refundStatus"],
                refunded_total=data["refundedTotal"],
                refund_failure_reason=data.get("refundFailureReason"),
            )
        case "payment.late" | "payment.partial" | "payment.over" | "payment.resolved":
            return PaymentEvent(
                **_session(data),
                transaction_id=data["transactionId"],
                amount=data["amount"],
                coin=data.get("coin"),
                coin_amount=data.get("coinAmount"),
                resolution=data.get("resolution"),
            )
        case "dispute.opened" | "dispute.won" | "dispute.lost":
            return DisputeEvent(
                **_session(data),
                dispute_id=data["disputeId"],
                transaction_id=data["transactionId"],
                amount=data["amount"],
                answer_by=parse_time(data["answerBy"]) if "answerBy" in data else None,
            )
        case _:
            return Event(**_event(data))


def _event(data: Mapping[str, Any]) -> dict[str, Any]:
    if not (isinstance(data["event"], str) and isinstance(data["eventId"], str)):
        raise TypeError("event and eventId are not strings")
    return {
        "event": data["event"],
        "event_id": data["eventId"],
        "occurred_at": parse_time(data["occurredAt"]),
        "data": data,
    }


def _session(data: Mapping[str, Any]) -> dict[str, Any]:
    return _event(data) | {
        "session_id": data["sessionId"],
        "order_id": data["orderId"],
        "status": data["status"],
        "product_name": data["productName"],
        "price": data["price"],
        "currency": data["currency"],
        "payment_method": data["paymentMethod"],
        "failure_reason": data.get("failureReason"),
        "metadata": data.get("metadata") or {},
        "created_at": parse_time(data["createdAt"]),
        "updated_at": parse_time(data["updatedAt"]),
    }
