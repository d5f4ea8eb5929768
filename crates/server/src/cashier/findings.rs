//! What was found at a provider beyond its payments becomes something for a person to decide: the same whether a notice or
//! a comparison of books found it. Whoever found it has asked the provider; nothing here is an event's word.

use crate::random;
use till_domain::{
    change::Change,
    finding::{self, Finding},
    id::EventId,
    refund::Refund,
    transaction::{Resolution, Transaction},
};
use till_providers::Dispute;
use till_store::{Payments, StoreError};

/// The name of a dispute or a refund of a provider among all that was found.
#[must_use]
pub fn subject(provider: &str, thing: &str) -> String {
    format!("{provider}:{thing}")
}

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

/// What a dispute of a payment is entered as. Of one that is over and cost nothing there is nothing to decide, unless
/// somebody has borne it; and what was dismissed is entered again if it comes to more than that.
pub async fn disputed(
    dispute: &Dispute,
    money: &Transaction,
    store: &Payments,
) -> Result<Option<Vec<Change>>, StoreError> {
    let Dispute { id, amount, status, .. } = dispute;
    let name = subject(&money.provider, id);
    let stored = store.action_about(&name).await?;
    let decided = stored.and_then(|stored| stored.decided).map(|(resolution, ..)| resolution);
    let note = dispute_note(dispute, money);
    let (now, event) = moment(store);
    let again = format!("{name}:{status}");
    Ok(match decided {
        Some(Resolution::Charge | Resolution::Absorb) if status == "won" => {
            let note = format!("{note}, but somebody has borne it: it came back");
            let whose = Some((money.session, money.vendor));
            Some(finding::differs(Finding::new(&again, &note, None), whose, now, event))
        }
        _ if dispute.is_harmless() => None,
        _ => {
            let is_more = matches!(status.as_str(), "lost" | "needs_response");
            let name = if decided == Some(Resolution::Dismiss) && is_more { again } else { name };
            let found = Finding::new(&name, &note, finding::worth(amount, money));
            Some(finding::disputed(found, money, now, event))
        }
    })
}

/// What brings the entry of a dispute up to date that nobody has decided about yet.
pub async fn dispute_news(
    dispute: &Dispute,
    money: &Transaction,
    store: &Payments,
) -> Result<Option<Change>, StoreError> {
    let stored = store.action_about(&subject(&money.provider, &dispute.id)).await?;
    let open = stored.filter(|stored| stored.decided.is_none());
    Ok(open.and_then(|open| finding::dispute_news(&open.action, &dispute_note(dispute, money))))
}

/// What a person reads of a dispute.
fn dispute_note(dispute: &Dispute, money: &Transaction) -> String {
    let Dispute { id, amount, reason, status, answer_by, .. } = dispute;
    let until = answer_by.filter(|_| !dispute.is_closed());
    let more = match until {
        Some(until) => format!("; answer by {until}"),
        None if dispute.is_harmless() => "; it is over, and nothing was lost".to_owned(),
        None => String::new(),
    };
    format!("{} calls it {id}: {amount}, {reason}, {status}{more}", money.provider)
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
