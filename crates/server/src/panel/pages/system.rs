//! The service itself: providers and how they answer, processes, queues, the store, settings.

use super::{
    setup::setup_name,
    vendors,
    view::{Action, View, template},
};
use crate::{registry::Kind, web::words::Words};
use std::time::Duration;
use till_domain::{environment::Environment, method::Method, time::Timestamp};

/// What 95 of 100 answers take at most where customers do not notice.
const SLOW: Duration = Duration::from_secs(5);

/// The providers of both environments.
#[derive(Debug, Clone)]
pub struct Providers {
    /// In the operator's order, live first.
    pub rows: Vec<ProviderLine>,
    /// Those that were never set up.
    pub can_begin: Vec<Kind>,
}

/// A provider, as this process knows it.
#[derive(Debug, Clone)]
pub struct ProviderLine {
    /// Its name.
    pub name: String,
    /// Where it is used.
    pub environment: Environment,
    /// The methods that it serves.
    pub methods: Vec<Method>,
    /// Whether its money is only played.
    pub simulated: bool,
    /// Its place in the operator's order, from 1.
    pub order: usize,
    /// Whether customers are sent there at all.
    pub offered: bool,
    /// What is set up by a document, if it is.
    pub kind: Option<Kind>,
    /// Whether it can change its place in the order with the one before it, and with the one after it.
    pub moves: (bool, bool),
    /// Whether what is stored of it cannot be used.
    pub unusable: bool,
    /// Whether customers are not sent there because it does not answer.
    pub down: bool,
    /// Its calls in the last 15 minutes.
    pub lately: CallsLine,
    /// Its calls since the process started.
    pub all: CallsLine,
    /// Its last error, and when it was.
    pub last_error: Option<(Timestamp, String)>,
    /// When it last told of money, if that was lately.
    pub last_paid: Option<Timestamp>,
    /// Sessions with an open payment there.
    pub open: u64,
}

impl ProviderLine {
    /// The icon of its first method.
    pub(super) fn icon(&self) -> &'static str {
        self.methods.first().map_or("card", |method| method.as_str())
    }

    /// What people call it.
    pub(super) fn title(&self, t: &Words) -> String {
        self.kind.map_or_else(|| self.name.clone(), |kind| setup_name(kind, t))
    }

    /// How it does: `unusable`, `off`, `down`, `failing`, `slow`, `quiet` or `working`.
    pub(super) fn word(&self) -> &'static str {
        if self.unusable {
            "unusable"
        } else if !self.offered {
            "off"
        } else if self.down {
            "down"
        } else if self.lately.calls == 0 {
            "quiet"
        } else if self.lately.answered < self.lately.calls {
            "failing"
        } else if self.lately.p95.is_some_and(|p95| p95 > SLOW) {
            "slow"
        } else {
            "working"
        }
    }

    /// The class that gives it its colour.
    pub(super) fn class(&self) -> &'static str {
        match self.word() {
            "unusable" | "down" => "failed",
            "failing" | "slow" => "warn",
            "quiet" | "off" => "expired",
            _ => "paid",
        }
    }

    /// The icon of how it does.
    pub(super) fn mark(&self) -> &'static str {
        match self.word() {
            "failing" | "slow" => "alert",
            "quiet" | "off" => "off",
            _ => self.class(),
        }
    }
}

/// Calls to a provider in a span of time.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallsLine {
    /// How many.
    pub calls: u64,
    /// How many of them were answered.
    pub answered: u64,
    /// What 95 of 100 answers took at most.
    pub p95: Option<Duration>,
}

impl CallsLine {
    /// The part that was answered, in tenths of a percent rounded down, so that one failure is never 100%.
    pub(super) fn share(&self, t: &Words) -> String {
        if self.calls == 0 {
            return t.text("prov-no-calls");
        }
        let tenths = self.answered.saturating_mul(1_000) / self.calls;
        t.with("percent", "number", &t.number(&format!("{}.{}", tenths / 10, tenths % 10)))
    }

    /// The same in a sentence: `prov-calls-lately` or `prov-calls-all`.
    pub(super) fn told(&self, key: &str, t: &Words) -> String {
        t.with(key, "share", &self.share(t))
    }

    /// What 95 of 100 answers took at most.
    pub(super) fn slowest(&self, t: &Words) -> String {
        self.p95.map_or_else(String::new, |p95| t.with("prov-at-most", "time", &t.span(&p95)))
    }
}

/// The service itself.
#[derive(Debug, Clone)]
pub struct System {
    /// Its version.
    pub version: String,
    /// What it was built from, if that is known.
    pub commit: Option<String>,
    /// The processes that serve.
    pub nodes: Vec<NodeLine>,
    /// What waits.
    pub queues: Vec<QueueLine>,
    /// Mails of any kind that were given up lately.
    pub failed_mails: u64,
    /// The databases.
    pub stores: Vec<StoreLine>,
    /// Free bytes where the embedded store is.
    pub free: Option<u64>,
    /// Settings that are not at their defaults; a secret has no value.
    pub settings: Vec<(String, Option<String>)>,
}

/// A process.
#[derive(Debug, Clone)]
pub struct NodeLine {
    /// The first digits of its id.
    pub id: String,
    /// Whether it is the one that shows the page.
    pub here: bool,
    /// Its version.
    pub version: String,
    /// Where it listens.
    pub listens: String,
    /// When it started.
    pub started_at: Timestamp,
    /// When it was last heard of.
    pub seen_at: Timestamp,
    /// How it does.
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
    /// Its word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }

    /// The class that gives it its colour.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Running => "paid",
            Self::Stopped => "expired",
            Self::Lost => "failed",
        }
    }

    /// Its icon.
    pub(super) fn icon(self) -> &'static str {
        if self == Self::Stopped { "off" } else { self.class() }
    }
}

/// A queue.
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

/// A database.
#[derive(Debug, Clone)]
pub struct StoreLine {
    /// `accounts`, `live` or `sandbox`.
    pub name: &'static str,
    /// Its bytes.
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
    /// So many.
    Exactly(u64),
    /// Roughly so many.
    About(u64),
    /// More than so many.
    MoreThan(u64),
    /// Nobody knows.
    Unknown,
}

impl RowCount {
    pub(super) fn text(self, t: &Words) -> String {
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
    pub(super) fn bytes(&self, bytes: &u64) -> String {
        let (unit, divisor) = match *bytes {
            0..1_048_576 => ("KiB", 1_024),
            1_048_576..1_073_741_824 => ("MiB", 1_048_576),
            _ => ("GiB", 1_073_741_824),
        };
        let tenths = bytes.saturating_mul(10) / divisor;
        format!("{}\u{a0}{unit}", self.number(&format!("{}.{}", tenths / 10, tenths % 10)))
    }
}

impl View for Providers {
    fn kind(&self) -> &'static str {
        "providers"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-providers")
    }

    fn actions(&self) -> Vec<Action> {
        let begin = |kind: &Kind| match kind {
            Kind::Yookassa => Action::other("/operator/providers/yookassa/edit", "setup-begin-yookassa"),
            Kind::Stripe => Action::other("/operator/providers/stripe/edit", "setup-begin-stripe"),
            Kind::Evm => Action::other("/operator/providers/evm/edit", "setup-begin-evm"),
        };
        self.can_begin.iter().map(begin).collect()
    }

    template!(write, view: Providers, "operator/providers.html");
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
