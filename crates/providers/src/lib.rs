//! The acquirers behind Till, each behind one trait.
//!
//! A provider starts a payment, reports its state, and closes it. Nothing here decides what an answer means
//! for a session: `till-domain` does.

mod acquirer_document;
mod books;
mod check;
mod disputes;
mod document;
pub mod evm;
pub mod form;
mod link;
mod receipts;
mod simulator;
pub mod stripe;
pub mod tbank;
pub mod tester;
pub mod web;
pub mod yookassa;

pub use books::{Books, Record};
pub use check::{Check, CheckVerdict};
pub use disputes::Disputes;
pub use receipts::Receipts;
pub use simulator::{
    Bank, BankDecision, BankError, BankPayment, Behaviour, Book, RefundEntry, SignedNotice, Simulator,
};

use futures_util::future::BoxFuture;
use std::{fmt::Debug, net::IpAddr, time::Duration};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    id::{AttemptId, RefundId},
    method::Method,
    money::{Currency, Money},
    refund::{Refund, RefundSeen},
    rules::Offering,
    session::Status,
    time::Timestamp,
};

/// A provider that can take a payment. The attempt's id is the idempotency key: repeating a request gives the
/// same answer.
pub trait Provider: Debug + Send + Sync {
    /// Its name in settings, logs and addresses.
    fn name(&self) -> &'static str;

    /// The methods it serves, with the currencies of each.
    fn methods(&self) -> Vec<Offering>;

    /// The options from which the customer chooses on our page before a payment in this currency starts;
    /// empty for most. Only options that are available right now.
    fn choices(&self, _method: Method, _currency: Currency) -> Vec<CustomerChoice> {
        Vec::new()
    }

    /// Returns true if it could take this right now, as far as it knows without a call: one that has no price
    /// for a coin cannot.
    fn takes(&self, _method: Method, _money: Money) -> bool {
        true
    }

    /// The least time before the session's deadline in which a payment can still be started.
    fn least_time(&self) -> Duration {
        Duration::ZERO
    }

    /// The script that puts its form into our page, if it ever answers [`Shown::Embedded`]. It finds its
    /// place by `[data-element]`, and there the payment's values as JSON in `data-values` and the words of
    /// its button in `data-pay`. While it has `data-busy` there, the page is not replaced.
    ///
    /// [`Shown::Embedded`]: till_domain::attempt::Shown::Embedded
    fn element(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if unanswered checks of earlier payments mean that no other can begin, so that they count
    /// for the circuit breaker. False if it starts payments without a call, and one of many chains is silent.
    fn is_judged_by_checks(&self) -> bool {
        true
    }

    /// Returns true if it sends a notice (webhook) of every change of a payment, so that polling only covers
    /// for a lost one.
    fn notifies_of_every_change(&self) -> bool {
        false
    }

    /// Rate limit in HTTP requests a second; `None` if there is no limit.
    fn requests_per_second(&self) -> Option<u32> {
        None
    }

    /// Returns true if no real money moves.
    fn is_simulated(&self) -> bool {
        false
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>>;

    /// Checks the state of a payment, and captures what is held for it.
    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>>;

    /// Closes a payment, so that no more money can be taken: [`Observation::Closed`], or the result that it
    /// had already, or [`Observation::CannotBeClosed`].
    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>>;

    /// Closes a payment of a session that has ended: what is held for it is released, never captured. The same as
    /// [`close`](Self::close), unless that captures.
    fn release<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        self.close(attempt)
    }

    /// Its refunds, if it can send money back.
    fn refunds(&self) -> Option<&dyn Refunds> {
        None
    }

    /// The fiscal receipts that it passes on to a till, if it does.
    fn receipts(&self) -> Option<&dyn Receipts> {
        None
    }

    /// Its books, if they can be read.
    fn books(&self) -> Option<&dyn Books> {
        None
    }

    /// Its disputes, if it can be asked about them.
    fn disputes(&self) -> Option<&dyn Disputes> {
        None
    }

    /// The proof that a notice (webhook) is its own.
    fn proof(&self) -> Proof {
        Proof::Header("x-signature")
    }

    /// The body of the answer to a notice that was accepted, if it has to be a certain text.
    fn acknowledgement(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if its notices may come from this address, which is known to be the true one.
    fn sends_from(&self, _address: IpAddr) -> bool {
        true
    }

    /// Authenticates a notice (webhook) and reads its subject; none if the provider did not send it. Nothing
    /// else in it is trusted: the provider is asked about the subject.
    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject>;
}

/// A provider that can send money back. The refund's id is the idempotency key: repeating a request gives the
/// same answer. After an error the outcome is unknown, unless the error is definite.
pub trait Refunds: Debug + Send + Sync {
    /// Sends money back, unless that was done under this id before.
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>>;

    /// Returns true if a refund of a payment must wait until the one before it has ended, because the provider
    /// could not tell them apart.
    fn one_at_a_time(&self) -> bool {
        false
    }

    /// Returns true if the operator has to send refunds by hand, so that an operator should have decided on
    /// each.
    fn needs_a_person(&self) -> bool {
        false
    }

    /// Checks the state of a refund; [`RefundSeen::Unheard`] if it was never requested.
    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>>;

    /// Returns true if the transaction that the operator named may still arrive, so that the refund must not
    /// be given up.
    fn may_arrive<'a>(&'a self, _refund: &'a Refund) -> BoxFuture<'a, Result<bool, ProviderError>> {
        Box::pin(std::future::ready(Ok(false)))
    }
}

/// The data that a provider needs to start a payment.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    pub attempt: &'a Attempt,
    pub amount: Money,
    /// The name of the item that is paid for.
    pub item: &'a str,
    /// The URL that the customer returns to.
    pub back: &'a str,
    /// When the session's time is up.
    pub deadline: Timestamp,
}

/// An option that the customer can choose on our page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerChoice {
    /// Its value in the form, and in the attempt that is made with it.
    pub value: String,
    pub label: Label,
}

