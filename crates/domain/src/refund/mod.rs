//! Money that goes back to a customer, from the wish to the provider's final word.
//!
//! [`request`] decides whether a payment, or a part of it, can be refunded; [`give_back`] does so for money that waited
//! in suspense. Either way the money has left its account when the refund is committed, and only then does a provider
//! hear of it, under the refund's own id. [`observe`] says what the provider's word means: what was sent is gone for
//! good, and what failed is where it can be used again. Where no provider can send it, a person does: they say what they
//! sent ([`sent`]), and it is checked like everybody's word, or that it cannot be ([`give_up`]).

mod hand;
mod observe;
mod request;
mod schedule;

pub use hand::{Hand, give_up, read_transaction, sent};
pub use observe::{Observed, Scene, Told, observe, unanswered};
pub use request::{Payment, Situation, give_back, request};
pub use schedule::{Step, claim, hasten, next_step};

use crate::{
    id::{ActionId, RefundId, SessionId, TransactionId, VendorId},
    method::Method,
    money::Money,
    time::Timestamp,
};

/// The most refunds of one session.
pub const MAX_REFUNDS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// Its id; the key under which the provider does it once.
    pub id: RefundId,
    /// The session that was paid.
    pub session: SessionId,
    /// Whose customer gets the money back.
    pub vendor: VendorId,
    pub transaction: TransactionId,
    /// Its place among the refunds of the payment, from 1 on. No two have the same, so of two who count what is left
    /// at once, one counts again.
    pub number: i64,
    /// How it was paid.
    pub method: Method,
    pub provider: String,
    /// What the provider calls the payment.
    pub payment: String,
    /// How much goes back.
    pub amount: Money,
    /// Whose money it is.
    pub origin: Origin,
    /// What of it was taken before it could be used, if any was.
    pub pending: Option<Unsettled>,
    pub reason: Option<String>,
    /// Who asked for it, in the words that stay with it.
    pub requested_by: String,
    pub state: RefundState,
    /// What the provider calls it.
    pub reference: Option<String>,
    /// What is known of it if a person has to send it.
    pub hand: Option<Hand>,
    /// How often the provider was asked.
    pub attempts: u32,
    /// When it is asked next.
    pub check_at: Option<Timestamp>,
    /// Since when the provider has not answered about it, if it does not.
    pub silent_since: Option<Timestamp>,
    /// Rises with every change, so that of two who change it one does.
    pub version: i64,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Whose money goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The vendor's, who was paid.
    Payment {
        /// How much of it the operator gives: the fee's share, in minor units.
        fee: i64,
    },
    /// Nobody's: a person decided that it goes back.
    Suspense { action: ActionId },
}

/// Money that a refund took before it could be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsettled {
    /// How much, in minor units.
    pub minor: i64,
    /// When it would have become available.
    pub until: Timestamp,
}

/// Where a refund stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundState {
    /// No provider has heard of it.
    Requested,
    /// The provider was asked, or is being asked; or a person has said what they sent, and that is being checked.
    Sent,
    /// A person has to send it, and nobody is asked until they have.
    ByHand,
    /// The money has gone back.
    Succeeded,
    /// It could not go back, and why.
    Failed(String),
}

impl RefundState {
    /// The word that a store keeps.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Sent => "sent",
            Self::ByHand => "by_hand",
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
        }
    }

    /// The state that these two words of a row name.
    #[must_use]
    pub fn from_words(state: &str, failure: Option<String>) -> Option<Self> {
        match (state, failure) {
            ("requested", None) => Some(Self::Requested),
            ("sent", None) => Some(Self::Sent),
            ("by_hand", None) => Some(Self::ByHand),
            ("succeeded", None) => Some(Self::Succeeded),
            ("failed", Some(reason)) => Some(Self::Failed(reason)),
            _ => None,
        }
    }

    /// The word on the wire: who asked needs not know how far it has come until it is there.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self {
            Self::Requested | Self::Sent | Self::ByHand => "pending",
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
        }
    }

    /// Why it failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether nothing more happens to it.
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

    /// What it takes of the vendor's money, or of what was in suspense, in minor units.
    #[must_use]
    pub fn of_vendor(&self) -> i64 {
        self.amount.minor - self.fee()
    }

    /// What comes back to where it is not to be used yet if it fails now.
    #[must_use]
    pub fn unsettled(&self, now: Timestamp) -> Option<Unsettled> {
        self.pending.filter(|pending| pending.until > now)
    }

    /// Whether it is of what a session was paid with, and not of money that was never the vendor's.
    #[must_use]
    pub fn is_of_payment(&self) -> bool {
        matches!(self.origin, Origin::Payment { .. })
    }

    /// What names the provider's silence about it among all that was found.
    #[must_use]
    pub fn silence_subject(&self) -> String {
        format!("{}:{}:silent", self.provider, self.id)
    }

    /// Whether it counts against what was paid: all do that did not fail.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.is_of_payment() && !matches!(self.state, RefundState::Failed(_))
    }
}

/// What a provider says about a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundSeen {
    /// It is on its way.
    Pending,
    /// The money has gone back, for good.
    Succeeded {
        /// What the provider calls it.
        reference: String,
    },
    /// The money does not go back, for good.
    Failed { reason: String },
    /// The provider has never heard of it.
    Unheard,
    /// A person has to send it.
    ByHand {
        /// What, for people: `12.50 USDC (Ethereum)`.
        what: String,
    },
    /// What a person says they sent is not it.
    NotThis { reason: String },
}
