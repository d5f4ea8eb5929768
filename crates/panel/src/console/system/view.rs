//! The page of the service itself: processes, queues, stores, settings.

use crate::pages::view::{View, template};
use std::time::Duration;
use till_domain::time::Timestamp;
use till_service::{
    status::{NodeState, QueueState},
    web::words::Words,
};
use till_store::{HoldReason, StoredHold};

#[derive(Debug, Clone)]
pub struct System {
    pub version: String,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
    /// The processes (nodes) that serve.
    pub nodes: Vec<NodeLine>,
    pub queues: Vec<QueueState>,
    /// Mails of any kind whose delivery was recently given up.
    pub failed_mails: u64,
    pub stores: Vec<StoreLine>,
    /// Free bytes on the file system of the embedded store.
    pub free: Option<u64>,
    /// Settings that differ from their defaults; a secret has no value.
    pub settings: Vec<(String, Option<String>)>,
}

#[derive(Debug, Clone)]
pub struct NodeLine {
    /// The first digits of its id.
    pub id: String,
    /// True for the process that serves this page.
    pub here: bool,
    pub version: String,
    pub listens: String,
    pub started_at: Timestamp,
    /// The time of its last heartbeat.
    pub seen_at: Timestamp,
    pub state: NodeState,
}

impl NodeLine {
    /// The CSS class of its colour.
    pub fn class(&self) -> &'static str {
        match self.state {
            NodeState::Running => "paid",
            NodeState::Stopped => "expired",
            NodeState::Lost => "failed",
        }
    }

    pub fn icon(&self) -> &'static str {
        if self.state == NodeState::Stopped { "off" } else { self.class() }
    }
}

#[derive(Debug, Clone)]
pub struct StoreLine {
    /// `accounts`, `live` or `sandbox`.
    pub name: &'static str,
    pub bytes: u64,
    /// Its large tables with their rows.
    pub tables: Vec<(String, RowCount)>,
    /// Units of work that this process wrote.
    pub units: u64,
    /// Transactions (batches) that they shared.
    pub batches: u64,
    /// The average duration of a transaction.
    pub batch: Option<Duration>,
    /// Units that wait now.
    pub waiting: u64,
    /// Units refused because the queue was full (back-pressure).
    pub refused: u64,
}

/// The number of rows, with its precision.
#[derive(Debug, Clone, Copy)]
pub enum RowCount {
    Exactly(u64),
    About(u64),
    MoreThan(u64),
    Unknown,
}

impl RowCount {
    pub fn text(self, t: &Words) -> String {
        match self {
            Self::Exactly(count) => count.to_string(),
            Self::About(count) => t.with("sys-about", "count", &count.to_string()),
            Self::MoreThan(count) => t.with("sys-more-than", "count", &count.to_string()),
            Self::Unknown => t.text("sys-unknown"),
        }
    }
}

impl View for System {
    fn kind(&self) -> &'static str {
        "system"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-system")
    }

    template!(write, view: System, "operator/system.html");
}

/// What waits behind a hold.
#[derive(Debug, Clone)]
pub struct HoldPage {
    /// None if the service is not on hold.
    pub hold: Option<StoredHold>,
    pub queues: Vec<QueueState>,
}

impl View for HoldPage {
    fn kind(&self) -> &'static str {
        "hold"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("hold-heading")
    }

    template!(write, view: HoldPage, "operator/hold.html");
}
