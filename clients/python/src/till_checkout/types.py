"""The types of Till's API. Generated from its OpenAPI document by `generate`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, TypedDict

from till_checkout._wire import parse_time


class TokenRequest(TypedDict):
    client_id: str
    """Your client id, `live_…` or `sandbox_…`."""

    client_secret: str
    """Its secret, `sk_live_…` or `sk_sandbox_…`."""


@dataclass(frozen=True, kw_only=True)
class AccessToken:
    """A Bearer token."""

    access_token: str = field(repr=False)
    """Send it as `Authorization: Bearer <access_token>`."""

    token_type: str
    """Always `Bearer`."""

    expires_in: int
    """The token's lifetime in seconds."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AccessToken:
        return cls(
            access_token=data["access_token"],
            token_type=data["token_type"],
            expires_in=data["expires_in"],
        )


class _CreateSessionRequired(TypedDict):
    order_id: str
    """Your own order identifier, returned exactly as sent. Not unique: a new session for the same order
    is a new attempt. No control characters."""


class CreateSession(_CreateSessionRequired, total=False):
    """Describe the item with product_name, price and currency; in live, you can send the product_id of
    a product in your catalog instead. Unknown fields are ignored; null counts as absent."""

    product_name: str | None
    """What the customer pays for. Required unless product_id is given. 1 to 255 characters after
    trimming; no control characters or bidirectional overrides."""

    price: str | int | Decimal | None
    """The amount, greater than 0, as a decimal string or a number. At most 12 digits before the point,
    and no more decimals than the currency has. Responses repeat it digit for digit."""

    currency: str | None
    """An active ISO 4217 code, any case. Required with price."""

    callback_url: str | None
    """The callback URL for this session, instead of the one in your settings."""

    return_url: str | None
    """The return URL for this session, instead of the one in your settings. {SESSION_ID} and {ORDER_ID}
    are filled in."""

    default_payment_method: str | None
    """The method to start with: `card`, `crypto` or `sbp`, one of those offered. In the sandbox, any
    text: it is stored and has no effect."""

    available_payment_methods: Sequence[str] | None
    """The methods to offer, at least one of yours. In the sandbox, any texts: they are stored and have
    no effect."""

    metadata: Mapping[str, str] | None
    """Your own data, up to 20 keys and 8 KiB in all. Returned in the status, the list and the callbacks
    of the session. No control characters except newline and tab."""

    customer_email: str | None
    """The customer's email address. It prefills the field on the live checkout page and gets the
    receipt. It is never in a callback."""

    locale: str | None
    """A BCP 47 language tag. The page opens in the nearest available language, unless the customer
    chose another one."""

    expires_in: int | None
    """How long the session can be paid, in seconds: 60 up to the longest lifetime of a payment method.
    The lifetime of the chosen method still applies if it ends earlier."""

    receipt: Receipt | None
    """A fiscal receipt (54-FZ), if you are a Russian vendor with a till."""

    product_id: str | None
    """A product in your catalog, whose name, price and currency are copied. Cannot be combined with
    product_name, price or currency. Rejected in the sandbox."""

    category_id: str | None
    """A category in your catalog; with product_id, it must be that product's. Rejected in the
    sandbox."""


class _ReceiptRequired(TypedDict):
    items: Sequence[ReceiptItem]
    """The lines. Their totals add up to the price, to the kopeck. At most 100, or the limit in your
    settings."""


class Receipt(_ReceiptRequired, total=False):
    """A fiscal receipt (54-FZ), only in roubles and only if fiscal receipts are on in your settings.
    Unknown fields are rejected, unlike elsewhere: a misspelled one would change what is taxed. null
    counts as absent."""

    customer: Mapping[str, str | None] | None
    """The customer. Without email and phone, customer_email is used."""

    tax_system: Literal["osn", "usn_income", "usn_income_outcome", "esn", "patent"] | None
    """Your tax system; the one in your settings if omitted."""


