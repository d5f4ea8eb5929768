//! The page with a set-up as a document.

use crate::{
    console::setups::view::{CheckLine, setup_name},
    pages::{
        form::Complaint,
        view::{Crumb, View, template},
    },
};
use till_service::{registry::ProviderKind, web::words::Words};

/// The document of a set-up.
#[derive(Debug, Clone)]
pub struct EditSetup {
    pub kind: ProviderKind,
    /// The document with placeholders for its secrets.
    pub document: String,
    /// The version that was read (compare-and-set); 0 if nothing is stored yet.
    pub version: i64,
    /// The secrets that were entered and not saved, encrypted.
    pub carried: String,
    /// The problems of the document, as sentences.
    pub problems: Vec<String>,
    /// True if another user changed it meanwhile.
    pub moved: bool,
    /// The results of a test.
    pub checks: Option<Vec<CheckLine>>,
}

impl EditSetup {
    /// The page before anything was sent.
    pub fn of(kind: ProviderKind, document: String, version: i64) -> Self {
        let carried = String::new();
        Self { kind, document, version, carried, problems: Vec::new(), moved: false, checks: None }
    }
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
