//! The list of a vendor's transactions, newest first.

use super::{
    call::{Call, authorized},
    cursor::CursorScope,
    query::{moment_bytes, read_limit, read_one, read_span, refuse_unknown},
    sessions::{DEFAULT_LIMIT, MAX_LIMIT},
    wire::{TransactionList, TransactionObject},
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::{
    id::{SessionId, TransactionId},
    rejection::{FieldProblem, Problems, Rejection},
    text,
};
use till_service::{
    environment::{COMMIT_TIMEOUT, Environment},
    web::Problem,
};
use till_store::{ListedTransaction, MoneyListFilter, MoneyOwner, Span, StoreError, TransactionType, Turn};

/// The parameters of the list.
const PARAMETERS: [&str; 7] =
    ["session_id", "order_id", "type", "created_from", "created_to", "limit", "cursor"];

/// `GET …/transactions`
pub async fn list(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let environment = &environment;
    authorized(environment, &environment.limits.status, request, |call, request| async move {
        let query = TransactionQuery::read(environment, &call, request.uri().query().unwrap_or_default())?;
        Ok(Json(page(environment, &call, &query).await?).into_response())
    })
    .await
}

/// The query parameters.
#[derive(Debug)]
struct TransactionQuery {
    session: Option<SessionId>,
    order_id: Option<String>,
    kind: Option<TransactionType>,
    span: Span,
    limit: u32,
    after: Option<TransactionId>,
}

impl TransactionQuery {
    /// Parses a query, and names every wrong parameter.
    fn read(environment: &Environment, call: &Call, query: &str) -> Result<Self, Rejection> {
        let mut problems = Problems::default();
        let session = problems.take("session_id", read_one(query, "session_id", read_session)).flatten();
        let order_id = problems
            .take("order_id", read_one(query, "order_id", |order| Ok(text::reference(order)?)))
            .flatten();
        let kind = problems.take("type", read_one(query, "type", read_type)).flatten();
        let span = read_span(query, &mut problems);
        let limit = problems.take("limit", read_one(query, "limit", |text| read_limit(text, MAX_LIMIT)));
        refuse_unknown(query, &PARAMETERS, &mut problems);
        let limit = limit.flatten().unwrap_or(DEFAULT_LIMIT);
        let mut read = Self { session, order_id, kind, span, limit, after: None };
        // With a wrong filter, nothing can be said of the cursor.
        if problems.is_empty() {
            let after =
                read_one(query, "cursor", |text| read.in_scope(environment, call, |scope| scope.read(text)));
            read.after = problems.take("cursor", after).flatten().map(TransactionId::from_bytes);
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
            b"transactions",
            environment.name.as_str().as_bytes(),
            call.vendor.id.as_bytes(),
            self.session.as_ref().map_or(&[][..], |id| id.as_bytes()),
            &order_id,
            self.kind.map_or("", TransactionType::as_str).as_bytes(),
            &moment_bytes(self.span.since),
            &moment_bytes(self.span.until),
        ]))
    }

    /// The rows of the page, and one more if there is one.
    async fn rows(
        &self,
        environment: &Environment,
        call: &Call,
    ) -> Result<Vec<ListedTransaction>, StoreError> {
        let of = match (self.session, &self.order_id) {
            (Some(session), _) => Some(MoneyOwner::Session(session)),
            (None, Some(order)) => Some(MoneyOwner::Order(order.clone())),
            (None, None) => None,
        };
        let filter = MoneyListFilter { vendor: call.vendor.id, of, kind: self.kind, span: self.span };
        let turn = self.after.map_or(Turn::Newest, Turn::Older);
        let rows = environment.store.listed_transactions(&filter, turn, self.limit + 1);
        let read = tokio::time::timeout(COMMIT_TIMEOUT, rows).await;
        let mut rows = read.unwrap_or_else(|_| Err(StoreError::unknown("no response in time")))?;
        // With both filters, the session has to be one of the order.
        rows.retain(|row| self.order_id.as_ref().is_none_or(|order| *order == row.order_id));
        Ok(rows)
    }
}

fn read_type(word: &str) -> Result<TransactionType, FieldProblem> {
    TransactionType::parse(word).ok_or(FieldProblem::NotOneOf("payment, refund, reversal, dispute"))
}

fn read_session(text: &str) -> Result<SessionId, FieldProblem> {
    SessionId::parse(text).ok_or(FieldProblem::NotASessionId)
}

async fn page(
    environment: &Environment,
    call: &Call,
    query: &TransactionQuery,
) -> Result<TransactionList, Problem> {
    let mut rows = query.rows(environment, call).await?;
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let last = rows.last().map(|row| row.id).filter(|_| more);
    Ok(TransactionList {
        transactions: rows.iter().map(TransactionObject::from).collect(),
        next_cursor: last.map(|id| query.in_scope(environment, call, |scope| scope.after(id.into()))),
    })
}
