//! Refunds (`Cancel` of a confirmed payment).
//!
//! A card's refund has an idempotency key (`ExternalRequestId`), which SBP ignores. So before a refund is sent
//! again, the payment's state tells whether it was made: refunds of one payment are sent one after the other, so one that
//! is under way there is ours. A part that has gone back may be of an earlier refund, or of one made in T-Bank's
//! cabinet: where the state does not tell, the refund is not sent again, and an operator is asked to compare.
//!
//! A refund has failed only if it is certain that its money stays: T-Bank refused the only request, has no money of
//! the payment, or has shown for some time that nothing went back. It is made only if T-Bank accepted it, the amounts say so,
//! or the payment, of which nothing had gone back before, shows it afterwards. Everything else leaves it open.

use super::{
    Tbank,
    api::CallFailure,
    codes::CodeKind,
    outcome::{PaymentStatus, word},
    payment,
    shapes::{Cancelled, PaymentState, QrState},
};
use crate::{ProviderError, Refunds};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::time::Duration;
use till_domain::{
    fiscal::FiscalReceipt,
    method::Method,
    refund::{Refund, RefundSeen},
};

/// How long a refund by SBP that T-Bank has accepted may show no trace, if T-Bank names no reason.
const TRACELESS: Duration = Duration::from_secs(60 * 60);

/// How long an unanswered refund by SBP may show no trace before it is sent again; and one that T-Bank accepted, before the
/// reason that T-Bank names counts, which may be that of an earlier refund.
const UNANSWERED: Duration = Duration::from_secs(15 * 60);

impl Tbank {
    /// Makes a refund, with its fiscal receipt if it is of a part. A refund of everything has that of the payment.
    pub(super) async fn send_back(
        &self,
        refund: &Refund,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<RefundSeen, ProviderError> {
        let members = self.refund_members(refund, receipt).map_err(|error| doubted(refund, error))?;
        let state = self.state(&refund.payment).await?;
        match has_money(&state) {
            Some(true) => {}
            // The same call would close a payment that is open.
            Some(false) => {
                let none = ProviderError::Definite("T-Bank has no money of this payment".to_owned());
                return Err(doubted(refund, none));
            }
            None => return Err(unclear_status(&state)),
        }
        // SBP has no idempotency key.
        if refund.method != Method::Card && is_repeated(refund) {
            match self.judge(refund, &state).await? {
                RefundSeen::Unheard => {}
                seen => return Ok(seen),
            }
        }
        let was_whole = PaymentStatus::parse(&state.status) == PaymentStatus::Confirmed;
        let asked: Result<Cancelled, CallFailure> = self.api.call("Cancel", members).await;
        match asked {
            Ok(answer) => answered(refund, &answer),
            Err(failure) => match self.unmade(refund, failure).await {
                // Of a request that was not carried out for our key there is no trace of ours.
                Err(error @ ProviderError::Denied(_)) => Err(error),
                Err(error) if was_whole && refund.method != Method::Card => {
                    self.trace(refund, &state).await.ok_or(error)
                }
                settled => settled,
            },
        }
    }

    /// What the state says of a request without an answer. A moment before it nothing had gone back, so what has gone back now
    /// is this refund, if it is all of the payment or a part as the refund is.
    async fn trace(&self, refund: &Refund, before: &PaymentState) -> Option<RefundSeen> {
        let is_whole = before.amount == Some(refund.amount.minor);
        let state = self.state(&refund.payment).await.ok()?;
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::GoingBack => Some(accepted_as(refund)),
            PaymentStatus::GoneBackInPart if !is_whole => Some(succeeded(refund)),
            PaymentStatus::GoneBack if is_whole => Some(succeeded(refund)),
            _ => None,
        }
    }

