//! The operator's vendors: the list, a new one, and one of them.

use crate::{
    panel::{
        console::{
            audit::{view as audit, view::AuditLine},
            terms::view::Agreed,
            users::view::{UserLine, UserState},
            vendors::view as vendors,
        },
        pages::{
            asked_form::AskedForm,
            form::{self, Complaint, Input},
            view::{Action, Crumb, View, template},
        },
    },
    web::{links, words::Words},
};
use till_domain::{audit::Asked, id::VendorId, method::Method, time::Timestamp};

#[derive(Debug, Clone)]
pub struct Vendors {
    /// What was searched for.
    pub q: String,
    /// The vendors of this page.
    pub rows: Vec<VendorLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// A vendor in the list.
#[derive(Debug, Clone)]
pub struct VendorLine {
    pub id: VendorId,
    pub name: String,
    /// Whether it is disabled.
    pub disabled: bool,
    pub sandbox: SandboxUse,
    /// The methods that it may use; none for all.
    pub methods: Option<Vec<Method>>,
    /// The name of its super vendor.
    pub parent: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a vendor's sandbox is, for the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxUse {
    Off,
    /// Off, and asked for.
    Asked {
        at: Timestamp,
    },
    On {
        /// Since when, if it is known.
        since: Option<Timestamp>,
    },
}

impl SandboxUse {
    pub fn is_on(self) -> bool {
        matches!(self, Self::On { .. })
    }

    pub fn is_asked(self) -> bool {
        matches!(self, Self::Asked { .. })
    }
}

/// The methods in words.
pub fn methods(chosen: Option<&[Method]>, t: &Words) -> String {
    match chosen {
        None => t.text("methods-all"),
        Some([]) => t.text("methods-no"),
        Some(some) => {
            let names: Vec<String> = some.iter().map(|m| t.text(&format!("method-{m}"))).collect();
            names.join(", ")
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct NewVendor {
    pub name: String,
    /// Whether its sandbox is on from the start.
    pub sandbox: bool,
    pub contact_email: String,
    /// What is wrong with what was typed.
    pub problems: Vec<NewVendorProblem>,
}

/// What is wrong with a new vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewVendorProblem {
    /// There has to be a name.
    NameMissing,
    /// Over 100 characters.
    NameTooLong,
    /// Not an e-mail address.
    ContactEmail,
}

impl NewVendor {
    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        let complaints = self.complaints(t);
        let name = Input::new("name", t.text("vendor-name")).value(&self.name).required().max(100);
        let email = Input::new("contact_email", t.text("settings-contact-email")).kind("email").max(254);
        let email = email.value(&self.contact_email).hint(t.text("settings-contact-email-hint"));
        [name.hint(t.text("settings-display-name-hint")).marked(&complaints), email.marked(&complaints)]
    }
}

/// A client id with its secret.
#[derive(Debug, Clone)]
pub struct Pair {
    pub client_id: String,
    pub secret: String,
}

/// A vendor that was just made: its credentials, shown once.
#[derive(Debug, Clone)]
pub struct VendorCreated {
    pub id: VendorId,
    pub name: String,
    pub live: Pair,
    pub sandbox: Pair,
}

impl VendorCreated {
    /// Both pairs, with the words of their environments.
    pub fn pairs(&self) -> [(&'static str, &Pair); 2] {
        [("live", &self.live), ("sandbox", &self.sandbox)]
    }
}

/// How a sandbox was switched.
#[derive(Debug, Clone)]
pub struct Switched {
    pub at: Timestamp,
    pub by: String,
    /// Who asked and why, if it is known.
    pub asked: Option<Asked>,
}

/// One vendor, for the operator.
#[derive(Debug, Clone)]
pub struct Vendor {
    pub line: VendorLine,
    /// The client id of its newest live pair.
    pub live_client_id: String,
    /// The client id of its newest sandbox pair.
    pub sandbox_client_id: String,
    /// Where its callbacks go.
    pub callback_url: Option<String>,
    /// Where its customers go.
    pub return_url: Option<String>,
    /// Whom its customers ask.
    pub contact_email: Option<String>,
    /// What is agreed on about its money.
    pub agreed: Agreed,
    /// How its sandbox came to be as it is, if that is known.
    pub switched: Option<Switched>,
    /// Who asks for the sandbox and why, to fill in the form.
    pub asked: AskedForm,
    /// Super vendors to choose from.
    pub supers: Vec<crate::panel::console::users::view::VendorChoice>,
    /// Which of them it has.
    pub parent: Option<String>,
    pub users: Vec<UserLine>,
    /// The last lines about it in the audit log.
    pub audit: Vec<AuditLine>,
}

impl Vendor {
    /// Whether a method may be used.
    pub fn has(&self, method: &Method) -> bool {
        self.line.methods.as_ref().is_none_or(|methods| methods.contains(method))
    }

    pub fn has_parent(&self, choice: &crate::panel::console::users::view::VendorChoice) -> bool {
        self.parent.as_deref() == Some(choice.id.as_str())
    }
}

impl View for Vendors {
    fn kind(&self) -> &'static str {
        "vendors"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-vendors")
    }

    fn actions(&self) -> Vec<Action> {
        vec![Action::key("/operator/vendors/new", "new-vendor")]
    }

    template!(write, view: Vendors, "operator/vendors.html");
}

impl View for NewVendor {
    fn kind(&self) -> &'static str {
        "new-vendor"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("new-vendor")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/vendors", t.text("nav-vendors"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let told = self.problems.iter().map(|problem| match problem {
            NewVendorProblem::NameMissing => Complaint::about("name", t.text("name-missing")),
            NewVendorProblem::NameTooLong => Complaint::about("name", t.text("name-long")),
            NewVendorProblem::ContactEmail => Complaint::about("contact_email", t.text("wrong-email")),
        });
        told.collect()
    }

    template!(write, view: NewVendor, "operator/new-vendor.html");
}

impl View for VendorCreated {
    fn kind(&self) -> &'static str {
        "vendor-created"
    }

    fn heading(&self, t: &Words) -> String {
        t.with("vendor-created-heading", "name", &self.name)
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/vendors", t.text("nav-vendors"))]
    }

    template!(write, view: VendorCreated, "operator/vendor-created.html");
}

impl View for Vendor {
    fn kind(&self) -> &'static str {
        "vendor"
    }

    fn heading(&self, _: &Words) -> String {
        self.line.name.clone()
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/vendors", t.text("nav-vendors"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.asked.complaints(t)
    }

    template!(write, view: Vendor, "operator/vendor.html");
}
