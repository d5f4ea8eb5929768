//! `/operator/reconciliations`: comparisons of the providers' books with ours. The worker makes those that are
//! requested here.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES,
        home::view::MissedRun,
        newer, older,
        reconciliations::view::{LastRun, ReconciliationsPage, RunForm, RunLine, RunProblem},
    },
    does,
    pages::{FlashMessage, NavItem},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::extract::State;
use std::{sync::Arc, time::Duration};
use till_domain::{
    environment::EnvironmentName,
    id::ReconciliationId,
    reconciliation::{NIGHTLY_DAYS, Period, RunState},
    time::{TimeZone, Timestamp},
};
use till_service::{
    reconcile,
    registry::{ProviderKind, Running},
};
use till_store::{ReconciliationRun, Reconciliations, StoreError};

const PLACE: Option<NavItem> = Some(NavItem::Providers);
const PATH: &str = "/operator/reconciliations";

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The age of the last nightly run above which it is missed: two nights, and an hour for the run itself.
const OLD: Duration = Duration::from_secs(49 * 60 * 60);

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, list), does(PATH, operate, request)]
}

fn runs(panel: &Panel) -> Result<Reconciliations<'_>, Refused> {
    panel.environment(EnvironmentName::Live).store.reconciliations().ok_or(Refused::NotFound)
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let chosen = ProviderKind::parse(visit.query.get("provider"));
    let (first, last) = usual_days(panel.now());
    let form = RunForm { chosen, first, last, ..RunForm::default() };
    let page = page(&panel, form, chosen, visit.query.get("before")).await?;
    Ok(visit.page(&panel, PLACE, page))
}

/// The days that the form proposes: those of the last night, and today.
fn usual_days(now: Timestamp) -> (String, String) {
    let utc = TimeZone::utc();
    (utc.day_of(now.minus(DAY * NIGHTLY_DAYS)), utc.day_of(now))
}

/// The page with the runs of one provider, or of all.
async fn page(
    panel: &Panel,
    form: RunForm,
    only: Option<ProviderKind>,
    before: &str,
) -> Result<ReconciliationsPage, Refused> {
    let name = only.map(ProviderKind::name);
    let found = runs(panel)?.page(name, ReconciliationId::parse(before), LINES).await?;
    let last = found.last().map(|run| run.id.to_string());
    let fields = [("provider", name.unwrap_or_default())];
    let (newer, older) = (newer(PATH, before, &fields), older(PATH, last, found.len(), &fields));
    Ok(ReconciliationsPage {
        last: last_runs(panel).await?,
        nightly: panel.reconcile_at.map(time_of_day),
        form: RunForm { kinds: running(panel), ..form },
        only,
        rows: found.into_iter().filter_map(line).collect(),
        newer,
        older,
    })
}

