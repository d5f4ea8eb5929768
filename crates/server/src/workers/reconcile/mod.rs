//! Reconciles a provider's books with ours: every night, once a week for three months, and when an operator
//! requests it.
//!
//! Each provider has a worker of its own, so that none waits for another. A run is a row: it is planned, started
//! and ended in the store, by the node that holds the provider's lease. What is stored decides what is due, so a
//! missed night is made up for, and a run that a dead process has left is started again. The nights of chains are
//! in `chains.rs`.

mod chains;

use chains::ChainNights;
use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::{
    reconciliation::{self, MAX_TRIES, PlannedRun, RETRY_AFTER, RunOrigin, RunState},
    time::Timestamp,
};
use till_service::{
    environment::Environment,
    random,
    reconcile::{self, ReconcileError},
    registry::{ProviderKind, Registry, Running},
    telemetry::explain,
};
use till_store::{Clock, Lease, NodeId, ReconciliationRun, Reconciliations, RunResult, StoreError};

/// The pause between two looks at what is due.
const PAUSE: Duration = Duration::from_secs(5);

/// The runs looked at in one pass.
const AT_ONCE: u32 = 20;

/// How long a run waits for a node on which its provider is set up.
const ABSENT_FOR: Duration = Duration::from_secs(2 * 60);

/// Reconciles one provider.
#[derive(Debug)]
pub struct Reconciler {
    registry: Arc<Registry>,
    kind: ProviderKind,
    /// The time of day in UTC; `None` if nothing is compared every night.
    at: Option<Duration>,
    /// When this process first saw the provider: one without runs waits for the night after it.
    since: Mutex<Option<Timestamp>>,
    /// The holder of the provider's lease: this worker, and no other of the process.
    holder: NodeId,
    nights: ChainNights,
}

impl Reconciler {
    #[must_use]
    pub fn new(registry: Arc<Registry>, kind: ProviderKind, at: Option<Duration>) -> Self {
        let (since, nights) = (Mutex::default(), ChainNights::default());
        Self { registry, kind, at, since, holder: NodeId(random::bytes()), nights }
    }

    /// The clock by which runs are due.
    pub(super) fn clock(&self) -> &Clock {
        self.environment().store.clock()
    }

    fn environment(&self) -> &Environment {
        self.registry.cashier().environment()
    }

