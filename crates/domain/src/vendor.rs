//! Vendors and the settings that both of their environments share.

use crate::{
    credential::Credential,
    environment::Environment,
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
    /// Whether the operator switched its sandbox on.
    pub sandbox: bool,
    /// Whether the operator disabled it.
    pub disabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// The super vendor who watches over it.
    pub parent: Option<UserId>,
    pub settings: Settings,
    /// What it and the operator agreed on about its money.
    pub terms: Terms,
    /// Its credentials in both environments, ended ones included.
    pub credentials: Vec<Credential>,
}

impl Vendor {
    /// What customers read as the shop's name.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.settings.display_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether the vendor may use this environment at all.
    #[must_use]
    pub fn may_use(&self, environment: Environment) -> bool {
        !self.disabled && (environment == Environment::Live || self.sandbox)
    }
}

/// New values for some of a vendor's settings; the inner `None` clears one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsChange {
    /// A new callback URL.
    pub callback_url: Option<Option<WebUrl>>,
    /// A new return URL.
    pub return_url: Option<Option<WebUrl>>,
    /// A new contact e-mail address.
    pub contact_email: Option<Option<String>>,
    pub methods: Option<Option<Vec<Method>>>,
    /// A new name on the checkout.
    pub display_name: Option<Option<String>>,
    /// A new time zone.
    pub time_zone: Option<Option<TimeZone>>,
    pub language: Option<Option<String>>,
    /// Whether receipts are copied from now on.
    pub receipt_copy: Option<bool>,
}

/// What a vendor set, shared by live and sandbox (specification §1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Where callbacks go when a session names no address.
    pub callback_url: Option<WebUrl>,
    /// Where customers go when a session names no address.
    pub return_url: Option<WebUrl>,
    /// Who is told about trouble.
    pub contact_email: Option<String>,
    /// The methods the operator narrowed the vendor to; `None` for all that are configured.
    pub methods: Option<Vec<Method>>,
    /// What customers read as the shop's name; the vendor's own without.
    pub display_name: Option<String>,
    /// The zone of the times in the panel; UTC without.
    pub time_zone: Option<TimeZone>,
    /// The language for customers whose browser asks for none that there is, and of mails; English without.
    pub language: Option<String>,
    /// Whether the contact e-mail address gets a copy of every receipt.
    pub receipt_copy: bool,
}
