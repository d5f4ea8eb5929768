//! `/operator/sessions` and `/operator/transactions`: the lists of all vendors, newest first, and their export.

mod export;
pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        payments::view::{AllSessionsPage, AllTransactionsPage, OfVendor},
        watch,
    },
    pages::{NavItem, vendor_name::VendorName},
    payments::{
        list_query::{Leaf, ListQuery, limit, turn},
        lists::view::List,
        rows,
    },
    shows,
    visit::{Answer, Visit},
};
use axum::extract::State;
use std::{fmt::Display, sync::Arc};
use till_domain::{
    environment::EnvironmentName,
    id::{SessionId, TransactionId},
    session::{Session, Status},
    transaction::Transaction,
};
use till_store::{
    AllSessions, AllTransactions, Payments, SessionFilter, StoreError, TransactionFilter, Turn,
};

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/sessions", operate, sessions),
        shows("/operator/sessions.csv", operate, export::sessions),
        shows("/operator/transactions", operate, transactions),
        shows("/operator/transactions.csv", operate, export::transactions),
    ]
}

/// The filters of a list of all vendors.
#[derive(Debug, Clone)]
struct ConsoleQuery {
    environment: EnvironmentName,
    /// Only what is this vendor's.
    vendor: Option<VendorName>,
    list: ListQuery,
}

impl ConsoleQuery {
    async fn read(panel: &Panel, visit: &Visit, list: List) -> Result<Self, StoreError> {
        let environment = watch::environment_filter(&visit.query);
        let mut query = ListQuery::read_fields(&visit.zone(), &visit.query, list);
        let typed = visit.query.get("vendor").trim();
        let vendor = if typed.is_empty() { None } else { panel.typed_vendor(typed).await? };
        query.narrowed.wrong_vendor = !typed.is_empty() && vendor.is_none();
        query.narrowed.vendor = typed.to_owned();
        // These lists have no search text.
        query.narrowed.q = String::new();
        query.narrowed.environment = environment.as_str().to_owned();
        Ok(Self { environment, vendor, list: query })
    }

    async fn sessions(
        &self,
        store: &Payments,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let (status, method) = (Status::parse(&self.list.narrowed.status), self.list.method);
        let span = self.list.span;
        match &self.vendor {
            Some(vendor) => {
                let filter = SessionFilter { vendor: vendor.id, status, method, span };
                store.sessions(&filter, turn, limit).await
            }
            None => store.all_sessions(&AllSessions { status, method, span }, turn, limit).await,
        }
    }

    async fn transactions(
        &self,
        store: &Payments,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let (kind, method, span) = (self.list.money_kind(), self.list.method, self.list.span);
        match &self.vendor {
            Some(vendor) => {
                let filter = TransactionFilter { vendor: vendor.id, kind, method, span };
                store.transactions(&filter, turn, limit).await
            }
            None => store.all_transactions(&AllTransactions { kind, method, span }, turn, limit).await,
        }
    }
}

/// The first page of rows.
fn first<Row, Id: Display>(
    rows: Vec<Row>,
    query: &ConsoleQuery,
    list: List,
    id: impl Fn(&Row) -> Id,
) -> Leaf<Row> {
    let leaf = Leaf::cut(rows, &Turn::Newest, (list.path(), &query.list.narrowed), id);
    leaf.unwrap_or(Leaf { rows: Vec::new(), newer: None, older: None })
}

async fn sessions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (list, place) = (List::AllSessions, Some(NavItem::AllSessions));
    let query = ConsoleQuery::read(&panel, &visit, list).await?;
    let mut page = AllSessionsPage::empty(query.environment, query.list.narrowed.clone());
    // A filter with errors shows nothing instead of everything.
    if query.list.is_wrong() {
        return Ok(visit.again(&panel, place, page));
    }
    let environment = panel.environment(query.environment);
    let (store, at) = (&environment.store, turn(&visit.query, SessionId::parse));
    let (id, place_of) = (|session: &Session| session.id, (list.path(), &query.list.narrowed));
    let leaf = match Leaf::cut(query.sessions(store, at, limit()).await?, &at, place_of, id) {
        Some(leaf) => leaf,
        None => first(query.sessions(store, Turn::Newest, limit()).await?, &query, list, id),
    };
    let vendors: Vec<_> = leaf.rows.iter().map(|session| session.vendor).collect();
    let lines = rows::sessions(environment, leaf.rows).await?;
    for (vendor, line) in vendors.into_iter().zip(lines) {
        page.rows.push(OfVendor { vendor: panel.vendor_name(vendor).await?, line });
    }
    (page.newer, page.older) = (leaf.newer, leaf.older);
    Ok(visit.page(&panel, place, page))
}

async fn transactions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (list, place) = (List::AllTransactions, Some(NavItem::AllTransactions));
    let query = ConsoleQuery::read(&panel, &visit, list).await?;
    let mut page = AllTransactionsPage::empty(query.environment, query.list.narrowed.clone());
    if query.list.is_wrong() {
        return Ok(visit.again(&panel, place, page));
    }
    let environment = panel.environment(query.environment);
    let (store, at) = (&environment.store, turn(&visit.query, TransactionId::parse));
    let (id, place_of) = (|money: &Transaction| money.id, (list.path(), &query.list.narrowed));
    let leaf = match Leaf::cut(query.transactions(store, at, limit()).await?, &at, place_of, id) {
        Some(leaf) => leaf,
        None => first(query.transactions(store, Turn::Newest, limit()).await?, &query, list, id),
    };
    let vendors: Vec<_> = leaf.rows.iter().map(|money| money.vendor).collect();
    let lines = rows::transactions(environment, visit.language, leaf.rows).await?;
    for (vendor, line) in vendors.into_iter().zip(lines) {
        page.rows.push(OfVendor { vendor: panel.vendor_name(vendor).await?, line });
    }
    (page.newer, page.older) = (leaf.newer, leaf.older);
    Ok(visit.page(&panel, place, page))
}
