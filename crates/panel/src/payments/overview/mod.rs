//! `/panel`: a vendor's figures of the last days, in the time zone of the user.

mod first_steps;
pub mod view;

use crate::{
    Access, Panel, Route,
    pages::{NavItem, home},
    payments::{VendorScope, lists::start, overview::view::Overview, rows, statistics},
    shows,
    visit::{Answer, Visit, go},
};
use axum::extract::State;
use std::sync::Arc;
use till_store::{SessionFilter, Span, Turn};

/// Sessions shown below the figures.
const RECENT: u32 = 6;

pub(super) fn routes() -> Vec<Route> {
    vec![shows("/panel", Access::Known, begin)]
}

/// The first page of all users; users without a vendor are redirected to the first page of their role.
async fn begin(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let role = visit.user().role;
    if !role.has_vendor() {
        return Ok(go(home(role)));
    }
    if visit.known().vendor.is_none() {
        return Ok(visit.forbidden(&panel));
    }
    page(&panel, &visit).await
}

async fn page(panel: &Panel, visit: &Visit) -> Answer {
    let scope = VendorScope::new(panel, visit);
    let (store, vendor) = (&scope.environment.store, scope.vendor.id);
    let filter = SessionFilter { vendor, status: None, method: None, span: Span::default() };
    let recent = store.sessions(&filter, Turn::Newest, RECENT).await?;
    let start = if recent.is_empty() { Some(start(panel, &scope).await?) } else { None };
    let overview = Overview {
        statistics: statistics::read(visit, scope.environment, Some(vendor), "/panel").await?,
        undelivered: visit.undelivered,
        actions: if scope.is_sandbox() { 0 } else { store.to_decide(vendor).await? },
        recent: rows::sessions(scope.environment, recent).await?,
        start,
        first_steps: first_steps::read(panel, &scope).await?,
    };
    Ok(visit.page(panel, Some(NavItem::Overview), overview))
}
