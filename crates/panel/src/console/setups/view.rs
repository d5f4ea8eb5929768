//! The page of a provider: the source of its set-up, the results of a test, what to enter at the provider, and
//! the health.

use crate::{
    console::{providers::view::ProviderLine, reconciliations::view::RunLine, setups::guide::Guide},
    pages::view::{Crumb, View, template},
};
use till_domain::{method::Method, time::Timestamp};
use till_service::{registry::ProviderKind, web::words::Words};

/// The part that the page of every provider begins with.
#[derive(Debug, Clone)]
pub struct SetupHead {
    pub kind: ProviderKind,
    pub origin: SetupOrigin,
    /// Problems with the stored set-up, if it cannot be used.
    pub problems: Vec<String>,
    /// True if the provider runs, so that it can be tested.
    pub running: bool,
    /// The results of a test.
    pub checks: Option<Vec<CheckLine>>,
    /// The last comparison of its books with ours.
    pub last_run: Option<RunLine>,
}

/// The source of a provider's set-up.
#[derive(Debug, Clone)]
pub enum SetupOrigin {
    Nobody,
    /// A file on the machine, which the console cannot change.
    File {
        path: String,
    },
    /// Stored by the console or by a command.
    Console {
        /// True if the provider is offered to customers.
        enabled: bool,
        /// The time of the last change.
        at: Timestamp,
        by: String,
    },
}

impl SetupOrigin {
    /// `unset`, `on` or `off`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Nobody => "unset",
            Self::File { .. } | Self::Console { enabled: true, .. } => "on",
            Self::Console { enabled: false, .. } => "off",
        }
    }
}

/// The page of a payment service: its set-up and its health.
#[derive(Debug, Clone)]
pub struct Service {
    /// The part that all provider pages begin with.
    pub head: SetupHead,
    /// The offered methods with their currencies, if it runs.
    pub offers: Vec<(Method, Vec<String>)>,
    /// What to enter at the service.
    pub guide: Guide,
    /// Its health, if it runs.
    pub line: Option<ProviderLine>,
}

/// The result of a test for one item.
#[derive(Debug, Clone)]
pub struct CheckLine {
    /// The item that was tested.
    pub what: String,
    pub outcome: CheckOutcome,
    pub sentence: String,
}

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// As it should be.
    Good,
    Doubtful,
    /// There was no answer; what is set up may be right.
    Unreachable,
    /// Payments would not work with this.
    Bad,
}

impl CheckOutcome {
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Unreachable => "unreachable",
            Self::Bad => "bad",
        }
    }

    /// The CSS class of its colour.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "paid",
            Self::Doubtful | Self::Unreachable => "warn",
            Self::Bad => "failed",
        }
    }

    pub fn icon(self) -> &'static str {
        match self {
            Self::Doubtful | Self::Unreachable => "alert",
            Self::Good | Self::Bad => self.class(),
        }
    }
}

impl View for Service {
    fn kind(&self) -> &'static str {
        "service"
    }

    fn heading(&self, t: &Words) -> String {
        self.head.name(t)
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/providers", t.text("nav-providers"))]
    }

    template!(write, view: Service, "operator/service.html");
}

/// The display name of a provider.
pub fn setup_name(kind: ProviderKind, t: &Words) -> String {
    t.text(&format!("setup-name-{}", kind.name()))
}

impl SetupHead {
    /// The display name of the provider.
    pub fn name(&self, t: &Words) -> String {
        setup_name(self.kind, t)
    }
}
