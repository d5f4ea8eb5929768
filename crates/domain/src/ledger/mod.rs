//! The double-entry ledger of the vendors' money: what moves it, by how much, between which accounts.
//!
//! An [`Entry`] is one movement as a whole, made of postings that sum to zero; it cannot be made of others.
//! Money flows from − to +. A vendor's accounts are positive by what the operator owes it; `clearing` is
//! negative by what a provider holds for the operator. The entry that follows from an event is in
//! [`books`](self::Books), the operator's fees are in [`fees`](self::Fee), the hash chain is in
//! [`chain`](self::seal).

mod books;
mod chain;
mod fees;
mod refunds;

pub(crate) use books::reversal;
pub use books::{Books, Settlement, decide, held, held_by, settle};
pub use chain::{BalanceChange, canonical_bytes, follow, seal, seal_all, sum_up};
pub use fees::{Fee, FeeProblem, Terms};
pub(crate) use refunds::{refund_failed, refund_sent, refund_taken};

use crate::{
    id::{ActionId, EntryId, PayoutId, RefundId, SessionId, TransactionId, VendorId},
    money::{Currency, Money},
    time::Timestamp,
    words::words,
};
use std::fmt;

/// An account. Each vendor has its own of every kind, in every currency.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Account {
    /// The vendor's money that cannot be paid out yet.
    Pending,
    /// The vendor's money that can be paid out.
    Available,
    /// Money at a provider, by the provider's name.
    Clearing(String),
    /// The operator's fees.
    Fees,
    /// Money on its way back to customers.
    Refunds,
    /// Money on its way to the vendor.
    Payouts,
    /// Held money: received, and the operator has to decide whose it is. Negative by reversals that are not
    /// decided yet.
    Suspense,
    /// Reversals that the operator bears, as a negative balance.
    Losses,
}

impl Account {
    const CLEARING: &'static str = "clearing:";

    /// The account with this name, as [`Display`](fmt::Display) writes it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "pending" => Some(Self::Pending),
            "available" => Some(Self::Available),
            "fees" => Some(Self::Fees),
            "refunds" => Some(Self::Refunds),
            "payouts" => Some(Self::Payouts),
            "suspense" => Some(Self::Suspense),
            "losses" => Some(Self::Losses),
            _ => {
                let provider = name.strip_prefix(Self::CLEARING).filter(|provider| !provider.is_empty())?;
                Some(Self::Clearing(provider.to_owned()))
            }
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => f.write_str("pending"),
            Self::Available => f.write_str("available"),
            Self::Clearing(provider) => write!(f, "{}{provider}", Self::CLEARING),
            Self::Fees => f.write_str("fees"),
            Self::Refunds => f.write_str("refunds"),
            Self::Payouts => f.write_str("payouts"),
            Self::Suspense => f.write_str("suspense"),
            Self::Losses => f.write_str("losses"),
        }
    }
}

words! {
    /// The event that an entry books.
    pub enum EntryKind {
        /// A session was paid. Caused by its transaction.
        Payment = "payment",
        /// Pending money becomes available. Caused by the entry that credited it.
        Settlement = "settlement",
        /// Money was received and it is not clear whose it is. Caused by its transaction.
        Suspense = "suspense",
        /// The operator decided that held money is the vendor's. Caused by the decision.
        Accepted = "accepted",
        /// Received money was taken back by its source. Caused by the transaction that says so.
        Reversal = "reversal",
        /// The operator decided that the vendor bears a reversal. Caused by the decision.
        Charged = "charged",
        /// The operator decided to bear a reversal. Caused by the decision.
        Absorbed = "absorbed",
        /// A refund takes its money. Caused by the refund, or by the decision about held money.
        Refund = "refund",
        /// A refund was sent.
        RefundSent = "refund_sent",
        /// A refund failed.
        RefundFailed = "refund_failed",
        /// A payout takes its money. Caused by the payout.
        Payout = "payout",
        /// A payout was sent.
        PayoutSent = "payout_sent",
        /// A payout failed or was refused.
        PayoutFailed = "payout_failed",
    }
}

/// The id of what caused an entry. A cause is booked once for each kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause([u8; 16]);

impl Cause {
    /// The cause with these stored bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The sixteen bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl From<TransactionId> for Cause {
    fn from(id: TransactionId) -> Self {
        Self(id.into())
    }
}

impl From<ActionId> for Cause {
    fn from(id: ActionId) -> Self {
        Self(id.into())
    }
}

impl From<PayoutId> for Cause {
    fn from(id: PayoutId) -> Self {
        Self(id.into())
    }
}

impl From<RefundId> for Cause {
    fn from(id: RefundId) -> Self {
        Self(id.into())
    }
}

impl From<EntryId> for Cause {
    fn from(id: EntryId) -> Self {
        Self(id.into())
    }
}

/// One line of an entry: an account and the change of its balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    pub account: Account,
    /// The change, in minor units of the entry's currency.
    pub amount: i64,
}

impl Posting {
    #[must_use]
    pub fn new(account: Account, amount: i64) -> Self {
        Self { account, amount }
    }
}

