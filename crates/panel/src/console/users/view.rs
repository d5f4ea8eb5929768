//! The pages of users: the list, a new user, and one user.

use crate::{
    account::view::Device,
    pages::{
        browser,
        form::{Complaint, Input},
        view::{Action, Crumb, View, template},
    },
};
use till_domain::{
    time::Timestamp,
    user::{LinkPurpose, Role},
};
use till_service::web::{links, words::Words};

#[derive(Debug, Clone)]
pub struct Users {
    /// The search text.
    pub q: String,
    pub rows: Vec<UserLine>,
    /// The link to the page of newer users.
    pub newer: Option<String>,
    /// The link to the page of older users.
    pub older: Option<String>,
}

#[derive(Debug, Clone)]
pub struct UserLine {
    pub id: String,
    pub email: String,
    pub role: Role,
    /// The name of their vendor.
    pub vendor: Option<String>,
    pub state: UserState,
    /// True if the second factor is on.
    pub totp: bool,
    /// The time of their last activity.
    pub seen_at: Option<Timestamp>,
}

/// The log-in state of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserState {
    /// Has not set a password yet.
    Invited,
    Active,
    /// May not log in.
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

    /// The status class of its colour and icon.
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
    pub id: String,
    pub name: String,
}

#[derive(Debug, Clone)]
pub struct NewUser {
    pub email: String,
    pub role: Role,
    /// The id of the chosen vendor; empty for none.
    pub vendor: String,
    /// Vendors to choose from.
    pub vendors: Vec<VendorChoice>,
    /// Problems with the submitted form.
    pub problems: Vec<NewUserProblem>,
}

/// A problem with the form of a new user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewUserProblem {
    /// The text is no e-mail address.
    Email,
    EmailTaken,
    /// The role needs a vendor.
    VendorMissing,
    /// The role must not have a vendor.
    VendorTooMany,
}

impl NewUser {
    pub fn input(&self, t: &Words) -> Input {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required().max(254);
        email.marked(&self.complaints(t))
    }

    pub fn vendor_error(&self, t: &Words) -> Option<String> {
        let complaints = self.complaints(t);
        complaints.into_iter().find(|complaint| complaint.is_about("vendor")).map(|c| c.text)
    }
}

/// The page of a link for a user, which was mailed or is shown once.
#[derive(Debug, Clone)]
pub struct InvitationPage {
    /// The id of the user.
    pub id: String,
    pub email: String,
    pub purpose: LinkPurpose,
    /// The link, if it was not mailed.
    pub link: Option<String>,
    /// The time when it expires.
    pub until: Timestamp,
    /// True if an admin of the vendor invites, not the operator.
    pub of_team: bool,
}

/// The page of one user, for the operator.
#[derive(Debug, Clone)]
pub struct User {
    pub line: UserLine,
    pub created_at: Timestamp,
    /// The browsers they are logged in with.
    pub sessions: Vec<Device>,
    /// True if this is the user who views the page: users cannot lock themselves out.
    pub is_self: bool,
    /// The last lines about them in the audit log.
    pub audit: Vec<crate::console::audit::view::AuditLine>,
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
        let complaints = self.problems.iter().map(|problem| match problem {
            NewUserProblem::Email => Complaint::about("email", t.text("wrong-email")),
            NewUserProblem::EmailTaken => Complaint::about("email", t.text("email-taken")),
            NewUserProblem::VendorMissing => Complaint::about("vendor", t.text("vendor-missing")),
            NewUserProblem::VendorTooMany => Complaint::about("vendor", t.text("vendor-too-many")),
        });
        complaints.collect()
    }

    template!(write, view: NewUser, "operator/new-user.html");
}

impl View for InvitationPage {
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

    template!(write, view: InvitationPage, "operator/invited.html");
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
