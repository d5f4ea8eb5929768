//! Fiscal receipts: they go with payments and refunds, and their registration is followed. A receipt of a hand-over is made by
//! a call of its own.

use super::{
    Yookassa,
    api::{CallFailure, path},
    receipt,
    shapes::{Amount, Payment, ReceiptObject, ReceiptRegistration, RefundObject, is_id},
};
use crate::{Order, ProviderError, Receipts};
use futures_util::future::BoxFuture;
use serde_json::Value;
use till_domain::{
    attempt::{Quantity, Started},
    fiscal::{
        FiscalKind, FiscalReceipt,
        follow::{RegistrationSeen, RegistrationState},
    },
    refund::{Refund, RefundSeen},
};

/// Pages of a hundred to search for a receipt of one payment; there are never so many.
const PAGES: usize = 5;

impl Yookassa {
    async fn registration(
        &self,
        receipt: &FiscalReceipt,
        payment: &str,
    ) -> Result<RegistrationSeen, ProviderError> {
        let reference = receipt.reference.as_deref();
        let state = match (receipt.kind, reference) {
            (FiscalKind::Payment, _) => self.registration_of_payment(payment).await?,
            (FiscalKind::Refund, Some(refund)) => self.registration_of_refund(refund).await?,
            (FiscalKind::Closing, Some(id)) => {
                let made: ReceiptObject = self.ask(&path("receipts", id, "")?).await?;
                Some(made.status)
            }
            (FiscalKind::Closing, None) => return self.make(receipt, payment).await,
            (FiscalKind::Refund, None) => {
                return Err(ProviderError::Unclear("the refund of the receipt is not known".to_owned()));
            }
        };
        Ok(RegistrationSeen::of(meaning(state)))
    }

    async fn registration_of_payment(
        &self,
        payment: &str,
    ) -> Result<Option<ReceiptRegistration>, ProviderError> {
        let found: Payment = self.ask(&path("payments", payment, "")?).await?;
        Ok(found.receipt_registration)
    }

    async fn registration_of_refund(
        &self,
        refund: &str,
    ) -> Result<Option<ReceiptRegistration>, ProviderError> {
        let found: RefundObject = self.ask(&path("refunds", refund, "")?).await?;
        Ok(found.receipt_registration)
    }

    async fn ask<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, ProviderError> {
        self.api.get(path).await.map_err(CallFailure::unknown)
    }

    /// Makes the receipt of a hand-over, unless YooKassa has it: it remembers the id, its idempotency key, for a day only.
    async fn make(&self, receipt: &FiscalReceipt, payment: &str) -> Result<RegistrationSeen, ProviderError> {
        match self.find_closing(receipt, payment).await {
            Ok(Some(made)) => return made_by(made),
            Ok(None) => {}
            Err(failure) => return blocked(failure),
        }
        let body = receipt::closing(&receipt.content, receipt.total, payment);
        // A refusal is kept under its key, so a receipt that was blocked needs another one.
        let key = match receipt.failure {
            Some(_) => format!("{}-{}", receipt.id, receipt.checks),
            None => receipt.id.to_string(),
        };
        match self.api.post("/receipts", &key, &body).await {
            Ok(made) => made_by(made),
            // The same request would be refused again, unless this is the wrong shop for it.
            Err(CallFailure::Refused(reason)) => match self.fetch(payment).await {
                Ok(_) => Ok(RegistrationSeen::of(RegistrationState::Failed { reason })),
                Err(ProviderError::Unclear(_)) => {
                    Ok(RegistrationSeen::of(RegistrationState::Blocked { reason }))
                }
                Err(error) => Err(error),
            },
            Err(failure) => blocked(failure),
        }
    }

    /// The receipt of this hand-over among those of its payment.
    async fn find_closing(
        &self,
        receipt: &FiscalReceipt,
        payment: &str,
    ) -> Result<Option<ReceiptObject>, CallFailure> {
        let ours = |thing: &Value| prepaid(thing) == Some(Quantity::from(receipt.total));
        let found = self.api.search("/receipts", &[("payment_id", payment)], PAGES, ours).await?;
        let unclear = |_| CallFailure::Unknown("YooKassa's receipt is invalid".to_owned());
        found.into_iter().next().map(|found| serde_json::from_value(found).map_err(unclear)).transpose()
    }
}

/// The part of a receipt that was paid before; `None` if it is not the receipt of a hand-over.
fn prepaid(thing: &Value) -> Option<Quantity> {
    let [settled] = thing.get("settlements")?.as_array()?.as_slice() else { return None };
    let is_closing = thing.get("type")? == "payment" && settled.get("type")? == "prepayment";
    let amount: Amount = serde_json::from_value(settled.get("amount")?.clone()).ok()?;
    amount.quantity().filter(|_| is_closing)
}

/// What is known of a receipt that YooKassa has.
fn made_by(made: ReceiptObject) -> Result<RegistrationSeen, ProviderError> {
    if !is_id(&made.id) {
        return Err(ProviderError::Unknown("YooKassa's new receipt has no id".to_owned()));
    }
    Ok(RegistrationSeen { reference: Some(made.id), ..RegistrationSeen::of(meaning(Some(made.status))) })
}

/// A key that YooKassa does not accept, or that may not make receipts, can be replaced; everything else ends by itself.
fn blocked(failure: CallFailure) -> Result<RegistrationSeen, ProviderError> {
    match failure {
        CallFailure::Denied(reason) | CallFailure::Forbidden(reason) | CallFailure::Refused(reason) => {
            Ok(RegistrationSeen::of(RegistrationState::Blocked { reason }))
        }
        other => Err(other.unknown()),
    }
}

/// What YooKassa says of a registration. Until the till has the receipt, YooKassa may say nothing.
fn meaning(said: Option<ReceiptRegistration>) -> RegistrationState {
    match said {
        Some(ReceiptRegistration::Succeeded) => RegistrationState::Registered,
        Some(ReceiptRegistration::Canceled) => {
            RegistrationState::Failed { reason: "YooKassa could not register it".to_owned() }
        }
        Some(ReceiptRegistration::Pending | ReceiptRegistration::Unknown) | None => {
            RegistrationState::Pending
        }
    }
}

impl Receipts for Yookassa {
    /// YooKassa's own receipts are sent by e-mail alone.
    fn needs_email(&self) -> bool {
        !self.setup.receipts_by_phone
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
