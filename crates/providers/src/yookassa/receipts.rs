//! Fiscal receipts: they go with payments and refunds, and their registration is followed. A receipt of a hand-over is made by
//! a call of its own.

use super::{
    Yookassa,
    api::{CallFailure, path},
    receipt,
    shapes::{Payment, ReceiptObject, ReceiptRegistration, RefundObject, is_id},
};
use crate::{Order, ProviderError, Receipts};
use futures_util::future::BoxFuture;
use till_domain::{
    attempt::Started,
    fiscal::{
        FiscalKind, FiscalReceipt,
        follow::{RegistrationSeen, RegistrationState},
    },
    refund::{Refund, RefundSeen},
};

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
        Ok(RegistrationSeen { state: meaning(state), reference: None })
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

    /// Makes the receipt of a hand-over, once for its id. A refusal is final: the same request would be refused again.
    async fn make(&self, receipt: &FiscalReceipt, payment: &str) -> Result<RegistrationSeen, ProviderError> {
        let body = receipt::closing(&receipt.content, receipt.total, payment);
        let made: Result<ReceiptObject, _> = self.api.post("/receipts", &receipt.id.to_string(), &body).await;
        match made {
            Ok(made) if is_id(&made.id) => {
                Ok(RegistrationSeen { state: meaning(Some(made.status)), reference: Some(made.id) })
            }
            Ok(_) => Err(ProviderError::Unknown("YooKassa's new receipt has no id".to_owned())),
            Err(CallFailure::Refused(reason) | CallFailure::Forbidden(reason)) => {
                Ok(RegistrationSeen { state: RegistrationState::Failed { reason }, reference: None })
            }
            Err(trouble) => Err(trouble.unknown()),
        }
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
