//! `/panel/sessions`, `/panel/transactions`, `/panel/callbacks`: lists, newest first, and the number of new
//! rows.

pub mod view;

use crate::{
    Access, Panel, Route, does, endpoint_check,
    pages::{NavItem, View},
    payments::{
        VendorScope, curl,
        list_query::{Leaf, ListQuery, limit, turn},
        lists::view::{CallbackLine, Extra, List, Listing, SessionLine, Start, TransactionLine},
        news::Count,
        rows,
        search::{SearchResult, SearchTarget},
    },
    shows,
    visit::{Answer, Fields, Visit, go},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::{
    delivery::DeliveryState,
    id::{EventId, SessionId, TransactionId},
    session::{Session, Status},
    transaction::{Mark, Transaction},
};
use till_store::{
    DeliveryFilter, EventFilter, MoneyKind, SessionFilter, StoreError, StoredEvent, TransactionFilter, Turn,
};

/// The most new rows that are counted; beyond that the page says that there are more.
const MAX_NEWS: u32 = 100;

pub(super) fn routes(see: Access) -> Vec<Route> {
    vec![
        shows("/panel/sessions", see, sessions),
        does("/panel/sessions", see, search_sessions),
        shows("/panel/sessions/news", see, session_news),
        shows("/panel/transactions", see, transactions),
        does("/panel/transactions", see, search_transactions),
        shows("/panel/transactions/news", see, transaction_news),
        shows("/panel/callbacks", see, callbacks),
        does("/panel/callbacks", see, search_callbacks),
        shows("/panel/callbacks/news", see, callback_news),
    ]
}

impl ListQuery {
    pub(super) fn sessions(&self, scope: &VendorScope<'_>) -> SessionFilter {
        let status = Status::parse(&self.narrowed.status);
        SessionFilter { vendor: scope.vendor.id, status, method: self.method, span: self.span }
    }

    pub(super) fn transactions(&self, scope: &VendorScope<'_>) -> TransactionFilter {
        let kind = self.money_kind();
        TransactionFilter { vendor: scope.vendor.id, kind, method: self.method, span: self.span }
    }

    /// The kind of transactions that its status names.
    pub(crate) fn money_kind(&self) -> Option<MoneyKind> {
        match self.narrowed.status.as_str() {
            "to_decide" => Some(MoneyKind::ToDecide),
            word => Mark::parse(word).map(MoneyKind::Is),
        }
    }

    pub(super) fn events(&self, scope: &VendorScope<'_>) -> EventFilter {
        let standing = match self.narrowed.status.as_str() {
            "on_its_way" => Some(DeliveryFilter::OnItsWay),
            word => DeliveryState::parse(word).map(DeliveryFilter::Is),
        };
        EventFilter { vendor: Some(scope.vendor.id), standing, method: self.method, span: self.span }
    }
}

/// The number of new rows as JSON for the polling script, with the text to show. `next` is the address for
/// the next poll, if it changes.
fn said(visit: &Visit, list: List, count: usize, next: Option<String>) -> Response {
    let is_all = u32::try_from(count).is_ok_and(|count| count < MAX_NEWS);
    let count = u64::try_from(count).unwrap_or(u64::MAX).min(MAX_NEWS.into());
    let text = list.news(count, is_all, visit.language);
    let mut response =
        Json(serde_json::json!({ "count": count, "text": text, "next": next })).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The address that the script polls; only for a first page without a search text.
fn news(list: List, query: &ListQuery, first: Option<String>) -> Option<String> {
    let path = format!("{}/news", list.path());
    let first = first.unwrap_or_default();
    query.searched().is_none().then(|| query.narrowed.href(&path, &[("after", &first)]))
}

/// The row after which rows count as new.
fn since<Id>(query: &Fields, parse: impl Fn(&str) -> Option<Id>) -> Turn<Id> {
    parse(query.get("after")).map_or(Turn::Newest, Turn::Newer)
}

/// A page of a list, without the fields that its handler fills in.
fn listing<Row>(scope: &VendorScope<'_>, query: ListQuery, rows: Vec<Row>) -> Listing<Row> {
    Listing {
        narrowed: query.narrowed,
        rows,
        newer: None,
        older: None,
        news: None,
        start: None,
        extra: Extra { can_send: scope.can_send, ..Extra::default() },
    }
}

fn answer(panel: &Panel, visit: &Visit, place: NavItem, wrong: bool, body: impl View + 'static) -> Response {
    let place = Some(place);
    if wrong { visit.again(panel, place, body) } else { visit.page(panel, place, body) }
}

async fn sessions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (scope, list) = (VendorScope::new(&panel, &visit), List::Sessions);
    let query = ListQuery::read(&scope, &visit, list);
    let wrong = query.is_wrong();
    if wrong {
        let body = listing(&scope, query, Vec::<SessionLine>::new());
        return Ok(answer(&panel, &visit, NavItem::Sessions, true, body));
    }
    let found = scope.find(&query, SearchTarget::Session).await?;
    if let SearchResult::One(id) = found {
        return Ok(go(&format!("/panel/sessions/{id}")));
    }
    let store = &scope.environment.store;
    let at = turn(&visit.query, SessionId::parse);
    let id = |session: &Session| session.id;
    // Before the rows are read: a session that ends meanwhile is rather counted as new than missed.
    let ended = match query.ended().filter(|_| found.keys().is_none() && at == Turn::Newest) {
        Some(status) => Some(scope.begin_count(&query, status).await?.href(&query)),
        None => None,
    };
    let read = scope.sessions(&query, found.keys(), at, limit()).await?;
    // An order that has one session leads to it.
    if let (true, Turn::Newest, [one]) = (found.is_of_one(), at, read.as_slice()) {
        return Ok(go(&format!("/panel/sessions/{}", one.id)));
    }
    let (page, is_first) = match Leaf::cut(read, &at, (list.path(), &query.narrowed), id) {
        Some(page) => (page, at == Turn::Newest),
        None => {
            let read = scope.sessions(&query, found.keys(), Turn::Newest, limit()).await?;
            (first(read, list, &query, id), true)
        }
    };
    let top = page.rows.first().map(|session| session.id.to_string());
    let is_new = page.rows.is_empty() && !query.narrowed.is_any() && is_first;
    let is_first_use = is_new && !store.has_sessions(scope.vendor.id).await?;
    let start = if is_first_use { Some(start(&panel, &scope).await?) } else { None };
    let more_match = found.has_more();
    let listing = Listing {
        newer: page.newer,
        older: page.older,
        extra: Extra { can_send: scope.can_send, more_match, ..Extra::default() },
        news: ended.or_else(|| news(list, &query, top)).filter(|_| is_first),
        start,
        ..listing(&scope, query, rows::sessions(scope.environment, page.rows).await?)
    };
    Ok(answer(&panel, &visit, NavItem::Sessions, false, listing))
}

async fn search_sessions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    Ok(searched(&panel, &visit, List::Sessions))
}

