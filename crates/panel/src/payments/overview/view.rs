//! The vendor's overview: figures, recent sessions, and items that need attention.

use crate::{
    pages::{
        counted::UndeliveredCount,
        view::{View, template},
    },
    payments::{
        lists::view::{SessionLine, Start},
        statistics::view::{PERIODS, Statistics},
    },
};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct Overview {
    pub statistics: Statistics,
    /// The number of undelivered callbacks.
    pub undelivered: UndeliveredCount,
    /// The number of actions that wait for a decision.
    pub actions: u64,
    pub recent: Vec<SessionLine>,
    /// The first steps, if there was never a session.
    pub start: Option<Start>,
    /// The first steps to real payments, while some are left.
    pub first_steps: Option<FirstSteps>,
}

/// A step of a vendor on its way to real payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStep {
    /// It got a token with its credentials.
    Credentials,
    /// It created a session.
    Session,
    /// It accepted a callback, and refused a forged one.
    Callback,
    /// It accepted callbacks of failed and expired sessions.
    Outcomes,
    /// It passed the endpoint check.
    Check,
    /// It was paid in live.
    Live,
}

impl FirstStep {
    pub fn word(self) -> &'static str {
        match self {
            Self::Credentials => "credentials",
            Self::Session => "session",
            Self::Callback => "callback",
            Self::Outcomes => "outcomes",
            Self::Check => "check",
            Self::Live => "live",
        }
    }

    /// Where it is done.
    pub fn href(self) -> &'static str {
        match self {
            Self::Credentials => "/panel/settings",
            Self::Session => "/docs/integration",
            Self::Callback => "/panel/settings/delivery",
            Self::Outcomes => "/docs/api",
            Self::Check => "/panel/settings/endpoint-check",
            Self::Live => "/panel/sandbox",
        }
    }
}

/// All steps in their order, each with whether it is done.
#[derive(Debug, Clone)]
pub struct FirstSteps(pub [(FirstStep, bool); 6]);

impl FirstSteps {
    pub fn are_done(&self) -> bool {
        self.0.iter().all(|(_, done)| *done)
    }

    /// How many are done, of how many.
    pub fn progress(&self, t: &Words) -> String {
        let done = self.0.iter().filter(|(_, done)| *done).count();
        t.with_two("steps-progress", ("done", &done.to_string()), ("all", &self.0.len().to_string()))
    }
}

impl View for Overview {
    fn kind(&self) -> &'static str {
        "overview"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-overview")
    }

    template!(head, view: Overview, "panel/overview-head.html");

    template!(write, view: Overview, "panel/overview.html");
}