    /// Makes the runs that are due, and returns the pause until the next pass.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let environment = self.environment();
        let Some(runs) = environment.store.reconciliations() else { return Ok(PAUSE) };
        let running = self.registry.current(self.kind).running;
        let since = self.seen(running.is_some());
        if let (Some(Running::Service(_)), Some(at), Some(since)) = (&running, self.at, since) {
            self.plan(runs, at, since).await?;
        }
        let nights = match (&running, self.at) {
            (Some(Running::Chains(known)), Some(at)) => self.nights.due(environment, known, at).await?,
            _ => Vec::new(),
        };
        if nights.is_empty() && self.due(runs, running.is_some()).await?.is_empty() {
            return Ok(PAUSE);
        }
        let Some(lease) = self.claim().await? else { return Ok(PAUSE) };
        self.make_all(runs, running.as_ref(), nights).await?;
        environment.store.give_back(&lease).await?;
        Ok(PAUSE)
    }

    /// Takes or renews the lease of the provider: it has one run at a time. `till reconcile` takes the same one.
    async fn claim(&self) -> Result<Option<Lease>, StoreError> {
        let environment = self.environment();
        environment.store.claim(reconcile::lease_of(self.kind), self.holder, environment.lease).await
    }

    /// When this process first saw the provider running, if it is.
    fn seen(&self, runs: bool) -> Option<Timestamp> {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = runs.then(|| since.unwrap_or_else(|| self.environment().now()));
        *since
    }

    /// Adds the run of the last night, if there is none yet.
    async fn plan(
        &self,
        runs: Reconciliations<'_>,
        at: Duration,
        since: Timestamp,
    ) -> Result<(), StoreError> {
        let (now, provider) = (self.environment().now(), self.kind.name());
        let past = runs.past_nights(provider, None).await?;
        let Some(planned) = reconciliation::plan(at, now, since, &past) else { return Ok(()) };
        let PlannedRun { night, origin, period, after_missed } = planned;
        let run = reconcile::new_run(self.kind, origin, period, now);
        let run = ReconciliationRun { night: Some(night), ..run };
        if runs.add(&run).await? && after_missed {
            let (first, last) = period.days();
            tracing::error!(
                provider,
                first,
                last,
                "nightly reconciliations were missed; the days are compared now"
            );
        }
        Ok(())
    }

    /// The runs to start or to end now. A run in progress is one that was left, if the lease is free.
    async fn due(
        &self,
        runs: Reconciliations<'_>,
        present: bool,
    ) -> Result<Vec<ReconciliationRun>, StoreError> {
        let now = self.environment().now();
        let mut open = runs.open(self.kind.name(), AT_ONCE).await?;
        let pause = if present { Duration::ZERO } else { ABSENT_FOR };
        open.retain(|run| run.result.state == RunState::Running || run.due_at.plus(pause) <= now);
        Ok(open)
    }

    /// Makes what is due, one after the other, while this node holds the lease.
    async fn make_all(
        &self,
        runs: Reconciliations<'_>,
        running: Option<&Running>,
        nights: Vec<chains::DueChain>,
    ) -> Result<(), StoreError> {
        for due in nights {
            let compared = self.nights.compare(self.environment(), due);
            match self.while_held(compared).await? {
                Some(done) => done?,
                None => return Ok(()),
            }
        }
        for run in self.due(runs, running.is_some()).await? {
            let Some(tries) = runs.start(&run, self.environment().now()).await? else { continue };
            let made = match running {
                None => {
                    let error = format!("{} is not set up", self.kind.name());
                    Ok((run.period.to, RunResult::failed(error)))
                }
                Some(_) if is_lost(&run) => Ok((run.period.to, RunResult::failed("interrupted"))),
                Some(running) => {
                    let (accounts, store) =
                        (self.environment().directory.accounts(), &self.environment().store);
                    let work = reconcile::run(accounts, store, running, run.period);
                    match self.while_held(work).await? {
                        Some(made) => made,
                        None => return Ok(()),
                    }
                }
            };
            self.end(runs, &ReconciliationRun { tries, ..run }, made).await?;
        }
        Ok(())
    }

    /// Does work for as long as this node holds the lease and does not stop; `None` if that ended first.
    async fn while_held<T>(&self, work: impl Future<Output = T>) -> Result<Option<T>, StoreError> {
        let environment = self.environment();
        let mut stopping = environment.stopping.subscribe();
        // The value that it waits for is not kept.
        let stops = async { drop(stopping.wait_for(|stops| *stops).await) };
        let renew = || async { Ok(self.claim().await?.is_some()) };
        tokio::select! {
            done = work => Ok(Some(done)),
            lost = reconcile::hold(environment.lease, renew) => lost.map_or(Ok(None), Err),
            () = stops => Ok(None),
        }
    }

    /// Stores what came of a run; a night whose provider did not answer is tried again.
    async fn end(
        &self,
        runs: Reconciliations<'_>,
        run: &ReconciliationRun,
        made: Result<(Timestamp, RunResult), ReconcileError>,
    ) -> Result<(), StoreError> {
        let (now, provider, guard) = (self.environment().now(), self.kind.name(), (run.id, run.tries));
        let failed = |error: &dyn Error| (run.period.to, RunResult::failed(explain(error)));
        let (to, result) = match made {
            Ok(made) => made,
            // The same data cannot be read the next time either.
            Err(ReconcileError::Store(error @ StoreError::Corrupt(_))) => failed(&error),
            Err(ReconcileError::Store(error)) => return Err(error),
            Err(ReconcileError::Provider(error)) if run.night.is_some() && run.tries < MAX_TRIES => {
                let error = explain(&error);
                tracing::warn!(provider, error, "could not reconcile a provider; retrying");
                return runs.postpone(guard, now.plus(RETRY_AFTER), &error).await.map(drop);
            }
            Err(error) => failed(&error),
        };
        if runs.finish(guard, (to, &result), now).await? {
            report(run, &result);
        }
        Ok(())
    }
}

/// True if a run that another process has left is not started again: nothing waits for the result of a command,
/// and one that was left several times may be what ends the process.
fn is_lost(run: &ReconciliationRun) -> bool {
    run.result.state == RunState::Running && (run.origin == RunOrigin::Command || run.tries >= MAX_TRIES)
}

/// Logs what came of a run.
fn report(run: &ReconciliationRun, result: &RunResult) {
    let (provider, origin) = (&run.provider, run.origin.as_str());
    let ((first, last), counts) = (run.period.days(), result.counts);
    if counts.differences > 0 {
        tracing::error!(
            provider,
            origin,
            first,
            last,
            differences = counts.differences,
            entered = counts.entered,
            "the records of a provider differ from Till's: see till action list"
        );
    }
    match (&result.error, result.state) {
        (Some(error), RunState::Failed) => {
            tracing::error!(provider, origin, first, last, error, "could not reconcile a provider");
        }
        _ => {
            let compared = counts.compared;
            tracing::info!(provider, origin, first, last, compared, "reconciled a provider's records");
        }
    }
}
