//! Reconciles the chains with our records every night, each chain separately, from an hour before the end of the
//! last comparison. The time of each comparison, and that of the last block compared, are stored: a missed night
//! is made up for.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::{
    chain::{Address, Atoms, ChainId},
    reconciliation::{MAX_TRIES, Period, RETRY_AFTER, RunOrigin, last_night, next_night},
    time::Timestamp,
};
use till_providers::evm::{Comparison, Watcher};
use till_service::{
    environment::Environment,
    reconcile::{self, Reconciliation},
    registry::{Chains, ProviderKind},
    telemetry::explain,
};
use till_store::{ChainCompared, ReconciliationRun, RunResult, StoreError};

/// The period of a chain's first comparison.
const FIRST_PERIOD: Duration = Duration::from_secs(24 * 60 * 60);

/// How far a period reaches back into the one before, so that no block is left out.
const OVERLAP: Duration = Duration::from_secs(60 * 60);

/// The longest period. After a longer outage an operator runs `till reconcile`.
const LONGEST_PERIOD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long the chain's own coin may be at an address without being read: an address that no attempt waits
/// for is read once an hour.
const READ_WITHIN: Duration = Duration::from_secs(70 * 60);

/// The nights of the chains, as this process knows them.
#[derive(Debug, Default)]
pub(super) struct ChainNights {
    state: Mutex<NightlyState>,
}

/// A chain to compare now.
#[derive(Debug)]
pub(super) struct DueChain {
    watcher: Arc<Watcher>,
    last: Option<ChainCompared>,
    /// The night that it is compared for.
    night: Timestamp,
}

#[derive(Debug, Default)]
struct NightlyState {
    /// The time of the first pass: a chain that was never compared waits for the night after it.
    started: Option<Timestamp>,
    /// The time at which a chain is compared again, if that is before the next night.
    again: BTreeMap<ChainId, Timestamp>,
    /// How often a chain did not answer in a night.
    silent: BTreeMap<(ChainId, Timestamp), i64>,
    /// Coins that were found but not read yet, and since when: by chain, address and the amount that was
    /// read.
    unread: BTreeMap<(ChainId, Address, Atoms), Timestamp>,
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

    /// Counts a night's comparison that got no answer; true if it counts as failed now.
    fn fails(&mut self, chain: ChainId, night: Timestamp) -> bool {
        self.silent.retain(|(of, when), _| *of != chain || *when == night);
        let count = self.silent.entry((chain, night)).or_default();
        *count += 1;
        *count == MAX_TRIES
    }
}

impl ChainNights {
    fn state(&self) -> MutexGuard<'_, NightlyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The chains to compare now; `at` is the time of day.
    pub(super) async fn due(
        &self,
        environment: &Environment,
        known: &Chains,
        at: Duration,
    ) -> Result<Vec<DueChain>, StoreError> {
        let (now, Some(chains)) = (environment.now(), environment.store.chains()) else {
            return Ok(Vec::new());
        };
        let started = *self.state().started.get_or_insert(now);
        let mut due = Vec::new();
        for watcher in &known.watchers {
            let last = chains.compared(watcher.chain.id).await?;
            let again = self.state().again.get(&watcher.chain.id).copied();
            if again.unwrap_or_else(|| next_night(at, last.map_or(started, |last| last.at))) <= now {
                due.push(DueChain { watcher: Arc::clone(watcher), last, night: last_night(at, now) });
            }
        }
        Ok(due)
    }

    /// Compares one chain, and records that if it answered.
    pub(super) async fn compare(&self, environment: &Environment, due: DueChain) -> Result<(), StoreError> {
        let now = environment.now();
        // Set even if the store fails: a comparison queries every address again.
        self.state().again.insert(due.watcher.chain.id, now.plus(RETRY_AFTER));
        let since = due.last.map_or(now.minus(FIRST_PERIOD), |last| last.until.minus(OVERLAP));
        let since = since.max(now.minus(LONGEST_PERIOD));
        let chain = &due.watcher.chain;
        let done = match due.watcher.compare(since, now).await {
            Ok(found) => self.enter(environment, &due, found, (since, now)).await,
            Err(error) => {
                let error = explain(&error);
                tracing::warn!(chain = chain.name, error, "could not compare a chain; retrying");
                if !self.state().fails(chain.id, due.night) {
                    return Ok(());
                }
                tracing::error!(chain = chain.name, error, "could not reconcile a chain tonight");
                let period = Period { from: since, to: now };
                record(environment, &due, period, RunResult::failed(error)).await
            }
        };
        match done {
            // A chain whose data cannot be read does not stop the others.
            Err(StoreError::Corrupt(error)) => {
                tracing::error!(chain = chain.name, error, "cannot compare what was read of a chain");
                let period = Period { from: since, to: now };
                record(environment, &due, period, RunResult::failed(error)).await
            }
            done => done,
        }
    }

    /// Adds the differences of a chain to Needs action, and stores how far it was compared.
    async fn enter(
        &self,
        environment: &Environment,
        due: &DueChain,
        mut found: Comparison,
        (since, now): (Timestamp, Timestamp),
    ) -> Result<(), StoreError> {
        let (store, chain) = (&environment.store, &due.watcher.chain);
        let postponed = self.state().postpone(chain.id, &mut found, now);
        let mut report = Reconciliation::new(now);
        reconcile::add_chain(store, &due.watcher, &found, &mut report).await?;
        let entered = reconcile::enter(store, &report).await?;
        log(&chain.name, &report, entered, postponed);
        // Blocks that were not read yet are compared the next time.
        let until = found.until.unwrap_or(since).min(now);
        if postponed == 0 && found.until.is_some() {
            let period = Period { from: since, to: until.max(since) };
            record(environment, due, period, reconcile::result_of(&report, entered)).await?;
        }
        // The night's comparison is complete only after the second one, also for a process that takes over: it
        // covers the same blocks, so that its result has what the first one found.
        let compared = match postponed {
            0 => ChainCompared { at: now, until },
            _ => due.last.unwrap_or(ChainCompared { at: since, until: since }),
        };
        if let Some(chains) = store.chains() {
            chains.note_compared(chain.id, compared).await?;
        }
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

fn log(chain: &str, report: &Reconciliation, entered: usize, postponed: usize) {
    let (compared, differences) = (report.compared, report.unsettled());
    if differences > 0 {
        tracing::error!(
            chain,
            differences,
            entered,
            "a chain has money that Till did not see: see till action list"
        );
    }
    tracing::info!(chain, compared, postponed, "compared a chain with what was read of it");
}

/// Stores what came of a night's comparison; one that failed before is replaced.
async fn record(
    environment: &Environment,
    due: &DueChain,
    period: Period,
    result: RunResult,
) -> Result<(), StoreError> {
    let Some(runs) = environment.store.reconciliations() else { return Ok(()) };
    let now = environment.now();
    let run = ReconciliationRun {
        chain: Some(due.watcher.chain.name.chars().take(64).collect()),
        night: Some(due.night),
        started_at: Some(now),
        finished_at: Some(now),
        tries: 1,
        result,
        ..reconcile::new_run(ProviderKind::Evm, RunOrigin::Nightly, period, now)
    };
    runs.record_night(&run).await.map(drop)
}
