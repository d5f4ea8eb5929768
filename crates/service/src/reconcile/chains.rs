//! Reconciles chains with our records of them: see [`Watcher::compare`]. The report is the same as for a
//! provider's books.

use super::{Difference, DifferenceKind, DifferenceState, ReconcileError, Reconciliation, Sums};
use crate::cashier::findings;
use std::sync::Arc;
use till_domain::{
    attempt::Quantity,
    chain::Atoms,
    change::Change,
    finding::{self, Finding},
    time::Timestamp,
};
use till_providers::evm::{Comparison, Evm, Unbooked, Watcher};
use till_store::{Payments, StoreError};

/// Compares all chains between two moments. A chain that does not answer is named, and stops no other.
pub async fn compare_chains(
    store: &Payments,
    watchers: &[Arc<Watcher>],
    (from, to): (Timestamp, Timestamp),
) -> Result<Reconciliation, ReconcileError> {
    let mut report = Reconciliation::new(to.min(store.now()));
    for watcher in watchers {
        match watcher.compare(from, to).await {
            Ok(found) => {
                // Blocks that were not read yet are not compared.
                report.until = report.until.min(found.until.unwrap_or(from));
                add(store, watcher, &found, &mut report).await?;
            }
            Err(error) => report.unanswered.push(format!("{}: {error}", watcher.chain.name)),
        }
    }
    Ok(report)
}

/// Adds the comparison of a chain to a report.
pub async fn add(
    store: &Payments,
    watcher: &Watcher,
    found: &Comparison,
    report: &mut Reconciliation,
) -> Result<(), StoreError> {
    report.compared += found.addresses;
    for (coin, sum) in &found.sums {
        let name = format!("{coin} ({})", watcher.chain.name);
        let sums = Sums { decimals: sum.decimals, theirs: (sum.there.0, 0), ours: (sum.here.0, 0) };
        report.sums.insert(name, sums);
    }
    for one in &found.unbooked {
        report.differences.push(difference(store, watcher, one).await?);
    }
    Ok(())
}

async fn difference(store: &Payments, watcher: &Watcher, one: &Unbooked) -> Result<Difference, StoreError> {
    let deposit = &one.deposit;
    let payment = format!("{}:{}", deposit.chain, deposit.address);
    let detail = match &one.transfer {
        Some(transfer) => transfer.clone(),
        None if one.emptied => "emptied".to_owned(),
        None => one.there.saturating_sub(one.here).to_string(),
    };
    let subject = finding::subject(Evm::NAME, &format!("{payment}:{}:{detail}", one.coin));
    let note = note(watcher, one);
    let session = store.page_session(deposit.session).await?;
    let whose = session.map(|session| (session.id, session.vendor));
    let known = match store.action_about(&subject).await? {
        None => DifferenceState::New,
        Some(stored) if stored.decided.is_some() => DifferenceState::Settled,
        Some(_) => DifferenceState::Open,
    };
    let (now, event) = findings::moment(store);
    let changes: Vec<Change> = finding::differs(Finding::new(&subject, &note, None), whose, now, event);
    let session = whose.map(|(session, _)| session);
    Ok(Difference { what: DifferenceKind::NotHere, payment, session, note, known, changes })
}

/// The description of a difference, for people.
fn note(watcher: &Watcher, one: &Unbooked) -> String {
    let (address, network) = (&one.deposit.address, &watcher.chain.name);
    let quantity = |atoms: Atoms| Quantity { atoms: atoms.0, decimals: one.decimals, unit: one.coin.clone() };
    if one.emptied {
        return format!(
            "{address} on {network} has forwarded {} although Till saw nothing arrive there: the money came \
             and left between two checks",
            one.coin
        );
    }
    if let Some(transfer) = &one.transfer {
        let (there, transaction) = (quantity(one.there), transfer.split(':').next().unwrap_or_default());
        return format!(
            "{address} on {network} received {there} by {transaction} in block {}, and Till has not read it",
            one.block
        );
    }
    let (there, here) = (quantity(one.there), quantity(one.here));
    format!("{address} on {network} received {there} by block {}, and Till has read {here}", one.block)
}
