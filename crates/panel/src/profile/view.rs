//! The pages of a super vendor's vendors and their sandbox credentials. Never live ones.

use crate::{
    pages::{
        form,
        view::{Crumb, View, template},
    },
    settings::view::Secret,
};
use till_domain::id::VendorId;
use till_service::web::words::Words;

/// The super vendor's profile: its vendors.
#[derive(Debug, Clone)]
pub struct Profile {
    pub vendors: Vec<ProfileLine>,
    /// The contact for support.
    pub support: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ProfileLine {
    pub id: VendorId,
    pub name: String,
    /// True if its sandbox is on.
    pub sandbox: bool,
    /// True if the operator has disabled it.
    pub disabled: bool,
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
    /// Always false: this page shows no vendor of the list.
    #[expect(clippy::unused_self, reason = "the list is shared with the page of one vendor")]
    fn is_shown(&self, _: &ProfileLine) -> bool {
        false
    }
}

impl ProfileVendor {
    /// True if the page shows this vendor of the list.
    fn is_shown(&self, line: &ProfileLine) -> bool {
        self.id == line.id
    }
}