class _ReceiptItemRequired(TypedDict):
    name: str
    """1 to 128 characters after trimming; no control characters or bidirectional overrides."""

    price: str | int | Decimal
    """The price of one, written like the price of a session."""

    vat: str | int | Decimal
    """The VAT rate; none if you pay no VAT. The forms with a slash are for prepayments and advances. 20
    and 20/120 are for refunds of what was sold before 2026."""


class ReceiptItem(_ReceiptItemRequired, total=False):
    """A line of a fiscal receipt."""

    quantity: str | int | Decimal | None
    """At most 99999.999, with at most 3 decimals; 1 if omitted."""

    amount: str | int | Decimal | None
    """The total of the line, to have it checked: price times quantity, rounded half up to a kopeck."""

    subject: (
        Literal[
            "commodity",
            "excise",
            "job",
            "service",
            "intellectual_activity",
            "payment",
            "agent_commission",
            "another",
            "gambling_bet",
            "gambling_prize",
            "lottery",
            "lottery_prize",
        ]
        | None
    )
    """What is paid for; the default in your settings, or commodity."""

    mode: (
        Literal[
            "full_prepayment",
            "partial_prepayment",
            "advance",
            "full_payment",
            "partial_payment",
            "credit",
            "credit_payment",
        ]
        | None
    )
    """Whether the goods are handed over with the payment (full_payment) or later; the default in your
    settings, or full_payment."""

    measure: (
        Literal[
            "piece",
            "gram",
            "kilogram",
            "ton",
            "centimeter",
            "decimeter",
            "meter",
            "square_centimeter",
            "square_decimeter",
            "square_meter",
            "milliliter",
            "liter",
            "cubic_meter",
            "kilowatt_hour",
            "gigacalorie",
            "day",
            "hour",
            "minute",
            "second",
            "kilobyte",
            "megabyte",
            "gigabyte",
            "terabyte",
            "another",
        ]
        | None
    )
    """The unit of the quantity; piece if omitted."""


@dataclass(frozen=True, kw_only=True)
class SessionCreated:
    """A new session."""

    status: str
    """Always `pending`."""

    order_id: str
    """Your order identifier, exactly as sent."""

    session_id: str
    """The session's id."""

    session_url: str
    """Redirect the customer to this URL."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionCreated:
        return cls(
            status=data["status"],
            order_id=data["order_id"],
            session_id=data["session_id"],
            session_url=data["session_url"],
        )


@dataclass(frozen=True, kw_only=True)
class SessionStatus:
    """A session's status."""

    session_id: str
    """The session's id."""

    status: Literal["pending", "paid", "failed", "expired"]
    """`pending`, or one of the final `paid`, `failed` and `expired`."""

    product_name: str
    """The name of the item."""

    price: str
    """The amount, with the digits you sent."""

    currency: str
    """ISO 4217."""

    created_at: datetime
    """When the session was created, UTC."""

    updated_at: datetime
    """When the status last changed, UTC."""

    order_id: str
    """Your order identifier, exactly as sent."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    """Your own data, if you sent any."""

    receipt_status: Literal["none", "pending", "registered", "failed"] | None = None
    """The registration of the fiscal receipt, if there is one; `none` while no till has it."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionStatus:
        return cls(
            session_id=data["sessionId"],
            status=data["status"],
            product_name=data["productName"],
            price=data["price"],
            currency=data["currency"],
            created_at=parse_time(data["createdAt"]),
            updated_at=parse_time(data["updatedAt"]),
            order_id=data["orderId"],
            metadata=data.get("metadata") or {},
            receipt_status=data.get("receiptStatus"),
        )


