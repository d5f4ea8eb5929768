//! Refunds of a paid session. In the sandbox no money moves, and the simulated bank answers.

use super::{
    call::{Call, RefundInPath, SessionInPath, authorized, posted},
    json::Json as Body,
    session::{find, in_turn},
    wire::{RefundList, RefundObject},
};
use crate::api::idempotency;
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::{
    id::RefundId,
    refund::Refund,
    rejection::Rejection,
    request::{KEY_REMEMBERED_FOR, RefundRequest},
    session::Session,
};
use till_service::{
    admin::{RefundError, RefundOrder, Refunder},
    environment::Environment,
    web::{MAX_RECEIPT, Problem},
};
use till_store::StoreError;

/// The prefix of a refund's stored idempotency key: a character that no caller's key can contain, so that
/// creates and refunds do not share keys.
const OF_REFUNDS: char = '\u{1}';

/// The author recorded with a refund.
const BY: &str = "api";

/// `POST …/session/{session_id}/refunds`
pub async fn create(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    posted(environment, request, MAX_RECEIPT, |call, mut posted| async move {
        let key = posted.take_key()?;
        let session = find(environment, &id, &call.vendor).await?;
        match key {
            Some(key) => create_once(environment, &call, &session, &key, posted.body).await,
            None => Ok(created(&make(environment, &call, &session, None, posted.body).await?)),
        }
    })
    .await
}

/// `GET …/session/{session_id}/refunds`
pub async fn list(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.status, request, |call, _| async move {
        let session = find(environment, &id, &call.vendor).await?;
        let all = environment.store.refunds().of_session(session.id).await?;
        let objects = all.iter().filter(|refund| refund.is_of_payment()).map(RefundObject::from);
        Ok(Json(RefundList { refunds: objects.collect() }).into_response())
    })
    .await
}

/// `GET …/session/{session_id}/refunds/{refund_id}`
pub async fn status(
    State(environment): State<Arc<Environment>>,
    RefundInPath(session, refund): RefundInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.status, request, |call, _| async move {
        let session = find(environment, &session, &call.vendor).await?;
        let id = RefundId::parse(&refund).ok_or(Rejection::RefundNotFound)?;
        let found = environment.store.refunds().refund(id).await?;
        let found = found.filter(|refund| refund.session == session.id && refund.is_of_payment());
        Ok(Json(RefundObject::from(&found.ok_or(Rejection::RefundNotFound)?)).into_response())
    })
    .await
}

/// Creates a refund with an idempotency key: concurrent requests, on any number of nodes, make one refund.
async fn create_once(
    environment: &Environment,
    call: &Call,
    session: &Session,
    key: &str,
    body: Body,
) -> Result<Response, Problem> {
    let fingerprint = idempotency::fingerprint_of(session.id.as_bytes(), &body);
    let key = format!("{OF_REFUNDS}{key}");
    let _turn = in_turn(environment, call, &key).await?;
    if let Some(replayed) = replay(environment, call, &key, &fingerprint).await? {
        return Ok(replayed);
    }
    match make(environment, call, session, Some((&key, fingerprint)), body).await {
        Ok(refund) => Ok(created(&refund)),
        // Another node stored the key first.
        Err(RefundRefusal::KeyTaken) => match replay(environment, call, &key, &fingerprint).await? {
            Some(replayed) => Ok(replayed),
            None => Err(Problem::unavailable("the Idempotency-Key has just expired: retry the request")),
        },
        // The refusal may be the effect of the same request, just granted on another node.
        Err(RefundRefusal::Problem(problem)) => match replay(environment, call, &key, &fingerprint).await? {
            Some(replayed) => Ok(replayed),
            None => Err(problem),
        },
    }
}

/// The reason why no refund was made.
enum RefundRefusal {
    KeyTaken,
    Problem(Problem),
}

impl From<RefundRefusal> for Problem {
    fn from(unmade: RefundRefusal) -> Self {
        match unmade {
            RefundRefusal::KeyTaken => unreachable!("a request without a key takes none"),
            RefundRefusal::Problem(problem) => problem,
        }
    }
}

async fn make(
    environment: &Environment,
    call: &Call,
    session: &Session,
    key: Option<(&str, [u8; 32])>,
    mut body: Body,
) -> Result<Refund, RefundRefusal> {
    let request = RefundRequest::from_fields(|name| body.take(name));
    let (terms, fiscal) = (&call.vendor.terms, &call.vendor.settings.fiscal);
    let asking = RefundOrder { session, terms, fiscal, request: &request, lines: None, by: BY, key };
    let refunder = Refunder { store: &environment.store };
    refunder.request(&asking).await.map_err(|error| match error {
        RefundError::KeyTaken => RefundRefusal::KeyTaken,
        RefundError::LinesChanged => unreachable!("the API names lines by what they say"),
        RefundError::Rejected(rejection) => RefundRefusal::Problem(rejection.into()),
        RefundError::Store(error) => RefundRefusal::Problem(error.into()),
    })
}

/// Repeats the first answer with the refund's present state; `None` if the key is new.
async fn replay(
    environment: &Environment,
    call: &Call,
    key: &str,
    fingerprint: &[u8; 32],
) -> Result<Option<Response>, Problem> {
    let since = environment.now().minus(KEY_REMEMBERED_FOR);
    let Some(remembered) = environment.store.key(call.vendor.id, key, since).await? else { return Ok(None) };
    if remembered.fingerprint != *fingerprint {
        return Err(Rejection::IdempotencyKeyReused.into());
    }
    let id = RefundId::from_bytes(remembered.made);
    let refund = environment.store.refunds().refund(id).await?;
    let refund = refund.ok_or_else(|| StoreError::Corrupt(format!("refund {id} disappeared")))?;
    let mut response = created(&refund);
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    Ok(Some(response))
}

fn created(refund: &Refund) -> Response {
    (StatusCode::CREATED, Json(RefundObject::from(refund))).into_response()
}
