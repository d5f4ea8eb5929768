//! Which receipt a provider's notice is about, where the notice names the payment alone.

use super::{FiscalKind, FiscalReceipt, ReceiptStatus};

/// The receipt that a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant<'a> {
    This(&'a FiscalReceipt),
    /// It is about a receipt whose payment or refund Till has not recorded yet: the notice is early.
    NotSentYet,
    /// All that it can be about are registered, failed, or not this provider's.
    Nothing,
}

/// Finds the receipt of a session that a notice of this provider is about: one that waits for its registration, with this sum; of
/// several the oldest. If none has this sum, the only one that waits.
#[must_use]
pub fn meant<'a>(
    receipts: &'a [FiscalReceipt],
    provider: &str,
    of_refund: bool,
    total: Option<i64>,
) -> Meant<'a> {
    let kind = |receipt: &&FiscalReceipt| (receipt.kind == FiscalKind::Refund) == of_refund;
    let waits = |receipt: &&FiscalReceipt| {
        receipt.status == ReceiptStatus::Pending && receipt.provider.as_deref() == Some(provider)
    };
    let mut waiting: Vec<_> = receipts.iter().filter(kind).filter(waits).collect();
    waiting.sort_by_key(|receipt| (receipt.created_at, receipt.kind == FiscalKind::Closing));
    if let Some(same) = waiting.iter().find(|receipt| Some(receipt.total.minor) == total) {
        return Meant::This(same);
    }
    if let [only] = waiting[..] {
        return Meant::This(only);
    }
    let unsent =
        |receipt: &FiscalReceipt| receipt.status == ReceiptStatus::None && receipt.provider.is_none();
    match receipts.iter().filter(kind).any(unsent) {
        true => Meant::NotSentYet,
        false => Meant::Nothing,
    }
}
