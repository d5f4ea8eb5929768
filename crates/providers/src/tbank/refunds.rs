//! Refunds (`Cancel` of a confirmed payment).
//!
//! A card's refund has an idempotency key (`ExternalRequestId`), which SBP ignores. So before a refund is sent
//! again, the payment's state tells whether it was made: refunds of one payment are sent one after the other,
//! and the first of them is the only one that can have changed it. Where the state does not tell, the refund is
//! not sent again, and an operator is asked to compare.

use super::{
    Tbank,
    api::CallFailure,
    codes::CodeKind,
    outcome::PaymentStatus,
    payment,
    shapes::{Cancelled, PaymentState, QrState},
};
use crate::{ProviderError, Refunds};
use futures_util::future::BoxFuture;
use serde_json::json;
use std::time::Duration;
use till_domain::{
    fiscal::FiscalReceipt,
    method::Method,
    refund::{Refund, RefundSeen},
};

/// How long a refund by SBP that T-Bank has accepted may show no trace.
const TRACELESS: Duration = Duration::from_secs(60 * 60);

impl Tbank {
    /// Makes a refund, with its fiscal receipt if it is of a part. A refund of everything has that of the payment.
    pub(super) async fn send_back(
        &self,
        refund: &Refund,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<RefundSeen, ProviderError> {
        payment(&refund.payment).map_err(|error| ProviderError::Definite(error.to_string()))?;
        if refund.amount.currency.code() != "RUB" {
            return Err(ProviderError::Definite("T-Bank refunds rubles only".to_owned()));
        }
        let state = self.state(&refund.payment).await?;
        if !is_paid(&state) {
            // The same call would close a payment that is open.
            return Err(ProviderError::Definite("T-Bank has no money of this payment".to_owned()));
        }
        // SBP has no idempotency key.
        if refund.method != Method::Card && refund.attempts > 1 {
            match self.judge(refund, &state).await? {
                RefundSeen::Unheard => {}
                seen => return Ok(seen),
            }
        }
        self.request_refund(refund, receipt).await
    }

    async fn request_refund(
        &self,
        refund: &Refund,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<RefundSeen, ProviderError> {
        let mut members = payment(&refund.payment)?;
        members.insert("Amount".to_owned(), json!(refund.amount.minor));
        members.insert("ExternalRequestId".to_owned(), json!(refund.id.to_string()));
        self.add_receipt(&mut members, receipt)?;
        let asked: Result<Cancelled, CallFailure> = self.api.call("Cancel", members).await;
        let asked = match asked {
            Ok(asked) => asked,
            Err(CallFailure::Refused { kind: CodeKind::Account, text }) => {
                return Err(ProviderError::Denied(text));
            }
            Err(CallFailure::Refused { kind: CodeKind::Other, text }) => {
                return Err(ProviderError::Unclear(text));
            }
            Err(CallFailure::Refused { text, .. }) => return Ok(RefundSeen::Failed { reason: text }),
            Err(trouble) => return Err(trouble.unknown()),
        };
        if asked.payment_id != refund.payment {
            return Err(ProviderError::Unclear("T-Bank responded for another payment".to_owned()));
        }
        Ok(match PaymentStatus::parse(&asked.status) {
            PaymentStatus::GoneBack | PaymentStatus::GoneBackInPart => succeeded(refund),
            _ => RefundSeen::Accepted { reference: refund.id.to_string() },
        })
    }

    /// What the state of its payment says about a refund.
    async fn judge(&self, refund: &Refund, state: &PaymentState) -> Result<RefundSeen, ProviderError> {
        let accepted = refund.reference.is_some();
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::GoingBack => Ok(RefundSeen::Pending),
            PaymentStatus::GoneBack => Ok(succeeded(refund)),
            PaymentStatus::GoneBackInPart if accepted => {
                Ok(self.failure(refund).await?.unwrap_or_else(|| succeeded(refund)))
            }
            PaymentStatus::GoneBackInPart if refund.number == 1 => Ok(succeeded(refund)),
            // The same request again tells, and refunds nothing twice.
            PaymentStatus::GoneBackInPart if refund.method == Method::Card => Ok(RefundSeen::Unheard),
            // An earlier refund was made by SBP; T-Bank does not tell whether this one was, too.
            PaymentStatus::GoneBackInPart => Err(ProviderError::Unclear(
                "T-Bank does not tell which part of an SBP payment was refunded: compare in its cabinet"
                    .to_owned(),
            )),
            PaymentStatus::Confirmed if accepted => self.undone(refund).await,
            _ => Ok(RefundSeen::Unheard),
        }
    }

    /// A refund that was accepted, and of which the payment shows nothing: T-Bank has undone it.
    async fn undone(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        if refund.method == Method::Card {
            return Ok(RefundSeen::Unheard);
        }
        if let Some(failed) = self.failure(refund).await? {
            return Ok(failed);
        }
        if (self.clock)().since(refund.created_at) < TRACELESS {
            return Ok(RefundSeen::Pending);
        }
        Ok(RefundSeen::Failed { reason: "T-Bank accepted the refund and then undid it".to_owned() })
    }

    /// Why the last refund by SBP failed, if it did (`GetQrState`).
    async fn failure(&self, refund: &Refund) -> Result<Option<RefundSeen>, ProviderError> {
        if refund.method == Method::Card {
            return Ok(None);
        }
        let state: QrState = match self.api.call("GetQrState", payment(&refund.payment)?).await {
            Ok(state) => state,
            Err(trouble) => return Err(trouble.unknown()),
        };
        let QrState { qr_cancel_code: code, qr_cancel_message: message } = state;
        let failed = !matches!(code.as_str(), "" | "0");
        Ok(failed
            .then(|| RefundSeen::Failed { reason: format!("SBP refused the refund ({code}): {message}") }))
    }

    async fn find_refund(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        let state = self.state(&refund.payment).await?;
        self.judge(refund, &state).await
    }
}

/// Whether money was taken by a payment.
fn is_paid(state: &PaymentState) -> bool {
    matches!(
        PaymentStatus::parse(&state.status),
        PaymentStatus::Confirmed
            | PaymentStatus::GoingBack
            | PaymentStatus::GoneBackInPart
            | PaymentStatus::GoneBack
    )
}

/// T-Bank names no refunds; ours is known there by our id.
fn succeeded(refund: &Refund) -> RefundSeen {
    RefundSeen::Succeeded { reference: refund.id.to_string() }
}

impl Refunds for Tbank {
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.send_back(refund, None))
    }

    fn one_at_a_time(&self) -> bool {
        true
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.find_refund(refund))
    }
}
