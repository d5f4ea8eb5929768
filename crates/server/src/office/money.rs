//! What a person decides about money that came late, short or unexpectedly.

use super::{OfficeError, entry};
use crate::random;
use till_domain::{
    audit::{Actor, Deed},
    change::{Change, Guard},
    environment::Environment,
    id::{ActionId, EntryId, RefundId},
    ledger::{self, Account, Entry, EntryKind},
    money::Money,
    refund,
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
    /// Who sends back what goes back.
    pub sent_by: SentBy<'a>,
}

/// How often a decision is tried again because somebody else refunded some of the same payment.
const TRIES: usize = 16;

/// Who sends back money that goes back.
#[derive(Debug, Clone, Copy)]
pub enum SentBy<'a> {
    /// These providers, and a person where the money is at another.
    These(&'a [&'static str]),
    /// Whichever provider has it, as the running service knows it; one that cannot says so, and somebody decides again.
    Service,
    /// The person who decides, before they do.
    Hand,
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
    let Decision { environment, action: id, resolution, by, .. } = decision;
    let Some(stored) = payments.action(id).await? else { return Ok(Decided::Missing) };
    if stored.decided.is_some() {
        return Ok(Decided::Before(stored));
    }
    if !stored.action.choices().contains(&resolution) {
        return Ok(Decided::Unfit(stored));
    }
    let resolve = Change::ResolveAction { id, resolution, at: payments.now(), by: by.to_owned() };
    let mut committed = Committed::Lost(Guard::RefundMoved);
    for _ in 0..TRIES {
        let mut changes = moved(payments, &stored.action, &decision).await?;
        changes.insert(0, resolve.clone());
        committed = payments.commit(&changes).await?;
        if committed != Committed::Lost(Guard::RefundMoved) {
            break;
        }
    }
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

impl Decision<'_> {
    /// Whether what goes back is sent by this provider, like every refund.
    fn is_sent_by(&self, provider: &str) -> bool {
        match self.sent_by {
            SentBy::Service => true,
            SentBy::These(providers) => providers.contains(&provider),
            SentBy::Hand => false,
        }
    }
}

/// What a decision moves: nothing where no books are kept, and nothing of money that is only claimed.
async fn moved(
    payments: &Payments,
    action: &Action,
    decision: &Decision<'_>,
) -> Result<Vec<Change>, StoreError> {
    let (Some(held), Some(refunds), Some(transaction)) =
        (held_entry(payments, action).await?, payments.refunds(), action.transaction)
    else {
        return Ok(Vec::new());
    };
    let now = payments.now();
    let id = EntryId::new(now, &random::entropy());
    let money = payments.transaction(transaction).await?.filter(|money| decision.is_sent_by(&money.provider));
    let what = (decision.resolution, money.is_none());
    let Some(entry) = ledger::decide(&held, what, action.id, id, now) else {
        return Ok(Vec::new());
    };
    let mut changes = Vec::new();
    if let Some(money) = money.filter(|_| decision.resolution == Resolution::Refund) {
        let before = refunds.of_session(action.session).await?;
        let id = RefundId::new(now, &random::entropy());
        let (_, insert) = refund::give_back(&money, &entry, action.id, id, &before, decision.by);
        changes.push(insert);
    }
    changes.push(Change::PostEntry(Box::new(entry)));
    Ok(changes)
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
