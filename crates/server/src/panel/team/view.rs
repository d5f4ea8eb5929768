//! The people of a vendor.

use crate::{
    panel::{
        console::users::view::{UserLine, UserState},
        pages::{
            form::{Complaint, Input, throttled},
            view::{Action, Crumb, View, template},
        },
        team::view as team,
    },
    web::words::Words,
};
use till_domain::{time::Timestamp, user::Role};

/// The people of a vendor.
#[derive(Debug, Clone)]
pub struct Team {
    /// Those who can log in or are invited.
    pub rows: Vec<UserLine>,
    /// Those who were removed.
    pub removed: Vec<UserLine>,
    /// The id of whoever looks.
    pub own: String,
}

/// The roles of a vendor's people.
pub const ROLES: [Role; 2] = [Role::VendorAdmin, Role::VendorViewer];

#[derive(Debug, Clone)]
pub struct NewMember {
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// Whether a mail brings the invitation.
    pub mail: bool,
    /// What is wrong with what was typed.
    pub problem: Option<NewMemberProblem>,
}

/// What is wrong with somebody new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewMemberProblem {
    /// Not an e-mail address.
    Email,
    EmailTaken,
    /// Too many addresses of other users.
    Throttled {
        /// For so many seconds.
        seconds: u64,
    },
}

impl NewMember {
    pub fn input(&self, t: &Words) -> Input {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required().max(254);
        email.marked(&self.complaints(t))
    }
}

/// Somebody of a vendor.
#[derive(Debug, Clone)]
pub struct MemberPage {
    pub line: UserLine,
    /// When they were added.
    pub created_at: Timestamp,
    /// Whether this is whoever looks.
    pub is_self: bool,
    /// Whether nobody else could run the vendor.
    pub is_last: bool,
    /// Whether a colleague may let them in again.
    pub can_restore: bool,
}

impl View for Team {
    fn kind(&self) -> &'static str {
        "team"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-team")
    }

    fn actions(&self) -> Vec<Action> {
        vec![Action::key("/panel/team/new", "invite-member")]
    }

    template!(write, view: Team, "panel/team.html");
}

impl View for NewMember {
    fn kind(&self) -> &'static str {
        "new-member"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("invite-member")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/team", t.text("nav-team"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let told = self.problem.map(|problem| match problem {
            NewMemberProblem::Email => t.text("wrong-email"),
            NewMemberProblem::EmailTaken => t.text("email-taken"),
            NewMemberProblem::Throttled { seconds } => throttled(t, seconds),
        });
        told.map(|text| Complaint::about("email", text)).into_iter().collect()
    }

    template!(write, view: NewMember, "panel/new-member.html");
}

impl View for MemberPage {
    fn kind(&self) -> &'static str {
        "member"
    }

    fn heading(&self, _: &Words) -> String {
        self.line.email.clone()
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/team", t.text("nav-team"))]
    }

    template!(write, view: MemberPage, "panel/member.html");
}
