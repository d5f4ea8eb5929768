//! The list of a vendor's sessions, newest first.

use super::{
    call::{Call, authorized},
    cursor::CursorScope,
    query::{moment_bytes, read_limit, read_one, read_span, refuse_unknown},
    wire::{SessionList, SessionStatus},
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use futures_util::future::try_join_all;
use std::sync::Arc;
use till_domain::{
    id::SessionId,
    rejection::{FieldProblem, Problems, Rejection},
    session::{Session, Status},
    text,
};
use till_service::{
    environment::{COMMIT_TIMEOUT, Environment},
    web::Problem,
};
use till_store::{SessionFilter, Span, StoreError, Turn};

/// The most sessions on a page.
pub const MAX_LIMIT: u32 = 100;

/// Sessions on a page if the caller sets no limit.
pub const DEFAULT_LIMIT: u32 = 20;

/// The most sessions that get the status that is due before a list by status is read.
const SETTLED_AT_ONCE: u32 = 500;

/// The parameters of the list.
const PARAMETERS: [&str; 6] = ["order_id", "status", "created_from", "created_to", "limit", "cursor"];

/// `GET …/session`
pub async fn list(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let environment = &environment;
    authorized(environment, &environment.limits.status, request, |call, request| async move {
        let query = SessionQuery::read(environment, &call, request.uri().query().unwrap_or_default())?;
        if query.status.is_some() && !environment.store.hold.is_held() {
            // Sessions are found by the status that is stored.
            environment.settle_due(SETTLED_AT_ONCE).await?;
        }
        let page = page(environment, &call, &query).await?;
        Ok(Json(page).into_response())
    })
    .await
}

/// The query parameters.
#[derive(Debug)]
struct SessionQuery {
    order_id: Option<String>,
    status: Option<Status>,
    span: Span,
    limit: u32,
    after: Option<SessionId>,
}

impl SessionQuery {
    /// Parses a query, and names every wrong parameter.
    fn read(environment: &Environment, call: &Call, query: &str) -> Result<Self, Rejection> {
        let mut problems = Problems::default();
        let order_id = problems
            .take("order_id", read_one(query, "order_id", |order| Ok(text::reference(order)?)))
            .flatten();
        let status = problems.take("status", read_one(query, "status", read_status)).flatten();
        let span = read_span(query, &mut problems);
        let limit = problems.take("limit", read_one(query, "limit", |text| read_limit(text, MAX_LIMIT)));
        refuse_unknown(query, &PARAMETERS, &mut problems);
        let mut read =
            Self { order_id, status, span, limit: limit.flatten().unwrap_or(DEFAULT_LIMIT), after: None };
        // With a wrong filter, nothing can be said of the cursor.
        if problems.is_empty() {
            let after =
                read_one(query, "cursor", |text| read.in_scope(environment, call, |scope| scope.read(text)));
            read.after = problems.take("cursor", after).flatten().map(SessionId::from_bytes);
        }
        problems.finish()?;
        Ok(read)
    }

    /// Works with the cursors of this list.
    fn in_scope<T>(
        &self,
        environment: &Environment,
        call: &Call,
        work: impl FnOnce(&CursorScope<'_>) -> T,
    ) -> T {
        let order_id =
            self.order_id.as_deref().map_or_else(Vec::new, |order| [b"=", order.as_bytes()].concat());
        work(&CursorScope(&[
            b"sessions",
            environment.name.as_str().as_bytes(),
            call.vendor.id.as_bytes(),
            &order_id,
            self.status.map_or("", Status::as_str).as_bytes(),
            &moment_bytes(self.span.since),
            &moment_bytes(self.span.until),
        ]))
    }

    /// The rows of the page, and one more if there is one.
    async fn rows(&self, environment: &Environment, call: &Call) -> Result<Vec<Session>, StoreError> {
        let filter =
            SessionFilter { vendor: call.vendor.id, status: self.status, method: None, span: self.span };
        let turn = self.after.map_or(Turn::Newest, Turn::Older);
        let rows = async {
            match &self.order_id {
                Some(order) => environment.store.order_sessions(order, &filter, turn, self.limit + 1).await,
                None => environment.store.sessions(&filter, turn, self.limit + 1).await,
            }
        };
        let read = tokio::time::timeout(COMMIT_TIMEOUT, rows).await;
        read.unwrap_or_else(|_| Err(StoreError::unknown("no response in time")))
    }
}

fn read_status(word: &str) -> Result<Status, FieldProblem> {
    Status::parse(word).ok_or(FieldProblem::NotOneOf("pending, paid, failed, expired"))
}

async fn page(environment: &Environment, call: &Call, query: &SessionQuery) -> Result<SessionList, Problem> {
    let mut rows = query.rows(environment, call).await?;
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let last = rows.last().map(|session| session.id).filter(|_| more);
    let settings = &call.vendor.settings;
    let present = rows.into_iter().map(async |session| match environment.present(session, settings).await {
        // It is past its deadline, and cannot expire yet.
        Err(StoreError::Held) => Ok(None),
        present => present.map(Some),
    });
    let present: Vec<Session> = try_join_all(present).await?.into_iter().flatten().collect();
    // What was pending when it was read may have reached its deadline.
    let listed =
        present.iter().filter(|session| query.status.is_none_or(|status| session.state.status() == status));
    Ok(SessionList {
        sessions: listed.map(SessionStatus::from).collect(),
        next_cursor: last.map(|id| query.in_scope(environment, call, |scope| scope.after(id.into()))),
        held: environment.store.hold.is_held(),
    })
}
