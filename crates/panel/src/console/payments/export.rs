//! The lists of all vendors as CSV files, with the vendor of every row.

use crate::{
    Panel,
    console::payments::ConsoleQuery,
    payments::{
        csv,
        export::{
            AT_ONCE, ExportPart, SESSIONS, TRANSACTIONS, file, send_as, session_cells, transaction_cells,
        },
        lists::view::List,
        rows,
    },
    visit::{Answer, Visit, go},
};
use axum::{body::Body, extract::State};
use futures_util::future::try_join_all;
use std::sync::Arc;
use till_domain::{environment::EnvironmentName, id::VendorId};
use till_service::web::moments::Zone;
use till_store::StoreError;

/// The columns of a vendor's file, after those of the vendor.
fn columns(own: &[&'static str]) -> Vec<&'static str> {
    ["vendor_id", "vendor"].iter().chain(own).copied().collect()
}

/// The names of vendors, row by row.
async fn names(panel: &Panel, vendors: Vec<VendorId>) -> Result<Vec<[String; 2]>, StoreError> {
    let named = async |id| panel.vendor_name(id).await.map(|vendor| [vendor.id.to_string(), vendor.name]);
    try_join_all(vendors.into_iter().map(named)).await
}

/// Writes a line for each row.
fn lines<const N: usize>(vendors: Vec<[String; 2]>, cells: Vec<[String; N]>) -> String {
    let mut lines = String::new();
    for (vendor, cells) in vendors.iter().zip(&cells) {
        csv::line(&mut lines, vendor.iter().chain(cells).map(String::as_str));
    }
    lines
}

/// Sends a file, named after the list and the day. With invalid filters, redirects to the list, which says so.
fn send(panel: &Panel, visit: &Visit, query: &ConsoleQuery, list: List, body: Body) -> Answer {
    if query.list.is_wrong() {
        return Ok(go(&query.list.narrowed.at(list.path())));
    }
    let day = visit.zone().day_of(panel.now());
    let sandbox = if query.environment == EnvironmentName::Sandbox { "sandbox-" } else { "" };
    Ok(send_as(&format!("{sandbox}all-{}-{day}", list.word()), body))
}

pub(super) async fn sessions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let query = ConsoleQuery::read(&panel, &visit, List::AllSessions).await?;
    let (copied, own) = ((Arc::clone(&panel), query.clone(), Zone::named(visit.zone())), query);
    let body = file(&columns(&SESSIONS), move |turn| {
        let (panel, query, zone) = copied.clone();
        async move {
            let store = &panel.environment(query.environment).store;
            let rows = query.sessions(store, turn, AT_ONCE).await?;
            let vendors = names(&panel, rows.iter().map(|session| session.vendor).collect()).await?;
            let cells = rows.iter().map(|session| session_cells(session, &zone)).collect();
            let last = rows.last().map(|session| session.id);
            Ok(ExportPart::new(lines(vendors, cells), rows.len(), last))
        }
    });
    send(&panel, &visit, &own, List::AllSessions, body)
}

pub(super) async fn transactions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let query = ConsoleQuery::read(&panel, &visit, List::AllTransactions).await?;
    let (copied, own) = ((Arc::clone(&panel), query.clone(), Zone::named(visit.zone())), query);
    let body = file(&columns(&TRANSACTIONS), move |turn| {
        let (panel, query, zone) = copied.clone();
        async move {
            let environment = panel.environment(query.environment);
            let rows = query.transactions(&environment.store, turn, AT_ONCE).await?;
            let vendors = names(&panel, rows.iter().map(|money| money.vendor).collect()).await?;
            let orders = try_join_all(rows.iter().map(|money| rows::order_of(environment, money))).await?;
            let cells = rows.iter().zip(orders);
            let cells = cells.map(|(money, order)| transaction_cells(money, order, &zone)).collect();
            let last = rows.last().map(|money| money.id);
            Ok(ExportPart::new(lines(vendors, cells), rows.len(), last))
        }
    });
    send(&panel, &visit, &own, List::AllTransactions, body)
}
