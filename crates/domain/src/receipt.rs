//! Receipts of payments and refunds, for the customer to keep.
//!
//! A receipt is created in the same list of changes as its money, so neither exists without the other, and
//! never changes afterwards. Its page has a link that cannot be guessed; the mails that bring it are in
//! [`crate::dispatch`].

use crate::{
    attempt::AttemptFacts,
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

/// The secret in the link to a receipt's page: 128 random bits, not derived from anything known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReceiptLink([u8; 16]);

impl ReceiptLink {
    /// A link of random bits that the caller draws.
    #[must_use]
    pub const fn new(random: [u8; 16]) -> Self {
        Self(random)
    }

    /// Parses 32 lower-case hexadecimal digits, and no other spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        if text.len() != 32 || !text.bytes().all(plain) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|bits| Self(bits.to_be_bytes()))
    }

    /// The bytes to store.
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
    /// Hides the link, so that it is in no log: the link is all that is needed to read the receipt.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceiptLink(…)")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptKind {
    Paid,
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Paid, Self::Refunded].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A receipt. Its other content is in its session and that session's transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The id of the transaction or the refund that it is about, so each has one receipt.
    pub id: ReceiptId,
    pub session: SessionId,
    /// The vendor whose customer has it.
    pub vendor: VendorId,
    pub kind: ReceiptKind,
    /// The secret in the link to its page.
    pub link: ReceiptLink,
    /// The amount that was paid or refunded.
    pub amount: Money,
    /// The address to which the customer wants it sent, if any.
    pub email: Option<String>,
    /// The customer's language, if it is known.
    pub language: Option<String>,
    pub at: Timestamp,
}

/// The facts about a refund that its receipt needs.
#[derive(Debug, Clone, Copy)]
pub struct Refunded {
    pub id: ReceiptId,
    pub amount: Money,
    pub at: Timestamp,
    /// The secret in the link to the new receipt's page.
    pub link: ReceiptLink,
}

/// Queues the receipt of a payment, and the mails that bring it. Empty in an environment without receipts.
#[must_use]
pub fn on_payment(facts: &AttemptFacts<'_>, money: &Transaction) -> Vec<Change> {
    let receipt = Receipt {
        id: money.id.into(),
        session: money.session,
        vendor: money.vendor,
        kind: ReceiptKind::Paid,
        link: facts.link,
        // The transaction that completed the payment may be only the rest of the price.
        amount: facts.session.item.price.money(),
        email: facts.attempt.email.clone(),
        language: facts.attempt.language.clone(),
        at: money.at,
    };
    queue(facts.rules, facts.settings, receipt)
}

/// Queues the receipt of a refund, for the recipient of the payment's receipt.
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
