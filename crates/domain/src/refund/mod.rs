//! Refunds: money that goes back to a customer, from the request to the provider's final result.
//!
//! [`request`] decides whether a payment, or a part of it, can be refunded; [`give_back`] does so for money
//! held in suspense. Either way the money has left its account when the refund is committed, and only then is
//! a provider called, with the refund's own id as idempotency key. [`observe`] decides what the provider's
//! answer means: money that was sent is gone for good, and the money of a failed refund can be used again.
//! Where no provider can send it, the operator does: they name the transaction ([`sent`]), which is checked
//! like a provider's answer, or say that it cannot be sent ([`give_up`]). Where a provider leaves open for long whether it
//! sent one, the operator looks in its account and says so ([`confirm`], [`give_up`]).

mod manual;
mod observe;
mod request;
mod schedule;

pub use manual::{ManualTransfer, confirm, give_up, read_transaction, sent};
pub use observe::{RefundDecision, RefundFacts, SilenceAction, TotalVersion, observe, unanswered};
pub use request::{Payment, RequestFacts, give_back, give_back_unbooked, receipt_of_held, request};
pub use schedule::{RefundStep, claim, hasten, next_step, wait};

use crate::{
    id::{ActionId, RefundId, SessionId, TransactionId, VendorId},
    method::Method,
    money::Money,
    time::Timestamp,
};

/// The part of a session's price that was refunded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RefundedPart {
    #[default]
    Nothing,
    Part,
    Whole,
}

impl RefundedPart {
    /// The part of a price that these refunds of its session returned.
    #[must_use]
    pub fn of(price: Money, refunds: &[Refund]) -> Self {
        match refunded(refunds) {
            ..=0 => Self::Nothing,
            minor if minor < price.minor => Self::Part,
            _ => Self::Whole,
        }
    }
}

/// The sum that these refunds of one session returned of its price, in minor units. A refunded surplus does
/// not count: it was no part of the price.
#[must_use]
pub fn refunded(refunds: &[Refund]) -> i64 {
    let gone = |refund: &&Refund| refund.is_of_payment() && refund.state == RefundState::Succeeded;
    refunds.iter().filter(gone).map(|refund| refund.amount.minor).sum()
}

/// Maximum refunds of one session.
pub const MAX_REFUNDS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// Its id; also the idempotency key at the provider.
    pub id: RefundId,
    /// The session that was paid.
    pub session: SessionId,
    /// The vendor whose customer gets the money back.
    pub vendor: VendorId,
    pub transaction: TransactionId,
    /// Its number among the refunds of the payment, from 1 on. Unique, so that of two concurrent requests
    /// that computed the same remainder, one is lost and computes it again.
    pub number: i64,
    /// The method of the payment.
    pub method: Method,
    pub provider: String,
    /// The provider's reference of the payment.
    pub payment: String,
    pub amount: Money,
    /// The source of the money.
    pub origin: Origin,
    /// The part that was taken from pending money, if any.
    pub pending: Option<UnsettledMoney>,
    pub reason: Option<String>,
    /// The requester, as text that stays with the refund.
    pub requested_by: String,
    pub state: RefundState,
    /// The provider's reference of the refund.
    pub reference: Option<String>,
    /// The transaction by which its money left, once it has succeeded.
    pub moved: Option<TransactionId>,
    /// The details, if the operator has to send it by hand.
    pub manual: Option<ManualTransfer>,
    /// How often the provider was called about it.
    pub attempts: u32,
    /// When the provider is called next.
    pub check_at: Option<Timestamp>,
    /// Since when the provider has not answered about it, if it does not.
    pub silent_since: Option<Timestamp>,
    /// Increases with every change, for optimistic concurrency: of two concurrent changes one is committed.
    pub version: i64,
    /// When it was requested.
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The source of a refund's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The payment: the money of the vendor that was paid.
    Payment {
        /// The part that the operator gives: the fee's share, in minor units.
        fee: i64,
    },
    /// Held money in suspense, of which the operator decided that it goes back.
    Suspense { action: ActionId },
}

