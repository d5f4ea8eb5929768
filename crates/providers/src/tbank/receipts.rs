//! Fiscal receipts: they go with payments and partial refunds. T-Bank cannot be asked what became of one: it notifies of the
//! registration ([`notice`](super::notice)), or not at all.

use super::{
    Tbank,
    api::CallFailure,
    codes::CodeKind,
    payment, receipt,
    shapes::Envelope,
    till::{Registration, TillSetup},
};
use crate::{Order, ProviderError, Receipts};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use till_domain::{
    attempt::Started,
    fiscal::{
        FiscalKind, FiscalReceipt,
        follow::{RegistrationSeen, RegistrationState},
    },
    refund::{Refund, RefundSeen},
};

/// The path of the call for a hand-over, which is beside the others.
const SEND_CLOSING_RECEIPT: &str = "/cashbox/SendClosingReceipt";

impl Tbank {
    /// Adds a receipt to a call. An error, before anything is done, if T-Bank would refuse it.
    pub(super) fn add_receipt(
        &self,
        members: &mut Map<String, Value>,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<(), ProviderError> {
        if let Some((receipt, till)) = receipt.zip(self.setup.till.as_ref()) {
            let made = receipt::receipt(&receipt.content, till);
            let made = made.map_err(|problem| ProviderError::Definite(problem.to_owned()))?;
            members.insert("Receipt".to_owned(), made);
        }
        Ok(())
    }

    async fn registration(
        &self,
        receipt: &FiscalReceipt,
        payment: &str,
    ) -> Result<RegistrationSeen, ProviderError> {
        if receipt.kind == FiscalKind::Closing && receipt.reference.is_none() {
            return self.hand_over(receipt, payment).await;
        }
        let state = match self.is_notified() {
            true => RegistrationState::Pending,
            false => RegistrationState::Unreported,
        };
        Ok(RegistrationSeen::of(state))
    }

    /// True if T-Bank notifies of registrations.
    fn is_notified(&self) -> bool {
        let notified = |till: &TillSetup| till.registration == Registration::Notifications;
        self.setup.till.as_ref().is_some_and(notified)
    }

    /// Sends the receipt of a hand-over, once: the call has no idempotency key, and two receipts are as wrong as none. It is sent
    /// again only if T-Bank has certainly not made it.
    async fn hand_over(
        &self,
        receipt: &FiscalReceipt,
        reference: &str,
    ) -> Result<RegistrationSeen, ProviderError> {
        let seen = |state| Ok(RegistrationSeen::of(state));
        let failed = |reason: String| seen(RegistrationState::Failed { reason });
        // An earlier request that was blocked left its reason.
        if receipt.checks > 1 && receipt.failure.is_none() {
            return Ok(self.unanswered_hand_over(receipt, "an earlier request was not answered"));
        }
        let mut members = payment(reference)?;
        if let Err(problem) = self.add_receipt(&mut members, Some(receipt)) {
            return failed(problem.to_string());
        }
        let sent: Result<Envelope, CallFailure> = self.api.call_at(SEND_CLOSING_RECEIPT, members).await;
        match sent {
            Ok(_) => Ok(sent_hand_over(receipt)),
            Err(CallFailure::Refused { kind: CodeKind::Account, text }) => {
                seen(RegistrationState::Blocked { reason: text })
            }
            Err(CallFailure::Refused { text, .. }) => failed(text),
            Err(trouble) => Ok(self.unanswered_hand_over(receipt, &trouble.to_string())),
        }
    }

    /// A hand-over of which it is not known whether T-Bank made its receipt: a notification says so, or a person has to look.
    fn unanswered_hand_over(&self, receipt: &FiscalReceipt, what: &str) -> RegistrationSeen {
        if self.is_notified() {
            return sent_hand_over(receipt);
        }
        let reason = format!("it is not known whether T-Bank made it ({what}): look in its cabinet first");
        RegistrationSeen::of(RegistrationState::Failed { reason })
    }
}

/// A hand-over that was sent, and is not sent again: its reference says so.
fn sent_hand_over(receipt: &FiscalReceipt) -> RegistrationSeen {
    RegistrationSeen {
        reference: Some(receipt.id.to_string()),
        ..RegistrationSeen::of(RegistrationState::Pending)
    }
}

impl Receipts for Tbank {
    fn takes_receipt_of_whole(&self) -> bool {
        false
    }

    fn start_with<'a>(
        &'a self,
        order: &'a Order<'a>,
        receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(self.begin(order, Some(receipt)))
    }

    fn refund_with<'a>(
        &'a self,
        refund: &'a Refund,
        receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.send_back(refund, Some(receipt)))
    }

    fn register<'a>(
        &'a self,
        receipt: &'a FiscalReceipt,
        payment: &'a str,
    ) -> BoxFuture<'a, Result<RegistrationSeen, ProviderError>> {
        Box::pin(self.registration(receipt, payment))
    }
}
