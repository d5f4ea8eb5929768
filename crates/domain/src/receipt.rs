//! Receipts: that money came, or went back, for the customer to keep.
//!
//! A receipt is made in the list of changes that its money is made in, so neither is there without the other,
//! and nothing of it changes afterwards. Its page is found by a link that nobody can guess; the mails that
//! bring it are [`crate::dispatch`]'s business.

use crate::{
    attempt::Scene,
    change::Change,
    dispatch::{Dispatch, DispatchKind},
    id::{ReceiptId, SessionId, VendorId},
    money::Money,
    rules::Rules,
    time::Timestamp,
    transaction::Transaction,
    vendor::Settings,
};
use std::fmt;

/// What leads to a receipt's page: 128 random bits, made of nothing that anybody knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReceiptLink([u8; 16]);

impl ReceiptLink {
    /// A link of bits that the caller draws.
    #[must_use]
    pub const fn new(random: [u8; 16]) -> Self {
        Self(random)
    }

    /// Reads 32 lower-case hexadecimal digits, and no other spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        if text.len() != 32 || !text.bytes().all(plain) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|bits| Self(bits.to_be_bytes()))
    }

    /// The bytes that a store keeps.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ReceiptLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ReceiptLink {
    /// Whoever has the link reads the receipt, so it is in no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceiptLink(…)")
    }
}

/// What a receipt is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptKind {
    Paid,
    /// Money that went back.
    Refunded,
}

impl ReceiptKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Refunded => "refunded",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Paid, Self::Refunded].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A receipt. What else it says is in its session and that session's transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Its id: that of the transaction or the refund that it is about, so each has one.
    pub id: ReceiptId,
    pub session: SessionId,
    /// Whose customer has it.
    pub vendor: VendorId,
    /// What it is about.
    pub kind: ReceiptKind,
    /// What leads to it.
    pub link: ReceiptLink,
    /// How much came, or went back.
    pub amount: Money,
    /// Where the customer wants it, if anywhere.
    pub email: Option<String>,
    /// The customer's language, if it is known.
    pub language: Option<String>,
    pub at: Timestamp,
}

/// Money that goes back, as its receipt needs to know it.
#[derive(Debug, Clone, Copy)]
pub struct Refunded {
    pub id: ReceiptId,
    pub amount: Money,
    pub at: Timestamp,
    /// What leads to the new receipt.
    pub link: ReceiptLink,
}

/// What is queued with a payment: its receipt, and the mails that bring it. Nothing where there are none.
#[must_use]
pub fn on_payment(scene: &Scene<'_>, money: &Transaction) -> Vec<Change> {
    let receipt = Receipt {
        id: money.id.into(),
        session: money.session,
        vendor: money.vendor,
        kind: ReceiptKind::Paid,
        link: scene.link,
        // The money that made it paid may be only the rest of the price.
        amount: scene.session.item.price.money(),
        email: scene.attempt.email.clone(),
        language: scene.attempt.language.clone(),
        at: money.at,
    };
    queue(scene.rules, scene.settings, receipt)
}

/// What is queued with a refund: its receipt, to whoever got the one of the payment.
#[must_use]
pub fn on_refund(rules: &Rules, settings: &Settings, paid: &Receipt, refunded: Refunded) -> Vec<Change> {
    let Refunded { id, amount, at, link } = refunded;
    let receipt = Receipt { id, kind: ReceiptKind::Refunded, link, amount, at, ..paid.clone() };
    queue(rules, settings, receipt)
}

fn queue(rules: &Rules, settings: &Settings, receipt: Receipt) -> Vec<Change> {
    if !rules.receipts {
        return Vec::new();
    }
    let copy = settings.contact_email.clone().filter(|_| settings.receipt_copy);
    let recipients =
        [(DispatchKind::Receipt, receipt.email.clone()), (DispatchKind::ReceiptCopy, copy)].into_iter();
    let mails = recipients.filter_map(|(kind, recipient)| {
        let (vendor, session) = (receipt.vendor, Some(receipt.session));
        let about = *receipt.id.as_bytes();
        let dispatch = Dispatch { about, kind, vendor, session, recipient: recipient?, at: receipt.at };
        Some(Change::QueueDispatch(Box::new(dispatch)))
    });
    let mails: Vec<Change> = mails.filter(|_| rules.mails).collect();
    [Change::QueueReceipt(Box::new(receipt))].into_iter().chain(mails).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_in_one_spelling_and_not_shown_by_accident() {
        let link = ReceiptLink::new([0x0a; 16]);
        let text = link.to_string();
        assert_eq!((text.as_str(), ReceiptLink::parse(&text)), (&*"0a".repeat(16), Some(link)));
        for wrong in ["", "0A0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a", "+a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a", "0a"] {
            assert_eq!(ReceiptLink::parse(wrong), None, "{wrong}");
        }
        assert!(!format!("{link:?}").contains("0a"));
    }
}
