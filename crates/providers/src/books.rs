//! Reading a provider's own records of payments, for reconciliation with ours.

use crate::ProviderError;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{attempt::Quantity, id::AttemptId, time::Timestamp};

/// A payment as the provider has recorded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The provider's reference of the payment; not one of ours if it was taken without Till.
    pub payment: String,
    /// The attempt, as the provider was told; `None` if the payment was taken without Till.
    pub attempt: Option<AttemptId>,
    pub taken: Quantity,
    /// The part of it that was refunded, or is to be; `None` if the provider does not say how much it is. What
    /// was taken is not certain then, either.
    pub returned: Option<Quantity>,
    /// True if the customer's bank disputes it (chargeback).
    pub disputed: bool,
    /// When it was taken.
    pub at: Timestamp,
}

/// A provider whose records can be read.
pub trait Books: Debug + Send + Sync {
    /// Payments taken in a period; `from` is included, `to` is not. `None` if they are too many for one list: the
    /// caller reads shorter periods. An error means that the answer is unknown: a partial list is never returned.
    fn records<'a>(
        &'a self,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Vec<Record>>, ProviderError>>;

    /// Returns false if it cannot be asked for a list, so that payments which it took without Till are not seen.
    fn has_list(&self) -> bool {
        true
    }

    /// The record of one payment by the provider's reference, whenever it was taken; `None` if no money was
    /// taken.
    fn record<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Option<Record>, ProviderError>>;
}
