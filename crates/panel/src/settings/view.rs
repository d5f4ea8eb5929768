//! The pages of a vendor's settings: credentials, addresses, the rotation of a secret, and access to the
//! sandbox.

use crate::pages::{
    Language,
    form::{Complaint, Input, throttled},
    view::{Crumb, View, template},
    zones::{self, ZoneList},
};
use till_domain::{
    audit::SandboxRequestProblem,
    callback::{EventFamilies, EventFamily},
    delivery::AttemptResult,
    environment::EnvironmentName,
    misdelivery::Fault,
    time::Timestamp,
    weburl::UrlProblem,
};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct Settings {
    /// The environment of the credentials that are shown: the sandbox while it is on, otherwise live.
    pub environment: EnvironmentName,
    /// The client id of the newest credentials.
    pub client_id: String,
    pub secret: Secret,
    /// True if the live credentials are not shown before an endpoint check is passed.
    pub live_hidden: bool,
    /// The time of the last rotation; `None` if never.
    pub rotated_at: Option<Timestamp>,
    /// A rotation whose old credentials are still valid.
    pub overlap: Option<Overlap>,
    /// True if the user may reveal, rotate, save and test.
    pub can_change: bool,
    /// The form as stored, or as typed.
    pub form: SettingsForm,
    /// Problems with the submitted form.
    pub problems: Vec<SettingsProblem>,
    /// The time zones to choose from.
    pub zones: ZoneList,
    /// True if a callback address is stored, so that it can be tested.
    pub can_test: bool,
    /// The result of the test callback.
    pub test: Option<TestResult>,
    /// The fault with which sandbox callbacks are delivered unless the tester chooses another delivery.
    pub default_fault: Option<Fault>,
}

/// A secret on a page.
#[derive(Debug, Clone)]
pub enum Secret {
    /// Only dots.
    Hidden,
    /// In clear text, only on the page that answers the form.
    Shown(String),
}

/// A rotation whose old credentials are still valid.
#[derive(Debug, Clone)]
pub struct Overlap {
    pub until: Timestamp,
    pub old_client_id: String,
    /// True if the new credentials were used: then `X-Signature` is made with their secret, otherwise with
    /// the old one.
    pub new_signs: bool,
}

/// The fields of the settings form, as text.
#[derive(Debug, Clone)]
pub struct SettingsForm {
    pub callback_url: String,
    /// The page that customers return to after paying.
    pub return_url: String,
    pub contact_email: String,
    pub display_name: String,
    /// The name of a time zone.
    pub time_zone: String,
    /// The language of mails.
    pub language: Language,
    /// True if the contact address gets a copy of every receipt.
    pub receipt_copy: bool,
    /// The families of callback events that are sent.
    pub events: EventFamilies,
    /// True if "this changes live too" was ticked.
    pub confirm_shared: bool,
}

/// A problem with the settings form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsProblem {
    CallbackUrl(UrlProblem),
    ReturnUrl(UrlProblem),
    /// The contact address is no e-mail address.
    ContactEmail,
    NameMissing,
    /// The name is over 100 characters, or has invalid ones.
    NameTooLong,
    /// There is no such time zone.
    TimeZone,
    /// The box "this changes live too" has to be ticked.
    ConfirmShared,
}

/// The result of a test callback.
#[derive(Debug, Clone, Copy)]
pub struct TestResult {
    pub result: AttemptResult,
    pub took_ms: u64,
}

impl TestResult {
    pub fn is_good(&self) -> bool {
        matches!(self.result, AttemptResult::Delivered(_))
    }

    pub fn text(&self, t: &Words) -> String {
        let seconds = t.number(&format!("{}.{:02}", self.took_ms / 1000, self.took_ms % 1000 / 10));
        match self.result.status() {
            Some(status) => {
                t.with_two("test-answered", ("status", &status.to_string()), ("seconds", &seconds))
            }
            None => t.text(&format!("test-{}", self.result.as_str())),
        }
    }
}

