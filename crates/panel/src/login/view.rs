//! The pages of log-in: password, second factor (TOTP), and links that set a password.

use crate::pages::{
    Frame,
    form::{Complaint, Input, throttled},
    view::{View, template},
};
use till_domain::user::LinkPurpose;
use till_service::web::words::Words;

#[derive(Debug, Clone, Default)]
pub struct LoginPage {
    pub email: String,
    /// The path to continue at after the log-in.
    pub next: String,
    /// The reason why it is shown again.
    pub problem: Option<LoginProblem>,
}

/// The reason why the log-in page is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginProblem {
    /// The e-mail address or the password is wrong; the page does not say which.
    Wrong,
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
    /// The log-in ended, which is no error.
    SessionEnded(LoginEnd),
}

/// The consequence of an ended log-in for the form in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginEnd {
    Plain,
    /// A form was not saved, and its fields are kept.
    Kept,
    /// A form was not saved, and has to be filled in again.
    Lost,
}

impl LoginEnd {
    /// The word used in addresses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "1",
            Self::Kept => "kept",
            Self::Lost => "lost",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Plain, Self::Kept, Self::Lost].into_iter().find(|ended| ended.word() == word)
    }
}

impl LoginPage {
    /// The translation key of the message about an ended log-in.
    pub fn ended(&self) -> Option<&'static str> {
        match self.problem {
            Some(LoginProblem::SessionEnded(LoginEnd::Plain)) => Some("session-ended"),
            Some(LoginProblem::SessionEnded(LoginEnd::Kept)) => Some("session-ended-kept"),
            Some(LoginProblem::SessionEnded(LoginEnd::Lost)) => Some("session-ended-lost"),
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

/// The page of the second factor.
#[derive(Debug, Clone, Default)]
pub struct CodeStep {
    /// The path to continue at after the log-in.
    pub next: String,
    /// The reason why it is shown again.
    pub problem: Option<CodeProblem>,
}

/// The reason why a code was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeProblem {
    /// Wrong, or used already.
    Wrong,
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
}

impl CodeStep {
    pub fn input(&self, t: &Words) -> Input {
        code_input(t, "code-hint", &self.complaints(t))
    }
}

/// The field of a code: six digits, or a recovery code.
pub fn code_input(t: &Words, hint: &str, complaints: &[Complaint]) -> Input {
    let input = Input::new("code", t.text("code")).autocomplete("one-time-code").required().max(32);
    input.hint(t.text(hint)).marked(complaints)
}

/// The form that asks for a link to set a password.
#[derive(Debug, Clone, Default)]
pub struct ForgotPage {
    pub email: String,
    /// True if this service can send mail; otherwise users have to ask the operator.
    pub mail: bool,
    /// The contact for support: an e-mail address or a web address.
    pub support: Option<String>,
    /// The reason why it is shown again.
    pub problem: Option<ForgotProblem>,
}

/// The reason why the request for a link was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgotProblem {
    /// The text is no e-mail address.
    Email,
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
}

impl ForgotPage {
    pub fn input(&self, t: &Words) -> Input {
        let email = Input::new("email", t.text("email")).kind("email").value(&self.email).required();
        email.autocomplete("username").max(254).marked(&self.complaints(t))
    }
}

/// The form of a new password, reached by a link. It posts to [`crate::pages::Frame::path`].
#[derive(Debug, Clone)]
pub struct SetPassword {
    pub purpose: LinkPurpose,
    pub email: String,
    /// Problems with the submitted password.
    pub problems: Vec<PasswordProblem>,
}

/// A problem with a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordProblem {
    /// Fewer than 12 characters.
    TooShort,
    /// Longer than the limit.
    TooLong,
    /// A common password, which attackers try first.
    Common,
    /// The repetition differs.
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

/// The fields of a new password and its repetition.
pub fn new_password(t: &Words, complaints: &[Complaint]) -> [Input; 2] {
    let password = Input::password("password", t.text("new-password"), "new-password");
    let again = Input::password("again", t.text("new-password-again"), "new-password");
    [password.hint(t.text("password-hint")).marked(complaints), again.marked(complaints)]
}

/// The page of a link that was used or replaced, or has expired.
#[derive(Debug, Clone, Default)]
pub struct LinkEnded {
    /// True if this service can send mail, so that the user can ask for a new link.
    pub mail: bool,
    pub support: Option<String>,
}

impl View for LoginPage {
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

    template!(write, view: LoginPage, "panel/login.html");
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

impl View for ForgotPage {
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

    template!(write, view: ForgotPage, "panel/forgot.html");
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

/// The answer to a request for a link, the same whether or not the user exists.
#[derive(Debug, Clone)]
pub struct ForgotSent {
    /// The contact for support if no mail arrives.
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