async fn search_transactions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    Ok(searched(&panel, &visit, List::Transactions))
}

async fn search_callbacks(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    Ok(searched(&panel, &visit, List::Callbacks))
}

/// Leads to the list with the search that was typed.
fn searched(panel: &Panel, visit: &Visit, list: List) -> Response {
    let query = ListQuery::posted(&VendorScope::new(panel, visit), visit, list);
    go(&query.narrowed.at(list.path()))
}

fn first<Row, Id: std::fmt::Display>(
    rows: Vec<Row>,
    list: List,
    query: &ListQuery,
    id: impl Fn(&Row) -> Id,
) -> Leaf<Row> {
    let page = Leaf::cut(rows, &Turn::Newest, (list.path(), &query.narrowed), id);
    page.unwrap_or_else(|| unreachable!("only a newer page can be missing"))
}

pub(super) async fn start(panel: &Panel, scope: &VendorScope<'_>) -> Result<Start, StoreError> {
    let sandbox = scope.is_sandbox();
    Ok(Start {
        sandbox,
        live_hidden: !sandbox && endpoint_check::hides_live(panel, scope.vendor).await?,
        tokens: curl::tokens(sandbox),
        curl: curl::first(&panel.base_url, sandbox),
    })
}

async fn session_news(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let query = ListQuery::read(&scope, &visit, List::Sessions);
    let at = since(&visit.query, SessionId::parse);
    let (count, next) = match query.ended() {
        Some(status) => {
            let from = Count::read(&visit.query, scope.environment.now());
            let (count, next) = scope.count(&query, status, from).await?;
            (usize::try_from(count).unwrap_or(0), Some(next.href(&query)))
        }
        None => {
            let new = scope.environment.store.sessions(&query.sessions(&scope), at, MAX_NEWS).await?;
            (new.len(), None)
        }
    };
    Ok(said(&visit, List::Sessions, count, next))
}

