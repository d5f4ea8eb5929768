//! The navigation: the entries that each role has.

use crate::pages::Frame;
use till_domain::user::Role;

/// An entry of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavItem {
    Overview,
    Sessions,
    Transactions,
    /// A vendor's balances.
    Wallet,
    Callbacks,
    Products,
    Settings,
    Team,
    /// The audit log of a vendor.
    History,
    /// A super vendor's profile.
    Profile,
    /// The operator's home.
    Home,
    /// The sessions of all vendors.
    AllSessions,
    /// The transactions of all vendors.
    AllTransactions,
    Vendors,
    Users,
    Requests,
    /// Money that waits for a decision.
    Actions,
    /// Payouts of all vendors.
    Payouts,
    /// Refunds to be sent by hand.
    Refunds,
    Deliveries,
    /// Providers and their health.
    Providers,
    System,
    /// Search by any id.
    Search,
    Audit,
    Account,
}

#[derive(Debug)]
pub struct NavEntry {
    /// The word used in translation keys and tests.
    pub word: &'static str,
    pub href: &'static str,
    pub icon: &'static str,
    /// True if the page belongs to this entry.
    pub current: bool,
    /// The number of what waits there, if anything does.
    pub count: Option<String>,
    /// The translation key of what is counted.
    pub counted: &'static str,
}

/// The place, word, address and icon of every entry, in the order in which they are shown.
const ENTRIES: &[(NavItem, &str, &str, &str)] = &[
    (NavItem::Home, "home", "/operator", "home"),
    (NavItem::AllSessions, "sessions", "/operator/sessions", "list"),
    (NavItem::AllTransactions, "transactions", "/operator/transactions", "swap"),
    (NavItem::Vendors, "vendors", "/operator/vendors", "people"),
    (NavItem::Users, "users", "/operator/users", "person"),
    (NavItem::Requests, "requests", "/operator/requests", "inbox"),
    (NavItem::Actions, "actions", "/operator/actions", "alert"),
    (NavItem::Payouts, "payouts", "/operator/payouts", "wallet"),
    (NavItem::Refunds, "refunds", "/operator/refunds", "swap"),
    (NavItem::Deliveries, "deliveries", "/operator/callbacks", "send"),
    (NavItem::Providers, "providers", "/operator/providers", "plug"),
    (NavItem::System, "system", "/operator/system", "pulse"),
    (NavItem::Search, "search", "/operator/search", "search"),
    (NavItem::Audit, "audit", "/operator/audit", "log"),
    (NavItem::Profile, "profile", "/panel/profile", "people"),
    (NavItem::Overview, "overview", "/panel", "home"),
    (NavItem::Sessions, "sessions", "/panel/sessions", "list"),
    (NavItem::Transactions, "transactions", "/panel/transactions", "swap"),
    (NavItem::Wallet, "wallet", "/panel/wallet", "wallet"),
    (NavItem::Callbacks, "callbacks", "/panel/callbacks", "send"),
    (NavItem::Products, "products", "/panel/products", "tag"),
    (NavItem::Settings, "settings", "/panel/settings", "gear"),
    (NavItem::Team, "team", "/panel/team", "people"),
    (NavItem::History, "audit", "/panel/audit", "log"),
    (NavItem::Account, "account", "/panel/account", "lock"),
];

/// The page of an entry.
#[must_use]
pub fn path(place: NavItem) -> &'static str {
    ENTRIES.iter().find(|entry| entry.0 == place).map_or("/panel", |entry| entry.2)
}

impl NavItem {
    /// True if users with this role have the entry.
    fn is_for(self, role: Role) -> bool {
        match self {
            Self::Account => true,
            Self::Overview
            | Self::Sessions
            | Self::Transactions
            | Self::Wallet
            | Self::Callbacks
            | Self::Products
            | Self::Settings
            | Self::History => role.has_vendor(),
            Self::Team => role == Role::VendorAdmin,
            Self::Profile => role == Role::SuperVendor,
            Self::Vendors | Self::Users | Self::Requests | Self::Audit => role == Role::Operator,
            Self::Home
            | Self::AllSessions
            | Self::AllTransactions
            | Self::Actions
            | Self::Payouts
            | Self::Refunds
            | Self::Deliveries
            | Self::Search
            | Self::Providers
            | Self::System => role == Role::Operator,
        }
    }
}

/// The first page after log-in, by role.
#[must_use]
pub fn home(role: Role) -> &'static str {
    match role {
        Role::Operator => "/operator",
        Role::SuperVendor => "/panel/profile",
        Role::VendorAdmin | Role::VendorViewer => "/panel",
    }
}

/// The number beside an entry; none if nothing waits.
fn badge(count: u64) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

impl Frame {
    /// The entries of the user who views the page.
    pub fn entries(&self) -> Vec<NavEntry> {
        let Some(who) = &self.who else { return Vec::new() };
        // The sandbox has no catalog and no ledger.
        let hidden = |place| matches!(place, NavItem::Products | NavItem::Wallet) && self.sandbox_banner;
        let mine = ENTRIES.iter().copied().filter(|entry| entry.0.is_for(who.role) && !hidden(entry.0));
        mine.map(|(place, word, href, icon)| NavEntry {
            word,
            href,
            icon,
            current: self.place == Some(place),
            counted: if place == NavItem::Callbacks { "undelivered-count" } else { "waiting-count" },
            count: match place {
                NavItem::Requests => badge(self.open_requests),
                NavItem::Actions => badge(self.open_actions),
                NavItem::Payouts => badge(self.open_payouts),
                NavItem::Refunds => badge(self.open_refunds),
                NavItem::Callbacks if !self.undelivered.is_zero() => Some(self.undelivered.to_string()),
                _ => None,
            },
        })
        .collect()
    }
}
