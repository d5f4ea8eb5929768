//! Disputes at the simulated bank: its page starts one for a payment that was made.

use super::{Simulator, payment_of, world};
use crate::{Disputes, ProviderError};
use futures_util::future::BoxFuture;
use till_domain::{finding::Dispute, id::AttemptId};

const PREFIX: &str = "simd_";

/// The bank's id of the dispute of a payment: there is at most one.
pub(super) fn dispute_id(payment: AttemptId) -> String {
    format!("{PREFIX}{payment}")
}

impl Simulator {
    async fn dispute_of(&self, payment: AttemptId) -> Result<Option<Dispute>, ProviderError> {
        Ok(self.bank.book.entry(payment).await?.as_ref().and_then(world::dispute))
    }
}

impl Disputes for Simulator {
    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Dispute, ProviderError>> {
        Box::pin(async move {
            let unknown = || ProviderError::Definite(format!("there is no dispute {id:?}"));
            let payment = id.strip_prefix(PREFIX).and_then(AttemptId::parse).ok_or_else(unknown)?;
            self.dispute_of(payment).await?.ok_or_else(unknown)
        })
    }

    fn disputes_of<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Vec<Dispute>, ProviderError>> {
        Box::pin(async move { Ok(self.dispute_of(payment_of(payment)?).await?.into_iter().collect()) })
    }
}