class Simulate(TypedDict, total=False):
    """Send the outcome of a pending session, an event about the money of a session that has ended, or
    the registration of the fiscal receipt. Unknown fields are ignored; null counts as absent."""

    outcome: Literal["paid", "failed", "expired", "by_price"] | None
    """The outcome. by_price takes the one that the last two digits of the price stand for, in a
    currency with two decimals: 01 card_declined, 02 insufficient_funds, 03 three_ds_failed, 04
    provider_error, 05 paid after 10 seconds, 06 expired; with others the session stays pending."""

    failure_reason: (
        Literal[
            "card_declined",
            "insufficient_funds",
            "card_expired",
            "three_ds_failed",
            "canceled_by_customer",
            "provider_error",
            "unconfirmed",
        ]
        | None
    )
    """The reason for the failure; card_declined if omitted. Used only when the outcome is failed."""

    after_ms: int | None
    """Milliseconds to wait; 0 if omitted."""

    event: (
        Literal[
            "payment.late",
            "payment.partial",
            "payment.over",
            "payment.resolved",
            "dispute.opened",
            "dispute.won",
            "dispute.lost",
        ]
        | None
    )
    """The event, instead of an outcome. payment.late needs an expired or failed session,
    payment.partial an expired one, payment.over and dispute.opened a paid one; dispute.won and
    dispute.lost end the open dispute, and payment.resolved decides the oldest open payment event."""

    amount: str | int | Decimal | None
    """The amount of the event, written like a price. If omitted: the price for payment.late, half of it
    for payment.partial, a tenth of it (the excess) for payment.over, and everything that is not
    refunded for dispute.opened."""

    resolution: Literal["accepted", "refunded"] | None
    """Required with payment.resolved: what becomes of the money."""

    receipt: Literal["pending", "registered", "failed"] | None
    """What becomes of the fiscal receipt once the session is paid, or now if it is; registered if you
    never say. Alone, or with an outcome."""

    callback: (
        Mapping[
            str,
            Literal[
                "none",
                "drop",
                "delay",
                "duplicate",
                "reorder",
                "bad_signature",
                "wrong_secret",
                "old_timestamp",
                "changed_body",
                "truncated",
                "wrong_environment",
                "slow",
                "unknown_event",
                "unknown_field",
            ]
            | int
            | None,
        ]
        | None
    )
    """How the callback is delivered; the vendor's default if omitted. Whatever the fault, the event
    itself arrives afterward, correctly signed."""


class _CheckSignatureRequired(TypedDict):
    body: str
    """The raw body of the callback, as your server received it."""

    signature: str
    """The signature that your code computed, as it is written there."""


class CheckSignature(_CheckSignatureRequired, total=False):
    body_encoding: Literal["utf8", "base64"] | None
    """How body is written: utf8 if omitted, base64 for bytes that JSON cannot carry, such as a byte
    order mark that your editor hides."""


@dataclass(frozen=True, kw_only=True)
class SignatureVerdict:
    """What the signature doctor found."""

    right: bool
    """True if Till signs this body with this signature now."""

    diagnosis: tuple[SignatureDiagnosis, ...]
    """What is wrong, or that nothing is. Several mistakes that were made together are all listed."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SignatureVerdict:
        return cls(
            right=data["right"],
            diagnosis=tuple(SignatureDiagnosis.from_json(each) for each in data["diagnosis"]),
        )


@dataclass(frozen=True, kw_only=True)
class SignatureDiagnosis:
    """A mistake in a signature."""

    code: str
    """A code that does not change."""

    says: str
    """What is wrong, and what to do."""

    client_id: str | None = None
    """The client id of the pair whose secret was used, if another secret of yours was."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SignatureDiagnosis:
        return cls(
            code=data["code"],
            says=data["says"],
            client_id=data.get("client_id"),
        )


class CheckEndpoint(TypedDict, total=False):
    callback_url: str | None
    """The URL to check; the Callback URL of your settings if omitted."""


