//! The page of the search across vendors and environments.

use crate::pages::view::{View, template};
use till_domain::environment::EnvironmentName;
use till_service::{
    search::{Hit, HitTarget},
    web::{links, words::Words},
};

/// The query and its hits.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The query.
    pub q: String,
    pub hits: Vec<Hit>,
    /// True if there are more hits than are shown.
    pub more: bool,
}

/// The path of the page of a hit.
pub fn href(hit: &Hit) -> String {
    let place = hit.environment.unwrap_or(EnvironmentName::Live);
    match hit.target {
        HitTarget::Session(id) => format!("/operator/sessions/{place}/{id}"),
        HitTarget::Callback(id) => format!("/operator/callbacks/{place}/{id}"),
        HitTarget::Action(id) => format!("/operator/actions/{place}/{id}"),
        HitTarget::Vendor(id) => format!("/operator/vendors/{id}"),
        HitTarget::User(id) => format!("/operator/users/{id}"),
    }
}

impl Search {
    /// The path of the page of a hit.
    pub fn href(&self, hit: &Hit) -> String {
        href(hit)
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
