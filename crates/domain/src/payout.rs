//! Payouts: a vendor requests some of its money, the operator approves it and reports whether the bank
//! transfer succeeded.
//!
//! The request takes the money at once, so that it cannot be requested twice; it is returned if the payout is
//! refused or fails.

use crate::{
    change::Change,
    id::{EntryId, PayoutId, VendorId},
    ledger::{Account, Entry, EntryKind, Heading, Posting},
    money::Money,
    time::Timestamp,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PayoutState {
    /// The vendor has requested it.
    Asked,
    /// The operator has approved it and sends the money.
    Approved,
    /// The operator has refused it; the money is available to the vendor again.
    Refused,
    /// The money has gone to the vendor.
    Sent,
    /// The transfer failed; the money is available to the vendor again.
    Failed,
}

impl PayoutState {
    pub const ALL: [Self; 5] = [Self::Asked, Self::Approved, Self::Refused, Self::Sent, Self::Failed];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Approved => "approved",
            Self::Refused => "refused",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// The states that may follow this one.
    #[must_use]
    pub fn next(self) -> &'static [Self] {
        match self {
            Self::Asked => &[Self::Approved, Self::Refused],
            Self::Approved => &[Self::Sent, Self::Failed],
            Self::Refused | Self::Sent | Self::Failed => &[],
        }
    }

    /// The state that comes before this one.
    #[must_use]
    pub fn before(self) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.next().contains(&self))
    }

    /// Returns true when the state needs a note: the reason, or the bank's reference.
    #[must_use]
    pub fn needs_note(self) -> bool {
        matches!(self, Self::Refused | Self::Sent | Self::Failed)
    }
}

/// A payout as it was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payout {
    pub id: PayoutId,
    pub vendor: VendorId,
    pub amount: Money,
    /// The destination in free text: what the operator's bank needs to know.
    pub destination: String,
    /// When it was requested.
    pub at: Timestamp,
    pub by: String,
}

/// A change of a payout's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutStep {
    pub state: PayoutState,
    pub at: Timestamp,
    pub by: String,
    /// The reason, or the bank's reference.
    pub note: Option<String>,
}

/// A validation error of a payout request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PayoutProblem {
    #[error("the amount must be greater than 0")]
    NotPositive,
    /// More than the available balance.
    #[error("this is more than the available balance")]
    NotAvailable,
    #[error("enter the destination")]
    DestinationMissing,
    /// More than [`Payout::MAX_DESTINATION`] characters, or with control characters.
    #[error("use at most 500 characters of plain text")]
    DestinationWrong,
}

impl Payout {
    /// Maximum characters of a destination.
    pub const MAX_DESTINATION: usize = 500;

    /// Maximum characters of a note.
    pub const MAX_NOTE: usize = 200;

    /// The name of the clearing account for the operator's own bank account.
    pub const BANK: &str = "bank";

    /// Validates a destination as it was typed.
    pub fn read_destination(text: &str) -> Result<String, PayoutProblem> {
        let text = text.replace("\r\n", "\n");
        let text = text.trim();
        let wrong = text.chars().any(|c| c.is_control() && c != '\n');
        match text.chars().count() {
            0 => Err(PayoutProblem::DestinationMissing),
            count if count > Self::MAX_DESTINATION || wrong => Err(PayoutProblem::DestinationWrong),
            _ => Ok(text.to_owned()),
        }
    }

    /// Validates a note as it was typed; `None` if it is empty, too long, or has control characters.
    #[must_use]
    pub fn read_note(text: &str) -> Option<String> {
        let text = text.trim();
        let fine =
            (1..=Self::MAX_NOTE).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        fine.then(|| text.to_owned())
    }

    /// Requests the payout and takes its money, guarded by the version of the wallet, which must be read
    /// before `available`.
    pub fn ask(&self, version: i64, available: Money, entry: EntryId) -> Result<Vec<Change>, PayoutProblem> {
        if self.amount.minor <= 0 {
            return Err(PayoutProblem::NotPositive);
        }
        if self.amount.currency != available.currency || self.amount.minor > available.minor {
            return Err(PayoutProblem::NotAvailable);
        }
        let (vendor, currency) = (self.vendor, self.amount.currency);
        let postings = [(Account::Available, -self.amount.minor), (Account::Payouts, self.amount.minor)];
        Ok(vec![
            Change::TakeFromWallet { vendor, currency, was: version },
            Change::AskPayout(Box::new(self.clone())),
            self.book(EntryKind::Payout, entry, self.at, postings),
        ])
    }

