//! `/panel/sessions.csv` and the like: exports a list as CSV, streamed page by page.

use crate::{
    Access, Panel, Route,
    payments::{
        VendorScope, csv,
        list_query::ListQuery,
        lists::view::List,
        rows,
        search::{SearchResult, SearchTarget},
    },
    shows,
    visit::{Answer, Visit, go},
};
use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use futures_util::{future::try_join_all, stream};
use std::{convert::Infallible, sync::Arc};
use till_domain::{
    delivery::DeliveryState,
    session::{Session, State as SessionState},
    transaction::Transaction,
};
use till_service::{telemetry::explain, web::moments::Zone};
use till_store::{StoreError, StoredEvent, Turn};

/// Rows read per query, which is the most of a file that is in memory.
pub(crate) const AT_ONCE: u32 = 500;

pub(super) fn routes(see: Access) -> Vec<Route> {
    vec![
        shows("/panel/sessions.csv", see, sessions),
        shows("/panel/transactions.csv", see, transactions),
        shows("/panel/callbacks.csv", see, callbacks),
    ]
}

pub(crate) const SESSIONS: [&str; 17] = [
    "session_id",
    "order_id",
    "status",
    "failure_reason",
    "method",
    "product_name",
    "price",
    "currency",
    "created_at",
    "updated_at",
    "product_id",
    "category_id",
    "callback_url",
    "return_url",
    "customer_email",
    "locale",
    "metadata",
];

pub(crate) const TRANSACTIONS: [&str; 16] = [
    "transaction_id",
    "session_id",
    "order_id",
    "created_at",
    "method",
    "provider",
    "reference",
    "amount",
    "currency",
    "received",
    "received_unit",
    "state",
    "late",
    "partial",
    "over",
    "reversed",
];

const CALLBACKS: [&str; 11] = [
    "event_id",
    "session_id",
    "order_id",
    "event",
    "state",
    "attempts",
    "created_at",
    "delivered_at",
    "next_attempt_at",
    "method",
    "target",
];

/// A part of a file, and where the next one begins.
pub(crate) struct ExportPart<Id> {
    pub(super) lines: String,
    next: Option<Turn<Id>>,
}

impl<Id> ExportPart<Id> {
    /// A part with these lines; another one follows if it is full.
    pub(crate) fn new(lines: String, count: usize, last: Option<Id>) -> Self {
        let full = u32::try_from(count).is_ok_and(|count| count >= AT_ONCE);
        Self { lines, next: last.filter(|_| full).map(Turn::Older) }
    }

    /// True if no other part follows.
    pub(crate) fn is_last(&self) -> bool {
        self.next.is_none()
    }
}

/// A file whose parts are read one after the other. If a part cannot be read, the file ends with an error
/// line.
pub(crate) fn file<Id, F, R>(head: &[&str], read: R) -> Body
where
    Id: Send + 'static,
    R: Fn(Turn<Id>) -> F + Send + 'static,
    F: Future<Output = Result<ExportPart<Id>, StoreError>> + Send + 'static,
{
    let mut begin = csv::BOM.to_owned();
    csv::line(&mut begin, head.iter().copied());
    let state = (Some(Turn::Newest), begin, read);
    let parts = stream::unfold(state, async |(turn, begin, read)| {
        let turn = turn?;
        let (lines, next) = match read(turn).await {
            Ok(part) => (part.lines, part.next),
            Err(error) => {
                tracing::error!(error = explain(&error), "an export broke off");
                (csv::BROKEN.to_owned(), None)
            }
        };
        let part = Ok::<_, Infallible>(Bytes::from(begin + &lines));
        Some((part, (next, String::new(), read)))
    });
    Body::from_stream(parts)
}

/// Sends a file, named after the list and the day.
fn send(scope: &VendorScope<'_>, list: List, body: Body) -> Response {
    let day = scope.zone.day_of(scope.environment.now());
    let sandbox = if scope.is_sandbox() { "sandbox-" } else { "" };
    send_as(&format!("{sandbox}{}-{day}", list.word()), body)
}

/// Sends a file with this name.
pub(crate) fn send_as(name: &str, body: Body) -> Response {
    let name = format!("attachment; filename=\"{name}.csv\"");
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    response
}

