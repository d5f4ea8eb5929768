//! Disputes (chargebacks) at a provider.

use crate::ProviderError;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::finding::Dispute;

/// A provider that can be asked about disputes of its payments.
pub trait Disputes: Debug + Send + Sync {
    /// A dispute by the provider's id.
    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Dispute, ProviderError>>;

    /// Every dispute of a payment.
    fn disputes_of<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Vec<Dispute>, ProviderError>>;
}