/// A time of day in the form of the setting.
fn time_of_day(at: Duration) -> String {
    let minutes = at.as_secs() / 60;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The providers that run on this process.
fn running(panel: &Panel) -> Vec<ProviderKind> {
    let all = panel.registry.all();
    all.iter().filter(|current| current.running.is_some()).map(|current| current.kind).collect()
}

/// The providers and chains that are reconciled separately.
pub(super) fn subjects(panel: &Panel) -> Vec<(ProviderKind, Option<String>)> {
    let all = panel.registry.all();
    let subjects = all.iter().filter_map(|current| Some((current.kind, current.running.as_ref()?)));
    let subjects = subjects.flat_map(|(kind, running)| match running {
        Running::Service(_) => vec![(kind, None)],
        Running::Chains(chains) => {
            chains.watchers.iter().map(|watcher| (kind, Some(watcher.chain.name.clone()))).collect()
        }
    });
    subjects.collect()
}

async fn last_runs(panel: &Panel) -> Result<Vec<LastRun>, Refused> {
    let (runs, mut all) = (runs(panel)?, Vec::new());
    for (kind, chain) in subjects(panel) {
        let run = runs.last(kind.name(), chain.as_deref()).await?.and_then(line);
        all.push(LastRun { kind, chain, run });
    }
    Ok(all)
}

/// The last run of a provider, whatever it compared.
pub(super) async fn last_run(panel: &Panel, kind: ProviderKind) -> Result<Option<RunLine>, StoreError> {
    let store = &panel.environment(EnvironmentName::Live).store;
    let Some(runs) = store.reconciliations() else { return Ok(None) };
    Ok(runs.page(Some(kind.name()), None, 1).await?.into_iter().next().and_then(line))
}

/// The nightly reconciliations that failed or are missing for more than two nights. A provider that was never
/// reconciled counts once it has been set up for so long.
pub(super) async fn missed(panel: &Panel) -> Result<Vec<MissedRun>, StoreError> {
    let store = &panel.environment(EnvironmentName::Live).store;
    let (Some(runs), true) = (store.reconciliations(), panel.reconcile_at.is_some()) else {
        return Ok(Vec::new());
    };
    let old = panel.now().minus(OLD);
    let setups = panel.admin.accounts.setups().await?;
    let mut missed = Vec::new();
    for (kind, chain) in subjects(panel) {
        let last = runs.last_night(kind.name(), chain.as_deref()).await?;
        let failed = match last.as_ref().filter(|run| run.result.state == RunState::Failed) {
            Some(failed) => !is_made_up_for(runs, failed).await?,
            None => false,
        };
        let is_new = || {
            let stored = setups.iter().find(|setup| setup.name == kind.name());
            panel.uptime() < OLD || stored.is_some_and(|setup| setup.updated_at > old)
        };
        let late = match last.as_ref().and_then(|run| run.night) {
            Some(night) => night < old,
            None => !is_new(),
        };
        if failed || late {
            missed.push(MissedRun { kind, chain, failed });
        }
    }
    Ok(missed)
}

/// True if a later run, such as one that an operator requested, has compared all that a failed one could not.
async fn is_made_up_for(runs: Reconciliations<'_>, failed: &ReconciliationRun) -> Result<bool, StoreError> {
    let covers = |run: &ReconciliationRun| {
        run.requested_at > failed.requested_at
            && matches!(run.result.state, RunState::Matched | RunState::Differed)
            && (run.chain.is_none() || run.chain == failed.chain)
            && run.period.from <= failed.period.from
            && run.period.to >= failed.period.to
    };
    Ok(runs.page(Some(&failed.provider), None, LINES).await?.iter().any(covers))
}

/// A run as it is shown; `None` if this version does not know its provider.
fn line(run: ReconciliationRun) -> Option<RunLine> {
    Some(RunLine {
        id: run.id,
        kind: ProviderKind::parse(&run.provider)?,
        chain: run.chain,
        days: run.period.days(),
        origin: run.origin,
        by: run.requested_by,
        requested_at: run.requested_at,
        finished_at: run.finished_at,
        state: run.result.state,
        counts: run.result.counts,
        error: run.result.error,
    })
}

async fn request(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = |name: &str| visit.form.get(name).trim().to_owned();
    // The button on a provider's pages sends no days.
    let (first, last) = match (typed("first"), typed("last")) {
        (first, last) if first.is_empty() && last.is_empty() => usual_days(panel.now()),
        days => days,
    };
    let chosen = ProviderKind::parse(visit.form.get("provider"));
    let chosen = chosen.filter(|kind| running(&panel).contains(kind));
    let problem = match (chosen, Period::of_days(&first, &last, panel.now())) {
        (None, _) => RunProblem::Provider,
        (_, Err(problem)) => RunProblem::Days(problem),
        (Some(kind), Ok(period)) => {
            let live = &panel.environment(EnvironmentName::Live).store;
            let accounts = &panel.admin.accounts;
            if reconcile::request(accounts, live, &visit.actor(), (kind, period)).await? {
                return Ok(done(PATH, FlashMessage::RunRequested));
            }
            RunProblem::Waits
        }
    };
    let form = RunForm { chosen, first, last, problem: Some(problem), ..RunForm::default() };
    let page = page(&panel, form, None, "").await?;
    Ok(visit.again(&panel, PLACE, page))
}
