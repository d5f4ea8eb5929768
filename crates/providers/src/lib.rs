//! The acquirers behind Till, each behind one trait.
//!
//! A provider starts a payment, says how it stands, and closes it. Nothing here decides what an answer means
//! for a session: that is `till-domain`'s business.

mod books;
mod check;
mod disputes;
mod document;
pub mod evm;
#[cfg(any(test, feature = "test-support"))]
mod lost;
mod simulator;
pub mod stripe;
pub mod web;
pub mod yookassa;

pub use books::{Books, Record};
pub use check::{Check, Outcome};
pub use disputes::Disputes;
#[cfg(any(test, feature = "test-support"))]
pub use lost::When;
#[cfg(any(test, feature = "test-support"))]
pub use simulator::MemoryBank;
pub use simulator::{
    Bank, BankError, Behaviour, Book, Decision, Entry, RefundEntry, SignedNotice, Simulator,
};

use futures_util::future::BoxFuture;
use std::{fmt::Debug, net::IpAddr, time::Duration};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    id::RefundId,
    method::Method,
    money::{Currency, Money},
    refund::{Refund, RefundSeen},
    rules::Offering,
    session::Status,
};

/// Somebody who can take a payment. An attempt's id is the key under which it happens once: asking for the
/// same thing again gives the same answer.
pub trait Provider: Debug + Send + Sync {
    /// Its name in settings, logs and addresses.
    fn name(&self) -> &'static str;

    /// The methods it serves, with the currencies of each.
    fn methods(&self) -> Vec<Offering>;

    /// What the customer chooses from on our page before a payment in this currency starts; nothing for most. Only
    /// what could be chosen right now.
    fn choices(&self, _method: Method, _currency: Currency) -> Vec<Choice> {
        Vec::new()
    }

    /// Whether it could take this right now, as far as it knows without asking anybody: one that has no price for a
    /// coin cannot.
    fn takes(&self, _method: Method, _money: Money) -> bool {
        true
    }

    /// The script that puts its form into our page, if it ever answers [`Shown::Embedded`]. It finds its place
    /// by `[data-element]`, and there the payment's values as JSON in `data-values` and the words of its button in
    /// `data-pay`. While it has `data-busy` there, the page is not replaced.
    ///
    /// [`Shown::Embedded`]: till_domain::attempt::Shown::Embedded
    fn element(&self) -> Option<&'static str> {
        None
    }

    /// Whether its silence about payments that were begun says that no other can begin. Not if it starts them by itself
    /// and one of many chains is silent.
    fn is_judged_by_checks(&self) -> bool {
        true
    }

    /// Whether its notices tell of every change of a payment, so that asking only covers for one that was lost.
    fn notifies_of_every_change(&self) -> bool {
        false
    }

    /// The most HTTP requests a second that it may be sent; no limit if there is none.
    fn requests_per_second(&self) -> Option<u32> {
        None
    }

    /// Whether money is only played.
    fn is_simulated(&self) -> bool {
        false
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>>;

    /// Asks how a payment stands, and takes what is held for it.
    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>>;

    /// Sees to it that no more money can be taken: [`Observation::Closed`], or what was there already, or
    /// [`Observation::CannotBeClosed`].
    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>>;

    /// How it sends money back, if it can.
    fn refunds(&self) -> Option<&dyn Refunds> {
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

    /// What proves that a notice is its own.
    fn proof(&self) -> Proof {
        Proof::Header("x-signature")
    }

    /// Whether its notices may come from this address, which is known to be the true one.
    fn sends_from(&self, _address: IpAddr) -> bool {
        true
    }

    /// Authenticates a notice (webhook) and reads its subject; none if the provider did not send it. Nothing else in it is
    /// trusted: the provider is asked about the subject.
    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject>;
}

/// Somebody who can send money back. A refund's id is the key under which it happens once: asking for the same thing
/// again gives the same answer. An error says that nobody knows, unless it is definite.
pub trait Refunds: Debug + Send + Sync {
    /// Sends money back, unless that was done under this id before.
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>>;

    /// Whether a person has to send it, so that somebody should have decided that it goes back.
    fn needs_a_person(&self) -> bool {
        false
    }

    /// Asks how a refund stands; [`RefundSeen::Unheard`] if it was never asked for.
    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>>;

    /// Whether what a person named as their transaction may still arrive, so that the refund must not be given up.
    fn may_arrive<'a>(&'a self, _refund: &'a Refund) -> BoxFuture<'a, Result<bool, ProviderError>> {
        Box::pin(std::future::ready(Ok(false)))
    }
}

/// What a provider needs to know to start a payment.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    pub attempt: &'a Attempt,
    pub amount: Money,
    /// What is paid for.
    pub item: &'a str,
    /// Where the customer comes back to.
    pub back: &'a str,
}

/// Something that the customer can choose on our page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its word in the form, and in the attempt that is made of it.
    pub value: String,
    pub label: Label,
}

/// What a choice is.
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

/// What proves that a notice is a provider's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// A signature in the header with this name.
    Header(&'static str),
    /// A secret at the end of the address that only the provider was told.
    Address,
}

/// What came to an address for notices.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// The signature or the secret that came with it; see [`Provider::proof`].
    pub signature: Option<&'a str>,
    pub body: &'a [u8],
}

/// The subject of a notice that a provider sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NoticeSubject {
    /// A payment, by the provider's reference.
    Payment(String),
    /// A refund of ours. `failed` if the notice says that it failed, perhaps after it had succeeded.
    Refund { refund: RefundId, failed: bool },
    /// A dispute by the provider's id, with the reference of its payment.
    Dispute { dispute: String, payment: Option<String> },
    /// Something else. The notice is accepted, or the provider would send it again for days.
    Other,
}

/// Why a provider gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Nothing was charged, and nothing will be.
    #[error("{0}")]
    Definite(String),
    /// Nothing was started because of who asks: the key is wrong, or not good for that. Nobody's payment would be.
    #[error("{0}")]
    Denied(String),
    /// Nobody knows, for there was no answer: ask before anything else.
    #[error("{0}")]
    Unknown(String),
    /// Nobody knows, for the answer does not tell: ask before anything else. It is this payment's trouble alone.
    #[error("{0}")]
    Unclear(String),
    /// Too many requests were sent: nobody knows, and the provider is to be asked later. It is well, and wants fewer.
    #[error("{message}")]
    RateLimited {
        /// How long it wants to be left alone, if it says so.
        retry_after: Option<Duration>,
        message: String,
    },
}
