//! The service itself: processes, queues, the store, settings.

use crate::{
    panel::pages::view::{View, template},
    web::words::Words,
};
use std::time::Duration;
use till_domain::{environment::Environment, time::Timestamp};

#[derive(Debug, Clone)]
pub struct System {
    pub version: String,
    /// What it was built from, if that is known.
    pub commit: Option<String>,
    /// The processes that serve.
    pub nodes: Vec<NodeLine>,
    pub queues: Vec<QueueLine>,
    /// Mails of any kind that were given up lately.
    pub failed_mails: u64,
    pub stores: Vec<StoreLine>,
    /// Free bytes where the embedded store is.
    pub free: Option<u64>,
    /// Settings that are not at their defaults; a secret has no value.
    pub settings: Vec<(String, Option<String>)>,
}

#[derive(Debug, Clone)]
pub struct NodeLine {
    /// The first digits of its id.
    pub id: String,
    /// Whether it is the one that shows the page.
    pub here: bool,
    pub version: String,
    pub listens: String,
    pub started_at: Timestamp,
    /// When it was last heard of.
    pub seen_at: Timestamp,
    pub state: NodeState,
}

/// How a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It was heard of just now.
    Running,
    /// It said that it stops.
    Stopped,
    /// It has not been heard of, and did not say that it stops.
    Lost,
}

impl NodeState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }

    /// The class that gives it its colour.
    pub fn class(self) -> &'static str {
        match self {
            Self::Running => "paid",
            Self::Stopped => "expired",
            Self::Lost => "failed",
        }
    }

    pub fn icon(self) -> &'static str {
        if self == Self::Stopped { "off" } else { self.class() }
    }
}

#[derive(Debug, Clone)]
pub struct QueueLine {
    /// Its word: `callbacks`, `sessions`, `payments`, `mails` or `receipts`.
    pub word: &'static str,
    /// Where, if it is not shared.
    pub environment: Option<Environment>,
    /// How many are in it.
    pub waiting: Option<u64>,
    /// Whose time has come.
    pub due: Option<u64>,
    /// For how long the one that is due longest has been.
    pub lag: Duration,
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
    /// Transactions that they shared.
    pub batches: u64,
    /// What a transaction took on average.
    pub batch: Option<Duration>,
    /// Units that wait now.
    pub waiting: u64,
    /// Units that found the queue full.
    pub refused: u64,
}

/// A number of rows.
#[derive(Debug, Clone, Copy)]
pub enum RowCount {
    Exactly(u64),
    About(u64),
    /// More than so many.
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

impl Words {
    /// A number of bytes: `12.4 MiB`.
    pub fn bytes(&self, bytes: &u64) -> String {
        let (unit, divisor) = match *bytes {
            0..1_048_576 => ("KiB", 1_024),
            1_048_576..1_073_741_824 => ("MiB", 1_048_576),
            _ => ("GiB", 1_073_741_824),
        };
        let tenths = bytes.saturating_mul(10) / divisor;
        format!("{}\u{a0}{unit}", self.number(&format!("{}.{}", tenths / 10, tenths % 10)))
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
