//! Search by any id, order or amount, across vendors and environments.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::search::view::{Search, href},
    does,
    pages::NavItem,
    sealed_search, shows,
    visit::{Answer, Visit, go},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::environment::EnvironmentName;
use till_service::search::{self, Hit, MAX_QUERY, MOST, Searched};
use till_store::StoreError;

const PATH: &str = "/operator/search";

/// Who may decrypt a search for a customer.
const OWNER: &str = "the operator";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, show), does(PATH, operate, search)]
}

/// Leads to the results of the text that was typed; the address has an e-mail address encrypted.
async fn search(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = visit.form.get("q").trim();
    let sealed = sealed_search::seal(&panel.admin.vault, OWNER, typed);
    let (name, value) = sealed.as_deref().map_or(("q", typed), |sealed| (sealed_search::PARAMETER, sealed));
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    Ok(go(&format!("{PATH}?{query}")))
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let sealed = visit.query.get(sealed_search::PARAMETER);
    let customer = sealed_search::open(&panel.admin.vault, OWNER, sealed);
    let typed = customer.unwrap_or_else(|| visit.query.get("q").to_owned());
    let q: String = typed.trim().chars().take(MAX_QUERY).collect();
    let mut hits = if q.is_empty() { Vec::new() } else { find(&panel, &q).await? };
    // If all hits lead to the same page, redirects there.
    if let Some(first) = hits.first().filter(|first| hits.iter().all(|hit| href(hit) == href(first))) {
        return Ok(go(&href(first)));
    }
    let more = hits.len() > MOST;
    hits.truncate(MOST);
    Ok(visit.page(&panel, Some(NavItem::Search), Search { q, hits, more }))
}

/// What the text stands for.
async fn find(panel: &Panel, q: &str) -> Result<Vec<Hit>, StoreError> {
    let searched = |name: EnvironmentName| Searched {
        store: &panel.environment(name).store,
        providers: panel.cashier(name).providers(),
    };
    let environments = [EnvironmentName::Live, EnvironmentName::Sandbox].map(searched);
    search::Search::new(&panel.admin.accounts, environments).find(q).await
}
