//! Reconciles the chains with our records every night, each chain separately. One node does it, by a lease.
//! The time of each comparison, and that of the last block compared, are stored: a missed night is made up
//! for.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::{
    chain::{Address, Atoms, ChainId},
    time::Timestamp,
};
use till_providers::evm::{Comparison, Watcher};
use till_service::{
    reconcile::{self, Reconciliation},
    registry::{ProviderKind, Registry},
    telemetry::explain,
};
use till_store::{ChainCompared, Chains, StoreError};

/// The time of day: two hours after midnight in UTC, when few people pay.
const AT: Duration = Duration::from_secs(2 * 60 * 60);

/// The period of a chain's first comparison.
const FIRST_PERIOD: Duration = Duration::from_secs(24 * 60 * 60);

/// How far a period reaches back into the one before, so that no block is left out.
const OVERLAP: Duration = Duration::from_secs(60 * 60);

/// The longest period. After a longer outage an operator runs `till reconcile`.
const LONGEST_PERIOD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The lease of a comparison.
const LEASE: Duration = Duration::from_secs(60 * 60);

/// The pause before a chain that did not answer is tried again.
const AFTER_ERROR: Duration = Duration::from_secs(10 * 60);

/// How long the chain's own coin may be at an address without being read: an address that no attempt waits
/// for is read once an hour.
const READ_WITHIN: Duration = Duration::from_secs(70 * 60);

const MAX_PAUSE: Duration = Duration::from_secs(60);

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Reconciles the chains of a node.
#[derive(Debug)]
pub struct Nightly {
    registry: Arc<Registry>,
    state: Mutex<NightlyState>,
}

#[derive(Debug, Default)]
struct NightlyState {
    /// The time of the first pass: a chain that was never compared waits for the night after it.
    started: Option<Timestamp>,
    /// The time at which a chain is compared again, if that is before the next night.
    again: BTreeMap<ChainId, Timestamp>,
    /// Coins that were found but not read yet, and since when: by chain, address and the amount that was
    /// read.
    unread: BTreeMap<(ChainId, Address, Atoms), Timestamp>,
}

/// The next run after a moment.
fn next_run(after: Timestamp) -> Timestamp {
    let at = i64::try_from(AT.as_millis()).unwrap_or(0);
    let days = (after.as_ms() - at).div_euclid(DAY_MS) + 1;
    Timestamp::from_ms(days * DAY_MS + at)
}

impl NightlyState {
    /// Removes differences that the next reading of their address may still explain; returns their number.
    fn postpone(&mut self, chain: ChainId, found: &mut Comparison, now: Timestamp) -> usize {
        let all = mem::take(&mut found.unbooked);
        let count = all.len();
        found.unbooked = all
            .into_iter()
            .filter(|one| {
                let key = (chain, one.deposit.address, one.here);
                let is_read_later = one.transfer.is_none() && !one.emptied;
                !is_read_later || now.since(*self.unread.entry(key).or_insert(now)) >= READ_WITHIN
            })
            .collect();
        count - found.unbooked.len()
    }
}

impl Nightly {
    #[must_use]
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, NightlyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the chains that are due, and returns the pause until the next pass.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let environment = self.registry.cashier().environment();
        let (now, store) = (environment.now(), &environment.store);
        let started = *self.state().started.get_or_insert(now);
        let (current, Some(chains)) = (self.registry.current(ProviderKind::Evm), store.chains()) else {
            return Ok(MAX_PAUSE);
        };
        let Some(known) = current.chains() else { return Ok(MAX_PAUSE) };
        let mut due = Vec::new();
        for watcher in &known.watchers {
            let last = chains.compared(watcher.chain.id).await?;
            let again = self.state().again.get(&watcher.chain.id).copied();
            if again.unwrap_or_else(|| next_run(last.map_or(started, |last| last.at))) <= now {
                due.push((watcher, last));
            }
        }
        if due.is_empty() || store.claim("compare chains", environment.node, LEASE).await?.is_none() {
            return Ok(MAX_PAUSE);
        }
        for (watcher, last) in due {
            // Set even if the store fails: a comparison queries every address again.
            self.state().again.insert(watcher.chain.id, now.plus(AFTER_ERROR));
            let since = last.map_or(now.minus(FIRST_PERIOD), |last| last.until.minus(OVERLAP));
            let since = since.max(now.minus(LONGEST_PERIOD));
            match self.compare(watcher, chains, last, (since, now)).await {
                // A chain whose data cannot be read does not stop the others.
                Err(StoreError::Corrupt(error)) => {
                    let chain = &watcher.chain.name;
                    tracing::error!(chain, error, "cannot compare what was read of a chain");
                }
                done => done?,
            }
        }
        Ok(MAX_PAUSE)
    }

    /// Compares one chain, and records that if it answered.
    async fn compare(
        &self,
        watcher: &Watcher,
        chains: Chains<'_>,
        last: Option<ChainCompared>,
        (since, now): (Timestamp, Timestamp),
    ) -> Result<(), StoreError> {
        let (store, chain) = (&self.registry.cashier().environment().store, &watcher.chain);
        let mut found = match watcher.compare(since, now).await {
            Ok(found) => found,
            Err(error) => {
                let error = explain(&error);
                tracing::warn!(chain = chain.name, error, "could not compare a chain; retrying");
                return Ok(());
            }
        };
        let postponed = self.state().postpone(chain.id, &mut found, now);
        let mut report = Reconciliation::new(now);
        reconcile::add_chain(store, watcher, &found, &mut report).await?;
        let entered = reconcile::enter(store, &report).await?;
        let (chain_name, compared, differences) = (&chain.name, report.compared, report.unsettled());
        if differences > 0 {
            tracing::error!(
                chain = chain_name,
                differences,
                entered,
                "a chain has money that Till did not see: see till action list"
            );
        }
        if found.until.is_some() {
            tracing::info!(
                chain = chain_name,
                compared,
                postponed,
                "compared a chain with what was read of it"
            );
        }
        // Blocks that were not read yet are compared the next time.
        let until = found.until.unwrap_or(since).min(now);
        // The night's comparison is complete only after the second one, also for a process that takes over.
        let at = if postponed > 0 { last.map_or(since, |last| last.at) } else { now };
        chains.note_compared(chain.id, ChainCompared { at, until }).await?;
        let mut state = self.state();
        if postponed > 0 {
            state.again.insert(chain.id, now.plus(READ_WITHIN));
        } else {
            state.again.remove(&chain.id);
            state.unread.retain(|(of, _, _), _| *of != chain.id);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l11_it_runs_two_hours_after_midnight() {
        let at = |text: &str| Timestamp::parse(text).expect("a moment");
        for (after, expected) in [
            ("2026-11-14T00:00:00Z", "2026-11-14T02:00:00Z"),
            ("2026-11-14T01:59:59Z", "2026-11-14T02:00:00Z"),
            ("2026-11-14T02:00:00Z", "2026-11-15T02:00:00Z"),
            ("2026-12-31T23:00:00Z", "2027-01-01T02:00:00Z"),
        ] {
            assert_eq!(next_run(at(after)), at(expected), "{after}");
        }
    }
}
