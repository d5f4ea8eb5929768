//! Decisions of an operator about the actions that need one. The rules are `domain::decision`'s.

use super::{AdminError, entry};
use crate::{
    cashier::findings,
    environment::{EnvironmentStore, Retries},
    random,
};
use till_domain::{
    audit::{Actor, AuditEvent},
    callback::EventSource,
    change::{Change, Guard},
    decision::{self, DecisionFacts, Obstacle, Wallet},
    fiscal::FiscalReceipt,
    id::ActionId,
    ledger::{self, Account, Entry},
    money::Money,
    refund::Refund,
    transaction::{Action, ActionKind, Resolution, Transaction},
};
use till_store::{Accounts, Committed, Payments, StoreError, StoredAction};

#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    pub action: ActionId,
    pub resolution: Resolution,
    /// The operator or rule that decides, by name.
    pub by: &'a str,
    /// The sender of money that goes back.
    pub sent_by: SentBy,
}

/// The sender of money that goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentBy {
    /// A provider that the environment's rules name as one that refunds, and the operator where the money is
    /// at another.
    Provider,
    /// The provider that has it, as the running service knows it; one that cannot says so, and the operator
    /// decides again.
    Service,
    /// The operator, before deciding.
    Operator,
}

/// The result of a decision.
#[derive(Debug)]
pub enum DecisionOutcome {
    Done(StoredAction),
    /// It was decided before; nothing was changed.
    Before(StoredAction),
    /// It cannot be decided in this way; nothing was changed.
    Refused(StoredAction, Obstacle),
    Missing,
}

/// Resolves an action, moves the money that waits for it, and writes the audit log. It cannot be changed
/// later.
pub async fn resolve(
    accounts: &Accounts,
    store: &EnvironmentStore,
    actor: &Actor,
    decision: Decision<'_>,
) -> Result<DecisionOutcome, AdminError> {
    let mut retries = Retries::default();
    let decided = loop {
        if let Some(decided) = try_to_resolve(accounts, store, &decision).await? {
            break decided;
        }
        retries.lost()?;
    };
    if let DecisionOutcome::Done(stored) = &decided {
        // The decision records its author and time itself, so the audit log, which is in another database,
        // may be written after it.
        record(accounts, store, actor, stored, decision.resolution).await?;
    }
    Ok(decided)
}

/// None if another commit refunded or took some of the same money.
async fn try_to_resolve(
    accounts: &Accounts,
    store: &EnvironmentStore,
    decision: &Decision<'_>,
) -> Result<Option<DecisionOutcome>, StoreError> {
    let Some(stored) = store.action(decision.action).await? else {
        return Ok(Some(DecisionOutcome::Missing));
    };
    if stored.decided.is_some() {
        return Ok(Some(DecisionOutcome::Before(stored)));
    }
    let facts = StoredFacts::read(store, &stored.action).await?;
    let mut changes = match decision::decide(&facts.situation(store, &stored.action, decision)) {
        Ok(changes) => changes,
        Err(obstacle) => return Ok(Some(DecisionOutcome::Refused(stored, obstacle))),
    };
    changes.extend(facts.event(accounts, store, &stored.action, decision.resolution).await?);
    let committed = store.commit(&changes).await?;
    if matches!(committed, Committed::Lost(Guard::RefundMoved | Guard::WalletMoved)) {
        return Ok(None);
    }
    let stored = store.action(decision.action).await?;
    Ok(Some(match (stored, committed) {
        (None, _) => DecisionOutcome::Missing,
        (Some(stored), Committed::Done) => DecisionOutcome::Done(stored),
        (Some(stored), Committed::Lost(_)) => DecisionOutcome::Before(stored),
    }))
}

/// The stored facts that a decision depends on.
struct StoredFacts {
    held: Option<Entry>,
    transactions: Vec<Transaction>,
    refunds: Vec<Refund>,
    fiscal: Option<FiscalReceipt>,
    wallet: Option<Wallet>,
}

