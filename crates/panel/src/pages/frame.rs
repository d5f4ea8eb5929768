//! The frame of every page: the user, the navigation, and the notice of the last change.

use crate::pages::{Language, NavItem, Zone, counted::UndeliveredCount};
use till_domain::{time::Timestamp, user::Role};

/// The data around a page's content.
#[derive(Debug, Clone)]
pub struct Frame {
    pub language: Language,
    /// The zone in which times are shown.
    pub zone: Zone,
    /// When the page is shown: times of this year are written without the year.
    pub now: Timestamp,
    /// The path of the page, with the query if it selects the content: for the language switch, and for forms
    /// that post to their own page.
    pub path: String,
    /// The CSRF token of forms.
    pub csrf: String,
    /// An idempotency key, new each time the page is rendered, so that a form sent twice counts once.
    pub once: String,
    /// The logged-in user, if any.
    pub who: Option<Viewer>,
    /// The navigation entry of this page.
    pub place: Option<NavItem>,
    /// True if the page shows the sandbox of its vendor.
    pub sandbox_banner: bool,
    /// Whether live payments move money.
    pub live_payments: LivePayments,
    pub notice: Option<FlashMessage>,
    /// Open sandbox requests, shown beside their entry.
    pub open_requests: u64,
    /// Actions that wait for a decision, shown beside their entry.
    pub open_actions: u64,
    /// Payouts that wait for an operator, shown beside their entry.
    pub open_payouts: u64,
    /// Refunds to be sent by hand, shown beside their entry.
    pub open_refunds: u64,
    /// Undelivered callbacks of the vendor, shown beside their entry.
    pub undelivered: UndeliveredCount,
}

impl Frame {
    /// True if the page has to say that its money is simulated. The banner of the sandbox says so already.
    pub fn is_simulated(&self) -> bool {
        self.live_payments == LivePayments::Simulated && !self.sandbox_banner
    }

    /// True if the page has to say that no provider takes payments: to the operator, who can change that.
    pub fn lacks_provider(&self) -> bool {
        let operator = self.who.as_ref().is_some_and(|who| who.role == Role::Operator);
        operator && self.live_payments == LivePayments::Impossible
    }

    /// The link to this page in a language.
    pub fn in_language(&self, language: &Language) -> String {
        let mark = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{mark}{}={}", self.path, Language::NAME, language.word())
    }
}

/// Whether live payments move money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LivePayments {
    Real,
    /// A simulator or the test account of a provider takes payments: no money moves.
    Simulated,
    /// No provider takes payments.
    Impossible,
}

/// The user who views a page.
#[derive(Debug, Clone)]
pub struct Viewer {
    pub email: String,
    pub role: Role,
    /// The name of their vendor; operators have none.
    pub vendor: Option<String>,
}

impl Viewer {
    /// The name in the account block: the vendor's, or the user's e-mail address.
    pub fn name(&self) -> &str {
        self.vendor.as_deref().unwrap_or(&self.email)
    }

    /// The document that they start with.
    pub fn docs(&self) -> &'static str {
        if self.role == Role::Operator { "/docs/operations" } else { "/docs/integration" }
    }
}

/// A message about the last change, shown once on the page that a form redirects to. The redirect carries its
/// word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlashMessage {
    /// A form was saved.
    Saved,
    /// A password was set; the user can log in with it.
    PasswordSet,
    /// The password was changed; other log-ins were ended.
    PasswordChanged,
    TotpOn,
    TotpOff,
    /// One log-in was ended.
    SessionEnded,
    /// Several log-ins were ended.
    SessionsEnded,
    LoggedOut,
    SandboxAsked,
    SandboxOn,
    SandboxOff,
    Disabled,
    Enabled,
    /// A sandbox request was dismissed.
    Dismissed,
    /// A hold was released.
    Released,
    /// Personal data was erased.
    Erased,
    /// Personal data was erased, except that of sessions with open work.
    ErasedInPart,
    /// Personal data was erased, without having searched all texts.
    ErasedIncompletely,
    /// A table was imported.
    Imported,
    /// A product or category was archived.
    Archived,
    /// A product or category was restored.
    Restored,
    /// A user was removed from a team.
    Removed,
    /// A removed user may log in again.
    LetIn,
    /// Another user changed it first; nothing was changed.
    Overtaken,
    /// The vendor would have no admin left; nothing was changed.
    LastAdmin,
    /// It did not work; nothing was changed.
    Failed,
    /// A callback is sent once more.
    Resent,
    /// The next attempt of a callback is made now.
    SentNow,
    /// Undelivered callbacks are sent once more.
    ResentAll,
    /// A callback was queued or being sent already.
    OnItsWay,
    /// A callback has no address, and is not sent.
    NoAddress,
    /// A decision about an action was stored.
    Decided,
    /// A payout was asked for.
    PayoutAsked,
    /// A payout took its next step.
    PayoutMoved,
    /// A refund was started.
    Refunded,
    /// A refund sent by hand is being checked.
    HandSent,
    /// A refund to be sent by hand was given up.
    HandGivenUp,
    /// A refund of which the provider did not say whether it was made was confirmed.
    RefundConfirmed,
    /// A reconciliation was requested.
    RunRequested,
    /// The service would have no operator left; nothing was changed.
    LastOperator,
    /// The form was sent before; nothing was done again.
    Repeated,
    /// The log-in had ended: the form is filled again, but not saved.
    Unsaved,
    /// The log-in had ended: nothing was done.
    NotDone,
}

