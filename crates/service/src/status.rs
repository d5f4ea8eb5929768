//! The state of the service as its stores show it: processes, queues, and from when on a queue or a disk is a problem.
//! The console's pages and `till status` read it.

use crate::{environment::EnvironmentStore, heartbeat, mail::KEPT_FOR};
use std::{path::Path, time::Duration};
use till_domain::{environment::EnvironmentName, time::Timestamp};
use till_store::{Accounts, StoreError, StoredNode};

/// Less free disk space than this is a problem: writes fail when none is left.
pub const LOW_SPACE: u64 = 1 << 30;

/// How long callbacks that were not delivered count.
pub const UNDELIVERED_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A queue whose oldest entry has been due for longer than this is late.
const LATE: Duration = Duration::from_secs(2 * 60);

/// Heartbeats that a process may miss before it counts as lost.
const MISSED: u32 = 4;

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// Its heartbeat is recent.
    Running,
    /// It announced its stop.
    Stopped,
    /// Its heartbeat is missing, and it did not announce a stop.
    Lost,
}

impl NodeState {
    /// The state of a process at a time.
    #[must_use]
    pub fn of(node: &StoredNode, now: Timestamp) -> Self {
        match node.stopped_at {
            Some(_) => Self::Stopped,
            None if now.since(node.seen_at) > heartbeat::EVERY * MISSED => Self::Lost,
            None => Self::Running,
        }
    }

    /// Its name in outputs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }
}

/// The first digits of a process's id, by which people know it.
#[must_use]
pub fn short_id(node: &StoredNode) -> String {
    hex::encode(node.id.0).chars().take(8).collect()
}

/// Work that waits to be done by a worker.
#[derive(Debug, Clone)]
pub struct QueueState {
    /// The word of the queue: `sessions`, `payments`, `callbacks`, `refunds`, `settlements`, `seals`, `mails`
    /// or `receipts`.
    pub word: &'static str,
    /// The environment; `None` if both share the queue.
    pub environment: Option<EnvironmentName>,
    /// The number of entries.
    pub waiting: Option<u64>,
    /// The number of entries that are due.
    pub due: Option<u64>,
    /// The time since the oldest due entry was due.
    pub lag: Duration,
}

impl QueueState {
    /// True if its oldest entry is overdue. A callback that waits for its next attempt is not due.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.lag > LATE
    }

    /// The number of entries that a worker takes now or later.
    #[must_use]
    pub fn kept_back(&self) -> u64 {
        self.waiting.or(self.due).unwrap_or(0)
    }
}

/// Every queue, and the number of mails that were recently given up.
pub async fn queues(
    accounts: &Accounts,
    stores: [&EnvironmentStore; 2],
) -> Result<(Vec<QueueState>, u64), StoreError> {
    let mut queues = Vec::new();
    for store in stores {
        queues.extend(of_environment(store).await?);
    }
    let mails = accounts.count_mails().await?;
    queues.push(QueueState {
        word: "mails",
        environment: None,
        waiting: u64::try_from(mails.queued).ok(),
        due: None,
        lag: lag(accounts.now(), accounts.next_mail_due().await?),
    });
    let mut failed_mails = mails.failed;
    for store in stores.into_iter().filter(|store| store.rules().receipts) {
        let counts = store.count_dispatches(store.now().minus(KEPT_FOR)).await?;
        failed_mails += counts.failed;
        queues.push(QueueState {
            word: "receipts",
            environment: Some(store.name),
            waiting: u64::try_from(counts.queued).ok(),
            due: None,
            lag: lag(store.now(), store.next_dispatch_due().await?),
        });
    }
    Ok((queues, u64::try_from(failed_mails).unwrap_or(0)))
}

async fn of_environment(store: &EnvironmentStore) -> Result<Vec<QueueState>, StoreError> {
    let now = store.now();
    let queues = store.queues(now).await?;
    let line = |word, waiting, due, first| QueueState {
        word,
        environment: Some(store.name),
        waiting,
        due: Some(due),
        lag: lag(now, first),
    };
    let mut lines = vec![
        line("sessions", Some(queues.sessions), queues.sessions_due, store.next_due().await?),
        line("payments", None, queues.attempts_due, store.next_attempt_due().await?),
        line("callbacks", Some(queues.callbacks), queues.callbacks_due, store.next_callback_due().await?),
    ];
    let (waiting, due) = store.refunds().counts(now).await?;
    lines.push(line("refunds", Some(waiting), due, store.refunds().next_due().await?));
    if let Some(books) = store.ledger() {
        let (waiting, due) = books.settlement_counts(now).await?;
        lines.push(line("settlements", Some(waiting), due, books.next_settlement().await?));
        let unsealed = books.unsealed_count().await?;
        let oldest = books.unsealed(1).await?.0.first().map(|entry| entry.heading().at);
        lines.push(line("seals", Some(unsealed), unsealed, oldest));
    }
    Ok(lines)
}

/// The time since something was due; zero if nothing is.
fn lag(now: Timestamp, due: Option<Timestamp>) -> Duration {
    due.map_or(Duration::ZERO, |due| now.since(due))
}

/// Free bytes for an unprivileged user on the file system of a folder.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}
