//! A run of `till reconcile` in the list of runs: it holds the provider's lease, so that neither the service nor
//! another command compares the same books at once.

use anyhow::bail;
use std::time::Duration;
use till_domain::{
    audit::Actor,
    reconciliation::{Period, RunOrigin, RunState},
};
use till_service::{
    environment::EnvironmentStore,
    random,
    reconcile::{self, Reconciliation},
    registry::ProviderKind,
};
use till_store::{Accounts, NodeId, ReconciliationRun, Reconciliations, RunResult, StoreError};

/// The lease of a command.
const LEASE: Duration = Duration::from_secs(30);

/// How long a command waits for another run of the provider, and how often it looks.
const WAITS: u32 = 20;
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A run in progress.
pub struct RecordedRun<'a> {
    store: &'a EnvironmentStore,
    runs: Reconciliations<'a>,
    run: ReconciliationRun,
    /// This process among those that share the store.
    node: NodeId,
    lease: &'static str,
}

impl<'a> RecordedRun<'a> {
    /// Takes the lease of a provider, and stores that a run has started, also in the audit log.
    pub async fn start(
        accounts: &Accounts,
        store: &'a EnvironmentStore,
        (kind, period): (ProviderKind, Period),
    ) -> anyhow::Result<Self> {
        let Some(runs) = store.reconciliations() else { bail!("only live payments are reconciled") };
        let (node, lease) = (NodeId(random::bytes()), reconcile::lease_of(kind));
        let mut waited = 0;
        while store.claim(lease, node, LEASE).await?.is_none() {
            if waited == WAITS {
                let name = kind.name();
                bail!(
                    "another reconciliation of {name} is running; see till reconciliations, and try again later"
                );
            }
            waited += 1;
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let now = store.now();
        let run = ReconciliationRun {
            requested_by: Some(Actor::shell().name),
            started_at: Some(now),
            tries: 1,
            result: RunResult::none(RunState::Running),
            ..reconcile::new_run(kind, RunOrigin::Command, period, now)
        };
        runs.add(&run).await?;
        reconcile::audit(accounts, &Actor::shell(), (kind, period)).await?;
        Ok(Self { store, runs, run, node, lease })
    }

    /// Does the comparison, and stores what came of it.
    pub async fn make(
        self,
        work: impl Future<Output = anyhow::Result<(Reconciliation, usize)>>,
    ) -> anyhow::Result<(Reconciliation, usize)> {
        let made = tokio::select! {
            made = work => made,
            lost = self.hold() => Err(lost.into()),
        };
        let period = self.run.period;
        let (to, result) = match &made {
            Ok((report, entered)) => {
                (reconcile::end_of(period, report), reconcile::result_of(report, *entered))
            }
            Err(error) => (period.to, RunResult::failed(format!("{error:#}"))),
        };
        self.runs.finish((self.run.id, self.run.tries), (to, &result), self.store.now()).await?;
        self.store.release(self.node).await?;
        made
    }

    /// Renews the lease until it is lost.
    async fn hold(&self) -> StoreError {
        let renew = || async { Ok(self.store.claim(self.lease, self.node, LEASE).await?.is_some()) };
        let lost = reconcile::hold(LEASE, renew).await;
        lost.unwrap_or_else(|| StoreError::unknown("another process reconciles this provider now"))
    }
}
