//! The vendor's overview: figures, recent sessions, and items that need attention.

use crate::{
    pages::view::{View, template},
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
    pub undelivered: u64,
    /// The number of actions that wait for a decision.
    pub actions: u64,
    pub recent: Vec<SessionLine>,
    /// The first steps, if there was never a session.
    pub start: Option<Start>,
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
