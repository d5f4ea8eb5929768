//! The pages of a vendor's users.

use crate::{
    console::users::view::{UserLine, UserState},
    pages::{
        form::{Complaint, Input, throttled},
        view::{Action, Crumb, View, template},
    },
    team::view as team,
};
use till_domain::{time::Timestamp, user::Role};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct Team {
    /// Users who can log in or are invited.
    pub rows: Vec<UserLine>,
    /// Users who were removed.
    pub removed: Vec<UserLine>,
    /// The id of the user who views the page.
    pub own: String,
}

/// The roles of a vendor's users.
pub const ROLES: [Role; 2] = [Role::VendorAdmin, Role::VendorViewer];

#[derive(Debug, Clone)]
pub struct NewMember {
    pub email: String,
    pub role: Role,
    /// True if the invitation is mailed.
    pub mail: bool,
    /// The problem with the submitted form.
    pub problem: Option<NewMemberProblem>,
}

/// A problem with the form of a new user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewMemberProblem {
    /// The text is no e-mail address.
    Email,
    EmailTaken,
    /// Too many addresses that belong to other users.
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
}

impl NewMember {
    pub fn input(&self, t: &Words) -> Input {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required().max(254);
        email.marked(&self.complaints(t))
    }
}

/// The page of a user of a vendor.
#[derive(Debug, Clone)]
pub struct MemberPage {
    pub line: UserLine,
    pub created_at: Timestamp,
    /// True if this is the user who views the page.
    pub is_self: bool,
    /// True if this is the only admin left.
    pub is_last: bool,
    /// True if a colleague may restore the user's access.
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
        let message = self.problem.map(|problem| match problem {
            NewMemberProblem::Email => t.text("wrong-email"),
            NewMemberProblem::EmailTaken => t.text("email-taken"),
            NewMemberProblem::Throttled { seconds } => throttled(t, seconds),
        });
        message.map(|text| Complaint::about("email", text)).into_iter().collect()
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
