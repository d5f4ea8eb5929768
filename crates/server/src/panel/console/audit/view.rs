//! Who did what.

use crate::{
    panel::{
        console::audit::detail::told,
        pages::{
            Zone,
            view::{View, template},
        },
    },
    web::{links, words::Words},
};
use till_domain::{
    audit::{Asked, Deed},
    time::Timestamp,
};

#[derive(Debug, Clone)]
pub struct Audit {
    /// Only about this vendor: what was typed, a name or id.
    pub vendor: String,
    /// Only by this user: what was typed.
    pub who: String,
    /// The lines of this page, newest first.
    pub rows: Vec<AuditLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// A line of the audit log.
#[derive(Debug, Clone)]
pub struct AuditLine {
    pub at: Timestamp,
    /// Who: an e-mail address, or `command line`.
    pub who: String,
    pub what: Deed,
    /// More about it: a reason, a value.
    pub detail: Option<String>,
    /// About which vendor or user.
    pub about: Option<Subject>,
    pub from: Option<String>,
}

impl AuditLine {
    pub fn text(&self, t: &Words) -> String {
        t.text(&format!("act-{}", self.what.as_str().replace('_', "-")))
    }

    /// More about it in words.
    pub fn more(&self, t: &Words, zone: &Zone) -> Option<String> {
        self.detail.as_deref().filter(|detail| !detail.is_empty()).map(|d| told(self.what, d, t, zone))
    }
}

/// Who is said to have asked. The names of nobody in particular are in the reader's language.
pub fn person(by: &str, t: &Words) -> String {
    if by == "the operator" { t.text("operator-asked") } else { by.to_owned() }
}

/// Why they asked, or that nobody knows.
pub fn reason(why: &str, t: &Words) -> String {
    match why {
        "" | "no reason given" => t.text("no-reason"),
        Asked::FROM_THE_START => t.text("from-the-start"),
        why => why.to_owned(),
    }
}

/// Whom a line of the audit log is about.
#[derive(Debug, Clone)]
pub struct Subject {
    /// A name or an e-mail address.
    pub name: String,
    /// Its page: a path of ours.
    pub href: Option<String>,
}

impl View for Audit {
    fn kind(&self) -> &'static str {
        "audit"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-audit")
    }

    template!(write, view: Audit, "operator/audit.html");
}
