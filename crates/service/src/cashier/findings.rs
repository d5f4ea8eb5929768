//! Findings at a provider besides its payments (disputes, and refunds that came back) as actions for an
//! operator. They are the same whether a notice (webhook) or the reconciliation found them. The caller has
//! asked the provider; nothing here relies on the content of an event.

use crate::random;
use till_domain::{
    attempt::Quantity,
    callback::{EventKind, EventSource, UncoveredMoney},
    change::Change,
    finding::{self, Dispute, Finding, subject},
    id::EventId,
    refund::Refund,
    session::Session,
    transaction::{ActionKind, Transaction},
    vendor::Settings,
};
use till_store::{Accounts, Payments, StoreError};

/// The transaction of a provider's payment; `None` if the payment is not ours, or its money is not recorded
/// yet.
pub async fn payment(
    store: &Payments,
    provider: &str,
    reference: &str,
) -> Result<Option<Transaction>, StoreError> {
    let Some(attempt) = store.attempt_by_reference(provider, reference).await? else { return Ok(None) };
    let all = store.transactions_of(attempt.session).await?;
    let is = |money: &Transaction| {
        (money.provider.as_str(), money.reference.as_str()) == (provider, reference)
            && money.amount.minor > 0
            && !money.marks.reversed
    };
    Ok(all.into_iter().find(is))
}

/// The changes that leave a dispute of a payment to an operator and tell the vendor of it; none if there is nothing to
/// decide.
pub async fn disputed(
    dispute: &Dispute,
    money: &Transaction,
    (accounts, store): (&Accounts, &Payments),
) -> Result<Option<Vec<Change>>, StoreError> {
    let stored = store.action_about(&subject(&money.provider, &dispute.id)).await?;
    let decided = stored.and_then(|stored| stored.decided).map(|(resolution, ..)| resolution);
    let (now, event) = moment(store);
    let Some(mut changes) = finding::enter_dispute(dispute, money, decided, now, event) else {
        return Ok(None);
    };
    let entered = changes.iter().find_map(|change| match change {
        Change::NeedAction(action) if action.kind == ActionKind::Disputed => Some(action.clone()),
        _ => None,
    });
    if let Some(action) = entered {
        let (session, settings) = session_of(money, accounts, store).await?;
        let source = EventSource { session: &session, settings: &settings, now, id: event };
        changes.extend(source.disputed(&action, money));
    }
    Ok(Some(changes))
}

/// A difference between a provider's books and ours about a payment. The detail tells it from others of the same payment.
#[must_use]
pub fn difference(provider: &str, payment: &str, detail: &str, note: &str) -> Finding {
    let subject = subject(provider, &format!("{payment}:{detail}"));
    Finding::new(&subject, &format!("{provider} calls it {payment}: {note}"), None)
}

/// The detail of a difference between what a provider refunded and what our books say.
#[must_use]
pub fn returned_detail(returned: &Quantity, ours: u128) -> String {
    format!("returned:{}/{ours}", returned.atoms)
}

/// The session of a transaction, and the settings of its vendor.
pub async fn session_of(
    money: &Transaction,
    accounts: &Accounts,
    store: &Payments,
) -> Result<(Session, Settings), StoreError> {
    let session = store.session(money.session, money.vendor).await?;
    let session =
        session.ok_or_else(|| StoreError::Corrupt(format!("session {} disappeared", money.session)))?;
    let vendor = accounts.vendor(money.vendor).await?;
    Ok((session, vendor.map(|vendor| vendor.settings).unwrap_or_default()))
}

/// The change that brings the open action about a dispute up to date.
pub async fn dispute_news(
    dispute: &Dispute,
    money: &Transaction,
    store: &Payments,
) -> Result<Option<Change>, StoreError> {
    let stored = store.action_about(&subject(&money.provider, &dispute.id)).await?;
    let open = stored.filter(|stored| stored.decided.is_none());
    Ok(open.and_then(|open| finding::dispute_news(&open.action, dispute, money)))
}

/// The changes that leave a refund to an operator that had succeeded and then failed, and tell the vendor that its money
/// is back.
pub async fn refund_lost(
    (accounts, store): (&Accounts, &Payments),
    refund: &Refund,
    reason: &str,
) -> Result<Option<Vec<Change>>, StoreError> {
    let Some(money) = store.transaction(refund.transaction).await? else { return Ok(None) };
    let name = refund.reference.clone().unwrap_or_else(|| refund.id.to_string());
    let note = format!("{} calls it {name}: {}, {reason}", refund.provider, refund.amount);
    let found = Finding::new(&subject(&refund.provider, &name), &note, Some(refund.amount));
    let (now, event) = moment(store);
    let mut changes = finding::refund_lost(found, refund, &money, now, event);
    let returned = changes.iter().find_map(|change| match change {
        Change::RecordTransaction(returned) => Some(returned.clone()),
        _ => None,
    });
    if let Some(returned) = returned {
        let (session, settings) = session_of(&money, accounts, store).await?;
        let source = EventSource { session: &session, settings: &settings, now, id: event };
        let part = UncoveredMoney { money: &returned, amount: returned.amount, received: &returned.received };
        changes.extend(source.uncovered(EventKind::PaymentLate, &part));
    }
    Ok(Some(changes))
}

/// The current time, and a new id for what is entered.
pub fn moment(store: &Payments) -> (till_domain::time::Timestamp, EventId) {
    let now = store.now();
    (now, random::id::<EventId>(now))
}
