//! What people with rights did: who, what, about whom, when and from where. A line is written in the same
//! commit as what it tells of, and never changed. Lines are sealed by a hash chain ([`seal`]).

mod chain;

pub use chain::{StoredLine, canonical_bytes, seal};

use crate::{
    id::{AuditId, FormId, UserId, VendorId},
    time::Timestamp,
    words::words,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The user, if they logged in.
    pub user: Option<UserId>,
    /// Their address, `shell` for whoever has the machine, or `system` for the service itself.
    pub name: String,
    /// Where their request came from.
    pub address: Option<String>,
    /// The form that they sent, if it counts only once. It is not part of a line.
    pub form: Option<FormId>,
}

impl Actor {
    /// Whoever runs commands on the machine.
    #[must_use]
    pub fn shell() -> Self {
        Self { user: None, name: "shell".to_owned(), address: None, form: None }
    }

    /// The service, where the operator has told it to act by itself.
    #[must_use]
    pub fn system() -> Self {
        Self { name: "system".to_owned(), ..Self::shell() }
    }
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Actor,
    pub deed: Deed,
    pub vendor: Option<VendorId>,
    pub user: Option<UserId>,
    /// More about it, for people; never a secret.
    pub detail: Option<String>,
}

impl AuditEntry {
    /// What somebody does at this moment.
    #[must_use]
    pub fn new(id: AuditId, at: Timestamp, actor: Actor, deed: Deed) -> Self {
        Self { id, at, actor, deed, vendor: None, user: None, detail: None }
    }

    /// The same, about a vendor.
    #[must_use]
    pub fn about(self, vendor: VendorId) -> Self {
        Self { vendor: Some(vendor), ..self }
    }

    /// The same, about a user.
    #[must_use]
    pub fn with(self, user: UserId) -> Self {
        Self { user: Some(user), ..self }
    }

    /// The same, with more about it.
    #[must_use]
    pub fn saying(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }
}

/// Who asked for something, and why. The detail of a line about a sandbox tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub by: String,
    pub why: String,
}

/// What is wrong with what somebody typed about who asked and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedProblem {
    ByMissing,
    /// The name is too long.
    ByTooLong,
    /// There is no reason.
    WhyMissing,
    /// The reason is too long.
    WhyTooLong,
}

impl Asked {
    /// The reason of a sandbox that is on since its vendor was made.
    pub const FROM_THE_START: &str = "on from the start";

    /// The most characters of a name.
    pub const MAX_BY: usize = 254;

    /// The most characters of a reason.
    pub const MAX_WHY: usize = 500;

    const START: &str = "asked by ";

    /// What somebody typed, or everything that is wrong with it.
    pub fn new(by: &str, why: &str) -> Result<Self, Vec<AskedProblem>> {
        use AskedProblem::{ByMissing, ByTooLong, WhyMissing, WhyTooLong};
        let (by, why) = (by.trim(), why.trim());
        let wrong = |text: &str, most: usize, missing, long| match text.chars().count() {
            0 => Some(missing),
            count if count > most => Some(long),
            _ => None,
        };
        let problems: Vec<_> = wrong(by, Self::MAX_BY, ByMissing, ByTooLong)
            .into_iter()
            .chain(wrong(why, Self::MAX_WHY, WhyMissing, WhyTooLong))
            .collect();
        if problems.is_empty() { Ok(Self { by: by.to_owned(), why: why.to_owned() }) } else { Err(problems) }
    }

    /// The detail of a line.
    #[must_use]
    pub fn detail(&self) -> String {
        // The first colon with a space ends the name.
        let by = self.by.replace(": ", ", ");
        if self.why.is_empty() {
            format!("{}{by}", Self::START)
        } else {
            format!("{}{by}: {}", Self::START, self.why)
        }
    }

    /// Who asked and why, read from the detail of a line.
    #[must_use]
    pub fn parse(detail: &str) -> Option<Self> {
        let told = detail.strip_prefix(Self::START)?;
        let (by, why) = told.split_once(": ").unwrap_or((told, ""));
        Some(Self { by: by.to_owned(), why: why.to_owned() })
    }
}

