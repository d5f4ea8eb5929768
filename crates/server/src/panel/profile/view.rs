//! A super vendor's vendors, and their sandbox credentials. Never live ones.

use crate::{
    panel::{
        pages::{
            form,
            view::{Crumb, View, template},
        },
        settings::view::Secret,
    },
    web::words::Words,
};
use till_domain::id::VendorId;

/// The super vendor's profile: its vendors.
#[derive(Debug, Clone)]
pub struct Profile {
    pub vendors: Vec<ProfileLine>,
    /// Whom to ask for more.
    pub support: Option<String>,
}

/// A vendor in the list.
#[derive(Debug, Clone)]
pub struct ProfileLine {
    /// Its id, for the address of its page.
    pub id: VendorId,
    pub name: String,
    /// Whether its sandbox is on.
    pub sandbox: bool,
    /// Whether the operator has disabled it.
    pub disabled: bool,
}

impl ProfileLine {
    /// The key of the line under its name.
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
    /// All of them, for the list beside it.
    pub vendors: Vec<ProfileLine>,
    /// Which one is shown.
    pub id: VendorId,
    pub name: String,
    /// Its sandbox credentials; none while its sandbox is off.
    pub credentials: Option<ProfileCredentials>,
    pub support: Option<String>,
}

/// Sandbox credentials of a vendor.
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
    /// Whether a vendor of the list is the one that the page shows: it shows none.
    #[expect(clippy::unused_self, reason = "the list is shared with the page of one vendor")]
    fn is_shown(&self, _: &ProfileLine) -> bool {
        false
    }
}

impl ProfileVendor {
    /// Whether a vendor of the list is the one that the page shows.
    fn is_shown(&self, line: &ProfileLine) -> bool {
        self.id == line.id
    }
}
