"""A client for Till, a hosted payment checkout."""

from till_checkout._operations import Environment
from till_checkout._version import __version__
from till_checkout.async_client import AsyncTill
from till_checkout.callbacks import verify_callback
from till_checkout.client import Till
from till_checkout.errors import CallbackVerificationError, TillApiError, TillConnectionError, TillError
from till_checkout.events import DisputeEvent, Event, PaymentEvent, RefundEvent, SessionEvent
from till_checkout.retries import RetryPolicy
from till_checkout.types import (
    CallbackPage,
    FetchedCallback,
    FieldError,
    Refund,
    RefundList,
    SessionCreated,
    SessionList,
    SessionStatus,
    SignatureDiagnosis,
    SignatureVerdict,
    Transaction,
    TransactionList,
    Wallet,
    WalletBalance,
)

__all__ = [
    "AsyncTill",
    "CallbackPage",
    "CallbackVerificationError",
    "DisputeEvent",
    "Environment",
    "Event",
    "FetchedCallback",
    "FieldError",
    "PaymentEvent",
    "Refund",
    "RefundEvent",
    "RefundList",
    "RetryPolicy",
    "SessionCreated",
    "SessionEvent",
    "SessionList",
    "SessionStatus",
    "SignatureDiagnosis",
    "SignatureVerdict",
    "Till",
    "TillApiError",
    "TillConnectionError",
    "TillError",
    "Transaction",
    "TransactionList",
    "Wallet",
    "WalletBalance",
    "__version__",
    "verify_callback",
]
