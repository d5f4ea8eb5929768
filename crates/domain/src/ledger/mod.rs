//! The vendors' money in double entry: what moves it, by how much, between which accounts.
//!
//! An [`Entry`] is one movement as a whole, made of postings that sum to zero; there is no way to make another.
//! Money flows from − to +. A vendor's accounts are positive by what the operator owes it; `clearing` is negative
//! by what a provider holds for the operator. Which entry follows from what happened is in [`books`](self::Books),
//! what the operator takes in [`fees`](self::Fee), how history is sealed in [`chain`](self::seal).

mod books;
mod chain;
mod fees;
mod refunds;

pub use books::{Books, Settlement, decide, held_by, settle};
pub(crate) use books::{held, reversal};
pub use chain::{Carried, canonical_bytes, follow, seal, seal_all, sum_up};
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
    /// The vendor's, but not to be paid out yet.
    Pending,
    /// The vendor's, to be paid out.
    Available,
    /// What a provider holds, by the provider's name.
    Clearing(String),
    /// What the operator took for its service.
    Fees,
    /// On its way back to customers.
    Refunds,
    /// On its way to the vendor.
    Payouts,
    /// Came, and a person has to decide whose it is; below nothing by what was taken back and nobody bears yet.
    Suspense,
    /// What was taken back and the operator bears: below nothing by so much.
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
    /// What an entry is about.
    pub enum EntryKind {
        /// A session was paid. Caused by its transaction.
        Payment = "payment",
        /// Money that was pending is available. Caused by the entry that brought it.
        Settlement = "settlement",
        /// Money came that nobody can say whose it is. Caused by its transaction.
        Suspense = "suspense",
        /// A person said that such money is the vendor's. Caused by the decision.
        Accepted = "accepted",
        /// Money that came was taken back by where it came from. Caused by the transaction that says so.
        Reversal = "reversal",
        /// A person said that the vendor bears that. Caused by the decision.
        Charged = "charged",
        /// A person said that the operator bears it. Caused by the decision.
        Absorbed = "absorbed",
        /// Money is to go back to a customer. Caused by the refund, or by the decision about money in suspense.
        Refund = "refund",
        /// It has gone back.
        RefundSent = "refund_sent",
        /// It could not go back.
        RefundFailed = "refund_failed",
        /// Money is to go to the vendor. Caused by the payout.
        Payout = "payout",
        /// It has gone there.
        PayoutSent = "payout_sent",
        /// It could not go there.
        PayoutFailed = "payout_failed",
    }
}

/// What caused an entry, by its id. A cause is booked once for each kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause([u8; 16]);

impl Cause {
    /// The cause with these bytes, as a store keeps them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The sixteen bytes that a store keeps.
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

/// One leg of an entry: so much more, or less, on an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    pub account: Account,
    /// By how much, in minor units of the entry's currency.
    pub amount: i64,
}

impl Posting {
    /// So much more, or less, on this account.
    #[must_use]
    pub fn new(account: Account, amount: i64) -> Self {
        Self { account, amount }
    }
}

/// Everything about an entry but its postings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub id: EntryId,
    /// Whose accounts it moves money between.
    pub vendor: VendorId,
    /// What it is about.
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
    /// The most postings of an entry.
    pub const MAX_POSTINGS: usize = 16;

    /// An entry of these postings; those of nothing are left out.
    ///
    /// # Panics
    ///
    /// If the postings that are left do not balance: whoever makes an entry knows what goes where.
    #[must_use]
    pub fn new(heading: Heading, postings: impl IntoIterator<Item = Posting>) -> Self {
        let postings: Vec<_> = postings.into_iter().filter(|posting| posting.amount != 0).collect();
        let entry = Self::read(heading, postings);
        assert!(entry.is_some(), "the postings of an entry sum to zero");
        entry.unwrap_or_else(|| unreachable!("it was looked at"))
    }

    /// The entry with this heading and these postings, as a store kept them; nothing if they do not balance, or are
    /// not each of another account.
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

    /// Everything but its postings.
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

    /// By how much it changes an account.
    #[must_use]
    pub fn amount_on(&self, account: &Account) -> Money {
        let minor =
            self.postings.iter().filter(|posting| posting.account == *account).map(|p| p.amount).sum();
        Money { minor, currency: self.heading.currency }
    }

    /// By how much it changes what is the vendor's own, be it available or not yet.
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
