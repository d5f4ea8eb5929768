//! The simulated bank's records, and the decisions that can be made about a payment.

use crate::ProviderError;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{
    id::{AttemptId, RefundId, SessionId},
    method::Method,
    money::Money,
    time::Timestamp,
};

/// Storage of the bank's records.
pub trait Book: Debug + Send + Sync {
    /// The bank's clock.
    fn now(&self) -> Timestamp;

    /// Opens a payment unless it is open, and returns it as it is.
    fn open(&self, entry: BankPayment) -> BoxFuture<'_, Result<BankPayment, BankError>>;

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<BankPayment>, BankError>>;

    /// Changes a payment by compare-and-set on its revision: `false` if it was changed since it was read.
    fn change<'a>(&'a self, entry: &'a BankPayment) -> BoxFuture<'a, Result<bool, BankError>>;

    /// The refunds of a payment.
    fn refunds(&self, payment: AttemptId) -> BoxFuture<'_, Result<Vec<RefundEntry>, BankError>>;

    /// Writes a refund, by compare-and-set on the revision of its payment: `false` if the payment was changed
    /// since it was read.
    fn write_refund<'a>(
        &'a self,
        payment: &'a BankPayment,
        refund: &'a RefundEntry,
    ) -> BoxFuture<'a, Result<bool, BankError>>;
}

/// The records could not be read or written.
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
pub struct BankPayment {
    /// The attempt that it is for.
    pub id: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    pub method: Method,
    pub amount: Money,
    /// When the bank first heard of it.
    pub opened_at: Timestamp,
    /// The decision about it, and when it was made.
    pub decision: Option<(BankDecision, Timestamp)>,
    /// When the shop closed it.
    pub closed_at: Option<Timestamp>,
    /// Rises with every change, for compare-and-set.
    pub revision: i64,
}

/// A refund at the simulated bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundEntry {
    /// Till's id of the refund.
    pub id: RefundId,
    pub payment: AttemptId,
    /// The amount in minor units.
    pub minor: i64,
    /// How the bank simulates it.
    pub behaviour: Behaviour,
    /// When the bank acted on it, if it did.
    pub acted_at: Option<Timestamp>,
    /// When the bank first heard of it.
    pub opened_at: Timestamp,
}

/// How the bank simulates a refund. The refund's reason selects it, with one of these words after `simulate`.
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
    /// It fails, because it is more than was taken.
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

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|behaviour| behaviour.as_str() == word)
    }

    /// The behaviour that a refund's reason asks for.
    pub(crate) fn from_reason(reason: Option<&str>) -> Self {
        let word = reason.and_then(|reason| reason.strip_prefix("simulate "));
        word.and_then(|word| Self::parse(word.trim())).unwrap_or(Self::Plain)
    }
}

/// A decision about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankDecision {
    /// The bank takes the money.
    Approve,
    /// The bank takes the money after a while.
    ApproveSlowly,
    /// The bank declines.
    Decline,
    InsufficientFunds,
    /// The card is past its date.
    CardExpired,
    /// The bank starts a 3-D Secure challenge.
    ThreeDs,
    /// The challenge is passed.
    Confirm,
    /// The challenge is failed.
    Refuse,
    /// The customer cancels.
    Cancel,
    /// The customer's time is up.
    Expire,
    /// A transfer of the exact charge.
    PayExact,
    /// A transfer of less than the charge.
    PayShort,
    /// A transfer of more than the charge.
    PayOver,
    /// The bank takes the money although the customer's time was up.
    ApproveLate,
    /// The bank has taken the money, and the customer disputes the payment (chargeback).
    Dispute,
    /// The bank has taken the money, and refuses refunds of it from now on.
    RefuseRefunds,
}

impl BankDecision {
    pub const ALL: [Self; 16] = [
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
        Self::ApproveLate,
        Self::Dispute,
        Self::RefuseRefunds,
    ];

    /// Its name in forms and records.
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
            Self::ApproveLate => "approve_late",
            Self::Dispute => "dispute",
            Self::RefuseRefunds => "refuse_refunds",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == word)
    }

    /// Whether it is about what happens after the payment was decided.
    pub(super) fn is_after_payment(self) -> bool {
        matches!(self, Self::ApproveLate | Self::Dispute | Self::RefuseRefunds)
    }

    /// The decision for an outcome that a tester chose on the checkout page.
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
