//! Providers that pass fiscal receipts (54-FZ) on to a till: with the payment, with the refund, and for the hand-over.

use crate::{Order, ProviderError};
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{
    attempt::Started,
    fiscal::{FiscalReceipt, follow::RegistrationSeen},
    refund::{Refund, RefundSeen},
};

/// A provider that passes fiscal receipts on. As for payments, the ids are the idempotency keys: repeating a request gives the
/// same answer.
pub trait Receipts: Debug + Send + Sync {
    /// Returns true if the till needs an e-mail address, and a phone number alone is not enough.
    fn needs_email(&self) -> bool {
        false
    }

    /// Returns false if a refund of everything cannot have a receipt of its own: the till then returns the payment's lines.
    fn takes_receipt_of_whole(&self) -> bool {
        true
    }

    /// Starts a payment together with its receipt.
    fn start_with<'a>(
        &'a self,
        order: &'a Order<'a>,
        receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<Started, ProviderError>>;

    /// Sends money back together with the receipt of the refund, unless that was done under this id before.
    fn refund_with<'a>(
        &'a self,
        refund: &'a Refund,
        receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<RefundSeen, ProviderError>>;

    /// Checks the registration of a receipt. `payment` is the provider's reference of the payment. A receipt without a reference of
    /// its own, that of a hand-over, is made first, unless the provider has it: this is repeated for days, perhaps longer than the
    /// provider knows an idempotency key. What it refuses for good has failed; what a person can change, such as a key without
    /// the right, is blocked; any other failure is an error, and repeated.
    fn register<'a>(
        &'a self,
        receipt: &'a FiscalReceipt,
        payment: &'a str,
    ) -> BoxFuture<'a, Result<RegistrationSeen, ProviderError>>;
}
