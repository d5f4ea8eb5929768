//! Decisions of an operator about money that came late, short or unexpectedly, was taken back, or is
//! disputed.
//!
//! Pure: the caller reads the money that waits, the wallet and the refunds, and commits the changes.

use crate::{
    change::Change,
    finding,
    fiscal::FiscalReceipt,
    id::{EntryId, EventId, RefundId},
    ledger::{self, Account, Entry},
    money::Money,
    refund::{self, Refund},
    time::Timestamp,
    transaction::{Action, ActionKind, Resolution, Transaction},
};

/// The vendor's wallet as it was read.
#[derive(Debug, Clone, Copy)]
pub struct Wallet {
    pub version: i64,
    pub available: Money,
}

/// The facts that a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct DecisionFacts<'a> {
    pub action: &'a Action,
    pub resolution: Resolution,
    /// The operator or rule that decides, by name.
    pub by: &'a str,
    /// The ledger entry that holds the money in suspense. None where no ledger is kept, or the money is only
    /// claimed.
    pub held: Option<&'a Entry>,
    /// The transactions of the session.
    pub transactions: &'a [Transaction],
    /// The refunds of the session.
    pub refunds: &'a [Refund],
    /// The fiscal receipt of the session's payment, if it has one.
    pub fiscal: Option<&'a FiscalReceipt>,
    /// The vendor's wallet, where the ledger has one for this money.
    pub wallet: Option<Wallet>,
    /// True if the provider that has the money sends it back; otherwise the operator has sent it already.
    pub sent_by_provider: bool,
    pub now: Timestamp,
    pub event: EventId,
    pub refund: RefundId,
}

/// The reason why an action cannot be decided in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The resolution does not fit the action: there is money, and it does not say where it goes, or there is
    /// none.
    Unfit,
    /// The money cannot be sent back: it was taken back itself.
    Gone,
    /// The vendor has less than it would be charged.
    NotCovered { needed: Money, available: Money },
}

/// Resolves an action and moves the money that waits for it. It cannot be changed later.
pub fn decide(situation: &DecisionFacts<'_>) -> Result<Vec<Change>, Obstacle> {
    let DecisionFacts { action, resolution, by, now, .. } = *situation;
    if !action.choices().contains(&resolution) {
        return Err(Obstacle::Unfit);
    }
    if resolution == Resolution::Refund && is_gone(situation) {
        return Err(Obstacle::Gone);
    }
    let mut changes = vec![Change::ResolveAction { id: action.id, resolution, at: now, by: by.to_owned() }];
    if action.kind == ActionKind::Disputed {
        changes.extend(bear_dispute(situation)?);
    } else {
        changes.extend(move_held(situation)?);
    }
    Ok(changes)
}

impl<'a> DecisionFacts<'a> {
    /// The transaction that the action is about.
    fn money(&self) -> Option<&'a Transaction> {
        let id = self.action.transaction?;
        self.transactions.iter().find(|money| money.id == id)
    }
}

/// Whether less is left of what the payment brought than the action is about, so that there is nothing to
/// send back.
fn is_gone(situation: &DecisionFacts<'_>) -> bool {
    let Some(money) = situation.money() else { return false };
    let same = |other: &&Transaction| {
        other.attempt == money.attempt && other.received.same_unit(&money.received) && other.amount.minor > 0
    };
    let sum = |reversed: bool| -> u128 {
        let some = situation.transactions.iter().filter(same).filter(|one| one.marks.reversed == reversed);
        some.map(|one| one.received.atoms).fold(0, u128::saturating_add)
    };
    let (came, gone) = (sum(false), sum(true));
    gone > 0 && came.saturating_sub(gone) < money.received.atoms
}

/// Moves money out of suspense. Nothing of money that is only claimed. Where no ledger is kept, nothing is held, and
/// the refund alone is made.
fn move_held(situation: &DecisionFacts<'_>) -> Result<Vec<Change>, Obstacle> {
    let DecisionFacts { action, resolution, now, by, .. } = *situation;
    let Some(held) = situation.held else {
        let refunded = situation.money().filter(|_| resolution == Resolution::Refund);
        let refunded = refunded.filter(|_| situation.wallet.is_none());
        let refund = refunded.map(|money| {
            refund::give_back_unbooked(money, action.id, situation.refund, situation.refunds, by, now)
        });
        return Ok(refund.map_or_else(Vec::new, |refund| with_receipt(situation, refund)));
    };
    let money = situation.money().filter(|_| situation.sent_by_provider);
    let id = EntryId::from(situation.event);
    let Some(entry) = ledger::decide(held, (resolution, money.is_none()), action.id, id, now) else {
        return Ok(Vec::new());
    };
    let mut changes = charge(situation, &entry)?;
    if let Some(money) = money.filter(|_| resolution == Resolution::Refund) {
        let refunds = situation.refunds;
        let refund = refund::give_back(money, &entry, action.id, situation.refund, refunds, situation.by);
        changes.extend(with_receipt(situation, refund));
    }
    changes.push(Change::PostEntry(Box::new(entry)));
    Ok(changes)
}

/// A refund with its fiscal receipt.
fn with_receipt(situation: &DecisionFacts<'_>, (refund, insert): (Refund, Change)) -> Vec<Change> {
    let receipt = refund::receipt_of_held(&refund, situation.fiscal);
    [insert].into_iter().chain(receipt).collect()
}

/// Books what a bank took back, and who bears it. Nothing if nothing was lost.
fn bear_dispute(situation: &DecisionFacts<'_>) -> Result<Vec<Change>, Obstacle> {
    let DecisionFacts { action, resolution, now, event, .. } = *situation;
    let Some(payment) = situation.money() else { return Ok(Vec::new()) };
    let Some(borne) = finding::bear(action, payment, resolution, now, event) else { return Ok(Vec::new()) };
    let mut changes = charge(situation, &borne.entry)?;
    // Where no ledger is kept, the money is gone all the same.
    let has_ledger = situation.wallet.is_some();
    let kept = |change: &Change| has_ledger || !matches!(change, Change::PostEntry(_));
    changes.extend(borne.changes.into_iter().filter(kept));
    Ok(changes)
}

/// The guard that the wallet of a vendor that is charged has not changed since it was read.
fn charge(situation: &DecisionFacts<'_>, entry: &Entry) -> Result<Vec<Change>, Obstacle> {
    let Some(wallet) = situation.wallet.filter(|_| situation.resolution == Resolution::Charge) else {
        return Ok(Vec::new());
    };
    let heading = entry.heading();
    let (vendor, currency, available) = (heading.vendor, heading.currency, wallet.available);
    let needed = Money { minor: -entry.amount_on(&Account::Available).minor, currency };
    if needed.minor > available.minor {
        return Err(Obstacle::NotCovered { needed, available });
    }
    Ok(vec![Change::TakeFromWallet { vendor, currency, was: wallet.version }])
}
