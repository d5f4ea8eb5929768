//! Getting in: password, second step, and links that set a password.

use crate::{
    panel::pages::{
        Frame,
        form::{Complaint, Input, throttled},
        view::{View, template},
    },
    web::words::Words,
};
use till_domain::user::LinkPurpose;

#[derive(Debug, Clone, Default)]
pub struct Login {
    pub email: String,
    /// Where to go after it: a path of ours.
    pub next: String,
    /// Why it is shown again.
    pub problem: Option<LoginProblem>,
}

/// Why the login page is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginProblem {
    /// One of the two; which one is not said.
    Wrong,
    Throttled {
        /// When to try again.
        seconds: u64,
    },
    /// The session is over: nothing is wrong.
    SessionEnded(Ended),
}

/// What the end of a session means for what was being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Plain,
    /// A form was not saved, and what was typed waits.
    Kept,
    /// A form was not saved, and has to be filled in again.
    Lost,
}

impl Ended {
    /// The word in an address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "1",
            Self::Kept => "kept",
            Self::Lost => "lost",
        }
    }

    /// The one with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Plain, Self::Kept, Self::Lost].into_iter().find(|ended| ended.word() == word)
    }
}

impl Login {
    /// The key of what is said about a session that is over.
    pub fn ended(&self) -> Option<&'static str> {
        match self.problem {
            Some(LoginProblem::SessionEnded(Ended::Plain)) => Some("session-ended"),
            Some(LoginProblem::SessionEnded(Ended::Kept)) => Some("session-ended-kept"),
            Some(LoginProblem::SessionEnded(Ended::Lost)) => Some("session-ended-lost"),
            _ => None,
        }
    }

    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required();
        [
            email.autocomplete("username").max(254),
            Input::password("password", t.text("password"), "current-password"),
        ]
    }
}

/// The second step of logging in.
#[derive(Debug, Clone, Default)]
pub struct CodeStep {
    /// Where to go afterwards.
    pub next: String,
    /// Why it is shown again.
    pub problem: Option<CodeProblem>,
}

/// Why a code was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeProblem {
    /// Wrong, or used already.
    Wrong,
    Throttled {
        /// When to try again.
        seconds: u64,
    },
}

impl CodeStep {
    pub fn input(&self, t: &Words) -> Input {
        code_input(t, "code-hint", &self.complaints(t))
    }
}

/// The field for six digits.
pub fn code_input(t: &Words, hint: &str, complaints: &[Complaint]) -> Input {
    let input = Input::new("code", t.text("code")).autocomplete("one-time-code").required().max(32);
    input.hint(t.text(hint)).marked(complaints)
}

/// Asks for a link to set a password.
#[derive(Debug, Clone, Default)]
pub struct Forgot {
    pub email: String,
    /// Whether this service can send mail; else people ask the operator.
    pub mail: bool,
    /// Whom to ask: an e-mail address or a web address.
    pub support: Option<String>,
    /// Why it is shown again.
    pub problem: Option<ForgotProblem>,
}

/// Why no link was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgotProblem {
    /// Not an e-mail address.
    Email,
    Throttled {
        /// When to try again.
        seconds: u64,
    },
}

impl Forgot {
    pub fn input(&self, t: &Words) -> Input {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required();
        email.autocomplete("username").max(254).marked(&self.complaints(t))
    }
}

/// A new password, by a link. Its form posts to [`crate::panel::pages::Frame::path`].
#[derive(Debug, Clone)]
pub struct SetPassword {
    /// What the link is for.
    pub purpose: LinkPurpose,
    pub email: String,
    /// What is wrong with the last try.
    pub problems: Vec<PasswordProblem>,
}

/// What is wrong with a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordProblem {
    /// Fewer than 12 characters.
    TooShort,
    /// More than anybody types.
    TooLong,
    /// One of those that are tried first.
    Common,
    /// The second one is another.
    Differs,
}