words! {
    pub enum Deed {
        /// A vendor was made.
        VendorCreated = "vendor_created",
        /// A vendor was disabled.
        VendorDisabled = "vendor_disabled",
        /// A vendor was enabled again.
        VendorEnabled = "vendor_enabled",
        /// A sandbox was switched on; the detail says who asked and why.
        SandboxOn = "sandbox_on",
        /// A sandbox was switched off; the detail says who asked and why.
        SandboxOff = "sandbox_off",
        /// A vendor asked for a sandbox.
        SandboxAsked = "sandbox_asked",
        /// The operator set a vendor's wish for a sandbox aside.
        SandboxRefused = "sandbox_refused",
        /// Settings were changed; the detail says which.
        SettingsChanged = "settings_changed",
        /// A vendor was put below a super vendor, or taken away.
        ParentChanged = "parent_changed",
        /// What is agreed on with a vendor about its money was changed; the detail says what.
        TermsChanged = "terms_changed",
        /// A client secret was shown; the detail is the environment.
        SecretRevealed = "secret_revealed",
        /// A super vendor opened a page with a vendor's credentials; the detail is the environment.
        CredentialsSeen = "credentials_seen",
        /// A pair was replaced; the detail is the environment and the overlap.
        SecretRotated = "secret_rotated",
        /// A test callback was sent.
        TestCallback = "test_callback",
        /// Callbacks were sent once more; the detail says which.
        CallbackResent = "callback_resent",
        /// The next attempt of a callback was made at once; the detail says of which.
        CallbackHastened = "callback_hastened",
        /// A user was added; the detail is the role.
        UserCreated = "user_created",
        /// A user was shut out.
        UserDisabled = "user_disabled",
        /// A user was let in again.
        UserEnabled = "user_enabled",
        /// A one-time link was made; the detail is what for.
        LinkMade = "link_made",
        /// A password was set.
        PasswordSet = "password_set",
        /// A second factor was set up.
        FactorOn = "factor_on",
        /// A second factor was taken away.
        FactorOff = "factor_off",
        /// Somebody got new recovery codes, and the old ones stopped working.
        RecoveryCodesMade = "recovery_codes_made",
        /// Somebody got in with a recovery code.
        RecoveryCodeUsed = "recovery_code_used",
        /// Log-ins of a user were ended.
        LoginsEnded = "logins_ended",
        LoggedIn = "logged_in",
        /// A user logged out.
        LoggedOut = "logged_out",
        /// A log-in failed: a wrong password, too many tries, or a name that no user has, which is the detail.
        LoginFailed = "login_failed",
        /// The second step of a log-in failed.
        CodeFailed = "code_failed",
        /// A logged-in user gave a wrong password; the detail is where it was asked for.
        PasswordFailed = "password_failed",
        /// Something was refused; the detail says what and why.
        AccessRefused = "access_refused",
        /// A user got another role at their vendor; the detail is the new one.
        RoleChanged = "role_changed",
        /// A product was added; the detail says which, as for all that follow.
        ProductCreated = "product_created",
        /// A product was changed.
        ProductChanged = "product_changed",
        /// A product was taken off sale.
        ProductArchived = "product_archived",
        /// A product was put back on sale.
        ProductRestored = "product_restored",
        /// Products were imported; the detail says how many.
        ProductsImported = "products_imported",
        /// A category was added.
        CategoryCreated = "category_created",
        /// A category was renamed.
        CategoryChanged = "category_changed",
        /// A category was taken out of use.
        CategoryArchived = "category_archived",
        /// A category was put back in use.
        CategoryRestored = "category_restored",
        /// Categories were imported; the detail says how many.
        CategoriesImported = "categories_imported",
        /// It was decided about money that came late, short or unexpectedly; the detail says what.
        ActionResolved = "action_resolved",
        /// A vendor asked for some of its money; the detail says for how much, as for all that follow.
        PayoutAsked = "payout_asked",
        /// A payout was approved.
        PayoutApproved = "payout_approved",
        /// A payout was refused; the money is the vendor's again.
        PayoutRefused = "payout_refused",
        /// A payout was sent.
        PayoutSent = "payout_sent",
        /// A payout failed; the money is the vendor's again.
        PayoutFailed = "payout_failed",
        /// A refund was asked for; the detail says of what.
        RefundRequested = "refund_requested",
        /// A provider was set up; the detail is its name, as for all that follow.
        ProviderSetUp = "provider_set_up",
        /// A provider was set up anew.
        ProviderChanged = "provider_changed",
        /// A provider was switched on.
        ProviderOn = "provider_on",
        /// A provider was switched off.
        ProviderOff = "provider_off",
        /// Providers were put into another order; the detail is all of it.
        ProvidersOrdered = "providers_ordered",
        /// Somebody said by which transaction they sent a refund; the detail says of what, and names it.
        RefundSent = "refund_sent",
        /// Somebody said that a refund cannot be sent; the detail says of what.
        RefundGivenUp = "refund_given_up",
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, AskedProblem, Deed};

    #[test]
    fn who_asked_and_why_has_to_be_said_in_few_words() {
        use AskedProblem::{ByMissing, ByTooLong, WhyMissing, WhyTooLong};
        assert_eq!(Asked::new(" ", "\t"), Err(vec![ByMissing, WhyMissing]));
        let (by, why) = ("я".repeat(254), "я".repeat(500));
        assert_eq!(Asked::new(&format!(" {by} "), &why), Ok(Asked { by: by.clone(), why: why.clone() }));
        assert_eq!(Asked::new(&format!("{by}x"), &format!("{why}x")), Err(vec![ByTooLong, WhyTooLong]));
    }

    #[test]
    fn who_asked_and_why_is_read_back() {
        for (by, why) in [("ada@shop.example", "to try: callbacks"), ("Ada, the boss", ""), ("x:y", "z")] {
            let asked = Asked { by: by.to_owned(), why: why.to_owned() };
            assert_eq!(Asked::parse(&asked.detail()), Some(asked));
        }
        let colon = Asked { by: "Ada: boss".to_owned(), why: "a test".to_owned() };
        assert_eq!(Asked::parse(&colon.detail()).map(|asked| asked.why).as_deref(), Some("a test"));
        assert_eq!(Asked::parse("methods: card"), None);
    }

    #[test]
    fn every_deed_has_a_word_of_its_own() {
        for deed in Deed::ALL {
            assert_eq!(Deed::parse(deed.as_str()), Some(*deed));
        }
    }
}
