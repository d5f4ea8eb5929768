//! What a person decides about money that came late, short or unexpectedly, was taken back, or was found otherwise at a
//! provider.

use super::{OfficeError, entry};
use crate::random;
use till_domain::{
    audit::{Actor, Deed},
    change::{Change, Guard},
    environment::Environment,
    finding,
    id::{ActionId, EntryId, EventId, RefundId},
    ledger::{self, Account, Entry},
    money::Money,
    refund,
    transaction::{Action, ActionKind, Resolution, Transaction},
};
use till_store::{Accounts, Committed, Payments, StoreError, StoredAction};

#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// Where the money is.
    pub environment: Environment,
    pub action: ActionId,
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
    /// The vendor cannot bear it: it has less than that.
    NotCovered {
        needed: Money,
        /// What the vendor has.
        available: Money,
    },
    /// The money cannot be sent back: it was taken back itself.
    Gone(StoredAction),
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
    if resolution == Resolution::Refund && is_gone(payments, &stored.action).await? {
        return Ok(Decided::Gone(stored));
    }
    let resolve = Change::ResolveAction { id, resolution, at: payments.now(), by: by.to_owned() };
    let mut committed = Committed::Lost(Guard::RefundMoved);
    for _ in 0..TRIES {
        let mut changes = match moved(payments, &stored.action, &decision).await? {
            Ok(changes) => changes,
            Err((needed, available)) => return Ok(Decided::NotCovered { needed, available }),
        };
        changes.insert(0, resolve.clone());
        committed = payments.commit(&changes).await?;
        if !matches!(committed, Committed::Lost(Guard::RefundMoved | Guard::WalletMoved)) {
            break;
        }
    }
    let Some(stored) = payments.action(id).await? else { return Ok(Decided::Missing) };
    if committed != Committed::Done {
        return Ok(Decided::Before(stored));
    }
    // The decision names who and when by itself, so the log, which is in another database, may come after it.
    let (kind, word) = (stored.action.kind.as_str(), resolution.as_str());
    let about = stored.action.session.map_or_else(String::new, |id| format!(" session {id}"));
    let detail = format!("{word}, {kind} money of {environment}{about}");
    let line = entry(accounts, actor, Deed::ActionResolved).saying(detail);
    let line = match stored.action.vendor {
        Some(vendor) => line.about(vendor),
        None => line,
    };
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

/// Whether less is left of what the payment brought than an action is about, so that there is nothing to send back.
async fn is_gone(payments: &Payments, action: &Action) -> Result<bool, StoreError> {
    let Some(session) = action.session else { return Ok(false) };
    let all = payments.transactions_of(session).await?;
    let Some(money) = all.iter().find(|money| Some(money.id) == action.transaction) else { return Ok(false) };
    let same = |other: &&Transaction| {
        other.attempt == money.attempt && other.received.same_unit(&money.received) && other.amount.minor > 0
    };
    let sum = |reversed: bool| -> u128 {
        let some = all.iter().filter(same).filter(|other| other.marks.reversed == reversed);
        some.map(|other| other.received.atoms).fold(0, u128::saturating_add)
    };
    let (came, gone) = (sum(false), sum(true));
    Ok(gone > 0 && came.saturating_sub(gone) < money.received.atoms)
}

/// What a charge takes from a vendor, with the guard that nobody else has taken it; what it takes and what there is, if
/// that is less.
async fn charge(payments: &Payments, entry: &Entry) -> Result<Result<Change, (Money, Money)>, StoreError> {
    let Some(books) = payments.ledger() else { unreachable!("an entry is kept in books") };
    let heading = entry.heading();
    let (vendor, currency) = (heading.vendor, heading.currency);
    let wallet = books.wallet(vendor, currency).await?;
    let needed = Money { minor: -entry.amount_on(&Account::Available).minor, currency };
    if needed.minor > wallet.available.minor {
        return Ok(Err((needed, wallet.available)));
    }
    Ok(Ok(Change::TakeFromWallet { vendor, currency, was: wallet.version }))
}

/// What a decision moves: nothing where no books are kept, and nothing of money that is only claimed. What it takes from
/// the vendor and what there is, if that is less.
async fn moved(
    payments: &Payments,
    action: &Action,
    decision: &Decision<'_>,
) -> Result<Result<Vec<Change>, (Money, Money)>, StoreError> {
    if action.kind == ActionKind::Disputed {
        return borne(payments, action, decision.resolution).await;
    }
    let (Some(held), Some(refunds), Some(transaction)) =
        (held_entry(payments, action).await?, payments.refunds(), action.transaction)
    else {
        return Ok(Ok(Vec::new()));
    };
    let now = payments.now();
    let id = EntryId::new(now, &random::entropy());
    let money = payments.transaction(transaction).await?.filter(|money| decision.is_sent_by(&money.provider));
    let what = (decision.resolution, money.is_none());
    let Some(entry) = ledger::decide(&held, what, action.id, id, now) else {
        return Ok(Ok(Vec::new()));
    };
    let mut changes = Vec::new();
    if decision.resolution == Resolution::Charge {
        match charge(payments, &entry).await? {
            Ok(take) => changes.push(take),
            Err(short) => return Ok(Err(short)),
        }
    }
    if let Some(money) = money.filter(|_| decision.resolution == Resolution::Refund) {
        let before = refunds.of_session(money.session).await?;
        let id = RefundId::new(now, &random::entropy());
        let (_, insert) = refund::give_back(&money, &entry, action.id, id, &before, decision.by);
        changes.push(insert);
    }
    changes.push(Change::PostEntry(Box::new(entry)));
    Ok(Ok(changes))
}

/// What it moves that somebody bears what a bank demands back: nothing if nobody has to.
async fn borne(
    payments: &Payments,
    action: &Action,
    resolution: Resolution,
) -> Result<Result<Vec<Change>, (Money, Money)>, StoreError> {
    let (Some(_), Some(transaction)) = (payments.ledger(), action.transaction) else {
        return Ok(Ok(Vec::new()));
    };
    let Some(payment) = payments.transaction(transaction).await? else { return Ok(Ok(Vec::new())) };
    let (now, event) = (payments.now(), EventId::new(payments.now(), &random::entropy()));
    let Some(borne) = finding::bear(action, &payment, resolution, now, event) else {
        return Ok(Ok(Vec::new()));
    };
    let mut changes = Vec::new();
    if resolution == Resolution::Charge {
        match charge(payments, &borne.entry).await? {
            Ok(take) => changes.push(take),
            Err(short) => return Ok(Err(short)),
        }
    }
    changes.extend(borne.changes);
    Ok(Ok(changes))
}

/// What waits in suspense for a decision, or is missing there, or did before it; of a dispute, what a bank demands.
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