/// The meaning of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// A way in which a test payment ends.
    Outcome {
        /// The status that it leads to.
        ends: Status,
    },
    /// A coin to pay with.
    Coin {
        /// Its symbol: `USDC`.
        symbol: String,
        /// The name of its network, for people: `Ethereum`.
        network: String,
    },
}

/// The proof that a notice (webhook) is a provider's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// A signature in the header with this name.
    Header(&'static str),
    /// A secret at the end of the URL, which only the provider was given.
    Address,
    /// A signature that is a part of the body.
    Body,
}

/// A request to the endpoint for notices (webhooks).
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// The signature or the secret that came with it; see [`Provider::proof`].
    pub signature: Option<&'a str>,
    pub body: &'a [u8],
}

/// The subject of a notice that a provider sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NoticeSubject {
    /// A payment, by the provider's reference; and the attempt of ours that the notice names, which has no reference here if
    /// its start was never answered.
    Payment { reference: String, attempt: Option<AttemptId> },
    /// A refund of ours. `failed` if the notice says that it failed, perhaps after it had succeeded.
    Refund { refund: RefundId, failed: bool },
    /// A dispute by the provider's id, with the reference of its payment.
    Dispute { dispute: String, payment: Option<String> },
    /// What became of a fiscal receipt. The provider cannot be asked about it, so this notice counts.
    Receipt(ReceiptNews),
    /// Something else. The notice is accepted, or the provider would send it again for days.
    Other,
}

impl NoticeSubject {
    /// A payment, and the attempt that the notice names in this field of ours.
    pub(crate) fn payment(reference: String, attempt: Option<&str>) -> Self {
        Self::Payment { reference, attempt: attempt.and_then(AttemptId::parse) }
    }
}

/// What a notice says of a fiscal receipt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReceiptNews {
    /// The provider's reference of the payment.
    pub payment: String,
    /// True for the receipt of a refund.
    pub of_refund: bool,
    /// The sum of the receipt, in minor units.
    pub total: Option<i64>,
    /// The fiscal document that the till made of it.
    pub document: Option<String>,
    /// Why it is not registered; `None` if it is.
    pub failure: Option<String>,
}

/// The error of a call to a provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Nothing was charged, and nothing will be.
    #[error("{0}")]
    Definite(String),
    /// Nothing was started because of our credentials: the key is wrong, or lacks a permission. No other
    /// payment would be started either.
    #[error("{0}")]
    Denied(String),
    /// The outcome is unknown, because there was no answer: check before anything else.
    #[error("{0}")]
    Unknown(String),
    /// The outcome is unknown, because the answer does not tell: check before anything else. It concerns this
    /// payment alone.
    #[error("{0}")]
    Unclear(String),
    /// A rate limit was hit: the outcome is unknown, and the provider is to be asked later. It works, and
    /// wants fewer requests.
    #[error("{message}")]
    RateLimited {
        /// How long it asks to wait, if it says so.
        retry_after: Option<Duration>,
        message: String,
    },
}

impl ProviderError {
    /// The kind of error, in a word, without the provider's own text.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Definite(_) => "definite",
            Self::Denied(_) => "denied",
            Self::Unknown(_) => "unknown",
            Self::Unclear(_) => "unclear",
            Self::RateLimited { .. } => "rate_limited",
        }
    }
}