impl StoredFacts {
    async fn read(store: &Payments, action: &Action) -> Result<Self, StoreError> {
        let mut facts =
            Self { held: None, transactions: Vec::new(), refunds: Vec::new(), fiscal: None, wallet: None };
        let Some(session) = action.session else { return Ok(facts) };
        facts.transactions = store.transactions_of(session).await?;
        let money = facts.transactions.iter().find(|money| Some(money.id) == action.transaction);
        let Some(money) = money else { return Ok(facts) };
        // The version first: the commit is lost if another one takes money after this read.
        if let Some(ledger) = store.ledger() {
            let wallet = ledger.wallet(money.vendor, money.amount.currency).await?;
            facts.wallet = Some(Wallet { version: wallet.version, available: wallet.available });
        }
        facts.refunds = store.refunds().of_session(session).await?;
        facts.fiscal = store.fiscal_receipt(session.into()).await?;
        facts.held = held_entry(store, action).await?;
        Ok(facts)
    }

    /// The event that tells the vendor of the decision, if there is one.
    async fn event(
        &self,
        accounts: &Accounts,
        store: &Payments,
        action: &Action,
        resolution: Resolution,
    ) -> Result<Option<Change>, StoreError> {
        let money = self.transactions.iter().find(|money| Some(money.id) == action.transaction);
        let Some(money) = money else { return Ok(None) };
        let (session, settings) = findings::session_of(money, accounts, store).await?;
        let (now, id) = findings::moment(store);
        let held = self.held.as_ref().map(|entry| entry.amount_on(&Account::Suspense));
        let held = held.map(|amount| Money { minor: amount.minor.abs(), ..amount });
        let amount = action.amount().or(held).unwrap_or(money.amount);
        let source = EventSource { session: &session, settings: &settings, now, id };
        Ok(source.decided(action, money, resolution, amount))
    }

    fn situation<'a>(
        &'a self,
        store: &EnvironmentStore,
        action: &'a Action,
        decision: &Decision<'a>,
    ) -> DecisionFacts<'a> {
        let now = store.now();
        let money = self.transactions.iter().find(|money| Some(money.id) == action.transaction);
        let rules = store.rules();
        DecisionFacts {
            action,
            resolution: decision.resolution,
            by: decision.by,
            held: self.held.as_ref(),
            transactions: &self.transactions,
            refunds: &self.refunds,
            fiscal: self.fiscal.as_ref(),
            wallet: self.wallet,
            sent_by_provider: match decision.sent_by {
                SentBy::Service => true,
                SentBy::Provider => {
                    money.is_some_and(|money| rules.refunding.contains(&money.provider.as_str()))
                }
                SentBy::Operator => false,
            },
            now,
            event: random::following_id_for(now, &[action.id.as_bytes()]),
            refund: random::id_for(now, &[action.id.as_bytes()]),
        }
    }
}

async fn record(
    accounts: &Accounts,
    store: &EnvironmentStore,
    actor: &Actor,
    stored: &StoredAction,
    resolution: Resolution,
) -> Result<(), StoreError> {
    let (kind, word, environment) = (stored.action.kind.as_str(), resolution.as_str(), store.name);
    let about = stored.action.session.map_or_else(String::new, |id| format!(" session {id}"));
    let detail = format!("{word}, {kind} money of {environment}{about}");
    let line = entry(accounts, actor, AuditEvent::ActionResolved).saying(detail);
    let line = match stored.action.vendor {
        Some(vendor) => line.about(vendor),
        None => line,
    };
    accounts.record(&line).await
}

/// The amount that waits in the suspense account for a decision, or is missing there, or did so before the
/// decision; of a dispute, the amount that the bank demands.
pub async fn held(payments: &Payments, action: &Action) -> Result<Option<Money>, StoreError> {
    if action.kind == ActionKind::Disputed {
        return Ok(action.amount());
    }
    let held = held_entry(payments, action).await?;
    let amount = held.map(|entry| entry.amount_on(&Account::Suspense));
    Ok(amount.map(|amount| Money { minor: amount.minor.abs(), ..amount }))
}

async fn held_entry(payments: &Payments, action: &Action) -> Result<Option<Entry>, StoreError> {
    let (Some(books), Some(transaction)) = (payments.ledger(), action.transaction) else { return Ok(None) };
    let held = books.entry_of(ledger::held_by(action.kind), transaction.into()).await?;
    Ok(held.map(|stored| stored.entry))
}