/// Everything about an entry except its postings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub id: EntryId,
    /// The vendor whose accounts it moves money between.
    pub vendor: VendorId,
    pub kind: EntryKind,
    pub cause: Cause,
    /// The session that it belongs to.
    pub session: Option<SessionId>,
    /// The currency of its postings.
    pub currency: Currency,
    pub at: Timestamp,
}

/// One movement of money as a whole. Its postings sum to zero; it is never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    heading: Heading,
    postings: Vec<Posting>,
}

impl Entry {
    /// Maximum postings of an entry.
    pub const MAX_POSTINGS: usize = 16;

    /// An entry of these postings; those of zero are left out.
    ///
    /// # Panics
    ///
    /// If the remaining postings do not balance, which is a bug of the caller.
    #[must_use]
    pub fn new(heading: Heading, postings: impl IntoIterator<Item = Posting>) -> Self {
        let postings: Vec<_> = postings.into_iter().filter(|posting| posting.amount != 0).collect();
        let entry = Self::read(heading, postings);
        assert!(entry.is_some(), "the postings of an entry sum to zero");
        entry.unwrap_or_else(|| unreachable!("it was looked at"))
    }

    /// The entry with this heading and these postings, as stored. `None` if they do not balance, if one is
    /// zero, if two are of the same account, or if there are fewer than 2 or more than
    /// [`MAX_POSTINGS`](Self::MAX_POSTINGS).
    #[must_use]
    pub fn read(heading: Heading, postings: Vec<Posting>) -> Option<Self> {
        let sum: i128 = postings.iter().map(|posting| i128::from(posting.amount)).sum();
        let some = postings.iter().all(|posting| posting.amount != 0);
        let few = (2..=Self::MAX_POSTINGS).contains(&postings.len());
        let twice = |(place, posting): (usize, &Posting)| {
            postings.iter().skip(place + 1).any(|other| other.account == posting.account)
        };
        let apart = !postings.iter().enumerate().any(twice);
        (sum == 0 && some && few && apart).then_some(Self { heading, postings })
    }

    /// Everything except its postings.
    #[must_use]
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    #[must_use]
    pub fn id(&self) -> EntryId {
        self.heading.id
    }

    /// Its postings, in the order of their lines.
    #[must_use]
    pub fn postings(&self) -> &[Posting] {
        &self.postings
    }

    /// The change of an account by this entry.
    #[must_use]
    pub fn amount_on(&self, account: &Account) -> Money {
        let minor =
            self.postings.iter().filter(|posting| posting.account == *account).map(|p| p.amount).sum();
        Money { minor, currency: self.heading.currency }
    }

    /// The change of the vendor's own money by this entry, available and pending together.
    #[must_use]
    pub fn own(&self) -> Money {
        let minor = [Account::Available, Account::Pending].iter().map(|own| self.amount_on(own).minor).sum();
        Money { minor, currency: self.heading.currency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_account_and_kind_has_a_word_of_its_own() {
        let clearing = Account::Clearing("bank".to_owned());
        for account in [
            Account::Pending,
            Account::Available,
            clearing,
            Account::Fees,
            Account::Refunds,
            Account::Payouts,
            Account::Suspense,
            Account::Losses,
        ] {
            assert_eq!(Account::parse(&account.to_string()), Some(account));
        }
        assert_eq!((Account::parse("clearing:"), Account::parse("Fees")), (None, None));
        for kind in EntryKind::ALL {
            assert_eq!(EntryKind::parse(kind.as_str()), Some(*kind));
        }
    }

    fn heading() -> Heading {
        Heading {
            id: EntryId::from_bytes([1; 16]),
            vendor: VendorId::from_bytes([2; 16]),
            kind: EntryKind::Payment,
            cause: Cause::from_bytes([3; 16]),
            session: None,
            currency: Currency::parse("RUB").expect("a currency"),
            at: Timestamp::from_ms(0),
        }
    }

    #[test]
    fn only_what_balances_is_an_entry() {
        let check = |amounts: &[i64], balances: bool| {
            let bank = |number: usize| Account::Clearing(number.to_string());
            let posting = |(number, amount): (usize, &i64)| Posting::new(bank(number), *amount);
            let postings = amounts.iter().enumerate().map(posting).collect();
            assert_eq!(Entry::read(heading(), postings).is_some(), balances, "{amounts:?}");
        };
        check(&[], false);
        check(&[0, 0], false);
        check(&[5], false);
        check(&[5, -4], false);
        check(&[5, -5, 0], false);
        check(&[5, -5], true);
        check(&[i64::MAX, i64::MAX, -i64::MAX, -i64::MAX], true);
        check(&[i64::MIN, i64::MAX, 1], true);
        check(&[1; 17], false);
        let twice = [5, -3, -2].map(|amount| Posting::new(Account::Pending, amount));
        assert_eq!(Entry::read(heading(), twice.to_vec()), None);
    }

    #[test]
    #[should_panic(expected = "sum to zero")]
    fn nobody_makes_one_that_does_not() {
        let _ = Entry::new(heading(), [Posting::new(Account::Pending, 5)]);
    }
}