/// The data of a request that are needed while its file is written.
#[derive(Clone)]
struct ExportJob {
    panel: Arc<Panel>,
    visit: Visit,
    query: ListQuery,
    zone: Zone,
}

impl ExportJob {
    fn new(panel: &Arc<Panel>, visit: &Visit, list: List) -> Self {
        let scope = VendorScope::new(panel, visit);
        let query = ListQuery::read(&scope, visit, list);
        let zone = Zone::named(scope.zone);
        Self { panel: Arc::clone(panel), visit: visit.clone(), query, zone }
    }

    fn scope(&self) -> VendorScope<'_> {
        VendorScope::new(&self.panel, &self.visit)
    }

    /// Sends the file. With invalid filters, or with a search that stands for more than is searched, redirects to
    /// the list, which says so: a file that lacks rows must not look complete.
    async fn answer(&self, list: List, sought: SearchTarget, body: Body) -> Answer {
        let scope = self.scope();
        if self.query.is_wrong() || scope.find(&self.query, sought).await?.has_more() {
            return Ok(go(&self.query.narrowed.href(list.path(), &[])));
        }
        Ok(send(&scope, list, body))
    }
}

async fn sessions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let copied = ExportJob::new(&panel, &visit, List::Sessions);
    let own = copied.clone();
    let body = file(&SESSIONS, move |turn| {
        let copied = copied.clone();
        async move {
            let scope = copied.scope();
            let store = &scope.environment.store;
            let found = scope.find(&copied.query, SearchTarget::Session).await?;
            let rows = match found {
                SearchResult::One(id) => store.session(id, scope.vendor.id).await?.into_iter().collect(),
                _ => scope.sessions(&copied.query, found.keys(), turn, AT_ONCE).await?,
            };
            let mut lines = String::new();
            for session in &rows {
                csv::line(&mut lines, session_cells(session, &copied.zone).iter().map(String::as_str));
            }
            let last = rows.last().filter(|_| !matches!(found, SearchResult::One(_)));
            Ok(ExportPart::new(lines, rows.len(), last.map(|session| session.id)))
        }
    });
    own.answer(List::Sessions, SearchTarget::Session, body).await
}

pub(crate) fn session_cells(session: &Session, zone: &Zone) -> [String; 17] {
    let reason = match session.state {
        SessionState::Failed(reason) => reason.as_str(),
        _ => "",
    };
    let url = |url: &Option<till_domain::weburl::WebUrl>| {
        url.as_ref().map(|url| url.as_str().to_owned()).unwrap_or_default()
    };
    [
        session.id.to_string(),
        session.order_id.clone(),
        session.state.status().to_string(),
        reason.to_owned(),
        session.methods.chosen.to_string(),
        session.item.name.clone(),
        session.item.price.digits().to_owned(),
        session.item.price.currency().to_string(),
        zone.exact(session.created_at),
        zone.exact(session.updated_at),
        session.item.product.as_ref().map(ToString::to_string).unwrap_or_default(),
        session.item.category.as_ref().map(ToString::to_string).unwrap_or_default(),
        url(&session.callback_url),
        url(&session.return_url),
        session.customer.email.clone().unwrap_or_default(),
        session.customer.locale.clone().unwrap_or_default(),
        session.metadata.to_json().unwrap_or_default(),
    ]
}

async fn transactions(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let copied = ExportJob::new(&panel, &visit, List::Transactions);
    let own = copied.clone();
    let body = file(&TRANSACTIONS, move |turn| {
        let copied = copied.clone();
        async move {
            let scope = copied.scope();
            let found = scope.find(&copied.query, SearchTarget::Transaction).await?;
            let rows = match found {
                SearchResult::One(id) => scope.environment.store.transactions_of(id).await?,
                _ => scope.transactions(&copied.query, found.keys(), turn, AT_ONCE).await?,
            };
            let orders =
                try_join_all(rows.iter().map(|money| rows::order_of(scope.environment, money))).await?;
            let mut lines = String::new();
            for (money, order) in rows.iter().zip(orders) {
                let cells = transaction_cells(money, order, &copied.zone);
                csv::line(&mut lines, cells.iter().map(String::as_str));
            }
            let last = rows.last().filter(|_| !matches!(found, SearchResult::One(_)));
            Ok(ExportPart::new(lines, rows.len(), last.map(|money| money.id)))
        }
    });
    own.answer(List::Transactions, SearchTarget::Transaction, body).await
}