@dataclass(frozen=True, kw_only=True)
class CheckStarted:
    """An endpoint check that was started."""

    check_id: str
    """The id of the check. Get the check to see how far it is."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CheckStarted:
        return cls(
            check_id=data["check_id"],
        )


@dataclass(frozen=True, kw_only=True)
class EndpointCheck:
    """A check of your callback endpoint."""

    check_id: str
    """The id of the check."""

    callback_url: str
    """The URL that is checked."""

    started_at: datetime
    """When the check was started."""

    state: Literal["running", "done"]
    """running or done."""

    verdict: Literal["ready", "not_ready"] | None
    """ready if every step passed whose level is must, otherwise not_ready. null while the check is
    running."""

    steps: tuple[EndpointCheckStep, ...]
    """The steps so far, in their order."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EndpointCheck:
        return cls(
            check_id=data["check_id"],
            callback_url=data["callback_url"],
            started_at=parse_time(data["started_at"]),
            state=data["state"],
            verdict=data["verdict"],
            steps=tuple(EndpointCheckStep.from_json(each) for each in data["steps"]),
        )


@dataclass(frozen=True, kw_only=True)
class EndpointCheckStep:
    """A step of an endpoint check."""

    name: str
    """A name that does not change."""

    level: Literal["must", "should"]
    """must or should. A should is good advice, and does not change the verdict."""

    wanted: str
    """The response that a correct endpoint gives."""

    got: str
    """The response that came."""

    passed: bool
    """True if the endpoint did what was wanted."""

    why: str
    """Why it matters."""

    duration_ms: int
    """How long the requests of the step took, in milliseconds."""

    code: str | None = None
    """The line of code to add, if your programming language is known from your User-Agent."""

    repair: str | None = None
    """What to change, if the step did not pass."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EndpointCheckStep:
        return cls(
            name=data["name"],
            level=data["level"],
            wanted=data["wanted"],
            got=data["got"],
            passed=data["passed"],
            why=data["why"],
            duration_ms=data["duration_ms"],
            code=data.get("code"),
            repair=data.get("repair"),
        )


class CreateRefund(TypedDict, total=False):
    """Unknown fields are ignored; null counts as absent."""

    amount: str | int | Decimal | None
    """The amount to refund, in the session's currency, written like a price. The full remaining amount
    if omitted."""

    currency: str | None
    """Optional; must be the session's currency."""

    receipt: Receipt | None
    """The fiscal receipt of what comes back; its items add up to the amount. Required for a partial
    refund of a payment that has a receipt."""

    reason: str | None
    """The reason, for people. 1 to 255 characters after trimming; no control characters or
    bidirectional overrides."""


@dataclass(frozen=True, kw_only=True)
class Refund:
    """A refund."""

    refund_id: str
    """The refund's id."""

    session_id: str
    """The session that was paid."""

    amount: str
    """The amount refunded."""

    currency: str
    """ISO 4217: the currency of the session."""

    status: Literal["pending", "succeeded", "failed"]
    """`pending`, or one of the final `succeeded` and `failed`."""

    created_at: datetime
    """When the refund was requested, UTC."""

    updated_at: datetime
    """When the refund last changed, UTC."""

    failure_reason: str | None = None
    """The reason for the failure, for people; only for `failed`."""

    reason: str | None = None
    """The reason, as you sent it."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Refund:
        return cls(
            refund_id=data["refundId"],
            session_id=data["sessionId"],
            amount=data["amount"],
            currency=data["currency"],
            status=data["status"],
            created_at=parse_time(data["createdAt"]),
            updated_at=parse_time(data["updatedAt"]),
            failure_reason=data.get("failureReason"),
            reason=data.get("reason"),
        )


class _CreateReceiptRequired(TypedDict):
    type: Literal["closing"]
    """Always closing."""


class CreateReceipt(_CreateReceiptRequired, total=False):
    """Unknown fields are rejected; null counts as absent."""

    items: Sequence[ReceiptItem] | None
    """What was handed over. If omitted, all prepaid items that were not refunded, with the mode
    full_payment and the plain VAT rate. Required if a refund was not of whole items. They add up to
    what is left."""


@dataclass(frozen=True, kw_only=True)
class ClosingReceipt:
    """A fiscal receipt of a session besides that of its payment."""

    receipt_id: str
    """The receipt's id."""

    type: Literal["closing"]
    """`closing`."""

    status: Literal["none", "pending", "registered", "failed"]
    """The state of its registration."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ClosingReceipt:
        return cls(
            receipt_id=data["receiptId"],
            type=data["type"],
            status=data["status"],
        )


@dataclass(frozen=True, kw_only=True)
class SessionList:
    """A page of sessions."""

    sessions: tuple[SessionStatus, ...]
    """The sessions, newest first."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page; null on the last one."""

    held: bool = False
    """True while the service is on hold after a restore: sessions past their deadline are left out."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionList:
        return cls(
            sessions=tuple(SessionStatus.from_json(each) for each in data["sessions"]),
            next_cursor=data["next_cursor"],
            held=data.get("held", False),
        )


@dataclass(frozen=True, kw_only=True)
class TransactionList:
    """A page of transactions."""

    transactions: tuple[Transaction, ...]
    """The transactions, newest first."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page; null on the last one."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TransactionList:
        return cls(
            transactions=tuple(Transaction.from_json(each) for each in data["transactions"]),
            next_cursor=data["next_cursor"],
        )