async fn transactions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (scope, list) = (VendorScope::new(&panel, &visit), List::Transactions);
    let query = ListQuery::read(&scope, &visit, list);
    if query.is_wrong() {
        let body = listing(&scope, query, Vec::<TransactionLine>::new());
        return Ok(answer(&panel, &visit, NavItem::Transactions, true, body));
    }
    let found = scope.find(&query, SearchTarget::Transaction).await?;
    if let SearchResult::One(id) = found {
        return Ok(go(&format!("/panel/sessions/{id}")));
    }
    let at = turn(&visit.query, TransactionId::parse);
    let id = |money: &Transaction| money.id;
    let read = scope.transactions(&query, found.keys(), at, limit()).await?;
    let (page, is_first) = match Leaf::cut(read, &at, (list.path(), &query.narrowed), id) {
        Some(page) => (page, at == Turn::Newest),
        None => {
            let read = scope.transactions(&query, found.keys(), Turn::Newest, limit()).await?;
            (first(read, list, &query, id), true)
        }
    };
    let top = page.rows.first().map(|money| money.id.to_string());
    let more_match = found.has_more();
    let listing = Listing {
        extra: Extra { can_send: scope.can_send, more_match, ..Extra::default() },
        newer: page.newer,
        older: page.older,
        news: news(list, &query, top).filter(|_| is_first),
        ..listing(&scope, query, rows::transactions(scope.environment, visit.language, page.rows).await?)
    };
    Ok(answer(&panel, &visit, NavItem::Transactions, false, listing))
}

async fn transaction_news(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let query = ListQuery::read(&scope, &visit, List::Transactions);
    let at = since(&visit.query, TransactionId::parse);
    let new = scope.environment.store.transactions(&query.transactions(&scope), at, MAX_NEWS).await?;
    Ok(said(&visit, List::Transactions, new.len(), None))
}

async fn callbacks(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (scope, list) = (VendorScope::new(&panel, &visit), List::Callbacks);
    let query = ListQuery::read(&scope, &visit, list);
    let extra = Extra { undelivered: visit.undelivered, can_send: scope.can_send, more_match: false };
    if query.is_wrong() {
        let listing = Listing { extra, ..listing(&scope, query, Vec::<CallbackLine>::new()) };
        return Ok(answer(&panel, &visit, NavItem::Callbacks, true, listing));
    }
    let found = scope.find(&query, SearchTarget::Event).await?;
    if let SearchResult::One(id) = found {
        return Ok(go(&format!("/panel/sessions/{id}#callback")));
    }
    let at = turn(&visit.query, EventId::parse);
    let id = |event: &StoredEvent| event.id;
    let read = scope.events(&query, found.keys(), at, limit()).await?;
    let (page, is_first) = match Leaf::cut(read, &at, (list.path(), &query.narrowed), id) {
        Some(page) => (page, at == Turn::Newest),
        None => {
            let read = scope.events(&query, found.keys(), Turn::Newest, limit()).await?;
            (first(read, list, &query, id), true)
        }
    };
    let top = page.rows.first().map(|event| event.id.to_string());
    let listing = Listing {
        newer: page.newer,
        older: page.older,
        news: news(list, &query, top).filter(|_| is_first),
        extra: Extra { more_match: found.has_more(), ..extra },
        ..listing(&scope, query, rows::callbacks(scope.environment, page.rows).await?)
    };
    Ok(answer(&panel, &visit, NavItem::Callbacks, false, listing))
}

async fn callback_news(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let query = ListQuery::read(&scope, &visit, List::Callbacks);
    let at = since(&visit.query, EventId::parse);
    let new = scope.environment.store.events(&query.events(&scope), at, MAX_NEWS).await?;
    Ok(said(&visit, List::Callbacks, new.len(), None))
}
