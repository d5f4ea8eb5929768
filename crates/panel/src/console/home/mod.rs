//! `/operator`: the operator's home. Whether all is well, what waits for a person, and the figures of all vendors.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        home::view::{FirstStep, FirstSteps, Home, Trouble, WaitingList},
        providers,
        providers::view::ProviderLine,
        reconciliations, system,
        system::view::NodeLine,
    },
    pages::NavItem,
    payments::statistics,
    shows,
    visit::{Answer, Visit},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{environment::EnvironmentName, user::Role};
use till_service::status::{LOW_SPACE, NodeState, QueueState, UNDELIVERED_FOR};
use till_store::{StoreError, Undelivered, UserFilter, VendorFilter};

const PATH: &str = "/operator";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, show)]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let live = panel.environment(EnvironmentName::Live);
    let statistics = statistics::read(&visit, live, None, PATH).await?;
    let providers = providers::lines(&panel, panel.cashier(EnvironmentName::Live)).await?;
    let nodes = system::node_lines(&panel).await?;
    let troubles = troubles(&panel, &providers, &nodes).await?;
    let steps = first_steps(&panel, &providers).await?;
    let running = nodes.iter().filter(|node| node.state == NodeState::Running).count();
    let body = Home {
        troubles,
        waiting: waiting(&panel, &visit).await?,
        providers,
        nodes: u64::try_from(running).unwrap_or(0),
        steps,
        statistics,
    };
    Ok(visit.page(&panel, Some(NavItem::Home), body))
}

/// What is not as it should be, the worst first.
async fn troubles(
    panel: &Panel,
    providers: &[ProviderLine],
    nodes: &[NodeLine],
) -> Result<Vec<Trouble>, StoreError> {
    let hold = panel.admin.accounts.hold().await?;
    let mut troubles: Vec<Trouble> = hold.into_iter().map(|_| Trouble::Held).collect();
    if !providers.iter().any(|provider| provider.offered && !provider.unusable) {
        troubles.push(Trouble::NoProvider);
    }
    let ill = providers.iter().filter(|provider| ["failed", "warn"].contains(&provider.class()));
    troubles.extend(ill.cloned().map(|provider| Trouble::Provider(Box::new(provider))));
    let lost = nodes.iter().filter(|node| node.state == NodeState::Lost).count();
    if lost > 0 {
        troubles.push(Trouble::LostNodes(u64::try_from(lost).unwrap_or(u64::MAX)));
    }
    if let Some(free) = system::free_space(panel).filter(|free| *free < LOW_SPACE) {
        troubles.push(Trouble::LowSpace(free));
    }
    let (queues, failed_mails) = system::all_queues(panel).await?;
    troubles.extend(queues.into_iter().filter(QueueState::is_late).map(Trouble::LateQueue));
    let store = &panel.environment(EnvironmentName::Live).store;
    let which = Undelivered { vendor: None, since: Some(panel.now().minus(UNDELIVERED_FOR)) };
    let undelivered = store.count_undelivered(which).await?;
    if undelivered > 0 {
        troubles.push(Trouble::Undelivered(undelivered));
    }
    if failed_mails > 0 {
        troubles.push(Trouble::FailedMails(failed_mails));
    }
    let missed = reconciliations::missed(panel).await?;
    troubles.extend(missed.into_iter().map(Trouble::Reconciliation));
    Ok(troubles)
}

/// What waits for the operator. The numbers are those beside the navigation.
async fn waiting(panel: &Panel, visit: &Visit) -> Result<Vec<WaitingList>, StoreError> {
    let store = &panel.environment(EnvironmentName::Live).store;
    let oldest = store.oldest_open_action().await?;
    let age = oldest.map(|at| panel.now().since(at));
    Ok(vec![
        WaitingList { word: "actions", href: "/operator/actions", count: visit.open_actions, age },
        WaitingList { word: "payouts", href: "/operator/payouts", count: visit.open_payouts, age: None },
        WaitingList { word: "refunds", href: "/operator/refunds", count: visit.open_refunds, age: None },
        WaitingList { word: "requests", href: "/operator/requests", count: visit.open_requests, age: None },
    ])
}

/// The steps from a new installation to the first payment; `None` once it was made.
async fn first_steps(panel: &Panel, providers: &[ProviderLine]) -> Result<Option<FirstSteps>, StoreError> {
    let accounts = &panel.admin.accounts;
    if providers.iter().any(|provider| provider.last_paid.is_some()) {
        return Ok(None);
    }
    let vendors = accounts.find_vendors(&VendorFilter { limit: 1, ..VendorFilter::default() }).await?;
    let users = async |role| {
        let filter = UserFilter { role: Some(role), limit: 1, ..UserFilter::default() };
        Ok::<_, StoreError>(!accounts.users(&filter).await?.is_empty())
    };
    let has_user = users(Role::VendorAdmin).await? || users(Role::VendorViewer).await?;
    let step = |word, href, done| FirstStep { word, href, done };
    let takes_money = providers.iter().any(|provider| provider.offered && !provider.unusable);
    Ok(Some(FirstSteps(vec![
        step("provider", "/operator/providers", takes_money),
        step("https", "/docs/operations", panel.secure),
        step("mail", "/docs/operations", panel.mail),
        step("vendor", "/operator/vendors/new", !vendors.is_empty()),
        step("user", "/operator/users/new", has_user),
        step("payment", "/docs", false),
    ])))
}
