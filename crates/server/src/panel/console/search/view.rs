//! Search by any id, across vendors and environments.

use crate::{
    panel::pages::view::{View, template},
    web::{links, words::Words},
};
use till_domain::environment::Environment;

/// What was asked for, and what was found.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// What was asked for.
    pub q: String,
    pub hits: Vec<Hit>,
    /// Whether there is more than what is shown.
    pub more: bool,
}

/// Something that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    pub what: Found,
    /// Where; users and vendors are in both.
    pub environment: Option<Environment>,
    /// What it is called.
    pub name: String,
    pub about: String,
    /// Its page: a path of ours.
    pub href: String,
}

/// What can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A session by its id.
    Session,
    /// A session by its order.
    Order,
    /// A session by the request that made it.
    Request,
    Callback,
    /// A movement of money.
    Transaction,
    /// An attempt at a provider.
    Attempt,
    /// An attempt by what the provider calls it.
    Reference,
    Action,
    Vendor,
    User,
}

impl Found {
    #[cfg(test)]
    pub const ALL: [Self; 10] = [
        Self::Session,
        Self::Order,
        Self::Request,
        Self::Callback,
        Self::Transaction,
        Self::Attempt,
        Self::Reference,
        Self::Action,
        Self::Vendor,
        Self::User,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Order => "order",
            Self::Request => "request",
            Self::Callback => "callback",
            Self::Transaction => "transaction",
            Self::Attempt => "attempt",
            Self::Reference => "reference",
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
