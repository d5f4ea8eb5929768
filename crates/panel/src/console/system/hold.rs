//! `/operator/hold`: what waits behind a hold, and its release.

use super::view::HoldPage;
use crate::{
    Access, Panel, Route, does,
    pages::{FlashMessage, NavItem},
    shows,
    visit::{Answer, Visit, done},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::environment::EnvironmentName;
use till_service::admin::{ReleaseForecast, release_hold};
use till_store::StoreError;

const PATH: &str = "/operator/hold";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, show), does(PATH, operate, release)]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let forecast = forecast(&panel).await?;
    let (hold, queues) = match forecast {
        Some(forecast) => (Some(forecast.hold), forecast.queues),
        None => (None, Vec::new()),
    };
    Ok(visit.page(&panel, Some(NavItem::System), HoldPage { hold, queues }))
}

async fn release(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let released = match forecast(&panel).await? {
        Some(forecast) => release_hold(&panel.admin.accounts, &visit.actor(), &forecast).await?,
        None => false,
    };
    let hold = &panel.environment(EnvironmentName::Live).store.hold;
    hold.refresh(&panel.admin.accounts).await?;
    Ok(done(PATH, if released { FlashMessage::Released } else { FlashMessage::Overtaken }))
}

async fn forecast(panel: &Panel) -> Result<Option<ReleaseForecast>, StoreError> {
    let [live, sandbox] = panel.environments.each_ref().map(|environment| &environment.store);
    ReleaseForecast::read(&panel.admin.accounts, [live, sandbox]).await
}
