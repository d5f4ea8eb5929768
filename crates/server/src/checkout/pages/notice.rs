//! What the pages without a payment say: nothing there, not accepted, our trouble.

use super::Body;
use crate::web::{links::Contact, words::Words};

/// Such a page as the template shows it.
#[derive(Debug)]
pub(super) struct Notice {
    /// The class that gives it its colour.
    pub class: &'static str,
    pub icon: &'static str,
    pub heading: String,
    /// What is the matter.
    pub text: String,
    /// What to do about it.
    pub remedy: Option<String>,
    pub contact: Option<Contact>,
    pub reference: Option<String>,
}

impl Notice {
    /// The notice of a page that is one.
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
