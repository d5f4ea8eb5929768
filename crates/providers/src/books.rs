//! What a provider has in its own books, to compare with ours.

use crate::ProviderError;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{attempt::Quantity, id::AttemptId, time::Timestamp};

/// A payment as a provider has it in its books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What the provider calls the payment; another than ours if somebody took it without Till.
    pub payment: String,
    /// The attempt, as the provider was told; nothing if somebody took it without Till.
    pub attempt: Option<AttemptId>,
    pub taken: Quantity,
    /// What of it has gone back, or is to.
    pub returned: Quantity,
    /// Whether the customer's bank demands it back.
    pub disputed: bool,
    /// When it was taken.
    pub at: Timestamp,
}

/// Somebody whose books can be read.
pub trait Books: Debug + Send + Sync {
    /// What was taken between two moments, the first included. An error says that nobody knows: never a part of it.
    fn records<'a>(
        &'a self,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Record>, ProviderError>>;

    /// What was taken by the payment that the provider calls this, whenever that was; nothing if nothing was.
    fn record<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Option<Record>, ProviderError>>;
}
