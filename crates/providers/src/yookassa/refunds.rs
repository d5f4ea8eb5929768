//! Refunds: made once for each id of ours, which stays with the refund as metadata, so that it can be found
//! when YooKassa has long forgotten the idempotency key.

use super::{
    Yookassa,
    api::{CallFailure, path},
    receipt,
    shapes::{RefundObject, RefundStatus, amount, is_id, word},
};
use crate::{ProviderError, Refunds};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use till_domain::{
    attempt::Quantity,
    fiscal::FiscalReceipt,
    refund::{Refund, RefundSeen},
};

/// The longest description that YooKassa accepts, in characters.
const MAX_DESCRIPTION: usize = 250;

/// Pages of a hundred to search for a refund of one payment; there are never so many.
const PAGES: usize = 5;

impl Yookassa {
    /// Makes a refund, with its fiscal receipt if it is of a part. A refund of everything has that of the payment.
    pub(super) async fn send_back(
        &self,
        refund: &Refund,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<RefundSeen, ProviderError> {
        // A malformed id is refused here: in a URL path it would become another request.
        path("payments", &refund.payment, "")
            .map_err(|trouble| ProviderError::Definite(trouble.to_string()))?;
        let mut body = json!({
            "payment_id": refund.payment,
            "amount": amount(refund.amount),
            "metadata": { "refund": refund.id.to_string(), "session": refund.session.to_string() },
        });
        if let Some(reason) = &refund.reason {
            let reason: String = reason.chars().take(MAX_DESCRIPTION).collect();
            if !reason.trim().is_empty() {
                body["description"] = Value::String(reason);
            }
        }
        if let Some(receipt) = receipt {
            body["receipt"] = receipt::receipt(&receipt.content, receipt.total);
        }
        let made: RefundObject = self.api.post("/refunds", &refund.id.to_string(), &body).await?;
        seen(&made, refund)
    }

    async fn find_refund(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        let id = refund.id.to_string();
        let filters = [("payment_id", refund.payment.as_str())];
        let ours = |thing: &Value| word(thing, "refund") == Some(id.as_str());
        let found = self.api.search("/refunds", &filters, PAGES, ours).await.map_err(CallFailure::unknown)?;
        match found.first() {
            None => {
                // Another shop has no refunds of this payment either; so the payment must be found, or the
                // result is unknown.
                self.fetch(&refund.payment).await?;
                Ok(RefundSeen::Unheard)
            }
            Some(found) => {
                let found = serde_json::from_value(found.clone());
                let unclear = |_| ProviderError::Unknown("YooKassa's refund is invalid".to_owned());
                seen(&found.map_err(unclear)?, refund)
            }
        }
    }
}

/// The state of a refund.
fn seen(found: &RefundObject, refund: &Refund) -> Result<RefundSeen, ProviderError> {
    let same = found.payment_id == refund.payment
        && is_id(&found.id)
        && found.amount.quantity() == Some(Quantity::from(refund.amount));
    if !same {
        return Err(ProviderError::Unknown("YooKassa's refund does not match the one requested".to_owned()));
    }
    Ok(match found.status {
        RefundStatus::Pending => RefundSeen::Pending,
        RefundStatus::Succeeded => RefundSeen::Succeeded { reference: found.id.clone() },
        RefundStatus::Canceled => {
            let details = found.cancellation_details.clone().unwrap_or_default();
            RefundSeen::Failed { reason: why(&details.party, &details.reason) }
        }
    })
}

/// Why a refund was not made, for display.
fn why(party: &str, reason: &str) -> String {
    let who = if party == "refund_network" { "the customer's bank" } else { "YooKassa" };
    match reason {
        "insufficient_funds" => "the balance at YooKassa does not cover the refund".to_owned(),
        "general_decline" | "" => format!("{who} declined the refund"),
        "rejected_by_payee" => "the customer declined the refund".to_owned(),
        "rejected_by_timeout" => format!("{who} took too long"),
        "yoo_money_account_closed" => "the customer's wallet is closed".to_owned(),
        other => format!("{who} declined the refund: {other}"),
    }
}

impl Refunds for Yookassa {
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.send_back(refund, None))
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.find_refund(refund))
    }
}
