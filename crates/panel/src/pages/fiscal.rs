//! Fiscal receipts on the page of a session.

use till_domain::{
    fiscal::{FiscalItem, FiscalKind, FiscalReceipt, ReceiptStatus},
    money::Money,
};

/// A fiscal receipt of a session.
#[derive(Debug, Clone)]
pub struct FiscalLine {
    pub receipt: FiscalReceipt,
}

impl FiscalLine {
    /// The lines of a session's receipts.
    pub fn all(receipts: Vec<FiscalReceipt>) -> Vec<Self> {
        receipts.into_iter().map(|receipt| Self { receipt }).collect()
    }

    /// The CSS class of its colour, and its icon.
    pub fn class(&self) -> &'static str {
        match self.receipt.status {
            ReceiptStatus::None => "expired",
            ReceiptStatus::Pending => "pending",
            ReceiptStatus::Registered => "paid",
            ReceiptStatus::Failed => "failed",
        }
    }

    pub fn kind_key(&self) -> String {
        match self.receipt.kind {
            FiscalKind::Payment if !self.receipt.is_of_session() => "fiscal-kind-second".to_owned(),
            kind => format!("fiscal-kind-{}", kind.as_str()),
        }
    }

    pub fn status_key(&self) -> String {
        format!("fiscal-status-{}", self.receipt.status.as_str())
    }

    /// The key of what a person has to do, or to know: a registration that failed needs a correction receipt, and a closing
    /// receipt that was never made has to be made.
    pub fn advice(&self) -> Option<&'static str> {
        let unmade = self.receipt.kind == FiscalKind::Closing && self.receipt.reference.is_none();
        match self.receipt.status {
            ReceiptStatus::Failed if unmade => Some("fiscal-closing-by-hand"),
            ReceiptStatus::Failed => Some("fiscal-correction"),
            ReceiptStatus::Pending if self.receipt.failure.is_some() => Some("fiscal-blocked"),
            _ => None,
        }
    }

    pub fn vat_key(&self, item: &FiscalItem) -> String {
        format!("fiscal-vat-{}", item.vat.as_str().replace('/', "-of-"))
    }

    pub fn mode_key(&self, item: &FiscalItem) -> String {
        format!("fiscal-mode-{}", item.mode.as_str())
    }

    pub fn subject_key(&self, item: &FiscalItem) -> String {
        format!("fiscal-subject-{}", item.subject.as_str())
    }

    pub fn measure_key(&self, item: &FiscalItem) -> String {
        format!("fiscal-measure-{}", item.measure.as_str())
    }

    /// The price of one.
    pub fn price(&self, item: &FiscalItem) -> Money {
        Money { minor: item.price, ..self.receipt.total }
    }

    pub fn total(&self, item: &FiscalItem) -> Money {
        Money { minor: item.total(), ..self.receipt.total }
    }

    /// True if a rate did not apply on the day of the sale.
    pub fn is_outdated(&self) -> bool {
        self.receipt.outdated().next().is_some()
    }

    /// The customer's contacts, one after the other.
    pub fn contacts(&self) -> String {
        self.receipt.content.buyer.values().join(" · ")
    }
}
