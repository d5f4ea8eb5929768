//! The pages of a super vendor's vendors and their sandbox credentials. Never live ones.

use crate::{
    pages::{
        form,
        view::{Crumb, View, template},
    },
    payments::lists::view::{CallbackLine, SessionLine},
    settings::view::Secret,
};
use till_domain::{id::VendorId, time::Timestamp};
use till_service::web::words::Words;

/// The super vendor's profile: its account and its vendors.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The vendors of this page, by name.
    pub vendors: Vec<ProfileLine>,
    /// The contact for support.
    pub support: Option<String>,
    pub email: String,
    /// True if a second factor is asked for at log-in.
    pub has_factor: bool,
    /// When the user was created.
    pub created_at: Timestamp,
    /// The number of vendors.
    pub count: usize,
    /// The number of vendors whose sandbox is on.
    pub with_sandbox: usize,
    /// The number of this page, from 1.
    pub page: usize,
    pub pages: usize,
}

/// What happened last in a vendor's sandbox.
#[derive(Debug, Clone)]
pub struct SandboxActivity {
    /// Its newest sessions.
    pub sessions: Vec<SessionLine>,
    pub last_callback: Option<CallbackLine>,
    /// The newest callback that was not delivered.
    pub last_error: Option<CallbackLine>,
}

#[derive(Debug, Clone)]
pub struct ProfileLine {
    pub id: VendorId,
    pub name: String,
    /// True if its sandbox is on.
    pub sandbox: bool,
    /// True if the operator has disabled it.
    pub disabled: bool,
    /// What happened last in its sandbox, where the list shows it.
    pub activity: Option<SandboxActivity>,
}

impl ProfileLine {
    /// The translation key of the line under its name.
    pub fn state(&self) -> &'static str {
        match (self.disabled, self.sandbox) {
            (true, _) => "vendor-disabled",
            (false, true) => "sandbox-is-on",
            (false, false) => "sandbox-is-off",
        }
    }
}

/// One vendor of a super vendor.
#[derive(Debug, Clone)]
pub struct ProfileVendor {
    /// All vendors, for the list beside it.
    pub vendors: Vec<ProfileLine>,
    /// The vendor that is shown.
    pub id: VendorId,
    pub name: String,
    /// Its sandbox credentials; `None` while its sandbox is off.
    pub credentials: Option<ProfileCredentials>,
    /// What happened last in its sandbox; `None` while that is off.
    pub activity: Option<SandboxActivity>,
    pub support: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ProfileCredentials {
    pub client_id: String,
    pub secret: Secret,
}

impl View for Profile {
    fn kind(&self) -> &'static str {
        "profile"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-profile")
    }

    template!(write, view: Profile, "panel/profile.html");
}

impl View for ProfileVendor {
    fn kind(&self) -> &'static str {
        "profile-vendor"
    }

    fn heading(&self, _: &Words) -> String {
        self.name.clone()
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/profile", t.text("nav-profile"))]
    }

    template!(write, view: ProfileVendor, "panel/profile-vendor.html");
}

impl Profile {
    /// The link to the page with this number, if there is one.
    fn beside(&self, page: Option<usize>) -> Option<String> {
        page.filter(|page| (1..=self.pages).contains(page)).map(|page| format!("/panel/profile?page={page}"))
    }

    pub fn previous(&self) -> Option<String> {
        self.beside(self.page.checked_sub(1))
    }

    pub fn next(&self) -> Option<String> {
        self.beside(self.page.checked_add(1))
    }
}

impl ProfileVendor {
    /// True if the page shows this vendor of the list.
    fn is_shown(&self, line: &ProfileLine) -> bool {
        self.id == line.id
    }
}
