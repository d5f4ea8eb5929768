//! What a provider tells about money beyond its payments: somebody demands it back, or it came back.

use crate::{Notice, ProviderError};
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{attempt::Quantity, id::RefundId, time::Timestamp};

/// Something that a person has to look at, as a notice says. What is true is asked for: notices come late, twice and in
/// any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incident {
    /// A customer's bank demands money back, or there is news of that.
    Dispute {
        /// What the provider calls it; see [`Incidents::dispute`].
        dispute: String,
        /// The reference of the payment.
        payment: Option<String>,
    },
    /// Money that was sent back came back, perhaps after it was said to have arrived.
    RefundFailed {
        /// Our refund, if it is one.
        refund: Option<RefundId>,
        /// What the provider calls it.
        reference: String,
        /// The reference of the payment.
        payment: Option<String>,
    },
}

/// Money that a customer's bank demands back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// What the provider calls it.
    pub id: String,
    /// The reference of the payment.
    pub payment: Option<String>,
    pub amount: Quantity,
    /// The provider's word for why: `fraudulent`, `product_not_received`.
    pub reason: String,
    /// The provider's word for how it stands: `needs_response`, `under_review`, `won`, `lost`.
    pub status: String,
    /// Until when it can be answered.
    pub answer_by: Option<Timestamp>,
}

impl Dispute {
    /// Whether it is over.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_harmless() || self.status == "lost"
    }

    /// Whether it is over, and nothing was lost.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        matches!(self.status.as_str(), "won" | "warning_closed" | "prevented")
    }
}

/// Somebody who tells of such things, and can be asked about them.
pub trait Incidents: Debug + Send + Sync {
    /// What a notice has to say beyond that somebody should ask about a payment, if it is the provider's own.
    fn read(&self, notice: &Notice<'_>) -> Option<Incident>;

    /// How a dispute stands.
    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Dispute, ProviderError>>;

    /// Every dispute of a payment.
    fn disputes_of<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Vec<Dispute>, ProviderError>>;
}
