//! Everybody's own account: password, second step, sessions.

use crate::{
    panel::{
        entry::view::{PasswordProblem, code_input, new_password},
        pages::{
            Frame,
            form::{Complaint, Input, throttled},
            view::{Crumb, View, template},
        },
    },
    web::{qr::Code, words::Words},
};
use till_domain::time::Timestamp;

#[derive(Debug, Clone)]
pub struct Account {
    /// What is wrong with the form that was sent.
    pub problems: Vec<AccountProblem>,
    /// The second step of logging in.
    pub totp: Totp,
    /// Where the user is logged in, this session first.
    pub sessions: Vec<Device>,
    /// The zone in which times are shown.
    pub zone: ZoneForm,
}

/// The form of the time zone.
#[derive(Debug, Clone)]
pub struct ZoneForm {
    /// What is chosen, or was typed; empty for the usual one.
    pub typed: String,
    /// The zone of whoever chooses none.
    pub usual: String,
    pub zones: Vec<String>,
}

/// What is wrong with a form of the account page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountProblem {
    /// The current password, when changing it.
    CurrentWrong,
    Password(PasswordProblem),
    /// The password, in a form of the second step.
    FactorPasswordWrong(FactorForm),
    /// There is no such time zone.
    TimeZone,
    Throttled {
        /// When to try again.
        seconds: u64,
    },
}

/// What is done to the second step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorForm {
    /// Another phone takes the place of the one there is.
    Phone,
    /// New recovery codes take the place of those there are.
    Codes,
    /// It is switched off.
    Off,
}

impl FactorForm {
    /// The word of its keys and tests.
    pub fn word(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Codes => "codes",
            Self::Off => "off",
        }
    }

    /// Where it posts to.
    pub fn action(self) -> &'static str {
        match self {
            Self::Phone => "/panel/account/totp",
            Self::Codes => "/panel/account/totp/codes",
            Self::Off => "/panel/account/totp/off",
        }
    }

    /// The id of its field.
    fn field(self) -> &'static str {
        match self {
            Self::Phone => "phone-password",
            Self::Codes => "codes-password",
            Self::Off => "totp-password",
        }
    }

    pub fn is_danger(self) -> bool {
        self == Self::Off
    }
}

/// The second step of logging in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Totp {
    Off,
    On {
        since: Timestamp,
        /// Recovery codes that were not used.
        codes_left: u64,
        /// Whether the role has to have it, so that it cannot be switched off.
        required: bool,
    },
}

/// A session of the user.
#[derive(Debug, Clone)]
pub struct Device {
    /// What its form names it by.
    pub id: String,
    /// The browser, as it calls itself or in fewer words.
    pub agent: String,
    /// Where it last came from.
    pub address: String,
    pub since: Timestamp,
    /// When it was last seen.
    pub seen: Timestamp,
    /// Whether it is this one.
    pub current: bool,
}

impl Account {
    pub fn inputs(&self, t: &Words) -> [Input; 3] {
        let complaints = self.complaints(t);
        let current = Input::password("current", t.text("current-password"), "current-password");
        let [password, again] = new_password(t, &complaints);
        [current.marked(&complaints), password, again]
    }

    pub fn zone_input(&self, t: &Words) -> Input {
        let hint = t.with("account-time-zone-hint", "zone", &self.zone.usual);
        let input = Input::new("time_zone", t.text("settings-time-zone")).hint(hint).value(&self.zone.typed);
        Input { list: Some("zones"), ..input }.marked(&self.complaints(t))
    }

    /// The forms of a second step that is on.
    pub fn factor_forms(&self) -> Vec<FactorForm> {
        let required = matches!(self.totp, Totp::On { required: true, .. });
        let all = [FactorForm::Phone, FactorForm::Codes, FactorForm::Off];
        all.into_iter().filter(|form| !(required && *form == FactorForm::Off)).collect()
    }

    pub fn factor_password(&self, form: &FactorForm, t: &Words) -> Input {
        let input = Input::password("password", t.text("current-password"), "current-password");
        input.id(form.field()).marked(&self.complaints(t))
    }

    /// Whether a form of the second step is open: something is wrong with it.
    pub fn is_open(&self, form: &FactorForm) -> bool {
        self.problems.contains(&AccountProblem::FactorPasswordWrong(*form))
    }

    pub fn others(&self) -> bool {
        self.sessions.iter().any(|device| !device.current)
    }
}

/// A new second step, to be confirmed by a code.
#[derive(Debug, Clone)]
pub struct TotpSetup {
    /// What the code says to an app: `otpauth://totp/…`.
    pub uri: String,
    /// The secret, to type it.
    pub secret: String,
    /// Whether the code that was typed is wrong.
    pub wrong: bool,
    /// Whether nothing else may be done before: the page leads nowhere else.
    pub forced: bool,
}

impl TotpSetup {
    pub fn input(&self, t: &Words) -> Input {
        code_input(t, "code-hint-setup", &self.complaints(t))
    }

    pub fn code(&self) -> Option<Code> {
        Code::new(&self.uri)
    }

    /// The secret in groups of four, which people can follow.
    pub fn groups(&self) -> String {
        let letters: Vec<char> = self.secret.chars().collect();
        letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    }
}

/// Codes for when the phone is lost, shown once.
#[derive(Debug, Clone)]
pub struct RecoveryCodes {
    pub codes: Vec<String>,
    /// Where to go on to: a path of ours.
    pub next: String,
}

impl RecoveryCodes {
    /// One per line, to copy.
    pub fn lines(&self) -> String {
        self.codes.join("\n")
    }
}

impl View for Account {
    fn kind(&self) -> &'static str {
        "account"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-account")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let told = self.problems.iter().map(|problem| match *problem {
            AccountProblem::CurrentWrong => Complaint::about("current", t.text("current-wrong")),
            AccountProblem::Password(problem) => problem.complaint(t),
            AccountProblem::FactorPasswordWrong(form) => {
                Complaint::about(form.field(), t.text("current-wrong"))
            }
            AccountProblem::TimeZone => Complaint::about("time_zone", t.text("wrong-zone")),
            AccountProblem::Throttled { seconds } => Complaint::general(throttled(t, seconds)),
        });
        told.collect()
    }

    template!(write, view: Account, "panel/account.html");
}

impl View for TotpSetup {
    fn kind(&self) -> &'static str {
        "totp-setup"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("totp-setup-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/account", t.text("nav-account"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let wrong = self.wrong.then(|| Complaint::about("code", t.text("code-wrong-setup")));
        wrong.into_iter().collect()
    }

    fn is_slip(&self, _: &Frame) -> bool {
        self.forced
    }

    template!(write, view: TotpSetup, "panel/totp-setup.html");
}

impl View for RecoveryCodes {
    fn kind(&self) -> &'static str {
        "recovery-codes"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("recovery-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/account", t.text("nav-account"))]
    }

    fn is_slip(&self, frame: &Frame) -> bool {
        frame.place.is_none()
    }

    template!(write, view: RecoveryCodes, "panel/recovery-codes.html");
}
