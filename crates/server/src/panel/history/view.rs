//! What was done about a vendor.

use crate::{
    panel::{
        console::audit::detail::told,
        pages::{
            Zone,
            view::{View, template},
        },
    },
    web::words::Words,
};
use till_domain::{audit::Deed, time::Timestamp};

/// What was done about a vendor.
#[derive(Debug, Clone)]
pub struct History {
    /// The lines of this page, newest first.
    pub rows: Vec<HistoryLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// A line of it.
#[derive(Debug, Clone)]
pub struct HistoryLine {
    pub at: Timestamp,
    pub who: Doer,
    pub what: Deed,
    pub detail: Option<String>,
    pub to: Option<String>,
    pub from: Option<String>,
}

impl HistoryLine {
    /// More about it in words.
    pub fn more(&self, t: &Words, zone: &Zone) -> Option<String> {
        self.detail.as_deref().map(|detail| told(self.what, detail, t, zone))
    }

    /// To whom it was done, unless it was they who did it.
    pub fn whom(&self) -> Option<&str> {
        let own = |to: &&str| matches!(&self.who, Doer::Colleague(email) if email == to);
        self.to.as_deref().filter(|to| !own(to))
    }

    pub fn text(&self, t: &Words) -> String {
        t.text(&format!("act-{}", self.what.as_str().replace('_', "-")))
    }
}

/// Who did something, as far as a vendor may know.
#[derive(Debug, Clone)]
pub enum Doer {
    /// Somebody of the vendor.
    Colleague(String),
    /// Whoever runs the service.
    Operator,
    /// Whoever watches over the vendor.
    SuperVendor,
    /// Somebody who was not logged in.
    Stranger,
}

impl Doer {
    pub fn text(&self, t: &Words) -> String {
        match self {
            Self::Colleague(email) => email.clone(),
            Self::Operator => t.text("doer-operator"),
            Self::SuperVendor => t.text("doer-super-vendor"),
            Self::Stranger => t.text("doer-stranger"),
        }
    }
}

impl View for History {
    fn kind(&self) -> &'static str {
        "history"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-audit")
    }

    template!(write, view: History, "panel/history.html");
}
