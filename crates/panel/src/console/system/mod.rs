//! The state of the service itself: processes, queues, stores, settings.

mod hold;
pub mod view;

use crate::{
    Access, Panel, Route,
    console::system::view::{NodeLine, RowCount, StoreLine, System},
    pages::NavItem,
    shows,
    visit::{Answer, Visit},
};
use axum::extract::State;
use std::{sync::Arc, time::Duration};
use till_domain::time::Timestamp;
use till_service::status::{self, NodeState, QueueState, free_bytes};
use till_store::{Rows, StoreError, StoreSize, StoreStats, StoredNode};

pub(super) fn routes(operate: Access) -> Vec<Route> {
    let mut routes = hold::routes(operate);
    routes.push(shows("/operator/system", operate, show_system));
    routes
}

async fn show_system(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let accounts = &panel.admin.accounts;
    let mut stores = vec![store_line("accounts", accounts.size().await?, accounts.stats())];
    for environment in &panel.environments {
        let (size, stats) = (environment.store.size().await?, environment.store.stats());
        stores.push(store_line(environment.name.as_str(), size, stats));
    }
    let (queues, failed_mails) = all_queues(&panel).await?;
    let changed = panel.changed_settings.iter();
    let body = System {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("TILL_COMMIT").map(str::to_owned),
        nodes: node_lines(&panel).await?,
        queues,
        stores,
        failed_mails,
        free: free_space(&panel),
        settings: changed.map(|setting| (setting.key.to_owned(), setting.value.clone())).collect(),
    };
    Ok(visit.page(&panel, Some(NavItem::System), body))
}

/// The processes that share the store.
pub(super) async fn node_lines(panel: &Panel) -> Result<Vec<NodeLine>, StoreError> {
    let now = panel.now();
    let nodes = panel.admin.accounts.nodes().await?;
    Ok(nodes.into_iter().map(|node| node_line(panel, node, now)).collect())
}

/// Every queue, and the number of mails that were recently given up.
pub(super) async fn all_queues(panel: &Panel) -> Result<(Vec<QueueState>, u64), StoreError> {
    let [first, second] = panel.environments.each_ref().map(|environment| &environment.store);
    status::queues(&panel.admin.accounts, [first, second]).await
}

/// Free bytes on the file system of the embedded store.
pub(super) fn free_space(panel: &Panel) -> Option<u64> {
    panel.folder.as_deref().and_then(free_bytes)
}

fn node_line(panel: &Panel, node: StoredNode, now: Timestamp) -> NodeLine {
    NodeLine {
        id: status::short_id(&node),
        state: NodeState::of(&node, now),
        here: node.id == panel.node,
        version: node.version,
        listens: node.listens,
        started_at: node.started_at,
        seen_at: node.seen_at,
    }
}

fn store_line(name: &'static str, size: StoreSize, stats: StoreStats) -> StoreLine {
    let rows = |rows: Rows| match rows {
        Rows::Exactly(count) => RowCount::Exactly(count),
        Rows::About(count) => RowCount::About(count),
        Rows::MoreThan(count) => RowCount::MoreThan(count),
        Rows::Unknown => RowCount::Unknown,
    };
    StoreLine {
        name,
        bytes: size.bytes,
        tables: size.tables.into_iter().map(|table| (table.name, rows(table.rows))).collect(),
        units: stats.units,
        batches: stats.batches,
        batch: stats.write_us.checked_div(stats.batches).map(Duration::from_micros),
        waiting: u64::try_from(stats.waiting).unwrap_or(u64::MAX),
        refused: stats.refused,
    }
}
