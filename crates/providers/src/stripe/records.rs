//! What else is asked of Stripe: whether the key works, what it has in its books, and how a dispute stands.

use super::{
    Stripe, amount,
    api::Failure,
    intents::{ATTEMPT, is_name},
    wire,
};
use crate::{Books, ProviderError, Record};
use futures_util::future::BoxFuture;
use till_domain::{attempt::Quantity, id::AttemptId, time::Timestamp};

/// Pages of a hundred that one question about the books may take.
const PAGES: usize = 100;

/// What a working key tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Whether real money moves.
    pub live: bool,
    /// The currencies in which the account has a balance.
    pub currencies: Vec<String>,
}

/// Money that a cardholder's bank demands back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// What Stripe calls it.
    pub id: String,
    /// The reference of the payment.
    pub payment: Option<String>,
    /// How much.
    pub amount: Quantity,
    /// Stripe's word for why: `fraudulent`, `product_not_received`.
    pub reason: String,
    /// Stripe's word for how it stands: `needs_response`, `under_review`, `won`, `lost`.
    pub status: String,
    /// Until when it can be answered.
    pub answer_by: Option<Timestamp>,
}

impl Dispute {
    /// Whether it is over.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.status.as_str(), "won" | "lost" | "warning_closed" | "prevented")
    }
}

impl Stripe {
    /// Whether the key works: for `till doctor` and the console. It changes nothing.
    pub async fn probe(&self) -> Result<Probe, ProviderError> {
        let balance: wire::Balance = self.api.get("/v1/balance", &[]).await?;
        if balance.livemode != self.setup.is_live() {
            return Err(Failure::unclear("Stripe says that this key is of the other mode").unknown());
        }
        let mut currencies: Vec<String> =
            balance.available.into_iter().map(|funds| funds.currency.to_ascii_uppercase()).collect();
        currencies.sort();
        currencies.dedup();
        Ok(Probe { live: balance.livemode, currencies })
    }

    async fn taken(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Record>, ProviderError> {
        let seconds = |moment: Timestamp| (moment.as_ms() / 1_000).to_string();
        let query = [("created[gte]", seconds(from)), ("created[lt]", seconds(to))];
        let (all, complete) = self.api.list("/v1/charges", &query, PAGES, |_: &wire::Charge| false).await?;
        if !complete {
            return Err(Failure::unclear("Stripe has too many payments in that time: ask for less").unknown());
        }
        let taken =
            all.into_iter().filter(|charge| charge.status == "succeeded" && charge.amount_captured > 0);
        Ok(taken.map(record).collect())
    }

    /// How a dispute stands.
    pub async fn dispute(&self, id: &str) -> Result<Dispute, ProviderError> {
        if !is_name(id) {
            return Err(ProviderError::Definite("that is not a dispute of Stripe".to_owned()));
        }
        let dispute: wire::Dispute = self.api.get(&format!("/v1/disputes/{id}"), &[]).await?;
        let due_by = dispute.evidence_details.and_then(|details| details.due_by);
        Ok(Dispute {
            id: dispute.id,
            payment: dispute.payment_intent,
            amount: amount::from_units(dispute.amount, &dispute.currency),
            reason: dispute.reason,
            status: dispute.status,
            answer_by: due_by.map(|seconds| Timestamp::from_ms(seconds.saturating_mul(1_000))),
        })
    }
}

impl Books for Stripe {
    fn records<'a>(
        &'a self,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Record>, ProviderError>> {
        Box::pin(self.taken(from, to))
    }
}

fn record(charge: wire::Charge) -> Record {
    Record {
        attempt: charge.metadata.get(ATTEMPT).and_then(|id| AttemptId::parse(id)),
        taken: amount::from_units(charge.amount_captured, &charge.currency),
        returned: amount::from_units(charge.amount_refunded, &charge.currency),
        disputed: charge.disputed,
        at: Timestamp::from_ms(charge.created.saturating_mul(1_000)),
        payment: charge.payment_intent.unwrap_or(charge.id),
    }
}
