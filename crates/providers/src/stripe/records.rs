//! Further queries to Stripe: the probe of the API key, its books for the reconciliation, and disputes.

use super::{
    Stripe, amount,
    api::{FailureKind, StripeFailure},
    intents::{ATTEMPT, is_name},
    wire,
};
use crate::{Books, Disputes, ProviderError, Record};
use futures_util::future::BoxFuture;
use till_domain::{
    finding::{Dispute, DisputeState},
    id::AttemptId,
    time::Timestamp,
};

/// The most pages of a hundred that one query of the books reads.
const PAGES: usize = 100;

/// The most pages that are read of the charges or disputes of one payment.
const FEW_PAGES: usize = 5;

/// The result of a probe with a working key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// True if real money moves.
    pub live: bool,
    /// The currencies in which the account has a balance.
    pub currencies: Vec<String>,
    /// The permissions that are needed and that the key lacks.
    pub denied: Vec<&'static str>,
}

/// The lists that the probe reads, each with Stripe's name of the permission for it. A key that may not read
/// may not write either.
const NEEDED: [(&str, &str); 4] = [
    ("PaymentIntents", "/v1/payment_intents"),
    ("Charges", "/v1/charges"),
    ("Refunds", "/v1/refunds"),
    ("Disputes", "/v1/disputes"),
];

impl Stripe {
    /// Tests whether the key works, for `till doctor` and the console. It changes nothing.
    pub async fn probe(&self) -> Result<Probe, ProviderError> {
        let balance: Result<wire::Balance, StripeFailure> = self.api.get("/v1/balance", &[]).await;
        let balance = balance.map_err(|failure| match failure.kind {
            FailureKind::Locked => failure.denied(),
            _ => failure.unknown(),
        })?;
        if balance.livemode != self.setup.is_live() {
            let text = "Stripe reports that this key belongs to the other mode";
            return Err(ProviderError::Definite(text.to_owned()));
        }
        let mut denied = Vec::new();
        for (name, path) in NEEDED {
            let query = [("limit", "1".to_owned())];
            let page: Result<serde_json::Value, StripeFailure> = self.api.get(path, &query).await;
            match page {
                Ok(_) => {}
                Err(failure) if failure.kind == FailureKind::Locked => denied.push(name),
                Err(failure) => return Err(failure.unknown()),
            }
        }
        let mut currencies: Vec<String> =
            balance.available.into_iter().map(|funds| funds.currency.to_ascii_uppercase()).collect();
        currencies.sort();
        currencies.dedup();
        Ok(Probe { live: balance.livemode, currencies, denied })
    }

    async fn taken(&self, from: Timestamp, to: Timestamp) -> Result<Option<Vec<Record>>, ProviderError> {
        let seconds = |moment: Timestamp| (moment.as_ms() / 1_000).to_string();
        let query = [("created[gte]", seconds(from)), ("created[lt]", seconds(to))];
        let (all, complete) = self.api.list("/v1/charges", &query, PAGES, |_: &wire::Charge| false).await?;
        Ok(complete.then(|| all.into_iter().filter(is_taken).map(record).collect()))
    }

    /// Reads the current state of a dispute.
    pub async fn dispute(&self, id: &str) -> Result<Dispute, ProviderError> {
        if !is_name(id) {
            return Err(ProviderError::Definite("that is not a dispute of Stripe".to_owned()));
        }
        Ok(stands(self.api.get(&format!("/v1/disputes/{id}"), &[]).await?))
    }

    async fn demanded(&self, payment: &str) -> Result<Vec<Dispute>, ProviderError> {
        let query = [("payment_intent", payment.to_owned())];
        let found = self.api.list("/v1/disputes", &query, FEW_PAGES, |_: &wire::Dispute| false).await;
        let found = found.map(|(all, _)| all).or_else(nothing)?;
        Ok(found.into_iter().map(stands).collect())
    }