impl SettingsProblem {
    fn complaint(self, t: &Words) -> Complaint {
        match self {
            Self::CallbackUrl(problem) => Complaint::about("callback_url", of_url(problem, t)),
            Self::ReturnUrl(problem) => Complaint::about("return_url", of_url(problem, t)),
            Self::ContactEmail => Complaint::about("contact_email", t.text("wrong-email")),
            Self::NameMissing => Complaint::about("display_name", t.text("name-missing")),
            Self::NameTooLong => Complaint::about("display_name", t.text("name-long")),
            Self::TimeZone => Complaint::about("time_zone", t.text("wrong-zone")),
            Self::ConfirmShared => Complaint::about("confirm_shared", t.text("confirm-shared-missing")),
        }
    }
}

pub(crate) fn of_url(problem: UrlProblem, t: &Words) -> String {
    match problem {
        UrlProblem::TooLong => t.text("url-long"),
        UrlProblem::Malformed => t.text("url-malformed"),
        UrlProblem::UserInfo => t.text("url-user"),
        UrlProblem::PrivateAddress => t.text("url-private"),
    }
}

impl Settings {
    pub fn is_sandbox(&self) -> bool {
        self.environment == EnvironmentName::Sandbox
    }

    /// The note that sandbox callbacks are delivered with a fault, which it names.
    pub fn misdelivered(&self, t: &Words) -> Option<String> {
        let fault = t.text(&format!("fault-{}", self.default_fault?.as_str()));
        Some(t.with("delivery-active", "fault", &fault))
    }

    /// The form field of this name.
    pub fn input(&self, name: &'static str, t: &Words) -> Input {
        let form = &self.form;
        let input = |value: &str| {
            let label = t.text(&format!("settings-{}", name.replace('_', "-")));
            let hint = t.text(&format!("settings-{}-hint", name.replace('_', "-")));
            Input::new(name, label).hint(hint).value(value)
        };
        let input = match name {
            "callback_url" => input(&form.callback_url).kind("url").max(2048),
            "return_url" => input(&form.return_url).kind("url").max(2048),
            "contact_email" => input(&form.contact_email).kind("email").max(254),
            "display_name" => input(&form.display_name).required().max(100),
            _ => input(&form.time_zone),
        };
        input.fixed(!self.can_change).marked(&self.complaints(t))
    }

    /// The cards of the form: the translation key of the heading, and the fields.
    pub fn cards(&self) -> [(&'static str, &'static [&'static str]); 2] {
        [
            ("settings-addresses", &["callback_url", "return_url"]),
            ("settings-business", &["display_name", "contact_email", "time_zone"]),
        ]
    }

    /// Returns true if the events of this family are sent.
    pub fn sends(&self, family: &EventFamily) -> bool {
        self.form.events.has(*family)
    }

    /// The translation key of a family of events.
    pub fn family_key(&self, family: &EventFamily) -> &'static str {
        match family {
            EventFamily::Refund => "settings-events-refund",
            EventFamily::Payment => "settings-events-payment",
            EventFamily::Dispute => "settings-events-dispute",
        }
    }

    /// True if the box has to be ticked.
    pub fn unconfirmed(&self) -> bool {
        self.problems.contains(&SettingsProblem::ConfirmShared)
    }

    /// True if live callbacks would be sent unencrypted.
    pub fn plain_http(&self) -> bool {
        !self.is_sandbox() && self.form.callback_url.trim_start().to_ascii_lowercase().starts_with("http://")
    }
}

/// The form for rotating a secret.
#[derive(Debug, Clone)]
pub struct Rotate {
    pub environment: EnvironmentName,
    /// The current client id.
    pub client_id: String,
    pub overlap: OverlapChoice,
    /// The reason why it is shown again.
    pub problem: Option<RotateProblem>,
}

/// How long the old credentials stay valid beside the new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlapChoice {
    Day,
    Hour,
    Now,
}

