//! The page of the search across vendors and environments.

use crate::pages::view::{View, template};
use till_domain::environment::EnvironmentName;
use till_service::web::{links, words::Words};

/// The query and its hits.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The query.
    pub q: String,
    pub hits: Vec<Hit>,
    /// True if there are more hits than are shown.
    pub more: bool,
}

#[derive(Debug, Clone)]
pub struct Hit {
    pub what: HitKind,
    /// The environment; `None` for users and vendors, which exist in both.
    pub environment: Option<EnvironmentName>,
    pub name: String,
    pub about: String,
    /// The path of its page.
    pub href: String,
}

/// The kind of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitKind {
    /// A session found by its id.
    Session,
    /// A session found by its order id.
    Order,
    /// A session found by its product.
    Product,
    /// A session found by its amount.
    Amount,
    /// A session found by the customer's e-mail address.
    Customer,
    /// A session found by the id of the request that made it.
    Request,
    Callback,
    /// A movement of money.
    Transaction,
    /// An attempt at a provider.
    Attempt,
    /// An attempt found by the provider's reference, or a payment found by a transaction of its chain.
    Reference,
    /// A refund found by the provider's reference.
    Refund,
    Action,
    Vendor,
    User,
}

impl HitKind {
    #[cfg(test)]
    pub const ALL: [Self; 14] = [
        Self::Session,
        Self::Order,
        Self::Product,
        Self::Amount,
        Self::Customer,
        Self::Request,
        Self::Callback,
        Self::Transaction,
        Self::Attempt,
        Self::Reference,
        Self::Refund,
        Self::Action,
        Self::Vendor,
        Self::User,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Order => "order",
            Self::Product => "product",
            Self::Amount => "amount",
            Self::Customer => "customer",
            Self::Request => "request",
            Self::Callback => "callback",
            Self::Transaction => "transaction",
            Self::Attempt => "attempt",
            Self::Reference => "reference",
            Self::Refund => "refund",
            Self::Action => "action",
            Self::Vendor => "vendor",
            Self::User => "user",
        }
    }
}

impl View for Search {
    fn kind(&self) -> &'static str {
        "search"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-search")
    }

    template!(write, view: Search, "operator/search.html");
}
