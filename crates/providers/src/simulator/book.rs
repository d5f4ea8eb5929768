//! What the simulated bank writes down, and what can be decided about a payment.

use crate::ProviderError;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{
    id::{AttemptId, RefundId, SessionId},
    method::Method,
    money::Money,
    time::Timestamp,
};

/// Where the bank writes down its payments.
pub trait Book: Debug + Send + Sync {
    /// The time at the bank.
    fn now(&self) -> Timestamp;

    /// Opens a payment unless it is open, and gives it as it is.
    fn open(&self, entry: Entry) -> BoxFuture<'_, Result<Entry, BankError>>;

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<Entry>, BankError>>;

    /// Changes a payment, unless somebody else did since it was read.
    fn change<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BankError>>;

    /// What is to be sent back of a payment.
    fn refunds(&self, payment: AttemptId) -> BoxFuture<'_, Result<Vec<RefundEntry>, BankError>>;

    /// Writes down what is to be sent back, unless somebody else changed its payment since that was read.
    fn write_refund<'a>(
        &'a self,
        payment: &'a Entry,
        refund: &'a RefundEntry,
    ) -> BoxFuture<'a, Result<bool, BankError>>;
}

/// The books could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the simulated bank does not answer: {0}")]
pub struct BankError(pub String);

impl From<BankError> for ProviderError {
    fn from(error: BankError) -> Self {
        Self::Unknown(error.to_string())
    }
}

/// A payment at the simulated bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The attempt that it is for.
    pub id: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    /// How it is paid.
    pub method: Method,
    pub amount: Money,
    /// When the bank first heard of it.
    pub opened_at: Timestamp,
    /// What was decided about it, and when.
    pub decision: Option<(Decision, Timestamp)>,
    /// When the shop closed it.
    pub closed_at: Option<Timestamp>,
    /// Rises with every change.
    pub revision: i64,
}

/// What the simulated bank is to send back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundEntry {
    /// The shop's id of it.
    pub id: RefundId,
    pub payment: AttemptId,
    /// How much of it, in minor units.
    pub minor: i64,
    /// How the bank plays it.
    pub behaviour: Behaviour,
    /// When the bank acted on it, if it did.
    pub acted_at: Option<Timestamp>,
    /// When it first heard of it.
    pub opened_at: Timestamp,
}

/// How the bank plays a refund. The shop's reason says so, where it is one of these words after `simulate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// The money goes back at once.
    Plain,
    /// The money goes back after a while.
    Slow,
    /// The money does not go back.
    Fail,
    /// The bank does not answer the first time, and has done nothing.
    TimeoutBefore,
    /// The bank does not answer the first time, and has sent the money back.
    TimeoutAfter,
    /// It is more than was taken.
    TooMuch,
}

impl Behaviour {
    pub const ALL: [Self; 6] =
        [Self::Plain, Self::Slow, Self::Fail, Self::TimeoutBefore, Self::TimeoutAfter, Self::TooMuch];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Slow => "slow",
            Self::Fail => "fail",
            Self::TimeoutBefore => "timeout_before",
            Self::TimeoutAfter => "timeout_after",
            Self::TooMuch => "too_much",
        }
    }

    /// The behaviour with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|behaviour| behaviour.as_str() == word)
    }

    /// What the shop's reason asks for.
    pub(super) fn asked(reason: Option<&str>) -> Self {
        let word = reason.and_then(|reason| reason.strip_prefix("simulate "));
        word.and_then(|word| Self::parse(word.trim())).unwrap_or(Self::Plain)
    }
}

/// What somebody decided about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The bank takes the money.
    Approve,
    /// The bank takes the money after a while.
    ApproveSlowly,
    /// The bank says no.
    Decline,
    InsufficientFunds,
    /// The card is past its date.
    CardExpired,
    /// The bank asks who it is.
    ThreeDs,
    /// It is who it should be.
    Confirm,
    /// It is not.
    Refuse,
    /// The customer does not want to pay.
    Cancel,
    /// The customer's time is up.
    Expire,
    /// A transfer of what was asked for.
    PayExact,
    /// A transfer of less.
    PayShort,
    /// A transfer of more.
    PayOver,
}

impl Decision {
    pub const ALL: [Self; 13] = [
        Self::Approve,
        Self::ApproveSlowly,
        Self::Decline,
        Self::InsufficientFunds,
        Self::CardExpired,
        Self::ThreeDs,
        Self::Confirm,
        Self::Refuse,
        Self::Cancel,
        Self::Expire,
        Self::PayExact,
        Self::PayShort,
        Self::PayOver,
    ];

    /// Its word, in forms and books.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::ApproveSlowly => "approve_slowly",
            Self::Decline => "decline",
            Self::InsufficientFunds => "insufficient_funds",
            Self::CardExpired => "card_expired",
            Self::ThreeDs => "three_ds",
            Self::Confirm => "confirm",
            Self::Refuse => "refuse",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::PayExact => "pay_exact",
            Self::PayShort => "pay_short",
            Self::PayOver => "pay_over",
        }
    }

    /// The decision with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == word)
    }

    /// The decision that a tester's choice on our page stands for.
    pub(super) fn chosen(word: &str) -> Option<Self> {
        match word {
            "paid" => Some(Self::Approve),
            "declined" => Some(Self::Decline),
            "insufficient_funds" => Some(Self::InsufficientFunds),
            "three_ds" => Some(Self::ThreeDs),
            "expire" => Some(Self::Expire),
            _ => None,
        }
    }
}
