//! `till status`: whether the service is well, what waits for an operator, its processes and queues.

use super::{
    Common,
    context::{Context, block_on},
    output::{print, table},
};
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{environment::EnvironmentName, reconciliation::RunState};
use till_service::{
    registry::ProviderKind,
    status::{self, LOW_SPACE, NodeState, QueueState, UNDELIVERED_FOR},
};
use till_store::{StoreError, StoreLocation, StoredNode, Undelivered};

/// Runs `till status`; the exit code is 1 if there is a problem.
pub fn run(common: &Common) -> anyhow::Result<ExitCode> {
    block_on(async move {
        let context = Context::open(common).await?;
        let report = report(&context).await?;
        print(common.json, &report, text)?;
        Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

#[derive(Serialize)]
struct StatusReport {
    ok: bool,
    /// What is not as it should be.
    problems: Vec<String>,
    waiting: WaitingCounts,
    processes: Vec<NodeRow>,
    queues: Vec<QueueRow>,
    failed_mails: u64,
    undelivered_callbacks: u64,
    free_bytes: Option<u64>,
    stores: Vec<StoreRow>,
}

/// What waits for an operator, in live.
#[derive(Serialize)]
struct WaitingCounts {
    actions: u64,
    /// Since when the oldest action is open.
    oldest_action_at: Option<String>,
    payouts: u64,
    refunds_to_send: u64,
    sandbox_requests: u64,
}

#[derive(Serialize)]
struct NodeRow {
    id: String,
    state: &'static str,
    version: String,
    listens: String,
    started_at: String,
    seen_at: String,
}

#[derive(Serialize)]
struct QueueRow {
    queue: &'static str,
    environment: Option<&'static str>,
    waiting: Option<u64>,
    due: Option<u64>,
    lag_ms: u128,
}

#[derive(Serialize)]
struct StoreRow {
    store: &'static str,
    bytes: u64,
}

async fn report(context: &Context) -> anyhow::Result<StatusReport> {
    let accounts = &context.accounts;
    let [live, sandbox] = [EnvironmentName::Live, EnvironmentName::Sandbox].map(|name| context.store(name));
    let nodes = accounts.nodes().await?;
    let (queues, failed_mails) = status::queues(accounts, [live, sandbox]).await?;
    let which = Undelivered { vendor: None, since: Some(live.now().minus(UNDELIVERED_FOR)) };
    let undelivered = live.count_undelivered(which).await?;
    let free = match &context.settings().place {
        StoreLocation::Folder(folder) => status::free_bytes(folder),
        StoreLocation::Server(_) => None,
    };
    let mut problems = process_problems(context, &nodes);
    problems.extend(accounts.hold().await?.map(|hold| {
        format!("the service has been on hold since {}: nothing is sent; see till release", hold.since)
    }));
    problems.extend(provider_problems(context).await?);
    problems.extend(
        free.filter(|free| *free < LOW_SPACE)
            .map(|free| format!("only {} MiB of disk space are left", free >> 20)),
    );
    problems.extend(queues.iter().filter(|queue| queue.is_late()).map(late));
    if undelivered > 0 {
        problems.push(format!(
            "callbacks of the last 7 days that were not delivered: {undelivered}; see till callback list \
             --state undelivered"
        ));
    }
    if failed_mails > 0 {
        problems
            .push(format!("emails that could not be sent: {failed_mails}; see the log and TILL_SMTP_URL"));
    }
    Ok(StatusReport {
        ok: problems.is_empty(),
        problems,
        waiting: waiting(context).await?,
        processes: nodes.iter().map(|node| node_row(context, node)).collect(),
        queues: queues.iter().map(QueueRow::from).collect(),
        failed_mails,
        undelivered_callbacks: undelivered,
        free_bytes: free,
        stores: vec![
            StoreRow { store: "accounts", bytes: accounts.size().await?.bytes },
            StoreRow { store: "live", bytes: live.size().await?.bytes },
            StoreRow { store: "sandbox", bytes: sandbox.size().await?.bytes },
        ],
    })
}

/// Processes that are missing.
fn process_problems(context: &Context, nodes: &[StoredNode]) -> Vec<String> {
    let now = context.accounts.now();
    let count = |state| nodes.iter().filter(|node| NodeState::of(node, now) == state).count();
    let mut problems = Vec::new();
    if count(NodeState::Running) == 0 {
        problems.push("the service is not running: start it with till serve".to_owned());
    }
    let lost = count(NodeState::Lost);
    if lost > 0 {
        problems.push(format!("lost processes, which stopped without announcing it: {lost}"));
    }
    problems
}

/// No provider, and nightly reconciliations that failed.
async fn provider_problems(context: &Context) -> Result<Vec<String>, StoreError> {
    let stored = context.accounts.setups().await?;
    let is_on = |kind: &ProviderKind| {
        let enabled = stored.iter().any(|setup| setup.name == kind.name() && setup.enabled);
        enabled || context.settings().setup_file(*kind).is_some()
    };
    let mut problems = Vec::new();
    if !ProviderKind::ALL.iter().any(is_on) && !context.settings().simulator {
        problems.push("no provider is turned on: set one up with till provider set".to_owned());
    }
    let Some(runs) = context.store(EnvironmentName::Live).reconciliations() else { return Ok(problems) };
    for kind in ProviderKind::ALL.iter().filter(|kind| is_on(kind)) {
        let newest = runs.page(Some(kind.name()), None, 1).await?;
        let failed = newest.first().filter(|run| run.result.state == RunState::Failed);
        problems.extend(failed.map(|run| {
            let error = run.result.error.as_deref().unwrap_or("no reason is known");
            format!("the last reconciliation of {} failed: {error}; see till reconciliations", kind.name())
        }));
    }
    Ok(problems)
}

fn late(queue: &QueueState) -> String {
    let environment = queue.environment.map(|name| format!(" in {name}")).unwrap_or_default();
    format!("{}{environment}: the oldest entry has been due for {} s", queue.word, queue.lag.as_secs())
}

async fn waiting(context: &Context) -> Result<WaitingCounts, StoreError> {
    let live = context.store(EnvironmentName::Live);
    Ok(WaitingCounts {
        actions: u64::try_from(live.open_actions().await?).unwrap_or(0),
        oldest_action_at: live.oldest_open_action().await?.map(|at| at.to_string()),
        payouts: match live.ledger() {
            Some(ledger) => ledger.open_payouts().await?,
            None => 0,
        },
        refunds_to_send: live.refunds().by_hand_count().await?,
        sandbox_requests: context.accounts.open_sandbox_requests().await?,
    })
}

fn node_row(context: &Context, node: &StoredNode) -> NodeRow {
    NodeRow {
        id: status::short_id(node),
        state: NodeState::of(node, context.accounts.now()).word(),
        version: node.version.clone(),
        listens: node.listens.clone(),
        started_at: node.started_at.to_string(),
        seen_at: node.seen_at.to_string(),
    }
}

impl From<&QueueState> for QueueRow {
    fn from(queue: &QueueState) -> Self {
        Self {
            queue: queue.word,
            environment: queue.environment.map(EnvironmentName::as_str),
            waiting: queue.waiting,
            due: queue.due,
            lag_ms: queue.lag.as_millis(),
        }
    }
}

fn text(report: &StatusReport) -> String {
    let mut parts = Vec::new();
    parts.push(if report.ok { "All is well.".to_owned() } else { report.problems.join("\n") });
    let WaitingCounts { actions, payouts, refunds_to_send, sandbox_requests, .. } = &report.waiting;
    parts.push(format!(
        "Waiting for an operator: actions {actions}, payouts {payouts}, refunds to send {refunds_to_send}, \
         sandbox requests {sandbox_requests}."
    ));
    let node = |node: &NodeRow| {
        let NodeRow { id, version, listens, started_at, .. } = node;
        vec![id.clone(), node.state.to_owned(), version.clone(), listens.clone(), started_at.clone()]
    };
    let nodes: Vec<_> = report.processes.iter().map(node).collect();
    parts.push(table(&["process", "state", "version", "listens", "since"], &nodes));
    let queue = |queue: &QueueRow| {
        let number = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        vec![
            queue.queue.to_owned(),
            queue.environment.unwrap_or("-").to_owned(),
            number(queue.waiting),
            number(queue.due),
            format!("{} s", queue.lag_ms / 1_000),
        ]
    };
    let queues: Vec<_> = report.queues.iter().map(queue).collect();
    parts.push(table(&["queue", "environment", "waiting", "due", "lag"], &queues));
    parts.join("\n\n")
}
