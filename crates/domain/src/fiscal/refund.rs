//! The fiscal receipt of a refund: all of the payment's lines, or those that come back.

use super::{
    FiscalContent, FiscalProblem, FiscalReceipt, FiscalSettings, PaymentMode, ReceiptStatus, read::Reading,
};
use crate::{
    money::Money,
    rejection::{FieldProblem, Problems},
    request::FieldValue,
};

/// The receipts of a session, as far as a refund depends on them.
#[derive(Debug, Clone, Copy)]
pub struct PaidReceipts<'a> {
    /// The receipt of the payment.
    pub payment: &'a FiscalReceipt,
    /// The receipt of the hand-over, if there was one.
    pub closing: Option<&'a FiscalReceipt>,
}

/// The receipt of a refund of this amount, as it was sent, or of everything that was paid. `None` if there is none, or if
/// something is wrong. Without a till that has the payment's receipt, a refund needs none.
pub fn on_refund(
    value: &FieldValue,
    amount: Money,
    paid: Option<PaidReceipts<'_>>,
    problems: &mut Problems,
) -> Option<FiscalContent> {
    let Some(paid) = paid else {
        if value.is_present() {
            problems.add("receipt", FiscalProblem::NoReceipt);
        }
        return None;
    };
    let whole = amount == paid.payment.total;
    let has_till = paid.payment.status != ReceiptStatus::None;
    let content = match (value.is_present(), whole) {
        (true, _) => paid.read(value, amount, problems)?,
        (false, true) => paid.all(),
        (false, false) if has_till => {
            problems.add("receipt", FiscalProblem::ItemsRequired);
            return None;
        }
        (false, false) => return None,
    };
    if has_till && !content.buyer.has_contact() {
        problems.add("receipt.customer", FieldProblem::Required);
        return None;
    }
    Some(content)
}

impl PaidReceipts<'_> {
    /// What the customer has: what was handed over, or else what was paid.
    fn all(&self) -> FiscalContent {
        let mut content = self.payment.content.clone();
        if let Some(closing) = self.closing {
            content.items.retain(|item| !item.mode.is_prepayment());
            content.items.extend(closing.content.items.iter().cloned());
        }
        content
    }

    fn read(&self, value: &FieldValue, amount: Money, problems: &mut Problems) -> Option<FiscalContent> {
        let FiscalContent { buyer, tax_system, items } = &self.payment.content;
        let settings = FiscalSettings { tax_system: *tax_system, ..FiscalSettings::default() };
        let mode = match (self.closing, items.first()) {
            (None, Some(first)) => first.mode,
            _ => PaymentMode::FullPayment,
        };
        let reading = Reading { settings: &settings, mode, expected: Some(amount) };
        let mut content = reading.receipt(value, problems)?;
        if !content.buyer.has_contact() {
            content.buyer = buyer.clone();
        }
        Some(content)
    }
}