    fn refund_members(
        &self,
        refund: &Refund,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<Map<String, Value>, ProviderError> {
        let mut members =
            payment(&refund.payment).map_err(|error| ProviderError::Definite(error.to_string()))?;
        if refund.amount.currency.code() != "RUB" {
            return Err(ProviderError::Definite("T-Bank refunds rubles only".to_owned()));
        }
        members.insert("Amount".to_owned(), json!(refund.amount.minor));
        members.insert("ExternalRequestId".to_owned(), json!(refund.id.to_string()));
        self.add_receipt(&mut members, receipt)?;
        Ok(members)
    }

    /// A request that T-Bank refused, or did not answer.
    async fn unmade(&self, refund: &Refund, failure: CallFailure) -> Result<RefundSeen, ProviderError> {
        match failure {
            CallFailure::Refused { kind: CodeKind::Account, text } => Err(ProviderError::Denied(text)),
            CallFailure::Refused { kind: CodeKind::Refused | CodeKind::Request, text }
                if !is_repeated(refund) =>
            {
                Ok(RefundSeen::Failed { reason: text })
            }
            CallFailure::Refused { text, .. } => self.after_refused_refund(refund, text).await,
            trouble => Err(trouble.unknown()),
        }
    }

    /// A refusal that says nothing about this refund: an earlier request may be under way, or was carried out. The state
    /// tells, or nothing does.
    async fn after_refused_refund(&self, refund: &Refund, text: String) -> Result<RefundSeen, ProviderError> {
        match self.find_refund(refund).await? {
            RefundSeen::Unheard => Err(ProviderError::Unclear(text)),
            seen => Ok(seen),
        }
    }

    /// What the state of its payment says about a refund.
    async fn judge(&self, refund: &Refund, state: &PaymentState) -> Result<RefundSeen, ProviderError> {
        let accepted = refund.reference.is_some();
        match PaymentStatus::parse(&state.status) {
            // Refunds of a payment are sent one after the other, so this one is under way.
            PaymentStatus::GoingBack => Ok(accepted_as(refund)),
            PaymentStatus::GoneBack => Ok(succeeded(refund)),
            // The same request again tells the amounts, and refunds nothing twice.
            PaymentStatus::GoneBackInPart | PaymentStatus::Confirmed if refund.method == Method::Card => {
                Ok(RefundSeen::Unheard)
            }
            // The first refund of a payment that fails leaves nothing gone back.
            PaymentStatus::GoneBackInPart if accepted && refund.number == 1 => Ok(succeeded(refund)),
            PaymentStatus::GoneBackInPart if accepted && self.failure(refund).await?.is_none() => {
                Ok(succeeded(refund))
            }
            // An earlier refund was made, or one in the cabinet; T-Bank does not tell whether this one was, too. The reason
            // of a failure that it names may be that of an earlier refund.
            PaymentStatus::GoneBackInPart => Err(ProviderError::Unclear(
                "T-Bank does not tell which part of an SBP payment was refunded: compare in its cabinet"
                    .to_owned(),
            )),
            PaymentStatus::Confirmed if accepted => self.undone(refund).await,
            PaymentStatus::Confirmed => self.unanswered(refund),
            _ => Err(unclear_status(state)),
        }
    }

    /// A refund by SBP of which the payment shows nothing. T-Bank may still be carrying out the request that it did not
    /// answer, and would carry out a second one too.
    fn unanswered(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        if self.without_trace(refund) >= UNANSWERED {
            return Ok(RefundSeen::Unheard);
        }
        Err(ProviderError::Unclear(
            "T-Bank did not answer about a refund by SBP, and shows no trace of it".to_owned(),
        ))
    }

    /// A refund that was accepted, and of which the payment shows nothing. T-Bank has undone it, if that stays so.
    async fn undone(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        let waited = self.without_trace(refund);
        if waited >= UNANSWERED
            && let Some(failed) = self.failure(refund).await?
        {
            return Ok(failed);
        }
        if waited >= TRACELESS {
            return Ok(RefundSeen::Failed {
                reason: "T-Bank accepted the refund and then undid it".to_owned(),
            });
        }
        Err(ProviderError::Unclear(
            "T-Bank accepted a refund by SBP, and the payment shows no trace of it".to_owned(),
        ))
    }

    /// How long the payment has shown nothing of a refund.
    fn without_trace(&self, refund: &Refund) -> Duration {
        refund.silent_since.map_or(Duration::ZERO, |since| (self.clock)().since(since))
    }

    /// Why the last refund by SBP failed, if it did (`GetQrState`).
    async fn failure(&self, refund: &Refund) -> Result<Option<RefundSeen>, ProviderError> {
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

/// Whether T-Bank has, or had, money of a payment; `None` while that is open.
fn has_money(state: &PaymentState) -> Option<bool> {
    match PaymentStatus::parse(&state.status) {
        PaymentStatus::Confirmed
        | PaymentStatus::GoingBack
        | PaymentStatus::GoneBackInPart
        | PaymentStatus::GoneBack => Some(true),
        PaymentStatus::Open
        | PaymentStatus::Rejected
        | PaymentStatus::TooManyTries
        | PaymentStatus::Expired
        | PaymentStatus::Closed => Some(false),
        PaymentStatus::InWork
        | PaymentStatus::Held
        | PaymentStatus::HeldInPart
        | PaymentStatus::TryFailed
        | PaymentStatus::Other => None,
    }
}

fn unclear_status(state: &PaymentState) -> ProviderError {
    let status = word(&state.status);
    ProviderError::Unclear(format!(
        "T-Bank reports the status {status}, which does not tell where the money is"
    ))
}

/// True if an earlier request for the refund may have been made.
fn is_repeated(refund: &Refund) -> bool {
    refund.attempts > 1
}

/// An error that ends a refund only if nothing was requested before.
fn doubted(refund: &Refund, error: ProviderError) -> ProviderError {
    match error {
        ProviderError::Definite(text) if is_repeated(refund) => ProviderError::Unclear(text),
        error => error,
    }
}

/// What an answer to the request says.
fn answered(refund: &Refund, answer: &Cancelled) -> Result<RefundSeen, ProviderError> {
    if answer.payment_id != refund.payment {
        return Err(ProviderError::Unclear("T-Bank responded for another payment".to_owned()));
    }
    match PaymentStatus::parse(&answer.status) {
        PaymentStatus::GoneBack | PaymentStatus::GoneBackInPart => made(refund, answer),
        _ => Ok(accepted_as(refund)),
    }
}

/// What an answer says of which the status is that of a refunded payment. The status alone may be that of an earlier
/// refund. The answer to a repetition may have the amounts of now, of which nothing is missing.
fn made(refund: &Refund, answer: &Cancelled) -> Result<RefundSeen, ProviderError> {
    let whole = PaymentStatus::parse(&answer.status) == PaymentStatus::GoneBack;
    let moved = answer.original_amount.zip(answer.new_amount).map(|(was, left)| was - left);
    let tells = refund.method == Method::Card && is_repeated(refund) && (whole || refund.number == 1);
    if moved == Some(refund.amount.minor) || (moved == Some(0) && tells) {
        return Ok(succeeded(refund));
    }
    Err(ProviderError::Unclear(
        "T-Bank refunded a different amount than requested, or does not say which".to_owned(),
    ))
}

/// T-Bank names no refunds; ours is known there by our id.
fn accepted_as(refund: &Refund) -> RefundSeen {
    RefundSeen::Accepted { reference: refund.id.to_string() }
}

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
