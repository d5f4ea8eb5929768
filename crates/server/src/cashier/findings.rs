//! What was found at a provider beyond its payments becomes something for a person to decide: the same whether a notice or
//! a comparison of books found it. Whoever found it has asked the provider; nothing here is an event's word.

use crate::random;
use till_domain::{
    change::Change,
    finding::{self, Dispute, Finding, subject},
    id::EventId,
    refund::Refund,
    transaction::Transaction,
};
use till_store::{Payments, StoreError};

/// The money that a provider's payment brought; nothing if it is none of ours, or nobody here has seen it yet.
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

/// The changes that leave a dispute of a payment to an operator; none if there is nothing to decide.
pub async fn disputed(
    dispute: &Dispute,
    money: &Transaction,
    store: &Payments,
) -> Result<Option<Vec<Change>>, StoreError> {
    let stored = store.action_about(&subject(&money.provider, &dispute.id)).await?;
    let decided = stored.and_then(|stored| stored.decided).map(|(resolution, ..)| resolution);
    let (now, event) = moment(store);
    Ok(finding::enter_dispute(dispute, money, decided, now, event))
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

/// What a refund is entered as that had succeeded and then failed.
pub async fn refund_lost(
    store: &Payments,
    refund: &Refund,
    reason: &str,
) -> Result<Option<Vec<Change>>, StoreError> {
    let Some(money) = store.transaction(refund.transaction).await? else { return Ok(None) };
    let name = refund.reference.clone().unwrap_or_else(|| refund.id.to_string());
    let note = format!("{} calls it {name}: {}, {reason}", refund.provider, refund.amount);
    let found = Finding::new(&subject(&refund.provider, &name), &note, Some(refund.amount));
    let (now, event) = moment(store);
    Ok(Some(finding::refund_lost(found, refund, &money, now, event)))
}

/// Now, and the number of what is entered now.
pub(crate) fn moment(store: &Payments) -> (till_domain::time::Timestamp, EventId) {
    let now = store.now();
    (now, EventId::new(now, &random::entropy()))
}
