//! The pages of a provider's set-up: its source, the results of a test, the form of the document, and the
//! health.

use crate::{
    console::providers::view::ProviderLine,
    pages::{
        form::Complaint,
        view::{Crumb, View, template},
    },
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
    /// The address for its notices (webhooks), without the secret part.
    pub notices: String,
    /// Its health, if it runs.
    pub line: Option<ProviderLine>,
}

impl Service {
    /// The address for its notices (webhooks), with a placeholder for the secret part.
    pub fn address(&self, t: &Words) -> String {
        match self.head.kind {
            ProviderKind::Yookassa => format!("{}/{}", self.notices, t.text("setup-token")),
            ProviderKind::Stripe | ProviderKind::Evm => format!("{}/events", self.notices),
        }
    }
}

/// The form of a set-up.
#[derive(Debug, Clone)]
pub struct EditSetup {
    pub kind: ProviderKind,
    pub document: String,
    /// The version that was read (compare-and-set); 0 if nothing is stored yet.
    pub version: i64,
    /// The problems of the document, as sentences.
    pub problems: Vec<String>,
    /// True if another user changed it meanwhile.
    pub moved: bool,
    /// The results of a test.
    pub checks: Option<Vec<CheckLine>>,
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
    /// Payments would not work with this.
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

    /// The CSS class of its colour.
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

    /// One complaint for any number of problems: the page lists all of them beside the field.
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