impl PasswordProblem {
    pub fn complaint(self, t: &Words) -> Complaint {
        match self {
            Self::TooShort => Complaint::about("password", t.text("password-short")),
            Self::TooLong => Complaint::about("password", t.text("password-long")),
            Self::Common => Complaint::about("password", t.text("password-common")),
            Self::Differs => Complaint::about("again", t.text("password-differs")),
        }
    }
}

impl SetPassword {
    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        new_password(t, &self.complaints(t))
    }
}

/// A new password, twice.
pub fn new_password(t: &Words, complaints: &[Complaint]) -> [Input; 2] {
    let password = Input::password("password", t.text("new-password"), "new-password");
    let again = Input::password("again", t.text("new-password-again"), "new-password");
    [password.hint(t.text("password-hint")).marked(complaints), again.marked(complaints)]
}

/// A link that was used, replaced or is too old.
#[derive(Debug, Clone, Default)]
pub struct LinkEnded {
    /// Whether this service can send mail, so that a new link can be asked for here.
    pub mail: bool,
    pub support: Option<String>,
}

impl View for Login {
    fn kind(&self) -> &'static str {
        "login"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("login-heading")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let text = match self.problem {
            Some(LoginProblem::Wrong) => t.text("login-wrong"),
            Some(LoginProblem::Throttled { seconds }) => throttled(t, seconds),
            Some(LoginProblem::SessionEnded(_)) | None => return Vec::new(),
        };
        vec![Complaint::general(text)]
    }

    fn is_slip(&self, _: &Frame) -> bool {
        true
    }

    template!(write, view: Login, "panel/login.html");
}

impl View for CodeStep {
    fn kind(&self) -> &'static str {
        "code"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("code-heading")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        match self.problem {
            Some(CodeProblem::Wrong) => vec![Complaint::about("code", t.text("code-wrong"))],
            Some(CodeProblem::Throttled { seconds }) => vec![Complaint::general(throttled(t, seconds))],
            None => Vec::new(),
        }
    }

    fn is_slip(&self, _: &Frame) -> bool {
        true
    }

    template!(write, view: CodeStep, "panel/code.html");
}

impl View for Forgot {
    fn kind(&self) -> &'static str {
        "forgot"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("forgot-heading")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        match self.problem {
            Some(ForgotProblem::Email) => vec![Complaint::about("email", t.text("wrong-email"))],
            Some(ForgotProblem::Throttled { seconds }) => vec![Complaint::general(throttled(t, seconds))],
            None => Vec::new(),
        }
    }

    fn is_slip(&self, _: &Frame) -> bool {
        true
    }

    template!(write, view: Forgot, "panel/forgot.html");
}

impl View for SetPassword {
    fn kind(&self) -> &'static str {
        "set-password"
    }

    fn heading(&self, t: &Words) -> String {
        match self.purpose {
            LinkPurpose::Invitation => t.text("invitation-heading"),
            LinkPurpose::Reset => t.text("reset-heading"),
        }
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.problems.iter().map(|problem| problem.complaint(t)).collect()
    }

    fn is_slip(&self, _: &Frame) -> bool {
        true
    }

    template!(write, view: SetPassword, "panel/set-password.html");
}

/// The answer to a request for a link, the same for everybody.
#[derive(Debug, Clone)]
pub struct ForgotSent {
    /// Whom to ask if nothing comes.
    pub support: Option<String>,
}

impl View for ForgotSent {
    fn kind(&self) -> &'static str {
        "forgot-sent"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("forgot-sent-heading")
    }

    fn is_slip(&self, _: &Frame) -> bool {
        true
    }

    template!(write, view: ForgotSent, "panel/forgot-sent.html");
}

impl View for LinkEnded {
    fn kind(&self) -> &'static str {
        "link-ended"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("link-ended-heading")
    }

    fn is_slip(&self, _: &Frame) -> bool {
        true
    }

    template!(write, view: LinkEnded, "panel/link-ended.html");
}
