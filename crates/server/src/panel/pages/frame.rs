//! What surrounds every page: who looks, where they are, and what just happened.

use crate::{
    panel::pages::{Language, Place, Zone},
    web::words::Words,
};
use till_domain::user::Role;

/// What surrounds a page's content.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The language of every word.
    pub language: Language,
    /// The zone of every moment.
    pub zone: Zone,
    /// The path of the page, with its query if that says what it shows: for the language switch, and for
    /// forms that post to where they are.
    pub path: String,
    /// What forms carry, so that no other site can send them.
    pub csrf: String,
    /// What tells this page's forms from those of the same page loaded again, so that each counts once.
    pub once: String,
    /// Who looks, if they are known.
    pub who: Option<Who>,
    /// Which entry of the navigation this page belongs to.
    pub place: Option<Place>,
    /// Whether the page shows the sandbox of its vendor.
    pub sandbox_banner: bool,
    pub notice: Option<Notice>,
    /// Requests that wait for an operator, shown beside their entry.
    pub open_requests: u64,
    /// Money that waits for an operator's decision, shown beside its entry.
    pub open_actions: u64,
    /// Payouts that wait for an operator, shown beside their entry.
    pub open_payouts: u64,
    /// Refunds that a person has to send, shown beside their entry.
    pub open_refunds: u64,
}

impl Frame {
    /// This page in a language.
    pub fn in_language(&self, language: &Language) -> String {
        let mark = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{mark}{}={}", self.path, Language::NAME, language.word())
    }
}

/// Who looks at a page.
#[derive(Debug, Clone)]
pub struct Who {
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// The name of their vendor; operators have none.
    pub vendor: Option<String>,
}

impl Who {
    /// What leads the account block: the vendor, or the person.
    pub fn name(&self) -> &str {
        self.vendor.as_deref().unwrap_or(&self.email)
    }
}

impl Words {
    /// The name of a role.
    pub fn role(&self, role: &Role) -> String {
        self.text(&format!("role-{}", role.as_str().replace('_', "-")))
    }

    /// What the role may do.
    pub fn role_hint(&self, role: &Role) -> String {
        self.text(&format!("role-{}-hint", role.as_str().replace('_', "-")))
    }
}

/// What just happened, told once on the page that a form leads to. A redirect carries its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A form was saved.
    Saved,
    /// A password was set; log in with it.
    PasswordSet,
    /// A password was changed; other sessions are over.
    PasswordChanged,
    /// The second step is on.
    TotpOn,
    /// The second step is off.
    TotpOff,
    /// One session was ended.
    SessionEnded,
    /// Several sessions were ended.
    SessionsEnded,
    /// The user logged out.
    LoggedOut,
    /// The sandbox was asked for.
    SandboxAsked,
    /// The sandbox was switched on.
    SandboxOn,
    /// The sandbox was switched off.
    SandboxOff,
    Disabled,
    Enabled,
    /// A request was dismissed.
    Dismissed,
    /// A table was imported.
    Imported,
    /// A product or category was archived.
    Archived,
    /// A product or category is back.
    Restored,
    /// Somebody was removed from a team.
    Removed,
    /// Somebody may log in again.
    LetIn,
    /// Somebody else was faster; nothing was changed.
    Overtaken,
    /// Nobody else could run the vendor; nothing was changed.
    LastAdmin,
    /// It did not work; nothing was changed.
    Failed,
    /// A callback is sent once more.
    Resent,
    /// The next attempt of a callback is made now.
    SentNow,
    /// Callbacks are sent once more.
    ResentAll,
    /// A callback was on its way already.
    OnItsWay,
    /// A callback has no address, and is not sent.
    NoAddress,
    /// A decision is written down.
    Decided,
    /// A payout was asked for.
    PayoutAsked,
    /// A payout took its next step.
    PayoutMoved,
    /// A refund is on its way.
    Refunded,
    /// What was sent by hand is being checked.
    HandSent,
    /// A refund cannot be sent.
    HandGivenUp,
    /// It would leave nobody to run the service.
    LastOperator,
    /// The form was sent before; nothing was done again.
    Repeated,
    /// The session had ended: what was typed is here again, and not saved.
    Unsaved,
    /// The session had ended: nothing was done.
    NotDone,
}

impl Notice {
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
            Self::LastOperator => "last-operator",
            Self::Repeated => "repeated",
            Self::Unsaved => "unsaved",
            Self::NotDone => "not-done",
        }
    }

    /// The notice with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|notice| notice.word() == word)
    }

    /// Whether it is bad news.
    pub fn is_bad(self) -> bool {
        use Notice::{
            Failed, LastAdmin, LastOperator, NoAddress, NotDone, OnItsWay, Overtaken, Repeated, Unsaved,
        };
        let refused = matches!(self, Overtaken | LastAdmin | LastOperator | OnItsWay | NoAddress);
        refused || matches!(self, Failed | Repeated | Unsaved | NotDone)
    }

    /// The class that gives it its colour.
    pub fn class(self) -> &'static str {
        if self.is_bad() { "failed" } else { "paid" }
    }

    pub fn icon(self) -> &'static str {
        if self.is_bad() { "alert" } else { "paid" }
    }
}
