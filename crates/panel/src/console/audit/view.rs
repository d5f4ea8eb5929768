//! The page of the audit log.

use crate::{
    console::audit::detail::translate_detail,
    pages::{
        Zone,
        view::{View, template},
    },
};
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    time::Timestamp,
};
use till_service::web::{links, words::Words};

#[derive(Debug, Clone)]
pub struct Audit {
    /// The vendor filter as typed: a name or id.
    pub vendor: String,
    /// The actor filter as typed.
    pub who: String,
    /// The lines of this page, newest first.
    pub rows: Vec<AuditLine>,
    /// The link to the page of newer lines.
    pub newer: Option<String>,
    /// The link to the page of older lines.
    pub older: Option<String>,
}

#[derive(Debug, Clone)]
pub struct AuditLine {
    pub at: Timestamp,
    /// The actor: an e-mail address, or `command line`.
    pub who: String,
    pub what: AuditEvent,
    /// Details such as a reason or a value.
    pub detail: Option<String>,
    /// The vendor or user that the line is about.
    pub about: Option<Subject>,
    pub from: Option<String>,
}

impl AuditLine {
    pub fn text(&self, t: &Words) -> String {
        t.text(&format!("act-{}", self.what.as_str().replace('_', "-")))
    }

    /// The details, translated.
    pub fn more(&self, t: &Words, zone: &Zone) -> Option<String> {
        self.detail
            .as_deref()
            .filter(|detail| !detail.is_empty())
            .map(|d| translate_detail(self.what, d, t, zone))
    }
}

/// The name of the person who asked for something. The generic name is translated.
pub fn person(by: &str, t: &Words) -> String {
    if by == "the operator" { t.text("operator-asked") } else { by.to_owned() }
}

/// The reason that was given, or a text that there is none.
pub fn reason(why: &str, t: &Words) -> String {
    match why {
        "" | "no reason given" => t.text("no-reason"),
        SandboxRequest::FROM_THE_START => t.text("from-the-start"),
        why => why.to_owned(),
    }
}

/// The vendor or user that a line of the audit log is about.
#[derive(Debug, Clone)]
pub struct Subject {
    /// A name or an e-mail address.
    pub name: String,
    /// The path of its page.
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
