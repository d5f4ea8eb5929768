//! The account page of a user: password, second factor (TOTP), time zone, log-ins.

use crate::{
    login::view::{PasswordProblem, code_input, new_password},
    pages::{
        Frame, browser,
        form::{Complaint, Input, throttled},
        view::{Crumb, View, template},
        zones::{self, ZoneList},
    },
};
use till_domain::time::Timestamp;
use till_service::web::{qr::Code, words::Words};

#[derive(Debug, Clone)]
pub struct Account {
    /// Problems with the form that was sent.
    pub problems: Vec<AccountProblem>,
    pub totp: Totp,
    /// The browsers the user is logged in with, this one first.
    pub sessions: Vec<Device>,
    /// The form of the zone in which times are shown.
    pub zone: ZoneForm,
}

#[derive(Debug, Clone)]
pub struct ZoneForm {
    /// The default zone of a user who chooses none.
    pub usual: String,
    /// The zones to choose from; none is chosen for the default.
    pub zones: ZoneList,
}

/// A problem with a form of the account page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountProblem {
    /// The current password is wrong when changing it.
    CurrentWrong,
    Password(PasswordProblem),
    /// The password is wrong in a second-factor form.
    FactorPasswordWrong(FactorForm),
    /// There is no such time zone.
    TimeZone,
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
}

/// A change of the second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorForm {
    /// Replaces the current phone by another.
    Phone,
    /// Replaces the recovery codes by new ones.
    Codes,
    /// Switches the second factor off.
    Off,
}

impl FactorForm {
    /// The word used in its translation keys and test ids.
    pub fn word(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Codes => "codes",
            Self::Off => "off",
        }
    }

    /// The path that the form posts to.
    pub fn action(self) -> &'static str {
        match self {
            Self::Phone => "/panel/account/totp",
            Self::Codes => "/panel/account/totp/codes",
            Self::Off => "/panel/account/totp/off",
        }
    }

    /// The id of its password field.
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

/// The state of the second factor (TOTP).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Totp {
    Off,
    On {
        since: Timestamp,
        /// Recovery codes that are still unused.
        codes_left: u64,
        /// True if the role requires the second factor, so that it cannot be switched off.
        required: bool,
    },
}

/// A log-in of the user.
#[derive(Debug, Clone)]
pub struct Device {
    /// The id of the log-in, used in its form.
    pub id: String,
    /// The user agent as the browser sent it, cut to a maximum length.
    pub agent: String,
    /// The IP address it logged in from.
    pub address: String,
    pub since: Timestamp,
    pub seen: Timestamp,
    /// True for the log-in of this request.
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
        let hint = t.text("account-time-zone-hint");
        Input::new("time_zone", t.text("settings-time-zone")).hint(hint).marked(&self.complaints(t))
    }

    /// The name of the choice of no zone.
    pub fn usual_zone(&self, t: &Words) -> Option<String> {
        Some(t.with("account-zone-usual", "zone", &self.zone.usual))
    }

    /// The forms shown while the second factor is on.
    pub fn factor_forms(&self) -> Vec<FactorForm> {
        let required = matches!(self.totp, Totp::On { required: true, .. });
        let all = [FactorForm::Phone, FactorForm::Codes, FactorForm::Off];
        all.into_iter().filter(|form| !(required && *form == FactorForm::Off)).collect()
    }

    pub fn factor_password(&self, form: &FactorForm, t: &Words) -> Input {
        let input = Input::password("password", t.text("current-password"), "current-password");
        input.id(form.field()).marked(&self.complaints(t))
    }

    /// True if the form of the second factor is shown open, because its password was wrong.
    pub fn is_open(&self, form: &FactorForm) -> bool {
        self.problems.contains(&AccountProblem::FactorPasswordWrong(*form))
    }

    pub fn others(&self) -> bool {
        self.sessions.iter().any(|device| !device.current)
    }
}

/// A new second factor that a first code has to confirm.
#[derive(Debug, Clone)]
pub struct TotpSetup {
    /// The content of the QR code for an authenticator app: `otpauth://totp/…`.
    pub uri: String,
    /// The secret as text, for typing it into the app.
    pub secret: String,
    /// True if the code that was typed is wrong.
    pub wrong: bool,
    /// True if the user has to set up the factor first: the page has no other links.
    pub forced: bool,
}

impl TotpSetup {
    pub fn input(&self, t: &Words) -> Input {
        code_input(t, "code-hint-setup", &self.complaints(t))
    }

    pub fn code(&self) -> Option<Code> {
        Code::new(&self.uri)
    }

    /// The secret in groups of four characters, easier to read.
    pub fn groups(&self) -> String {
        let letters: Vec<char> = self.secret.chars().collect();
        letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    }
}

/// Recovery codes for a lost phone, shown once.
#[derive(Debug, Clone)]
pub struct RecoveryCodes {
    pub codes: Vec<String>,
    /// The path of the next page.
    pub next: String,
}

impl RecoveryCodes {
    /// The codes one per line, for copying.
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
        let complaints = self.problems.iter().map(|problem| match *problem {
            AccountProblem::CurrentWrong => Complaint::about("current", t.text("current-wrong")),
            AccountProblem::Password(problem) => problem.complaint(t),
            AccountProblem::FactorPasswordWrong(form) => {
                Complaint::about(form.field(), t.text("current-wrong"))
            }
            AccountProblem::TimeZone => Complaint::about("time_zone", t.text("wrong-zone")),
            AccountProblem::Throttled { seconds } => Complaint::general(throttled(t, seconds)),
        });
        complaints.collect()
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
