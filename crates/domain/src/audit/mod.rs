//! The audit log: who did what to which vendor or user, when, and from which address.
//!
//! A line is written in the same commit as the change that it records where both are in the same database,
//! and is never changed. Lines are sealed by a hash chain ([`seal`]).

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
    /// The user's e-mail address, `shell` for commands on the machine, or `system` for the service itself.
    pub name: String,
    /// The IP address that the request came from.
    pub address: Option<String>,
    /// The submitted form, if it may take effect only once. It is not part of the line.
    pub form: Option<FormId>,
}

impl Actor {
    /// The actor of commands that are run on the machine.
    #[must_use]
    pub fn shell() -> Self {
        Self { user: None, name: "shell".to_owned(), address: None, form: None }
    }

    /// The service, where it acts without a person.
    #[must_use]
    pub fn system() -> Self {
        Self { name: "system".to_owned(), ..Self::shell() }
    }
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Actor,
    pub event: AuditEvent,
    pub vendor: Option<VendorId>,
    pub user: Option<UserId>,
    /// Additional text for people; never a secret.
    pub detail: Option<String>,
}

impl AuditEntry {
    /// A line about no vendor and no user, without detail.
    #[must_use]
    pub fn new(id: AuditId, at: Timestamp, actor: Actor, event: AuditEvent) -> Self {
        Self { id, at, actor, event, vendor: None, user: None, detail: None }
    }

    /// Sets the vendor that the line is about.
    #[must_use]
    pub fn about(self, vendor: VendorId) -> Self {
        Self { vendor: Some(vendor), ..self }
    }

    /// Sets the user that the line is about.
    #[must_use]
    pub fn with(self, user: UserId) -> Self {
        Self { user: Some(user), ..self }
    }

    /// Sets the detail.
    #[must_use]
    pub fn saying(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }
}

/// Who requested that a sandbox is switched on or off, and why. Kept as text in the detail of the audit line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxRequest {
    pub by: String,
    pub why: String,
}

/// A validation error of [`SandboxRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxRequestProblem {
    ByMissing,
    ByTooLong,
    WhyMissing,
    WhyTooLong,
}

impl SandboxRequest {
    /// The reason recorded for a sandbox that is on since its vendor was created.
    pub const FROM_THE_START: &str = "on from the start";

    /// Maximum characters of `by`.
    pub const MAX_BY: usize = 254;

    /// Maximum characters of `why`.
    pub const MAX_WHY: usize = 500;

    const START: &str = "asked by ";

