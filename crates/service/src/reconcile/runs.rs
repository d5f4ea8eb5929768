//! Runs of the reconciliation as they are stored: a new one, its lease, and what came of it.

use super::{ReconcileError, Reconciliation, Sums, Task, compare, compare_chains, enter};
use crate::{
    admin::{self, AdminError},
    environment::EnvironmentStore,
    random,
    registry::{ProviderKind, Running},
    telemetry::explain,
};
use serde::Serialize;
use std::time::Duration;
use till_domain::{
    attempt::Quantity,
    audit::{Actor, AuditEvent},
    id::ReconciliationId,
    reconciliation::{Period, RunOrigin, RunState},
    time::Timestamp,
};
use till_store::{Accounts, ReconciliationRun, RunCounts, RunResult, StoreError};
use tokio::time::Instant;

/// The sums of both sides in one currency, in its main unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SumLine {
    pub currency: String,
    pub taken_there: String,
    pub taken_here: String,
    pub returned_there: String,
    pub returned_here: String,
}

impl SumLine {
    /// The lines of a report, by currency.
    #[must_use]
    pub fn all(report: &Reconciliation) -> Vec<Self> {
        report.sums.iter().map(Self::of).collect()
    }

    fn of((unit, sums): (&String, &Sums)) -> Self {
        let digits = |atoms| Quantity { atoms, decimals: sums.decimals, unit: unit.clone() }.digits();
        Self {
            currency: unit.clone(),
            taken_there: digits(sums.theirs.0),
            taken_here: digits(sums.ours.0),
            returned_there: digits(sums.theirs.1),
            returned_here: digits(sums.ours.1),
        }
    }
}

/// The lease under which the runs of a provider are made: one at a time, whatever started it.
#[must_use]
pub fn lease_of(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Yookassa => "reconcile yookassa",
        ProviderKind::Tbank => "reconcile tbank",
        ProviderKind::Stripe => "reconcile stripe",
        // The name that previous versions use for the nightly comparison.
        ProviderKind::Evm => "compare chains",
    }
}

/// Renews a lease of this length while work is done under it, at once and then a third of its length apart. Returns
/// when it is lost: `None` if another process has it, or the last error. A renewal that fails is repeated as long as the
/// lease lasts.
pub async fn hold<R>(length: Duration, renew: impl Fn() -> R) -> Option<StoreError>
where
    R: Future<Output = Result<bool, StoreError>>,
{
    let again = length / 10;
    let mut renewed = Instant::now();
    loop {
        let asked = Instant::now();
        let pause = match renew().await {
            Ok(true) => {
                renewed = asked;
                length / 3
            }
            Ok(false) => return None,
            Err(error) if renewed.elapsed() + again >= length => return Some(error),
            Err(error) => {
                tracing::warn!(
                    error = explain(&error),
                    "could not renew the lease of a reconciliation; retrying"
                );
                again
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// A run that waits to be started.
#[must_use]
pub fn new_run(kind: ProviderKind, origin: RunOrigin, period: Period, now: Timestamp) -> ReconciliationRun {
    ReconciliationRun {
        id: random::id::<ReconciliationId>(now),
        provider: kind.name().to_owned(),
        chain: None,
        period,
        origin,
        requested_by: None,
        night: None,
        requested_at: now,
        due_at: now,
        started_at: None,
        finished_at: None,
        tries: 0,
        result: RunResult::none(RunState::Waiting),
    }
}

/// Requests a run for an operator, and writes the audit log. False if one that was requested before has not ended.
pub async fn request(
    accounts: &Accounts,
    live: &EnvironmentStore,
    actor: &Actor,
    (kind, period): (ProviderKind, Period),
) -> Result<bool, AdminError> {
    let Some(runs) = live.reconciliations() else { return Ok(false) };
    let run = new_run(kind, RunOrigin::Panel, period, live.now());
    if !runs.add(&ReconciliationRun { requested_by: Some(actor.name.clone()), ..run }).await? {
        return Ok(false);
    }
    audit(accounts, actor, (kind, period)).await?;
    Ok(true)
}

/// Writes into the audit log that a person has requested a run.
pub async fn audit(
    accounts: &Accounts,
    actor: &Actor,
    (kind, period): (ProviderKind, Period),
) -> Result<(), StoreError> {
    let (first, last) = period.days();
    let line = admin::entry(accounts, actor, AuditEvent::ReconciliationRequested);
    accounts.record(&line.saying(format!("{}, {first} to {last}", kind.name()))).await
}

/// The end of what was compared of a period.
#[must_use]
pub fn end_of(period: Period, report: &Reconciliation) -> Timestamp {
    period.to.min(report.until).max(period.from)
}

/// What came of a comparison, with the number of differences that were added to Needs action.
#[must_use]
pub fn result_of(report: &Reconciliation, entered: usize) -> RunResult {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let differences = count(report.unsettled());
    let state = match (report.unanswered.is_empty(), differences) {
        (false, _) => RunState::Failed,
        (true, 0) => RunState::Matched,
        (true, _) => RunState::Differed,
    };
    RunResult {
        state,
        counts: RunCounts {
            compared: report.compared,
            under_way: report.under_way,
            without_till: report.foreign,
            differences,
            entered: count(entered),
        },
        sums: serde_json::to_string(&SumLine::all(report)).unwrap_or_else(|_| "[]".to_owned()),
        error: (!report.unanswered.is_empty()).then(|| report.unanswered.join("; ")),
    }
}

/// Compares the books of a period, and adds the differences to Needs action. Returns the end of what was compared,
/// too.
pub async fn run(
    accounts: &Accounts,
    store: &EnvironmentStore,
    running: &Running,
    period: Period,
) -> Result<(Timestamp, RunResult), ReconcileError> {
    let Period { from, to } = period;
    let report = match running {
        Running::Chains(chains) => compare_chains(store, &chains.watchers, (from, to)).await?,
        Running::Service(provider) => {
            let task = Task { accounts, store, provider: provider.as_ref(), from, to, now: store.now() };
            compare(task, &mut |_, _, _| ()).await?
        }
    };
    let entered = enter(store, &report).await?;
    Ok((end_of(period, &report), result_of(&report, entered)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const LEASE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_renewal_that_fails_is_repeated_until_the_lease_ends() {
        let (started, asked) = (Instant::now(), Cell::new(0));
        // The second to the fifth fail, and all after the tenth.
        let renew = || {
            asked.set(asked.get() + 1);
            let fails = matches!(asked.get(), 2..=5 | 11..);
            async move { if fails { Err(StoreError::unknown("no answer")) } else { Ok(true) } }
        };
        let lost = hold(LEASE, renew).await.expect("an error");
        assert!(explain(&lost).contains("no answer"), "{lost:?}");
        // Renewed at 0, 22, 32, 42, 52 and 62 seconds; asked at 10, 13, 16 and 19, and again from 72 to 90.
        assert_eq!((started.elapsed(), asked.get()), (Duration::from_secs(90), 17));
        let taken = hold(LEASE, || async { Ok(false) }).await;
        assert!(taken.is_none(), "another process has it: {taken:?}");
    }
}
