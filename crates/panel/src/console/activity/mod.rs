//! `/operator/activity/{env}/{name}`: what a provider did in the last 24 hours, on all processes.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{activity::view::ActivityPage, providers, reconciliations, watch},
    pages::NavItem,
    shows,
    visit::{Answer, Refused, Visit},
};
use axum::extract::{Path, State};
use std::sync::Arc;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows("/operator/activity/{env}/{name}", operate, show)]
}

async fn show(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((env, name)): Path<(String, String)>,
) -> Answer {
    let lines = providers::lines(&panel, panel.cashier(watch::named(&env)?)).await?;
    let line = lines.into_iter().find(|line| line.name == name).ok_or(Refused::NotFound)?;
    let reconciled = match line.kind.filter(|_| !line.unusable) {
        Some(kind) => Some((kind, reconciliations::last_run(&panel, kind).await?)),
        None => None,
    };
    Ok(visit.page(&panel, Some(NavItem::Providers), ActivityPage { line, reconciled }))
}
