//! What waits for the operator, and who did what.

use crate::web::words::Words;
use till_domain::{id::VendorId, time::Timestamp};

/// Vendors that ask for the sandbox.
#[derive(Debug, Clone)]
pub struct Requests {
    /// The open requests, oldest first.
    pub rows: Vec<Request>,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// What its forms name it by.
    pub id: String,
    /// The vendor.
    pub vendor: VendorId,
    /// Its name.
    pub vendor_name: String,
    /// Who asked.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What for.
    pub reason: Option<String>,
}

/// Who did what.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Only about this vendor: what was typed, a name or id.
    pub vendor: String,
    /// Only by this user: what was typed.
    pub who: String,
    /// The lines of this page, newest first.
    pub rows: Vec<AuditLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// A line of the audit log.
#[derive(Debug, Clone)]
pub struct AuditLine {
    /// When.
    pub at: Timestamp,
    /// Who: an e-mail address, or `command line`.
    pub who: String,
    /// What: the word of an [`Act`]; any other word is shown as it is.
    pub what: String,
    /// More about it: a reason, a value.
    pub detail: Option<String>,
    /// About which vendor or user.
    pub about: Option<Subject>,
    /// From which address.
    pub from: Option<String>,
}

impl AuditLine {
    pub(super) fn text(&self, t: &Words) -> String {
        match Act::parse(&self.what) {
            Some(act) => t.text(&format!("act-{}", act.word().replace('_', "-"))),
            None => self.what.clone(),
        }
    }
}

/// Whom a line of the audit log is about.
#[derive(Debug, Clone)]
pub struct Subject {
    /// A name or an e-mail address.
    pub name: String,
    /// Its page: a path of ours.
    pub href: Option<String>,
}

macro_rules! acts {
    ($($name:ident $word:literal $doc:literal),* $(,)?) => {
        /// What can be done, by its word in the audit log.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Act {
            $(#[doc = $doc] $name,)*
        }

        impl Act {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word in the audit log.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

acts! {
    Login "login" "Logged in.",
    LoginFailed "login_failed" "Tried to log in.",
    Logout "logout" "Logged out.",
    PasswordChanged "password_changed" "Changed the password.",
    PasswordSet "password_set" "Set a password by a link.",
    ResetAsked "reset_asked" "Asked for a link to set a password.",
    TotpOn "totp_on" "Switched the second step on.",
    TotpOff "totp_off" "Switched the second step off.",
    RecoveryUsed "recovery_used" "Used a recovery code.",
    SessionsEnded "sessions_ended" "Ended sessions.",
    SecretRevealed "secret_revealed" "Revealed a secret.",
    SecretRotated "secret_rotated" "Rotated a secret.",
    SettingsChanged "settings_changed" "Changed settings.",
    TestCallback "test_callback" "Sent a test callback.",
    SandboxAsked "sandbox_asked" "Asked for the sandbox.",
    SandboxOn "sandbox_on" "Switched a sandbox on.",
    SandboxOff "sandbox_off" "Switched a sandbox off.",
    RequestDismissed "request_dismissed" "Dismissed a request.",
    VendorCreated "vendor_created" "Made a vendor.",
    VendorDisabled "vendor_disabled" "Disabled a vendor.",
    VendorEnabled "vendor_enabled" "Enabled a vendor.",
    MethodsChanged "methods_changed" "Changed a vendor's methods.",
    ParentChanged "parent_changed" "Changed a vendor's super vendor.",
    UserInvited "user_invited" "Invited a user.",
    UserDisabled "user_disabled" "Disabled a user.",
    UserEnabled "user_enabled" "Enabled a user.",
    UserReset "user_reset" "Made a link to set a user's password.",
    UserTotpOff "user_totp_off" "Switched a user's second step off.",
}

impl Act {
    /// The act with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|act| act.word() == word)
    }
}
