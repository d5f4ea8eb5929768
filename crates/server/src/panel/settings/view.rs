//! A vendor's settings: credentials, addresses, the rotation of a secret, and access to the sandbox.

use crate::{
    panel::pages::{
        Language,
        form::{Complaint, Input, throttled},
        view::{Crumb, View, template},
    },
    web::words::Words,
};
use till_domain::{
    audit::AskedProblem, delivery::AttemptResult, environment::Environment, time::Timestamp,
    weburl::UrlProblem,
};

#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose credentials are shown: those of the sandbox while it is on, else the live ones.
    pub environment: Environment,
    /// The client id of the newest pair.
    pub client_id: String,
    pub secret: Secret,
    /// When the pair was last rotated; none if never.
    pub rotated_at: Option<Timestamp>,
    /// A rotation whose old pair still works.
    pub overlap: Option<Overlap>,
    /// Whether the user may reveal, rotate, save and test.
    pub can_change: bool,
    /// The addresses as they are, or as they were typed.
    pub form: SettingsForm,
    /// What is wrong with what was typed.
    pub problems: Vec<SettingsProblem>,
    /// Names of time zones to suggest.
    pub zones: Vec<String>,
    /// Whether a callback address is saved, so that it can be tested.
    pub can_test: bool,
    /// What the test callback came to.
    pub test: Option<TestResult>,
}

/// A secret on a page.
#[derive(Debug, Clone)]
pub enum Secret {
    /// Only dots.
    Hidden,
    /// In clear, on the page that answers the form.
    Shown(String),
}

/// A rotation whose old pair still works.
#[derive(Debug, Clone)]
pub struct Overlap {
    pub until: Timestamp,
    pub old_client_id: String,
    /// Whether the new pair was used: then its secret is the one of `X-Signature`, else the old one is.
    pub new_signs: bool,
}

/// What the form of the addresses holds, as text.
#[derive(Debug, Clone)]
pub struct SettingsForm {
    pub callback_url: String,
    /// Where customers go after paying.
    pub return_url: String,
    pub contact_email: String,
    pub display_name: String,
    /// The name of a time zone.
    pub time_zone: String,
    /// The language of mails.
    pub language: Language,
    /// Whether the contact address gets a copy of every receipt.
    pub receipt_copy: bool,
    /// Whether "this changes live too" was ticked.
    pub confirm_shared: bool,
}

/// What is wrong with the addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsProblem {
    CallbackUrl(UrlProblem),
    ReturnUrl(UrlProblem),
    /// The contact address is not an e-mail address.
    ContactEmail,
    /// There has to be a name.
    NameMissing,
    /// The name is over 100 characters.
    NameTooLong,
    /// No such time zone.
    TimeZone,
    /// The box has to be ticked.
    ConfirmShared,
}

/// What a test callback came to.
#[derive(Debug, Clone, Copy)]
pub struct TestResult {
    pub result: AttemptResult,
    /// How long it took.
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

fn of_url(problem: UrlProblem, t: &Words) -> String {
    match problem {
        UrlProblem::TooLong => t.text("url-long"),
        UrlProblem::Malformed => t.text("url-malformed"),
        UrlProblem::UserInfo => t.text("url-user"),
        UrlProblem::PrivateAddress => t.text("url-private"),
    }
}

impl Settings {
    pub fn is_sandbox(&self) -> bool {
        self.environment == Environment::Sandbox
    }

    /// A field of the form, in its place.
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
            _ => Input { list: Some("zones"), ..input(&form.time_zone) },
        };
        input.fixed(!self.can_change).marked(&self.complaints(t))
    }

    /// The error of the box, if it has to be ticked.
    pub fn unconfirmed(&self) -> bool {
        self.problems.contains(&SettingsProblem::ConfirmShared)
    }

    /// Whether live callbacks would go out unencrypted.
    pub fn plain_http(&self) -> bool {
        !self.is_sandbox() && self.form.callback_url.trim_start().to_ascii_lowercase().starts_with("http://")
    }
}

/// Asks how a secret is rotated.
#[derive(Debug, Clone)]
pub struct Rotate {
    pub environment: Environment,
    /// The client id as it is now.
    pub client_id: String,
    pub overlap: OverlapChoice,
    /// Why it is shown again.
    pub problem: Option<RotateProblem>,
}

/// How long the old pair works beside the new one.
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

    /// The choice with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.word() == word)
    }
}

/// Why nothing was rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotateProblem {
    WrongPassword,
    /// No overlap was chosen.
    NoOverlap,
    Throttled {
        /// When to try again.
        seconds: u64,
    },
}

impl Rotate {
    pub fn is_sandbox(&self) -> bool {
        self.environment == Environment::Sandbox
    }

    pub fn input(&self, t: &Words) -> Input {
        let input = Input::password("password", t.text("your-password"), "current-password");
        input.marked(&self.complaints(t))
    }
}

/// The new pair, shown once.
#[derive(Debug, Clone)]
pub struct Rotated {
    pub environment: Environment,
    pub client_id: String,
    pub secret: String,
    /// Until when the old one works; none if it no longer does.
    pub old_until: Option<Timestamp>,
}

impl Rotated {
    pub fn is_sandbox(&self) -> bool {
        self.environment == Environment::Sandbox
    }
}

/// A vendor's access to the sandbox.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub state: SandboxState,
    /// Whom to ask: an e-mail address or a web address.
    pub support: Option<String>,
}

/// What a vendor's access to the sandbox is.
#[derive(Debug, Clone)]
pub enum SandboxState {
    /// None, and nobody asked.
    Off(AskSandbox),
    Asked {
        at: Timestamp,
        by: String,
        reason: String,
    },
    On {
        /// When, if it is known.
        at: Option<Timestamp>,
        /// By whom, if it is known.
        by: Option<String>,
    },
}

/// The form that asks for the sandbox.
#[derive(Debug, Clone, Default)]
pub struct AskSandbox {
    pub reason: String,
    /// What is wrong with it.
    pub problem: Option<AskedProblem>,
    /// Whether the user may ask.
    pub can_ask: bool,
}

impl AskSandbox {
    pub fn error(&self, t: &Words) -> Option<String> {
        self.problem.map(|problem| match problem {
            AskedProblem::WhyTooLong => t.text("reason-long"),
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

impl View for Rotated {
    fn kind(&self) -> &'static str {
        "rotated"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("rotated-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    template!(write, view: Rotated, "panel/rotated.html");
}

impl View for Sandbox {
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

    template!(write, view: Sandbox, "panel/sandbox.html");
}