    /// Moves the payout to the state of `step` and books that. The guard in the store refuses a step that
    /// does not follow from the current state, so each is taken once.
    #[must_use]
    pub fn step(&self, step: &PayoutStep, entry: EntryId) -> Vec<Change> {
        let moved = Change::MovePayout { id: self.id, step: Box::new(step.clone()) };
        let gone = (Account::Payouts, -self.amount.minor);
        let booked = match step.state {
            PayoutState::Asked | PayoutState::Approved => None,
            PayoutState::Refused | PayoutState::Failed => {
                Some((EntryKind::PayoutFailed, [gone, (Account::Available, self.amount.minor)]))
            }
            PayoutState::Sent => {
                let bank = Account::Clearing(Self::BANK.to_owned());
                Some((EntryKind::PayoutSent, [gone, (bank, self.amount.minor)]))
            }
        };
        let booked = booked.map(|(kind, postings)| self.book(kind, entry, step.at, postings));
        [moved].into_iter().chain(booked).collect()
    }

    fn book(&self, kind: EntryKind, id: EntryId, at: Timestamp, postings: [(Account, i64); 2]) -> Change {
        let heading = Heading {
            id,
            vendor: self.vendor,
            kind,
            cause: self.id.into(),
            session: None,
            currency: self.amount.currency,
            at,
        };
        let postings = postings.map(|(account, amount)| Posting::new(account, amount));
        Change::PostEntry(Box::new(Entry::new(heading, postings)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{change::Guard, money::Currency};

    fn rub(minor: i64) -> Money {
        Money { minor, currency: Currency::parse("RUB").expect("a currency") }
    }

    fn payout(minor: i64) -> Payout {
        Payout {
            id: PayoutId::from_bytes([1; 16]),
            vendor: VendorId::from_bytes([2; 16]),
            amount: rub(minor),
            destination: "an account".to_owned(),
            at: Timestamp::from_ms(5),
            by: "ada".to_owned(),
        }
    }

    const ENTRY: EntryId = EntryId::from_bytes([3; 16]);

    #[test]
    fn i7_nobody_asks_for_more_than_there_is() {
        use PayoutProblem::{NotAvailable, NotPositive};
        for (minor, available, expected) in [
            (0, 10, Some(NotPositive)),
            (-1, 10, Some(NotPositive)),
            (11, 10, Some(NotAvailable)),
            (10, 10, None),
            (1, 0, Some(NotAvailable)),
        ] {
            assert_eq!(payout(minor).ask(7, rub(available), ENTRY).err(), expected, "{minor} of {available}");
        }
        let other = Money { minor: 100, currency: Currency::parse("EUR").expect("a currency") };
        assert_eq!(payout(1).ask(7, other, ENTRY).err(), Some(NotAvailable));
        let changes = payout(10).ask(7, rub(10), ENTRY).expect("enough");
        assert_eq!(changes[0].guard(), Some(Guard::WalletMoved));
    }

    #[test]
    fn a_payout_goes_one_way_and_money_comes_back_unless_it_was_sent() {
        use PayoutState::{Approved, Asked, Failed, Refused, Sent};
        assert_eq!(
            PayoutState::ALL.map(PayoutState::before),
            [None, Some(Asked), Some(Asked), Some(Approved), Some(Approved)]
        );
        for (state, account) in [
            (Approved, None),
            (Refused, Some(Account::Available)),
            (Failed, Some(Account::Available)),
            (Sent, Some(Account::Clearing("bank".to_owned()))),
        ] {
            let step = PayoutStep { state, at: Timestamp::from_ms(9), by: "op".to_owned(), note: None };
            let changes = payout(10).step(&step, ENTRY);
            assert_eq!(changes[0].guard(), Some(Guard::PayoutMoved));
            let moved = changes.get(1).map(|change| match change {
                Change::PostEntry(entry) => entry.postings()[1].account.clone(),
                other => panic!("{other:?}"),
            });
            assert_eq!(moved, account, "{state:?}");
            assert_eq!(PayoutState::parse(state.as_str()), Some(state));
        }
    }

    #[test]
    fn a_destination_is_some_text_and_not_too_long() {
        let read = Payout::read_destination;
        assert_eq!(read(" IBAN 1\r\nBank 2 "), Ok("IBAN 1\nBank 2".to_owned()));
        assert_eq!(read(" \n "), Err(PayoutProblem::DestinationMissing));
        assert_eq!(read("a\u{7}"), Err(PayoutProblem::DestinationWrong));
        assert!(read(&"x".repeat(500)).is_ok() && read(&"x".repeat(501)).is_err());
        assert_eq!(Payout::read_note(" ok "), Some("ok".to_owned()));
        assert!(Payout::read_note(" ").is_none() && Payout::read_note(&"x".repeat(201)).is_none());
    }
}
