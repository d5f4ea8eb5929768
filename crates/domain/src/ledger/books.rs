//! The ledger entries that follow from payments, held money, reversals, settlements and decisions.

use super::{Account, Entry, EntryKind, Heading, Posting, Terms};
use crate::{
    change::Change,
    id::{ActionId, EntryId, SessionId, VendorId},
    money::Money,
    time::Timestamp,
    transaction::{ActionKind, Resolution, Transaction},
};
use std::time::Duration;

/// How a vendor's money is booked, in an environment that keeps a ledger.
#[derive(Debug, Clone, Copy)]
pub struct Books<'a> {
    /// The terms agreed on with the vendor.
    pub terms: &'a Terms,
    /// How long a payment stays pending before it is settled.
    pub delay: Duration,
}

/// Pending money, and when it becomes available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The entry that credited it.
    pub entry: EntryId,
    pub vendor: VendorId,
    /// The session that was paid.
    pub session: Option<SessionId>,
    pub amount: Money,
    /// When it becomes available.
    pub due_at: Timestamp,
}

impl Books<'_> {
    /// Books a payment of a session: the fee for the operator, the rest for the vendor. The rest is pending
    /// first if there is a settlement delay. Empty if the payment is worth nothing.
    #[must_use]
    pub fn payment(&self, money: &Transaction, id: EntryId) -> Vec<Change> {
        let amount = money.amount;
        if amount.minor <= 0 {
            return Vec::new();
        }
        let fee = self.terms.fee(money.method, amount.currency).map_or(0, |fee| fee.of(amount).minor);
        let rest = amount.minor - fee;
        let own = if self.delay.is_zero() { Account::Available } else { Account::Pending };
        let postings = [
            Posting::new(Account::Clearing(money.provider.clone()), -amount.minor),
            Posting::new(own.clone(), rest),
            Posting::new(Account::Fees, fee),
        ];
        let entry = Entry::new(heading(money, EntryKind::Payment, id), postings);
        let mut changes = vec![Change::PostEntry(Box::new(entry))];
        if own == Account::Pending && rest > 0 {
            let amount = Money { minor: rest, ..amount };
            let (vendor, session) = (money.vendor, Some(money.session));
            let due_at = money.at.plus(self.delay);
            let settlement = Settlement { entry: id, vendor, session, amount, due_at };
            changes.push(Change::ScheduleSettlement(settlement));
        }
        changes
    }

    /// Books `amount` of a transaction as held money in suspense, which the operator has to decide about.
    /// `None` if it is worth nothing.
    #[must_use]
    pub fn suspense(&self, money: &Transaction, amount: Money, id: EntryId) -> Option<Change> {
        (amount.minor > 0).then(|| Change::PostEntry(Box::new(held(money, amount, id))))
    }

    /// Books a reversal: the money leaves the clearing account that it came to, and is missing in suspense
    /// until it is decided who bears it. `None` if it is worth nothing.
    #[must_use]
    pub fn reversal(&self, money: &Transaction, id: EntryId) -> Option<Change> {
        (money.amount.minor > 0).then(|| Change::PostEntry(Box::new(reversal(money, id))))
    }
}

/// The entry of a reversal: the money leaves its clearing account and is missing in suspense.
pub(crate) fn reversal(money: &Transaction, id: EntryId) -> Entry {
    let amount = money.amount.minor;
    let postings = [
        Posting::new(Account::Clearing(money.provider.clone()), amount),
        Posting::new(Account::Suspense, -amount),
    ];
    Entry::new(heading(money, EntryKind::Reversal, id), postings)
}

/// The entry of held money: received, but it is not clear whose it is.
#[must_use]
pub fn held(money: &Transaction, amount: Money, id: EntryId) -> Entry {
    let postings = [
        Posting::new(Account::Clearing(money.provider.clone()), -amount.minor),
        Posting::new(Account::Suspense, amount.minor),
    ];
    Entry::new(heading(money, EntryKind::Suspense, id), postings)
}

fn heading(money: &Transaction, kind: EntryKind, id: EntryId) -> Heading {
    Heading {
        id,
        vendor: money.vendor,
        kind,
        cause: money.id.into(),
        session: Some(money.session),
        currency: money.amount.currency,
        at: money.at,
    }
}

/// Settles pending money: it becomes available. Guarded, so that it happens once.
#[must_use]
pub fn settle(due: &Settlement, id: EntryId, now: Timestamp) -> Vec<Change> {
    let postings = [
        Posting::new(Account::Pending, -due.amount.minor),
        Posting::new(Account::Available, due.amount.minor),
    ];
    let heading = Heading {
        id,
        vendor: due.vendor,
        kind: EntryKind::Settlement,
        cause: due.entry.into(),
        session: due.session,
        currency: due.amount.currency,
        at: now,
    };
    let entry = Entry::new(heading, postings);
    vec![Change::SettleEntry { entry: due.entry }, Change::PostEntry(Box::new(entry))]
}

/// The kind of the entry that holds the money of such an action.
#[must_use]
pub fn held_by(kind: ActionKind) -> EntryKind {
    match kind {
        ActionKind::Reversed => EntryKind::Reversal,
        _ => EntryKind::Suspense,
    }
}

/// The entry of a decision about suspense. Held money goes to the vendor, or on its way back to the customer;
/// if it was sent back by hand, it leaves the clearing account that it came to. Missing money comes from the
/// vendor, or from the operator. `None` if nothing moves.
#[must_use]
pub fn decide(
    held: &Entry,
    (resolution, by_hand): (Resolution, bool),
    action: ActionId,
    id: EntryId,
    now: Timestamp,
) -> Option<Entry> {
    let came_to = || held.postings().iter().find(|posting| matches!(posting.account, Account::Clearing(_)));
    let (kind, account) = match (resolution, by_hand) {
        (Resolution::Accept, _) => (EntryKind::Accepted, Account::Available),
        (Resolution::Refund, false) => (EntryKind::Refund, Account::Refunds),
        (Resolution::Refund, true) => (EntryKind::Refund, came_to()?.account.clone()),
        (Resolution::Charge, _) => (EntryKind::Charged, Account::Available),
        (Resolution::Absorb, _) => (EntryKind::Absorbed, Account::Losses),
        (Resolution::Dismiss, _) => return None,
    };
    let amount = held.amount_on(&Account::Suspense).minor;
    let postings = [Posting::new(Account::Suspense, -amount), Posting::new(account, amount)];
    let heading = Heading { id, kind, cause: action.into(), at: now, ..held.heading().clone() };
    Some(Entry::new(heading, postings))
}
