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

/// What a notice says of the receipt that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoticedReceipt<'a> {
    /// The provider's reference of the payment.
    pub payment: &'a str,
    pub of_refund: bool,
    /// Its sum, in minor units, if the notice says it.
    pub total: Option<i64>,
    /// The fiscal document that the till made of it.
    pub document: Option<&'a str>,
}

/// Finds the receipt of a session that a notice of this provider is about: one that was sent and waits for its registration, with
/// this sum; of several the oldest. If the notice has no sum, the only one that waits. A notice may be repeated, so one with
/// another sum, or with the document of another receipt, is about a receipt that is registered, and never about the one that waits.
#[must_use]
pub fn meant<'a>(receipts: &'a [FiscalReceipt], provider: &str, noticed: NoticedReceipt<'_>) -> Meant<'a> {
    let NoticedReceipt { payment, of_refund, total, document } = noticed;
    if document.is_some() && receipts.iter().any(|receipt| receipt.document.as_deref() == document) {
        return Meant::Nothing;
    }
    let is_paid_by_it = |receipt: &&FiscalReceipt| {
        let (of, at) = (receipt.reference.as_deref(), receipt.provider.as_deref());
        receipt.kind == FiscalKind::Payment && of == Some(payment) && at == Some(provider)
    };
    if !receipts.is_empty() && !receipts.iter().any(|receipt| is_paid_by_it(&receipt)) {
        return Meant::NotSentYet;
    }
    // The hand-over closes the prepayment of the payment that the session waited for.
    let is_of_session = receipts.iter().any(|receipt| receipt.is_of_session() && is_paid_by_it(&receipt));
    let kind = |receipt: &&FiscalReceipt| match receipt.kind {
        FiscalKind::Payment => !of_refund && is_paid_by_it(receipt),
        FiscalKind::Closing => !of_refund && is_of_session,
        FiscalKind::Refund => of_refund,
    };
    let fits = |receipt: &&FiscalReceipt| total.is_none_or(|total| receipt.total.minor == total);
    let unsent = |receipt: &&FiscalReceipt| match receipt.status {
        ReceiptStatus::None => receipt.provider.is_none(),
        ReceiptStatus::Pending => receipt.kind == FiscalKind::Closing && receipt.reference.is_none(),
        ReceiptStatus::Registered | ReceiptStatus::Failed => false,
    };
    let waits = |receipt: &&FiscalReceipt| {
        let pending = receipt.status == ReceiptStatus::Pending && !unsent(receipt);
        pending && receipt.provider.as_deref() == Some(provider)
    };
    let mut waiting: Vec<_> = receipts.iter().filter(kind).filter(fits).filter(waits).collect();
    waiting.sort_by_key(|receipt| (receipt.created_at, receipt.kind == FiscalKind::Closing));
    match waiting[..] {
        [only] => Meant::This(only),
        [oldest, ..] if total.is_some() => Meant::This(oldest),
        _ if receipts.iter().filter(kind).filter(fits).any(|receipt| unsent(&receipt)) => Meant::NotSentYet,
        _ => Meant::Nothing,
    }
}
