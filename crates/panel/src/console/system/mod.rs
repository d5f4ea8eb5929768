//! The state of the service itself: processes, queues, stores, settings.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::system::view::{NodeLine, NodeState, QueueLine, RowCount, StoreLine, System},
    pages::NavItem,
    shows,
    visit::{Answer, Visit},
};
use axum::extract::State;
use std::{sync::Arc, time::Duration};
use till_domain::time::Timestamp;
use till_service::{environment::Environment, heartbeat, mail::KEPT_FOR};
use till_store::{Rows, StoreError, StoreSize, StoreStats, StoredNode};

/// Heartbeats that a process may miss before it counts as lost.
const MISSED: u32 = 4;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows("/operator/system", operate, show_system)]
}

async fn show_system(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let accounts = &panel.admin.accounts;
    let mut stores = vec![store_line("accounts", accounts.size().await?, accounts.stats())];
    for sender in &panel.senders {
        let environment = sender.environment();
        let (size, stats) = (environment.store.size().await?, environment.store.stats());
        stores.push(store_line(environment.name.as_str(), size, stats));
    }
    let (queues, failed_mails) = all_queues(&panel).await?;
    let changed = panel.changed_settings.iter();
    let body = System {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("TILL_COMMIT").map(str::to_owned),
        nodes: node_lines(&panel).await?,
        queues,
        stores,
        failed_mails,
        free: free_space(&panel),
        settings: changed.map(|setting| (setting.key.to_owned(), setting.value.clone())).collect(),
    };
    Ok(visit.page(&panel, Some(NavItem::System), body))
}

/// The processes that share the store.
pub(super) async fn node_lines(panel: &Panel) -> Result<Vec<NodeLine>, StoreError> {
    let now = panel.now();
    let nodes = panel.admin.accounts.nodes().await?;
    Ok(nodes.into_iter().map(|node| node_line(panel, node, now)).collect())
}

/// Every queue, and the number of mails that were recently given up.
pub(super) async fn all_queues(panel: &Panel) -> Result<(Vec<QueueLine>, u64), StoreError> {
    let (accounts, now) = (&panel.admin.accounts, panel.now());
    let mut queues = Vec::new();
    for sender in &panel.senders {
        queues.extend(queue_lines(sender.environment()).await?);
    }
    let mails = accounts.count_mails().await?;
    queues.push(QueueLine {
        word: "mails",
        environment: None,
        waiting: u64::try_from(mails.queued).ok(),
        due: None,
        lag: lag(now, accounts.next_mail_due().await?),
    });
    let live = panel.senders.iter().map(|sender| sender.environment());
    let live = live.filter(|environment| environment.rules().receipts);
    let mut failed_mails = mails.failed;
    for environment in live {
        let counts = environment.store.count_dispatches(now.minus(KEPT_FOR)).await?;
        failed_mails += counts.failed;
        queues.push(QueueLine {
            word: "receipts",
            environment: Some(environment.name),
            waiting: u64::try_from(counts.queued).ok(),
            due: None,
            lag: lag(now, environment.store.next_dispatch_due().await?),
        });
    }
    Ok((queues, u64::try_from(failed_mails).unwrap_or(0)))
}

/// Free bytes on the file system of the embedded store.
pub(super) fn free_space(panel: &Panel) -> Option<u64> {
    panel.folder.as_deref().and_then(free_bytes)
}

fn node_line(panel: &Panel, node: StoredNode, now: Timestamp) -> NodeLine {
    let state = match node.stopped_at {
        Some(_) => NodeState::Stopped,
        None if now.since(node.seen_at) > heartbeat::EVERY * MISSED => NodeState::Lost,
        None => NodeState::Running,
    };
    NodeLine {
        id: hex::encode(node.id.0).chars().take(8).collect(),
        here: node.id == panel.node,
        version: node.version,
        listens: node.listens,
        started_at: node.started_at,
        seen_at: node.seen_at,
        state,
    }
}

/// The time since something was due; zero if nothing is.
fn lag(now: Timestamp, due: Option<Timestamp>) -> Duration {
    due.map_or(Duration::ZERO, |due| now.since(due))
}

async fn queue_lines(environment: &Environment) -> Result<Vec<QueueLine>, StoreError> {
    let (store, now) = (&environment.store, environment.now());
    let queues = store.queues(now).await?;
    let line = |word, waiting, due, first| QueueLine {
        word,
        environment: Some(environment.name),
        waiting,
        due: Some(due),
        lag: lag(now, first),
    };
    let mut lines = vec![
        line("sessions", Some(queues.sessions), queues.sessions_due, store.next_due().await?),
        line("payments", None, queues.attempts_due, store.next_attempt_due().await?),
        line("callbacks", Some(queues.callbacks), queues.callbacks_due, store.next_callback_due().await?),
    ];
    if let Some(refunds) = store.refunds() {
        let (waiting, due) = refunds.counts(now).await?;
        lines.push(line("refunds", Some(waiting), due, refunds.next_due().await?));
    }
    if let Some(books) = store.ledger() {
        let (waiting, due) = books.settlement_counts(now).await?;
        lines.push(line("settlements", Some(waiting), due, books.next_settlement().await?));
        let unsealed = books.unsealed_count().await?;
        let oldest = books.unsealed(1).await?.0.first().map(|entry| entry.heading().at);
        lines.push(line("seals", Some(unsealed), unsealed, oldest));
    }
    Ok(lines)
}

fn store_line(name: &'static str, size: StoreSize, stats: StoreStats) -> StoreLine {
    let rows = |rows: Rows| match rows {
        Rows::Exactly(count) => RowCount::Exactly(count),
        Rows::About(count) => RowCount::About(count),
        Rows::MoreThan(count) => RowCount::MoreThan(count),
        Rows::Unknown => RowCount::Unknown,
    };
    StoreLine {
        name,
        bytes: size.bytes,
        tables: size.tables.into_iter().map(|table| (table.name, rows(table.rows))).collect(),
        units: stats.units,
        batches: stats.batches,
        batch: stats.write_us.checked_div(stats.batches).map(Duration::from_micros),
        waiting: u64::try_from(stats.waiting).unwrap_or(u64::MAX),
        refused: stats.refused,
    }
}

/// Free bytes for an unprivileged user on the file system of a folder.
fn free_bytes(folder: &std::path::Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}