/// Pending money that a refund took before it was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsettledMoney {
    /// How much, in minor units.
    pub minor: i64,
    /// When it would have become available.
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundState {
    /// The provider was not called yet.
    Requested,
    /// The provider was called, or is being called; or the operator named a transaction, which is being
    /// checked.
    Sent,
    /// The operator has to send it by hand; no provider is called until that is reported.
    Manual,
    /// The money has gone back.
    Succeeded,
    /// The money could not go back, for this reason.
    Failed(String),
}

impl RefundState {
    /// The text form in the database.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Sent => "sent",
            Self::Manual => "by_hand",
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
        }
    }

    /// The state that these two columns of a row hold.
    #[must_use]
    pub fn from_words(state: &str, failure: Option<String>) -> Option<Self> {
        match (state, failure) {
            ("requested", None) => Some(Self::Requested),
            ("sent", None) => Some(Self::Sent),
            ("by_hand", None) => Some(Self::Manual),
            ("succeeded", None) => Some(Self::Succeeded),
            ("failed", Some(reason)) => Some(Self::Failed(reason)),
            _ => None,
        }
    }

    /// The status on the wire: the vendor sees every state before the final one as `pending`.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self {
            Self::Requested | Self::Sent | Self::Manual => "pending",
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
        }
    }

    /// The reason of the failure, if it failed.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed(_))
    }
}

impl Refund {
    /// The fee's share of it, in minor units.
    #[must_use]
    pub fn fee(&self) -> i64 {
        match self.origin {
            Origin::Payment { fee } => fee,
            Origin::Suspense { .. } => 0,
        }
    }

    /// The part that it takes from the vendor's money, or from suspense, in minor units.
    #[must_use]
    pub fn of_vendor(&self) -> i64 {
        self.amount.minor - self.fee()
    }

    /// The part that would return as pending money if the refund failed now.
    #[must_use]
    pub fn unsettled(&self, now: Timestamp) -> Option<UnsettledMoney> {
        self.pending.filter(|pending| pending.until > now)
    }

    /// Returns true if it refunds the payment of a session, and not held money that was never the vendor's.
    #[must_use]
    pub fn is_of_payment(&self) -> bool {
        matches!(self.origin, Origin::Payment { .. })
    }

    /// Returns true if it was requested after this one, of the same payment, and that one has not ended.
    #[must_use]
    pub fn follows(&self, earlier: &Refund) -> bool {
        let of_same = earlier.transaction == self.transaction && earlier.number < self.number;
        of_same && !earlier.state.is_final()
    }

    /// The subject of the finding that the provider does not answer about it.
    #[must_use]
    pub fn silence_subject(&self) -> String {
        format!("{}:{}:silent", self.provider, self.id)
    }

    /// The refund that an action with this subject is about, if its subject is [`Self::silence_subject`] of one.
    #[must_use]
    pub fn silent_about(subject: &str) -> Option<RefundId> {
        let (_, id) = subject.strip_suffix(":silent")?.rsplit_once(':')?;
        RefundId::parse(id)
    }

    /// Returns true if it reduces what can still be refunded of the payment: all do that did not fail.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.is_of_payment() && !matches!(self.state, RefundState::Failed(_))
    }
}

/// A provider's answer about a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundSeen {
    /// It is in progress.
    Pending,
    /// It is in progress, and the provider has confirmed that it was asked for it.
    Accepted {
        /// The provider's reference of the refund.
        reference: String,
    },
    /// The money has gone back; final.
    Succeeded {
        /// The provider's reference of the refund.
        reference: String,
    },
    /// The money does not go back; final.
    Failed { reason: String },
    /// The provider does not know the refund.
    Unheard,
    /// The operator has to send it by hand.
    Manual {
        /// What to send, for people: `12.50 USDC (Ethereum)`.
        what: String,
    },
    /// The transaction that the operator named did not send this refund.
    NotThis { reason: String },
}
