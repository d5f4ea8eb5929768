//! The operator's home.

use crate::{
    console::{providers::view::ProviderLine, reconciliations::view::run_title},
    pages::view::{View, template},
    payments::statistics::view::{PERIODS, Statistics},
};
use std::time::Duration;
use till_service::{registry::ProviderKind, status::QueueState, web::words::Words};

#[derive(Debug, Clone)]
pub struct Home {
    /// What is not as it should be, the worst first.
    pub troubles: Vec<Trouble>,
    /// What waits for the operator.
    pub waiting: Vec<WaitingList>,
    /// The live providers in the operator's order.
    pub providers: Vec<ProviderLine>,
    /// The number of running processes.
    pub nodes: u64,
    /// The first steps, on a new installation.
    pub steps: Option<FirstSteps>,
    /// The live figures of all vendors.
    pub statistics: Statistics,
}

/// Something that is not as it should be.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// The service is on hold: nothing is sent, and no payments are taken.
    Held,
    /// No provider takes live payments.
    NoProvider,
    /// A provider that fails, is slow or cannot be used.
    Provider(Box<ProviderLine>),
    /// So many processes stopped without saying so.
    LostNodes(u64),
    /// So many bytes of disk space are left.
    LowSpace(u64),
    LateQueue(QueueState),
    /// So many callbacks of the last week were not delivered.
    Undelivered(u64),
    /// So many mails could not be sent.
    FailedMails(u64),
    /// The nightly reconciliation of a provider or a chain.
    Reconciliation(MissedRun),
}

/// A nightly reconciliation that failed, or none for more than two nights.
#[derive(Debug, Clone)]
pub struct MissedRun {
    pub kind: ProviderKind,
    pub chain: Option<String>,
    /// True if the last one failed.
    pub failed: bool,
}

impl MissedRun {
    fn text(&self, t: &Words) -> String {
        let key = if self.failed { "home-reconciliation-failed" } else { "home-reconciliation-old" };
        t.with(key, "provider", &run_title(self.kind, self.chain.as_deref(), t))
    }
}

impl Trouble {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::NoProvider => "no-provider",
            Self::Provider(_) => "provider",
            Self::LostNodes(_) => "lost-nodes",
            Self::LowSpace(_) => "low-space",
            Self::LateQueue(_) => "late-queue",
            Self::Undelivered(_) => "undelivered",
            Self::FailedMails(_) => "failed-mails",
            Self::Reconciliation(_) => "reconciliation",
        }
    }

    /// True if payments are lost or refused because of it.
    pub fn is_grave(&self) -> bool {
        match self {
            Self::Held | Self::NoProvider | Self::LostNodes(_) | Self::LowSpace(_) => true,
            Self::Provider(provider) => provider.class() == "failed",
            Self::LateQueue(_) | Self::Undelivered(_) | Self::FailedMails(_) | Self::Reconciliation(_) => {
                false
            }
        }
    }

    pub fn class(&self) -> &'static str {
        if self.is_grave() { "failed" } else { "warn" }
    }

    /// The page that tells more.
    pub fn href(&self) -> &'static str {
        match self {
            Self::Held => "/operator/hold",
            Self::NoProvider | Self::Provider(_) => "/operator/providers",
            Self::LostNodes(_) | Self::LowSpace(_) | Self::LateQueue(_) | Self::FailedMails(_) => {
                "/operator/system"
            }
            Self::Undelivered(_) => "/operator/callbacks?state=undelivered",
            Self::Reconciliation(_) => "/operator/reconciliations",
        }
    }

    pub fn text(&self, t: &Words) -> String {
        match self {
            Self::Held => t.text("home-held"),
            Self::NoProvider => t.text("home-no-provider"),
            Self::Provider(provider) => {
                let state = t.text(&format!("prov-{}", provider.word()));
                t.with_two("home-provider", ("provider", &provider.title(t)), ("state", &state))
            }
            Self::LostNodes(count) => t.count("home-lost-nodes", count),
            Self::LowSpace(bytes) => t.with("home-low-space", "space", &t.bytes(bytes)),
            Self::LateQueue(queue) => {
                let name = t.text(&format!("queue-{}", queue.word));
                t.with_two("home-late-queue", ("queue", &name), ("time", &t.span(&queue.lag)))
            }
            Self::Undelivered(count) => t.count("home-undelivered", count),
            Self::FailedMails(count) => t.count("home-failed-mails", count),
            Self::Reconciliation(missed) => missed.text(t),
        }
    }
}

/// A list of things that wait for the operator.
#[derive(Debug, Clone)]
pub struct WaitingList {
    /// The word of its navigation entry.
    pub word: &'static str,
    pub href: &'static str,
    pub count: u64,
    /// How long the oldest has been waiting, if known.
    pub age: Option<Duration>,
}

/// The steps from a new installation to the first payment.
#[derive(Debug, Clone)]
pub struct FirstSteps(pub Vec<FirstStep>);

#[derive(Debug, Clone)]
pub struct FirstStep {
    pub word: &'static str,
    /// The page where it is done, or that tells how.
    pub href: &'static str,
    pub done: bool,
}

impl Home {
    /// True if nothing needs attention.
    pub fn is_well(&self) -> bool {
        self.troubles.is_empty()
    }

    /// True if payments are lost or refused.
    pub fn is_grave(&self) -> bool {
        self.troubles.iter().any(Trouble::is_grave)
    }

    /// Whether all is well, in a sentence.
    pub fn verdict(&self, t: &Words) -> String {
        let count = u64::try_from(self.troubles.len()).unwrap_or(u64::MAX);
        if self.is_well() { t.text("home-well") } else { t.count("home-unwell", &count) }
    }
}

impl View for Home {
    fn kind(&self) -> &'static str {
        "home"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-home")
    }

    template!(head, view: Home, "operator/home-head.html");

    template!(write, view: Home, "operator/home.html");
}
