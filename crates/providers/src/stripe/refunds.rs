//! Refunds: each of ours is made once, and is found again by its id in the metadata.

use super::{
    Stripe, amount,
    api::{FailureKind, StripeFailure},
    intents::is_name,
    notice::REFUND,
    wire::Refund as Found,
};
use crate::{ProviderError, Refunds};
use futures_util::future::BoxFuture;
use till_domain::refund::{Refund, RefundSeen};

/// Pages of a hundred to search for a refund; a payment has at most a hundred of ours.
const PAGES: usize = 5;

impl Stripe {
    async fn send_back(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        let impossible =
            || ProviderError::Definite(format!("Stripe cannot refund exactly {}", refund.amount));
        let units = amount::to_units(refund.amount).ok_or_else(impossible)?;
        let form = [
            ("payment_intent", refund.payment.clone()),
            ("amount", units.to_string()),
            ("reason", "requested_by_customer".to_owned()),
            ("metadata[refund_id]", refund.id.to_string()),
            ("metadata[session_id]", refund.session.to_string()),
        ];
        let sent = self.api.post::<Found>("/v1/refunds", &format!("{}:refund", refund.id), &form).await;
        let sent = sent.map_err(|failure| match failure.kind {
            // It was not done, nor was it done before: Stripe would replay that under this idempotency key.
            FailureKind::Refused => failure.definite(),
            FailureKind::Locked
            | FailureKind::Busy
            | FailureKind::Unclear
            | FailureKind::Stuck
            | FailureKind::Limited { .. } => failure.unknown(),
        })?;
        // A replayed answer was true once. A refund can fail later.
        if sent.replayed { self.look_at_refund(refund).await } else { Ok(seen(refund, &sent.what)?) }
    }

    async fn look_at_refund(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        if let Some(reference) = refund.reference.as_ref().filter(|reference| is_name(reference)) {
            let found: Found = self.api.get(&format!("/v1/refunds/{reference}"), &[]).await?;
            return Ok(seen(refund, &found)?);
        }
        let query = [("payment_intent", refund.payment.clone())];
        let wanted = refund.id.to_string();
        let ours = |found: &Found| found.metadata.get(REFUND) == Some(&wanted);
        let (all, complete) = self.api.list("/v1/refunds", &query, PAGES, ours).await?;
        match all.iter().find(|found| ours(found)) {
            Some(found) => Ok(seen(refund, found)?),
            None if complete => Ok(RefundSeen::Unheard),
            None => Err(StripeFailure::unclear("Stripe has too many refunds to search").unknown()),
        }
    }
}

fn seen(refund: &Refund, found: &Found) -> Result<RefundSeen, StripeFailure> {
    if found.payment_intent.as_ref().is_some_and(|payment| *payment != refund.payment) {
        return Err(StripeFailure::unclear("Stripe responded for another refund"));
    }
    let words = || found.failure_reason.as_deref().unwrap_or("unknown").replace('_', " ");
    match found.status.as_str() {
        "pending" | "requires_action" => Ok(RefundSeen::Pending),
        "succeeded" => Ok(RefundSeen::Succeeded { reference: found.id.clone() }),
        "failed" => {
            Ok(RefundSeen::Failed { reason: format!("Stripe could not complete the refund: {}", words()) })
        }
        "canceled" => Ok(RefundSeen::Failed { reason: "the refund was canceled at Stripe".to_owned() }),
        _ => Err(StripeFailure::unclear("Stripe reports a refund state that this version does not know")),
    }
}

impl Refunds for Stripe {
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.send_back(refund))
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.look_at_refund(refund))
    }
}