@dataclass(frozen=True, kw_only=True)
class Transaction:
    """A movement of money."""

    transaction_id: str
    """The transaction's id."""

    session_id: str
    """The session that it belongs to."""

    order_id: str
    """Your order identifier, exactly as sent."""

    type: Literal["payment", "refund", "reversal", "dispute"]
    """`payment`, or money that leaves: `refund`, `reversal` or `dispute` (a lost one)."""

    amount: str
    """The amount, always positive."""

    currency: str
    """ISO 4217: the currency of the session."""

    method: Literal["card", "sbp", "crypto"]
    """`card`, `sbp` or `crypto`."""

    created_at: datetime
    """When the money moved, UTC."""

    coin: str | None = None
    """The coin, for crypto."""

    coin_amount: str | None = None
    """The number of coins, for crypto."""

    dispute_id: str | None = None
    """The dispute, for a dispute."""

    late: bool = False
    """Present if true: the money came after the session was final."""

    over: bool = False
    """Present if true: the money was more than the price."""

    partial: bool = False
    """Present if true: the money was less than the price."""

    refund_id: str | None = None
    """The refund, for a refund of the payment. A refund of money that the session does not cover has
    none."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transaction:
        return cls(
            transaction_id=data["transactionId"],
            session_id=data["sessionId"],
            order_id=data["orderId"],
            type=data["type"],
            amount=data["amount"],
            currency=data["currency"],
            method=data["method"],
            created_at=parse_time(data["createdAt"]),
            coin=data.get("coin"),
            coin_amount=data.get("coinAmount"),
            dispute_id=data.get("disputeId"),
            late=data.get("late", False),
            over=data.get("over", False),
            partial=data.get("partial", False),
            refund_id=data.get("refundId"),
        )


@dataclass(frozen=True, kw_only=True)
class RefundList:
    """The refunds of a session."""

    refunds: tuple[Refund, ...]
    """All of them, oldest first."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RefundList:
        return cls(
            refunds=tuple(Refund.from_json(each) for each in data["refunds"]),
        )