impl OverlapChoice {
    pub const ALL: [Self; 3] = [Self::Day, Self::Hour, Self::Now];

    /// The word in the form.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "24h",
            Self::Hour => "1h",
            Self::Now => "now",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.word() == word)
    }
}

/// The reason why the secret was not rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotateProblem {
    WrongPassword,
    /// No overlap was chosen.
    NoOverlap,
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
}

impl Rotate {
    pub fn is_sandbox(&self) -> bool {
        self.environment == EnvironmentName::Sandbox
    }

    pub fn input(&self, t: &Words) -> Input {
        let input = Input::password("password", t.text("your-password"), "current-password");
        input.marked(&self.complaints(t))
    }
}

/// The page of the new credentials, shown once.
#[derive(Debug, Clone)]
pub struct RotatedPage {
    pub environment: EnvironmentName,
    pub client_id: String,
    pub secret: String,
    /// The end of the old credentials; `None` if they are invalid already.
    pub old_until: Option<Timestamp>,
}

impl RotatedPage {
    pub fn is_sandbox(&self) -> bool {
        self.environment == EnvironmentName::Sandbox
    }
}

/// A vendor's access to the sandbox.
#[derive(Debug, Clone)]
pub struct SandboxAccess {
    pub state: SandboxState,
    /// The contact for support: an e-mail address or a web address.
    pub support: Option<String>,
}

/// The state of a vendor's sandbox.
#[derive(Debug, Clone)]
pub enum SandboxState {
    /// Off, and not requested.
    Off(AskSandbox),
    Requested {
        at: Timestamp,
        by: String,
        reason: String,
    },
    On {
        /// The time when it was switched on, if known.
        at: Option<Timestamp>,
        /// The user who switched it on, if known.
        by: Option<String>,
    },
}

/// The form that asks for the sandbox.
#[derive(Debug, Clone, Default)]
pub struct AskSandbox {
    pub reason: String,
    pub problem: Option<SandboxRequestProblem>,
    /// True if the user may ask.
    pub can_ask: bool,
}

impl AskSandbox {
    pub fn error(&self, t: &Words) -> Option<String> {
        self.problem.map(|problem| match problem {
            SandboxRequestProblem::WhyTooLong => t.text("reason-long"),
            _ => t.text("sandbox-reason-missing"),
        })
    }

    pub fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.error(t).map(|text| Complaint::about("reason", text)).into_iter().collect()
    }
}

impl View for Settings {
    fn kind(&self) -> &'static str {
        "settings"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-settings")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.problems.iter().map(|problem| problem.complaint(t)).collect()
    }

    template!(write, view: Settings, "panel/settings.html");
}

impl View for Rotate {
    fn kind(&self) -> &'static str {
        "rotate"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(if self.is_sandbox() { "rotate-heading-sandbox" } else { "rotate-heading" })
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = self.problem.map(|problem| match problem {
            RotateProblem::WrongPassword => Complaint::about("password", t.text("current-wrong")),
            RotateProblem::NoOverlap => Complaint::about("overlap-24h", t.text("overlap-missing")),
            RotateProblem::Throttled { seconds } => Complaint::general(throttled(t, seconds)),
        });
        complaint.into_iter().collect()
    }

    template!(write, view: Rotate, "panel/rotate.html");
}

impl View for RotatedPage {
    fn kind(&self) -> &'static str {
        "rotated"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("rotated-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    template!(write, view: RotatedPage, "panel/rotated.html");
}

impl View for SandboxAccess {
    fn kind(&self) -> &'static str {
        "sandbox"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("sandbox-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        match &self.state {
            SandboxState::Off(form) => form.complaints(t),
            _ => Vec::new(),
        }
    }

    template!(write, view: SandboxAccess, "panel/sandbox.html");
}
