//! The page of a vendor's audit log.

use crate::{
    console::audit::detail::translate_detail,
    pages::{
        Zone,
        view::{View, template},
    },
};
use till_domain::{audit::AuditEvent, time::Timestamp};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct History {
    /// The lines of this page, newest first.
    pub rows: Vec<HistoryLine>,
    /// The link to the page of newer lines.
    pub newer: Option<String>,
    /// The link to the page of older lines.
    pub older: Option<String>,
}

#[derive(Debug, Clone)]
pub struct HistoryLine {
    pub at: Timestamp,
    pub who: HistoryActor,
    pub what: AuditEvent,
    pub detail: Option<String>,
    pub to: Option<String>,
    pub from: Option<String>,
}

impl HistoryLine {
    /// The details, translated.
    pub fn more(&self, t: &Words, zone: &Zone) -> Option<String> {
        self.detail.as_deref().map(|detail| translate_detail(self.what, detail, t, zone))
    }

    /// The user that it was done to, unless they did it themselves.
    pub fn affected_user(&self) -> Option<&str> {
        let own = |to: &&str| matches!(&self.who, HistoryActor::Colleague(email) if email == to);
        self.to.as_deref().filter(|to| !own(to))
    }

    pub fn text(&self, t: &Words) -> String {
        t.text(&format!("act-{}", self.what.as_str().replace('_', "-")))
    }
}

/// The actor, as far as a vendor may know.
#[derive(Debug, Clone)]
pub enum HistoryActor {
    /// A user of the vendor, by e-mail address.
    Colleague(String),
    /// The operator of the service.
    Operator,
    /// The super vendor of the vendor.
    SuperVendor,
    /// A person who was not logged in.
    Stranger,
}

impl HistoryActor {
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
