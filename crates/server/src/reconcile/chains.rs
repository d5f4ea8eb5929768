//! Compares what chains have with what was read of them: see [`Watcher::compare`]. The same report as for a provider's
//! books.

use super::{Difference, Known, Report, Sums, Trouble, What};
use crate::findings;
use std::{collections::BTreeMap, sync::Arc};
use till_domain::{
    attempt::Quantity,
    change::Change,
    finding::{self, Finding},
    time::Timestamp,
};
use till_providers::{
    ProviderError,
    evm::{Evm, Unbooked, Watcher},
};
use till_store::Payments;

/// Compares all chains between two moments.
pub async fn compare_chains(
    store: &Payments,
    watchers: &[Arc<Watcher>],
    (from, to): (Timestamp, Timestamp),
) -> Result<Report, Trouble> {
    let mut report = Report {
        until: to.min(store.now()),
        compared: 0,
        under_way: 0,
        foreign: 0,
        sums: BTreeMap::new(),
        differences: Vec::new(),
    };
    for watcher in watchers {
        let silent = |error: till_providers::evm::WatchError| {
            ProviderError::Unknown(format!("{}: {error}", watcher.chain.name))
        };
        let found = watcher.compare(from, to).await.map_err(silent)?;
        report.compared += found.addresses;
        for (coin, sum) in found.sums {
            let name = format!("{coin} ({})", watcher.chain.name);
            let sums = Sums { decimals: sum.decimals, theirs: (sum.there, 0), ours: (sum.here, 0) };
            report.sums.insert(name, sums);
        }
        for one in &found.unbooked {
            report.differences.push(difference(store, watcher, one).await?);
        }
    }
    Ok(report)
}

async fn difference(store: &Payments, watcher: &Watcher, one: &Unbooked) -> Result<Difference, Trouble> {
    let deposit = &one.deposit;
    let payment = format!("{}:{}", deposit.chain, deposit.address);
    let detail = if one.emptied { "emptied".to_owned() } else { format!("{}/{}", one.there, one.here) };
    let subject = findings::subject(Evm::NAME, &format!("{payment}:{}:{detail}", one.coin));
    let note = note(watcher, one);
    let session = store.page_session(deposit.session).await?;
    let whose = session.map(|session| (session.id, session.vendor));
    let known = match store.action_about(&subject).await? {
        None => Known::New,
        Some(stored) if stored.decided.is_some() => Known::Settled,
        Some(_) => Known::Open,
    };
    let (now, event) = findings::moment(store);
    let changes: Vec<Change> = finding::differs(Finding::new(&subject, &note, None), whose, now, event);
    let session = whose.map(|(session, _)| session);
    Ok(Difference { what: What::NotHere, payment, session, note, known, changes })
}

/// What was found, for people.
fn note(watcher: &Watcher, one: &Unbooked) -> String {
    let (address, network) = (&one.deposit.address, &watcher.chain.name);
    let quantity = |atoms| Quantity { atoms, decimals: one.decimals, unit: one.coin.clone() };
    if one.emptied {
        return format!(
            "{address} on {network} has sent {} on although Till saw nothing arrive there: money came and left between \
             two looks",
            one.coin
        );
    }
    let (there, here) = (quantity(one.there), quantity(one.here));
    format!("{address} on {network} received {there} by block {}, and Till has read {here}", one.block)
}
