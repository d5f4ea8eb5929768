//! Vendors and the settings that both of their environments share.

use crate::{
    callback::EventFamilies,
    credential::Credential,
    environment::EnvironmentName,
    fiscal::FiscalSettings,
    id::{UserId, VendorId},
    ledger::Terms,
    method::Method,
    time::{TimeZone, Timestamp},
    weburl::WebUrl,
};

#[derive(Debug, Clone)]
pub struct Vendor {
    pub id: VendorId,
    pub name: String,
    /// True if the operator enabled its sandbox.
    pub sandbox: bool,
    /// True if the operator disabled it.
    pub disabled: bool,
    pub created_at: Timestamp,
    /// The super vendor that it is assigned to.
    pub parent: Option<UserId>,
    pub settings: Settings,
    /// Its fees and settlement delay, as agreed on with the operator.
    pub terms: Terms,
    /// Its credentials in both environments, expired ones included.
    pub credentials: Vec<Credential>,
}

impl Vendor {
    /// The shop name that customers see.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.settings.display_name.as_deref().unwrap_or(&self.name)
    }

    /// Returns true when the vendor is not disabled and, for the sandbox, has it enabled.
    #[must_use]
    pub fn may_use(&self, environment: EnvironmentName) -> bool {
        !self.disabled && (environment == EnvironmentName::Live || self.sandbox)
    }
}

/// New values for some of a vendor's settings: the outer `None` keeps one, the inner `None` clears it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsChange {
    pub callback_url: Option<Option<WebUrl>>,
    pub return_url: Option<Option<WebUrl>>,
    pub contact_email: Option<Option<String>>,
    pub methods: Option<Option<Vec<Method>>>,
    pub display_name: Option<Option<String>>,
    pub time_zone: Option<Option<TimeZone>>,
    pub language: Option<Option<String>>,
    pub receipt_copy: Option<bool>,
    pub events: Option<EventFamilies>,
    /// All settings for fiscal receipts together.
    pub fiscal: Option<FiscalSettings>,
}

/// The settings of a vendor, shared by live and sandbox (specification §1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The callback URL for sessions without one of their own.
    pub callback_url: Option<WebUrl>,
    /// The return URL for sessions without one of their own.
    pub return_url: Option<WebUrl>,
    /// The address for notifications about problems, and for copies of receipts.
    pub contact_email: Option<String>,
    /// The methods that the operator restricted the vendor to; `None` for all that are configured.
    pub methods: Option<Vec<Method>>,
    /// The shop name that customers see; `None` for the vendor's own name.
    pub display_name: Option<String>,
    /// The time zone of the times in the panel; `None` for UTC.
    pub time_zone: Option<TimeZone>,
    /// The language of mails, and for customers whose browser asks for none that is available; `None` for
    /// English.
    pub language: Option<String>,
    /// True if the contact e-mail address gets a copy of every receipt.
    pub receipt_copy: bool,
    /// The families of callback events that are sent.
    pub events: EventFamilies,
    /// Its fiscal receipts.
    pub fiscal: FiscalSettings,
}
