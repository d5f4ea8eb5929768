//! The pages without a payment: not found, forbidden, internal error.

use super::Body;
use till_service::web::{links::Contact, words::Words};

/// Such a page for the template.
#[derive(Debug)]
pub(super) struct NoticeView {
    /// The CSS class that gives it its colour.
    pub class: &'static str,
    pub icon: &'static str,
    pub heading: String,
    /// The explanation.
    pub text: String,
    /// The advice what to do.
    pub remedy: Option<String>,
    pub contact: Option<Contact>,
    pub reference: Option<String>,
}

impl NoticeView {
    /// The notice, if the page is one.
    pub fn new(body: &Body, t: &Words) -> Option<Self> {
        let notice = |kind: &str, class, icon| Self {
            class,
            icon,
            heading: t.text(&format!("{kind}-heading")),
            text: t.text(kind),
            remedy: None,
            contact: None,
            reference: None,
        };
        Some(match body {
            Body::NotFound => notice("not-found", "expired", "search"),
            Body::NoReceipt => notice("no-receipt", "expired", "search"),
            Body::NoPage => notice("no-page", "expired", "search"),
            Body::SandboxOff { support } => Self {
                remedy: Some(t.text("sandbox-off-ask")),
                contact: support.as_deref().map(Contact::new),
                ..notice("sandbox-off", "warn", "info")
            },
            Body::Error { reference } => Self {
                remedy: Some(t.text("error-retry")),
                reference: Some(reference.clone()),
                ..notice("error", "failed", "alert")
            },
            Body::Forbidden => {
                Self { remedy: Some(t.text("forbidden-retry")), ..notice("forbidden", "failed", "alert") }
            }
            _ => return None,
        })
    }
}
