//! How a provider is set up: who says so, what a test found, the form of the document, and how a service does.

use crate::{
    panel::{
        console::providers::view::ProviderLine,
        pages::{
            form::Complaint,
            view::{Crumb, View, template},
        },
    },
    registry::Kind,
    web::words::Words,
};
use till_domain::{method::Method, time::Timestamp};

/// What the page of every provider begins with.
#[derive(Debug, Clone)]
pub struct SetupHead {
    pub kind: Kind,
    pub origin: SetupOrigin,
    /// What is wrong with what is stored, if it cannot be used.
    pub problems: Vec<String>,
    /// Whether it runs, so that it can be tested.
    pub running: bool,
    /// What a test found.
    pub checks: Option<Vec<CheckLine>>,
}

/// Who says how a provider is set up.
#[derive(Debug, Clone)]
pub enum SetupOrigin {
    Nobody,
    /// A file on the machine, which the console cannot change.
    File {
        path: String,
    },
    /// The console or a command.
    Console {
        /// Whether customers are sent there.
        enabled: bool,
        /// When it was changed.
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

/// A service that takes payments: how it is set up, and how it does.
#[derive(Debug, Clone)]
pub struct Service {
    /// How it is set up.
    pub head: SetupHead,
    /// What it offers, if it runs: each method with its currencies.
    pub offers: Vec<(Method, Vec<String>)>,
    /// Where it is to send its notices, up to what is secret.
    pub notices: String,
    /// How it does, if it runs.
    pub line: Option<ProviderLine>,
}

impl Service {
    /// Where it is to send its notices. What is secret of it is the reader's to fill in.
    pub fn address(&self, t: &Words) -> String {
        match self.head.kind {
            Kind::Yookassa => format!("{}/{}", self.notices, t.text("setup-token")),
            Kind::Stripe | Kind::Evm => format!("{}/events", self.notices),
        }
    }
}

/// The form of a set-up.
#[derive(Debug, Clone)]
pub struct EditSetup {
    pub kind: Kind,
    pub document: String,
    /// The version that it is made of; 0 if there is none yet.
    pub version: i64,
    /// What is wrong with it, as sentences.
    pub problems: Vec<String>,
    /// Whether somebody else changed it meanwhile.
    pub moved: bool,
    /// What a test found.
    pub checks: Option<Vec<CheckLine>>,
}

/// What a test found about one thing.
#[derive(Debug, Clone)]
pub struct CheckLine {
    /// What was looked at.
    pub what: String,
    pub outcome: CheckOutcome,
    pub sentence: String,
}

/// How something is that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// As it should be.
    Good,
    Doubtful,
    /// Money could not be taken like this.
    Bad,
}

impl CheckOutcome {
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
        }
    }

    /// The class that gives it its colour.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "paid",
            Self::Doubtful => "warn",
            Self::Bad => "failed",
        }
    }

    pub fn icon(self) -> &'static str {
        match self {
            Self::Doubtful => "alert",
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

impl View for EditSetup {
    fn kind(&self) -> &'static str {
        "edit-setup"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("setup-edit-heading-{}", self.kind.name()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![
            Crumb::new("/operator/providers", t.text("nav-providers")),
            Crumb::new(&format!("/operator/providers/{}", self.kind.name()), setup_name(self.kind, t)),
        ]
    }

    /// One complaint, however much is wrong: all of it is said beside the field.
    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let text = match (self.moved, self.problems.as_slice()) {
            (true, _) => t.text("setup-moved"),
            (false, []) => return Vec::new(),
            (false, [only]) => only.clone(),
            (false, all) => t.count("setup-problems", &u64::try_from(all.len()).unwrap_or(u64::MAX)),
        };
        vec![Complaint::about("document", text)]
    }

    template!(write, view: EditSetup, "operator/edit-setup.html");
}

/// What people call a provider that is set up.
pub fn setup_name(kind: Kind, t: &Words) -> String {
    t.text(&format!("setup-name-{}", kind.name()))
}

impl SetupHead {
    /// What people call the provider.
    pub fn name(&self, t: &Words) -> String {
        setup_name(self.kind, t)
    }
}