@dataclass(frozen=True, kw_only=True)
class CallbackPage:
    """A page of callbacks."""

    callbacks: tuple[FetchedCallback, ...]
    """The callbacks after the cursor, oldest first; empty if there are none yet."""

    next: str
    """The cursor for the next call: send it as `after`. Save it after you have processed the page."""

    has_more: bool
    """Whether more callbacks are available now."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CallbackPage:
        return cls(
            callbacks=tuple(FetchedCallback.from_json(each) for each in data["callbacks"]),
            next=data["next"],
            has_more=data["has_more"],
        )


@dataclass(frozen=True, kw_only=True)
class FetchedCallback:
    """A callback, as Till sends it to a callback URL."""

    event_id: str
    """The event's id, for ignoring duplicates."""

    headers: Mapping[str, str]
    """The headers of the callback, with names in lower case, signed now."""

    body: str
    """The raw body of the callback: verify the signature over exactly these bytes, in UTF-8."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FetchedCallback:
        return cls(
            event_id=data["event_id"],
            headers=data["headers"],
            body=data["body"],
        )


@dataclass(frozen=True, kw_only=True)
class Wallet:
    """A vendor's balances."""

    balances: tuple[WalletBalance, ...]
    """One balance for each currency in which you have received a payment."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Wallet:
        return cls(
            balances=tuple(WalletBalance.from_json(each) for each in data["balances"]),
        )


@dataclass(frozen=True, kw_only=True)
class WalletBalance:
    """A vendor's balance in one currency. Amounts have the currency's number of decimals."""

    currency: str
    """ISO 4217."""

    available: str
    """The amount that can be paid out to you."""

    pending: str
    """The amount that is yours and cannot be paid out yet."""

    refunds: str
    """The amount being refunded to customers."""

    payouts: str
    """The amount being paid out to you."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WalletBalance:
        return cls(
            currency=data["currency"],
            available=data["available"],
            pending=data["pending"],
            refunds=data["refunds"],
            payouts=data["payouts"],
        )


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The body of every error: RFC 9457, `application/problem+json`."""

    type: str
    """A link to the description of this error."""

    title: str
    """The HTTP status in words."""

    status: int
    """The HTTP status."""

    detail: str
    """What is wrong and what to do about it, for people."""

    code: str
    """The stable error code, for programs."""

    errors: tuple[FieldError, ...]
    """Every invalid field; empty if the error is not about a field."""

    request_id: str
    """The request's id; include it when you contact support."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Problem:
        return cls(
            type=data["type"],
            title=data["title"],
            status=data["status"],
            detail=data["detail"],
            code=data["code"],
            errors=tuple(FieldError.from_json(each) for each in data["errors"]),
            request_id=data["request_id"],
        )


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """One invalid field."""

    field: str
    """The field's name in the request."""

    code: str
    """The stable error code of the field, for programs."""

    message: str
    """What is wrong with it, for people."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FieldError:
        return cls(
            field=data["field"],
            code=data["code"],
            message=data["message"],
        )


class ListSessions(TypedDict, total=False):
    """List sessions."""

    order_id: str | None
    """Only sessions of this order."""

    status: Literal["pending", "paid", "failed", "expired"] | None
    """Only sessions with this status."""

    created_from: datetime | date | str | None
    """Only sessions created at this time or later: RFC 3339 with at most milliseconds, or a date, which
    is its midnight in UTC."""

    created_to: datetime | date | str | None
    """Only sessions created before this time, in the same formats."""

    limit: int | None
    """The maximum number of sessions. It may differ between pages."""

    cursor: str | None
    """The next_cursor of the previous page. The filters must be the same; with others, or damaged, it
    is rejected with 422 invalid_cursor."""


class ListTransactions(TypedDict, total=False):
    """List transactions."""

    session_id: str | None
    """Only transactions of this session."""

    order_id: str | None
    """Only transactions of this order."""

    type: Literal["payment", "refund", "reversal", "dispute"] | None
    """Only transactions of this type."""

    created_from: datetime | date | str | None
    """Only transactions created at this time or later: RFC 3339 with at most milliseconds, or a date,
    which is its midnight in UTC."""

    created_to: datetime | date | str | None
    """Only transactions created before this time, in the same formats."""

    limit: int | None
    """The maximum number of transactions. It may differ between pages."""

    cursor: str | None
    """The next_cursor of the previous page. The filters must be the same; with others, or damaged, it
    is rejected with 422 invalid_cursor."""


# Fields that a caller sends, if the API has another name for them.
WIRE_NAMES: Mapping[str, str] = {
    "default_payment_method": "defaultPaymentMethod",
    "available_payment_methods": "availablePaymentMethods",
}
