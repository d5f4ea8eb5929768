//! The till of the simulated bank: it registers every fiscal receipt at once.

use super::Simulator;
use crate::{Order, Provider, ProviderError, Receipts, Refunds};
use futures_util::future::BoxFuture;
use std::future::ready;
use till_domain::{
    attempt::Started,
    fiscal::{
        FiscalReceipt,
        follow::{RegistrationSeen, RegistrationState},
    },
    refund::{Refund, RefundSeen},
};

impl Receipts for Simulator {
    fn start_with<'a>(
        &'a self,
        order: &'a Order<'a>,
        _receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Provider::start(self, order)
    }

    fn refund_with<'a>(
        &'a self,
        refund: &'a Refund,
        _receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Refunds::refund(self, refund)
    }

    fn register<'a>(
        &'a self,
        receipt: &'a FiscalReceipt,
        _payment: &'a str,
    ) -> BoxFuture<'a, Result<RegistrationSeen, ProviderError>> {
        let reference = receipt.reference.is_none().then(|| format!("simf_{}", receipt.id));
        Box::pin(ready(Ok(RegistrationSeen {
            reference,
            ..RegistrationSeen::of(RegistrationState::Registered)
        })))
    }
}
