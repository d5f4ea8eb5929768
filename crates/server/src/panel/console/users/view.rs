//! The operator's users: the list, a new one, and one of them.

use crate::{
    panel::{
        account::view::Device,
        pages::{
            form::{Complaint, Input},
            view::{Action, Crumb, View, template},
        },
    },
    web::{links, words::Words},
};
use till_domain::{
    time::Timestamp,
    user::{LinkPurpose, Role},
};

#[derive(Debug, Clone)]
pub struct Users {
    /// What was searched for.
    pub q: String,
    /// The users of this page.
    pub rows: Vec<UserLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// A user in a list.
#[derive(Debug, Clone)]
pub struct UserLine {
    /// What its address names it by.
    pub id: String,
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// The name of their vendor.
    pub vendor: Option<String>,
    /// Whether they can log in.
    pub state: UserState,
    /// Whether the second step is on.
    pub totp: bool,
    /// When they were last seen.
    pub seen_at: Option<Timestamp>,
}

/// Whether a user can log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserState {
    /// Has not set a password.
    Invited,
    Active,
    /// May not.
    Disabled,
}

impl UserState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Invited => "invited",
            Self::Active => "active",
            Self::Disabled => "disabled",
        }
    }

    /// The status whose colour and icon it has.
    pub fn class(self) -> &'static str {
        match self {
            Self::Invited => "pending",
            Self::Active => "paid",
            Self::Disabled => "off",
        }
    }
}

/// A vendor to choose.
#[derive(Debug, Clone)]
pub struct VendorChoice {
    /// The value in the form.
    pub id: String,
    pub name: String,
}

#[derive(Debug, Clone)]
pub struct NewUser {
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// The chosen vendor; empty for none.
    pub vendor: String,
    /// Vendors to choose from.
    pub vendors: Vec<VendorChoice>,
    /// What is wrong with what was typed.
    pub problems: Vec<NewUserProblem>,
}

/// What is wrong with a new user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewUserProblem {
    /// Not an e-mail address.
    Email,
    EmailTaken,
    /// The role needs a vendor.
    VendorMissing,
    /// The role has no vendor.
    VendorTooMany,
}

impl NewUser {
    pub fn input(&self, t: &Words) -> Input {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required().max(254);
        email.marked(&self.complaints(t))
    }

    pub fn vendor_error(&self, t: &Words) -> Option<String> {
        let complaints = self.complaints(t);
        complaints.into_iter().find(|complaint| complaint.field == Some("vendor")).map(|c| c.text)
    }
}

/// A link for a user: mailed, or shown once.
#[derive(Debug, Clone)]
pub struct Invited {
    /// What its address names the user by.
    pub id: String,
    pub email: String,
    /// What the link is for.
    pub purpose: LinkPurpose,
    /// The link, if it was not mailed.
    pub link: Option<String>,
    /// Until when it works.
    pub until: Timestamp,
    /// Whether it is the vendor's own admin who invites, not the operator.
    pub of_team: bool,
}

/// One user, for the operator.
#[derive(Debug, Clone)]
pub struct User {
    pub line: UserLine,
    /// When they were made.
    pub created_at: Timestamp,
    /// Where they are logged in.
    pub sessions: Vec<Device>,
    /// Whether this is whoever looks: nobody locks themselves out.
    pub is_self: bool,
    /// The last lines about them in the audit log.
    pub audit: Vec<crate::panel::console::audit::view::AuditLine>,
}

impl View for Users {
    fn kind(&self) -> &'static str {
        "users"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-users")
    }

    fn actions(&self) -> Vec<Action> {
        vec![Action::key("/operator/users/new", "new-user")]
    }

    template!(write, view: Users, "operator/users.html");
}

impl View for NewUser {
    fn kind(&self) -> &'static str {
        "new-user"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("new-user")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/users", t.text("nav-users"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let told = self.problems.iter().map(|problem| match problem {
            NewUserProblem::Email => Complaint::about("email", t.text("wrong-email")),
            NewUserProblem::EmailTaken => Complaint::about("email", t.text("email-taken")),
            NewUserProblem::VendorMissing => Complaint::about("vendor", t.text("vendor-missing")),
            NewUserProblem::VendorTooMany => Complaint::about("vendor", t.text("vendor-too-many")),
        });
        told.collect()
    }

    template!(write, view: NewUser, "operator/new-user.html");
}

impl View for Invited {
    fn kind(&self) -> &'static str {
        "invited"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(if self.link.is_some() { "link-made-heading" } else { "link-mailed-heading" })
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![match self.of_team {
            true => Crumb::new("/panel/team", t.text("nav-team")),
            false => Crumb::new("/operator/users", t.text("nav-users")),
        }]
    }

    template!(write, view: Invited, "operator/invited.html");
}

impl View for User {
    fn kind(&self) -> &'static str {
        "user"
    }

    fn heading(&self, _: &Words) -> String {
        self.line.email.clone()
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/users", t.text("nav-users"))]
    }

    template!(write, view: User, "operator/user.html");
}
