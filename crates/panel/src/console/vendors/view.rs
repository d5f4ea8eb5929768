//! The pages of vendors: the list, a new vendor, and one vendor.

use crate::{
    console::{
        audit::{view as audit, view::AuditLine},
        terms::view::TermsView,
        users::view::{UserLine, UserState},
        vendors::view as vendors,
    },
    endpoint_check::view::CheckLine,
    fiscal_settings::summary,
    pages::{
        form::{self, Complaint, Input},
        sandbox_request_form::SandboxRequestForm,
        view::{Action, Crumb, View, template},
    },
    payments::statistics::view::{PERIODS, Statistics},
};
use till_domain::{
    audit::SandboxRequest, environment::EnvironmentName, fiscal::FiscalSettings, id::VendorId,
    method::Method, time::Timestamp,
};
use till_service::web::{links, words::Words};

#[derive(Debug, Clone)]
pub struct Vendors {
    /// The search text.
    pub q: String,
    pub rows: Vec<VendorLine>,
    /// The link to the page of newer vendors.
    pub newer: Option<String>,
    /// The link to the page of older vendors.
    pub older: Option<String>,
}

#[derive(Debug, Clone)]
pub struct VendorLine {
    pub id: VendorId,
    pub name: String,
    pub disabled: bool,
    pub sandbox: SandboxUse,
    /// The methods that it may use; `None` for all.
    pub methods: Option<Vec<Method>>,
    /// The name of its super vendor.
    pub parent: Option<String>,
    pub created_at: Timestamp,
}

/// The state of a vendor's sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxUse {
    Off,
    /// Off, and the vendor asked for it.
    Requested {
        at: Timestamp,
    },
    On {
        /// The time when it was switched on, if known.
        since: Option<Timestamp>,
    },
}

impl SandboxUse {
    pub fn is_on(self) -> bool {
        matches!(self, Self::On { .. })
    }

    pub fn is_requested(self) -> bool {
        matches!(self, Self::Requested { .. })
    }
}

/// The names of the methods as one text.
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
    /// True if its sandbox is on from the start.
    pub sandbox: bool,
    pub contact_email: String,
    /// Problems with the submitted form.
    pub problems: Vec<NewVendorProblem>,
}

/// A problem with the form of a new vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewVendorProblem {
    NameMissing,
    /// Over 100 characters.
    NameTooLong,
    /// The text is no e-mail address.
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
pub struct PairView {
    pub client_id: String,
    pub secret: String,
}

/// The page of a vendor just created: its credentials, shown once.
#[derive(Debug, Clone)]
pub struct VendorCreated {
    pub id: VendorId,
    pub name: String,
    pub live: PairView,
    pub sandbox: PairView,
}

impl VendorCreated {
    /// Both pairs, with the words of their environments.
    pub fn pairs(&self) -> [(&'static str, &PairView); 2] {
        [("live", &self.live), ("sandbox", &self.sandbox)]
    }
}

/// The last switch of a sandbox.
#[derive(Debug, Clone)]
pub struct SandboxSwitch {
    pub at: Timestamp,
    pub by: String,
    /// Who asked for it and why, if known.
    pub request: Option<SandboxRequest>,
}

/// The page of one vendor, for the operator.
#[derive(Debug, Clone)]
pub struct Vendor {
    /// Its figures in the environment that its users see.
    pub statistics: Statistics,
    pub environment: EnvironmentName,
    pub line: VendorLine,
    /// The client id of its newest live credentials.
    pub live_client_id: String,
    /// The client id of its newest sandbox credentials.
    pub sandbox_client_id: String,
    /// The address of its callbacks.
    pub callback_url: Option<String>,
    /// The page that its customers return to.
    pub return_url: Option<String>,
    /// The contact address shown to its customers.
    pub contact_email: Option<String>,
    /// Its settings for fiscal receipts.
    pub fiscal: FiscalSettings,
    /// True if its default VAT rate does not apply to what is sold today.
    pub fiscal_outdated: bool,
    /// Its fees and settlement delay.
    pub agreed: TermsView,
    /// The last switch of its sandbox, if known.
    pub switched: Option<SandboxSwitch>,
    /// Its last endpoint check that has ended.
    pub last_check: Option<CheckLine>,
    /// Who asks for the sandbox and why, prefilled in the form.
    pub request_form: SandboxRequestForm,
    /// Super vendors to choose from.
    pub supers: Vec<crate::console::users::view::VendorChoice>,
    /// The id of its super vendor.
    pub parent: Option<String>,
    pub users: Vec<UserLine>,
    /// The last lines about it in the audit log.
    pub audit: Vec<AuditLine>,
}

impl Vendor {
    /// True if the vendor may use a method.
    pub fn has(&self, method: &Method) -> bool {
        self.line.methods.as_ref().is_none_or(|methods| methods.contains(method))
    }

    /// Its settings for fiscal receipts, in a line.
    pub fn fiscal_text(&self, t: &Words) -> String {
        summary::text(&self.fiscal, t)
    }

    pub fn has_parent(&self, choice: &crate::console::users::view::VendorChoice) -> bool {
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
        let complaints = self.problems.iter().map(|problem| match problem {
            NewVendorProblem::NameMissing => Complaint::about("name", t.text("name-missing")),
            NewVendorProblem::NameTooLong => Complaint::about("name", t.text("name-long")),
            NewVendorProblem::ContactEmail => Complaint::about("contact_email", t.text("wrong-email")),
        });
        complaints.collect()
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
        self.request_form.complaints(t)
    }

    template!(write, view: Vendor, "operator/vendor.html");
}