pub(crate) fn transaction_cells(money: &Transaction, order: String, zone: &Zone) -> [String; 16] {
    // A spreadsheet would take a minus for a formula, so the `reversed` column marks money that was taken
    // back.
    let yes = |is: bool| if is { "yes" } else { "" }.to_owned();
    [
        money.id.to_string(),
        money.session.to_string(),
        order,
        zone.exact(money.at),
        money.method.to_string(),
        money.provider.clone(),
        money.reference.clone(),
        money.amount.digits(),
        money.amount.currency.to_string(),
        money.received.digits(),
        money.received.unit.clone(),
        money.state().to_owned(),
        yes(money.marks.late),
        yes(money.marks.partial),
        yes(money.marks.over),
        yes(money.marks.reversed),
    ]
}

async fn callbacks(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let copied = ExportJob::new(&panel, &visit, List::Callbacks);
    let own = copied.clone();
    let body = file(&CALLBACKS, move |turn| {
        let copied = copied.clone();
        async move {
            let scope = copied.scope();
            let store = &scope.environment.store;
            let found = scope.find(&copied.query, SearchTarget::Event).await?;
            let rows = match found {
                SearchResult::One(id) => match store.callback(id).await? {
                    Some(callback) => store.event(callback.id).await?.into_iter().collect(),
                    None => Vec::new(),
                },
                _ => scope.events(&copied.query, found.keys(), turn, AT_ONCE).await?,
            };
            let mut lines = String::new();
            for event in &rows {
                csv::line(&mut lines, callback_cells(event, &copied.zone).iter().map(String::as_str));
            }
            let last = rows.last().filter(|_| !matches!(found, SearchResult::One(_)));
            Ok(ExportPart::new(lines, rows.len(), last.map(|event| event.id)))
        }
    });
    own.answer(List::Callbacks, SearchTarget::Event, body).await
}

fn callback_cells(event: &StoredEvent, zone: &Zone) -> [String; 11] {
    let next = event.due_at.filter(|_| event.state == DeliveryState::Queued);
    [
        event.id.to_string(),
        event.session.to_string(),
        rows::order_in(event),
        event.event.clone(),
        event.state.as_str().to_owned(),
        event.attempts.to_string(),
        zone.exact(event.created_at),
        csv::moment(event.delivered_at, zone),
        csv::moment(next, zone),
        event.method.to_string(),
        event.target.as_ref().map(|url| url.as_str().to_owned()).unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    async fn written(parts: Vec<Result<ExportPart<u32>, StoreError>>) -> String {
        let parts = Arc::new(std::sync::Mutex::new(parts.into_iter()));
        let body = file(&["a", "b"], move |_| {
            let part = parts.lock().expect("a lock").next().expect("no part is asked for after the last");
            async move { part }
        });
        let bytes = body.collect().await.expect("it never fails as HTTP does").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("UTF-8")
    }

    fn part(lines: &str, next: Option<u32>) -> Result<ExportPart<u32>, StoreError> {
        Ok(ExportPart { lines: lines.to_owned(), next: next.map(Turn::Older) })
    }

    #[tokio::test]
    async fn t9_a_file_that_breaks_off_says_that_it_is_not_whole() {
        let whole = written(vec![part("1,2\r\n", Some(1)), part("3,4\r\n", None)]).await;
        assert_eq!(whole, "\u{feff}a,b\r\n1,2\r\n3,4\r\n");
        let broken = vec![part("1,2\r\n", Some(1)), Err(StoreError::Busy { waiting: 1 })];
        let broken = written(broken).await;
        assert!(broken.starts_with("\u{feff}a,b\r\n1,2\r\n\"ERROR: "), "{broken}");
        assert!(broken.ends_with(csv::BROKEN));
        let empty = written(vec![part("", None)]).await;
        assert_eq!(empty, "\u{feff}a,b\r\n");
    }
}