    /// Validates the text that a user typed; the error lists every problem.
    pub fn new(by: &str, why: &str) -> Result<Self, Vec<SandboxRequestProblem>> {
        use SandboxRequestProblem::{ByMissing, ByTooLong, WhyMissing, WhyTooLong};
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

    /// The detail of an audit line; [`parse`](Self::parse) reads it back.
    #[must_use]
    pub fn detail(&self) -> String {
        // `parse` ends the name at the first colon with a space.
        let by = self.by.replace(": ", ", ");
        if self.why.is_empty() {
            format!("{}{by}", Self::START)
        } else {
            format!("{}{by}: {}", Self::START, self.why)
        }
    }

    /// Reads who asked and why from the detail of an audit line.
    #[must_use]
    pub fn parse(detail: &str) -> Option<Self> {
        let rest = detail.strip_prefix(Self::START)?;
        let (by, why) = rest.split_once(": ").unwrap_or((rest, ""));
        Some(Self { by: by.to_owned(), why: why.to_owned() })
    }
}

words! {
    pub enum AuditEvent {
        VendorCreated = "vendor_created",
        VendorDisabled = "vendor_disabled",
        VendorEnabled = "vendor_enabled",
        /// A sandbox was switched on; the detail says who asked and why.
        SandboxOn = "sandbox_on",
        /// A sandbox was switched off; the detail says who asked and why.
        SandboxOff = "sandbox_off",
        /// A vendor requested a sandbox.
        SandboxAsked = "sandbox_asked",
        /// The operator declined a vendor's request for a sandbox.
        SandboxRefused = "sandbox_refused",
        /// Settings were changed; the detail says which.
        SettingsChanged = "settings_changed",
        /// A vendor was assigned to a super vendor, or removed from it.
        ParentChanged = "parent_changed",
        /// The terms of a vendor (fees, settlement delay) were changed; the detail says what.
        TermsChanged = "terms_changed",
        /// A client secret was shown; the detail is the environment.
        SecretRevealed = "secret_revealed",
        /// A super vendor opened a page with a vendor's credentials; the detail is the environment.
        CredentialsSeen = "credentials_seen",
        /// A client id and secret were rotated; the detail is the environment and the overlap.
        SecretRotated = "secret_rotated",
        /// A test callback was sent.
        TestCallback = "test_callback",
        /// A check of a vendor's endpoint was started; the detail is the URL.
        EndpointCheckStarted = "endpoint_check_started",
        /// The default delivery of the sandbox's callbacks was changed; the detail is the fault.
        SandboxDeliveryChanged = "sandbox_delivery_changed",
        /// Callbacks were resent; the detail says which.
        CallbackResent = "callback_resent",
        /// The next attempt of a callback was made due at once; the detail says of which.
        CallbackHastened = "callback_hastened",
        /// A user was added; the detail is the role.
        UserCreated = "user_created",
        /// A user was disabled and can no longer log in.
        UserDisabled = "user_disabled",
        /// A disabled user was enabled again.
        UserEnabled = "user_enabled",
        /// A one-time link was made; the detail is its purpose.
        LinkMade = "link_made",
        PasswordSet = "password_set",
        /// A second factor was set up.
        FactorOn = "factor_on",
        /// A second factor was removed.
        FactorOff = "factor_off",
        /// A user got new recovery codes; the old ones stopped working.
        RecoveryCodesMade = "recovery_codes_made",
        /// A user logged in with a recovery code.
        RecoveryCodeUsed = "recovery_code_used",
        /// Log-ins of a user were ended.
        LoginsEnded = "logins_ended",
        LoggedIn = "logged_in",
        LoggedOut = "logged_out",
        /// A log-in failed: a wrong password, too many tries, or an unknown user name, which is the detail.
        LoginFailed = "login_failed",
        /// The second factor was wrong at a log-in.
        CodeFailed = "code_failed",
        /// A logged-in user entered a wrong password; the detail is where it was asked for.
        PasswordFailed = "password_failed",
        /// A request to the panel was refused (CSRF check, missing right); the detail says what and why.
        AccessRefused = "access_refused",
        /// A user's role at the vendor was changed; the detail is the new one.
        RoleChanged = "role_changed",
        /// A product was added; the detail names it, as in the product and category deeds that follow.
        ProductCreated = "product_created",
        ProductChanged = "product_changed",
        /// A product was taken off sale.
        ProductArchived = "product_archived",
        /// A product was put back on sale.
        ProductRestored = "product_restored",
        /// Products were imported; the detail says how many.
        ProductsImported = "products_imported",
        CategoryCreated = "category_created",
        /// A category was renamed.
        CategoryChanged = "category_changed",
        /// A category was taken out of use.
        CategoryArchived = "category_archived",
        /// A category was put back in use.
        CategoryRestored = "category_restored",
        /// Categories were imported; the detail says how many.
        CategoriesImported = "categories_imported",
        /// An action was resolved: a decision about money that came late, short or unexpectedly; the detail
        /// says what.
        ActionResolved = "action_resolved",
        /// An action was given to an operator or to none; the detail says to which one, and which action.
        ActionAssigned = "action_assigned",
        /// A note was added to an action; the detail says which.
        ActionNoted = "action_noted",
        /// A vendor requested a payout; the detail is the amount, as in the payout deeds that follow.
        PayoutAsked = "payout_asked",
        PayoutApproved = "payout_approved",
        /// A payout was refused; the money is available to the vendor again.
        PayoutRefused = "payout_refused",
        PayoutSent = "payout_sent",
        /// A payout failed; the money is available to the vendor again.
        PayoutFailed = "payout_failed",
        /// A refund was requested; the detail is the amount and the session.
        RefundRequested = "refund_requested",
        /// A provider was set up; the detail is its name, as in the provider deeds that follow.
        ProviderSetUp = "provider_set_up",
        /// The setup of a provider was replaced.
        ProviderChanged = "provider_changed",
        ProviderOn = "provider_on",
        ProviderOff = "provider_off",
        /// The order of the providers was changed; the detail is the whole order.
        ProvidersOrdered = "providers_ordered",
        /// The operator named the transaction that sent a refund by hand; the detail says of what, and names
        /// it.
        RefundSent = "refund_sent",
        /// The operator said that a refund cannot be sent by hand; the detail says of what.
        RefundGivenUp = "refund_given_up",
        /// The operator said that a refund was made of which its provider does not tell; the detail says of what.
        RefundConfirmed = "refund_confirmed",
        /// An operator requested a comparison of a provider's books; the detail is the provider and the days.
        ReconciliationRequested = "reconciliation_requested",
        /// An operator ended a pending session before its deadline; the detail is the environment and the session.
        SessionExpired = "session_expired",
        /// The store was put on hold: nothing leaves and nothing expires. The detail is the reason.
        HoldPlaced = "hold_placed",
        /// The hold was released; the detail says what was waiting.
        HoldReleased = "hold_released",
        /// Another master key was put in use; the detail is the names of both.
        KeyRotationStarted = "key_rotation_started",
        /// Everything is sealed with the new master key; the detail is the number of texts that were sealed anew.
        KeyRotationCompleted = "key_rotation_completed",
        /// An operator erased the personal data of a customer; the detail is the numbers of sessions.
        PersonalDataErased = "personal_data_erased",
    }
}

#[cfg(test)]
mod tests {
    use super::{AuditEvent, SandboxRequest, SandboxRequestProblem};

    #[test]
    fn who_asked_and_why_has_to_be_said_in_few_words() {
        use SandboxRequestProblem::{ByMissing, ByTooLong, WhyMissing, WhyTooLong};
        assert_eq!(SandboxRequest::new(" ", "\t"), Err(vec![ByMissing, WhyMissing]));
        let (by, why) = ("я".repeat(254), "я".repeat(500));
        assert_eq!(
            SandboxRequest::new(&format!(" {by} "), &why),
            Ok(SandboxRequest { by: by.clone(), why: why.clone() })
        );
        assert_eq!(
            SandboxRequest::new(&format!("{by}x"), &format!("{why}x")),
            Err(vec![ByTooLong, WhyTooLong])
        );
    }

    #[test]
    fn who_asked_and_why_is_read_back() {
        for (by, why) in [("ada@shop.example", "to try: callbacks"), ("Ada, the boss", ""), ("x:y", "z")] {
            let request = SandboxRequest { by: by.to_owned(), why: why.to_owned() };
            assert_eq!(SandboxRequest::parse(&request.detail()), Some(request));
        }
        let colon = SandboxRequest { by: "Ada: boss".to_owned(), why: "a test".to_owned() };
        assert_eq!(
            SandboxRequest::parse(&colon.detail()).map(|request| request.why).as_deref(),
            Some("a test")
        );
        assert_eq!(SandboxRequest::parse("methods: card"), None);
    }

    #[test]
    fn every_event_has_a_word_of_its_own() {
        for event in AuditEvent::ALL {
            assert_eq!(AuditEvent::parse(event.as_str()), Some(*event));
        }
    }
}