    async fn taken_by(&self, payment: &str) -> Result<Option<Record>, ProviderError> {
        let query = [("payment_intent", payment.to_owned())];
        let found = self.api.list("/v1/charges", &query, FEW_PAGES, is_taken).await;
        let found = found.map(|(all, _)| all).or_else(nothing)?;
        Ok(found.into_iter().find(is_taken).map(record))
    }
}

/// Returns true if a charge brought money.
fn is_taken(charge: &wire::Charge) -> bool {
    charge.status == "succeeded" && charge.amount_captured > 0
}

/// A payment that Stripe does not know has an empty list; every other failure decides nothing.
fn nothing<T>(failure: StripeFailure) -> Result<Vec<T>, StripeFailure> {
    if failure.code.as_deref() == Some("resource_missing") { Ok(Vec::new()) } else { Err(failure) }
}

fn stands(dispute: wire::Dispute) -> Dispute {
    // Stripe says 0 if the bank accepts no response, and keeps the time after the response was sent.
    let awaits = matches!(dispute.status.as_str(), "needs_response" | "warning_needs_response");
    let due_by = dispute.evidence_details.and_then(|details| details.due_by);
    let due_by = due_by.filter(|seconds| awaits && *seconds > 0);
    Dispute {
        id: dispute.id,
        payment: dispute.payment_intent,
        amount: amount::from_units(dispute.amount, &dispute.currency),
        reason: dispute.reason,
        state: state(&dispute.status),
        status: dispute.status,
        answer_by: due_by.map(|seconds| Timestamp::from_ms(seconds.saturating_mul(1_000))),
    }
}

/// Maps Stripe's status of a dispute. A status that Stripe adds later counts as open.
fn state(status: &str) -> DisputeState {
    match status {
        "needs_response" => DisputeState::NeedsResponse,
        "won" => DisputeState::Won,
        "lost" => DisputeState::Lost,
        "warning_closed" | "prevented" => DisputeState::Withdrawn,
        _ => DisputeState::Open,
    }
}

impl Disputes for Stripe {
    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Dispute, ProviderError>> {
        Box::pin(Self::dispute(self, id))
    }

    fn disputes_of<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Vec<Dispute>, ProviderError>> {
        Box::pin(self.demanded(payment))
    }
}

impl Books for Stripe {
    fn records<'a>(
        &'a self,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Vec<Record>>, ProviderError>> {
        Box::pin(self.taken(from, to))
    }

    fn record<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Option<Record>, ProviderError>> {
        Box::pin(self.taken_by(payment))
    }
}

fn record(charge: wire::Charge) -> Record {
    Record {
        attempt: charge.metadata.get(ATTEMPT).and_then(|id| AttemptId::parse(id)),
        taken: amount::from_units(charge.amount_captured, &charge.currency),
        returned: Some(amount::from_units(charge.amount_refunded, &charge.currency)),
        disputed: charge.disputed,
        at: Timestamp::from_ms(charge.created.saturating_mul(1_000)),
        payment: charge.payment_intent.unwrap_or(charge.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_dispute_has_a_deadline_only_while_it_waits_for_a_response() {
        for (status, due_by, expected) in [
            ("needs_response", 1_763_164_800, Some(1_763_164_800_000)),
            ("warning_needs_response", 1_763_164_800, Some(1_763_164_800_000)),
            ("needs_response", 0, None),
            ("under_review", 1_763_164_800, None),
            ("won", 1_763_164_800, None),
        ] {
            let dispute = json!({
                "id": "du_1", "payment_intent": "pi_1", "amount": 500, "currency": "eur", "reason": "general",
                "status": status, "evidence_details": { "due_by": due_by },
            });
            let dispute = stands(serde_json::from_value(dispute).expect("a dispute"));
            assert_eq!(dispute.answer_by.map(Timestamp::as_ms), expected, "{status} {due_by}");
        }
    }
}