impl FlashMessage {
    pub const ALL: &[Self] = &[
        Self::Saved,
        Self::PasswordSet,
        Self::PasswordChanged,
        Self::TotpOn,
        Self::TotpOff,
        Self::SessionEnded,
        Self::SessionsEnded,
        Self::LoggedOut,
        Self::SandboxAsked,
        Self::SandboxOn,
        Self::SandboxOff,
        Self::Disabled,
        Self::Enabled,
        Self::Dismissed,
        Self::Released,
        Self::Erased,
        Self::ErasedInPart,
        Self::ErasedIncompletely,
        Self::Imported,
        Self::Archived,
        Self::Restored,
        Self::Removed,
        Self::LetIn,
        Self::Overtaken,
        Self::LastAdmin,
        Self::Failed,
        Self::Resent,
        Self::SentNow,
        Self::ResentAll,
        Self::OnItsWay,
        Self::NoAddress,
        Self::Decided,
        Self::PayoutAsked,
        Self::PayoutMoved,
        Self::Refunded,
        Self::HandSent,
        Self::HandGivenUp,
        Self::RefundConfirmed,
        Self::RunRequested,
        Self::LastOperator,
        Self::Repeated,
        Self::Unsaved,
        Self::NotDone,
    ];

    /// The word that a redirect carries.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::PasswordSet => "password-set",
            Self::PasswordChanged => "password-changed",
            Self::TotpOn => "totp-on",
            Self::TotpOff => "totp-off",
            Self::SessionEnded => "session-ended",
            Self::SessionsEnded => "sessions-ended",
            Self::LoggedOut => "logged-out",
            Self::SandboxAsked => "sandbox-asked",
            Self::SandboxOn => "sandbox-on",
            Self::SandboxOff => "sandbox-off",
            Self::Disabled => "disabled",
            Self::Enabled => "enabled",
            Self::Dismissed => "dismissed",
            Self::Released => "released",
            Self::Erased => "erased",
            Self::ErasedInPart => "erased-in-part",
            Self::ErasedIncompletely => "erased-incompletely",
            Self::Imported => "imported",
            Self::Archived => "archived",
            Self::Restored => "restored",
            Self::Removed => "removed",
            Self::LetIn => "let-in",
            Self::Overtaken => "overtaken",
            Self::LastAdmin => "last-admin",
            Self::Failed => "failed",
            Self::Resent => "resent",
            Self::SentNow => "sent-now",
            Self::ResentAll => "resent-all",
            Self::OnItsWay => "on-its-way",
            Self::NoAddress => "no-address",
            Self::Decided => "decided",
            Self::PayoutAsked => "payout-asked",
            Self::PayoutMoved => "payout-moved",
            Self::Refunded => "refunded",
            Self::HandSent => "hand-sent",
            Self::HandGivenUp => "hand-given-up",
            Self::RefundConfirmed => "refund-confirmed",
            Self::RunRequested => "run-requested",
            Self::LastOperator => "last-operator",
            Self::Repeated => "repeated",
            Self::Unsaved => "unsaved",
            Self::NotDone => "not-done",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|notice| notice.word() == word)
    }

    /// True if it reports a failure.
    pub fn is_bad(self) -> bool {
        use FlashMessage::{
            Failed, LastAdmin, LastOperator, NoAddress, NotDone, OnItsWay, Overtaken, Repeated, Unsaved,
        };
        let refused = matches!(self, Overtaken | LastAdmin | LastOperator | OnItsWay | NoAddress);
        refused || matches!(self, Failed | Repeated | Unsaved | NotDone)
    }

    /// The CSS class of its colour.
    pub fn class(self) -> &'static str {
        if self.is_bad() { "failed" } else { "paid" }
    }

    pub fn icon(self) -> &'static str {
        if self.is_bad() { "alert" } else { "paid" }
    }
}
