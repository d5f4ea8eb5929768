//! What a person decides about money that came late, short or unexpectedly.

use super::{OfficeError, entry};
use crate::random;
use till_domain::{
    audit::{Actor, Deed},
    change::Change,
    environment::Environment,
    id::{ActionId, EntryId},
    ledger::{self, Account, Entry, EntryKind},
    money::Money,
    transaction::{Action, Resolution},
};
use till_store::{Accounts, Committed, Payments, StoreError, StoredAction};

/// A decision.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// Where the money is.
    pub environment: Environment,
    /// About what.
    pub action: ActionId,
    /// What.
    pub resolution: Resolution,
    /// By whom, in the words that stay with it.
    pub by: &'a str,
}

/// What became of a decision.
#[derive(Debug)]
pub enum Decided {
    /// It is written down.
    Done(StoredAction),
    /// Somebody else decided before; nothing was changed.
    Before(StoredAction),
    /// It cannot be decided like this: there is money and it does not say where it goes, or there is none.
    Unfit(StoredAction),
    /// There is no such thing to decide.
    Missing,
}

/// Writes down what was decided, and moves the money that waits for it in suspense. It cannot be changed later.
pub async fn resolve(
    accounts: &Accounts,
    payments: &Payments,
    actor: &Actor,
    decision: Decision<'_>,
) -> Result<Decided, OfficeError> {
    let Decision { environment, action: id, resolution, by } = decision;
    let Some(stored) = payments.action(id).await? else { return Ok(Decided::Missing) };
    if stored.decided.is_some() {
        return Ok(Decided::Before(stored));
    }
    if !stored.action.choices().contains(&resolution) {
        return Ok(Decided::Unfit(stored));
    }
    let resolve = Change::ResolveAction { id, resolution, at: payments.now(), by: by.to_owned() };
    let moved = moved(payments, &stored.action, resolution).await?;
    let changes: Vec<_> = [resolve].into_iter().chain(moved).collect();
    let committed = payments.commit(&changes).await?;
    let Some(stored) = payments.action(id).await? else { return Ok(Decided::Missing) };
    if committed != Committed::Done {
        return Ok(Decided::Before(stored));
    }
    // The decision names who and when by itself, so the log, which is in another database, may come after it.
    let (kind, session, word) = (stored.action.kind.as_str(), stored.action.session, resolution.as_str());
    let detail = format!("{word}, {kind} money of {environment} session {session}");
    let line = entry(accounts, actor, Deed::ActionResolved).about(stored.action.vendor).saying(detail);
    accounts.record(&line).await?;
    Ok(Decided::Done(stored))
}

/// What a decision moves: nothing where no books are kept, and nothing of money that is only claimed.
async fn moved(
    payments: &Payments,
    action: &Action,
    resolution: Resolution,
) -> Result<Option<Change>, StoreError> {
    let Some(held) = held_entry(payments, action).await? else { return Ok(None) };
    let now = payments.now();
    let id = EntryId::new(now, &random::entropy());
    let entry = ledger::decide(&held, resolution, action.id, id, now);
    Ok(entry.map(|entry| Change::PostEntry(Box::new(entry))))
}

/// What waits in suspense for a decision, or waited for it.
pub async fn held(payments: &Payments, action: &Action) -> Result<Option<Money>, StoreError> {
    let held = held_entry(payments, action).await?;
    Ok(held.map(|entry| entry.amount_on(&Account::Suspense)))
}

async fn held_entry(payments: &Payments, action: &Action) -> Result<Option<Entry>, StoreError> {
    let (Some(books), Some(transaction)) = (payments.ledger(), action.transaction) else { return Ok(None) };
    let held = books.entry_of(EntryKind::Suspense, transaction.into()).await?;
    Ok(held.map(|stored| stored.entry))
}
