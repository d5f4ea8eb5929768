//! Creating a session and asking for its status.

use super::{
    call::{Call, SessionInPath, authorized, posted},
    json::Json as Body,
    wire::{SessionCreated, SessionStatus},
};
use crate::api::idempotency;
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::{Change, Guard, RememberedKey},
    defect::Defect,
    id::SessionId,
    rejection::Rejection,
    request::{CreateRequest, KEY_REMEMBERED_FOR},
    session::{self, Catalog, Creation, Session, State as SessionState},
    time::Timestamp,
    vendor::Vendor,
};
use till_service::{
    environment::{Environment, KeyTurn},
    random,
    web::{MAX_RECEIPT, Problem},
};
use till_store::{Committed, FailPoint, StoreError, StoredKey};

/// `POST …/session`
pub async fn create(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let environment = &*environment;
    posted(environment, request, MAX_RECEIPT, |call, mut posted| async move {
        match posted.take_key()? {
            Some(key) => create_once(environment, &call, &key, posted.body).await,
            None => {
                let (session, changes) = decide(environment, &call, posted.body).await?;
                match environment.commit(&changes).await? {
                    Committed::Done => Ok(created(environment, &session)),
                    Committed::Lost(_) => unreachable!("nothing in this list is guarded"),
                }
            }
        }
    })
    .await
}

/// A create without the commit, for `bench/` to compare with.
#[cfg(feature = "bench")]
pub async fn create_without_storing(
    State(environment): State<Arc<Environment>>,
    request: Request,
) -> Response {
    let environment = &*environment;
    posted(environment, request, MAX_RECEIPT, |call, posted| async move {
        let (session, _) = decide(environment, &call, posted.body).await?;
        Ok(created(environment, &session))
    })
    .await
}

/// `GET …/session/{session_id}`
pub async fn status(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.status, request, |call, _| async move {
        let mut session = find(environment, &id, &call.vendor).await?;
        plant_wrong_status(&mut session, environment.now());
        Ok(Json(SessionStatus::from(&session)).into_response())
    })
    .await
}

/// Does nothing but in a simulation with one of these defects.
fn plant_wrong_status(session: &mut Session, now: Timestamp) {
    if Defect::StatusFromCache.is_planted() && now.since(session.updated_at) < Duration::from_secs(20) {
        session.state = SessionState::Pending;
    }
    let is_pending = session.state == SessionState::Pending;
    if Defect::StatusFromClock.is_planted() && is_pending && session.deadline() <= now {
        session.state = SessionState::Expired;
    }
}

/// The vendor's session with this id.
pub async fn find(environment: &Environment, id: &str, vendor: &Vendor) -> Result<Session, Problem> {
    let session = environment.session(parse_id(id)?, vendor).await?;
    Ok(session.ok_or(Rejection::SessionNotFound)?)
}

/// The session id in a path; one that is malformed names no session.
pub fn parse_id(id: &str) -> Result<SessionId, Rejection> {
    SessionId::parse(id).ok_or(Rejection::SessionNotFound)
}

/// The session that a body describes, with the changes that create it.
async fn decide(
    environment: &Environment,
    call: &Call,
    mut body: Body,
) -> Result<(Session, Vec<Change>), Problem> {
    let request = CreateRequest::from_fields(|name| body.take(name));
    let catalog = look_up(environment, &call.vendor, &request).await?;
    let (now, vendor) = (environment.now(), call.vendor.id);
    let order = request.order_id.text().ok().flatten().unwrap_or_default();
    let owner = [environment.name.as_str().as_bytes(), vendor.as_bytes(), order.as_bytes()];
    let creation = Creation {
        rules: &environment.rules(),
        vendor: &call.vendor,
        catalog: &catalog,
        now,
        id: random::id_for(now, &owner),
        request_id: call.request_id.as_str(),
    };
    Ok(session::create(&request, &creation)?)
}

async fn look_up(
    environment: &Environment,
    vendor: &Vendor,
    request: &CreateRequest,
) -> Result<Catalog, StoreError> {
    let mut catalog = Catalog::default();
    if !environment.rules().catalog {
        return Ok(catalog);
    }
    let accounts = environment.directory.accounts();
    if let Some(id) = request.product() {
        catalog.product = accounts.product(vendor.id, &id).await?;
    }
    if let Some(id) = request.category() {
        catalog.category = accounts.category(vendor.id, &id).await?;
    }
    Ok(catalog)
}

/// Creates a session with an idempotency key: concurrent requests, on any number of nodes, make one session.
async fn create_once(
    environment: &Environment,
    call: &Call,
    key: &str,
    body: Body,
) -> Result<Response, Problem> {
    let fingerprint = idempotency::fingerprint(&body);
    let _turn = in_turn(environment, call, key).await?;
    if let Some(remembered) = remembered(environment, call, key).await? {
        return replay(environment, call, &remembered, &fingerprint).await;
    }
    let (session, mut changes) = decide(environment, call, body).await?;
    let remember = RememberedKey {
        vendor: call.vendor.id,
        key: key.to_owned(),
        fingerprint,
        made: session.id.into(),
        at: session.created_at,
        forget_before: session.created_at.minus(KEY_REMEMBERED_FOR),
    };
    changes.insert(0, Change::RememberKey(remember));
    match environment.commit(&changes).await? {
        Committed::Done => {
            FailPoint::SessionCreated.reach();
            Ok(created(environment, &session))
        }
        // Another node stored the key first.
        Committed::Lost(Guard::KeyTaken) => match remembered(environment, call, key).await? {
            Some(remembered) => replay(environment, call, &remembered, &fingerprint).await,
            None => Err(Problem::unavailable("the Idempotency-Key has just expired: retry the request")),
        },
        Committed::Lost(_) => unreachable!("only the key is guarded"),
    }
}

/// Waits until no other request with this key runs on this node.
pub async fn in_turn<'a>(
    environment: &'a Environment,
    call: &Call,
    key: &str,
) -> Result<KeyTurn<'a>, Problem> {
    environment.in_flight.enter(call.vendor.id, key).await.ok_or_else(|| {
        let detail = "another request with this Idempotency-Key is still in progress: try again shortly";
        Problem::new(StatusCode::CONFLICT, "idempotency_in_progress", detail)
    })
}

async fn remembered(
    environment: &Environment,
    call: &Call,
    key: &str,
) -> Result<Option<StoredKey>, StoreError> {
    let since = environment.now().minus(KEY_REMEMBERED_FOR);
    environment.store.key(call.vendor.id, key, since).await
}

/// Repeats the first answer.
async fn replay(
    environment: &Environment,
    call: &Call,
    remembered: &StoredKey,
    fingerprint: &[u8; 32],
) -> Result<Response, Problem> {
    if remembered.fingerprint != *fingerprint {
        return Err(Rejection::IdempotencyKeyReused.into());
    }
    let session = environment.read_again(SessionId::from_bytes(remembered.made), call.vendor.id).await?;
    let mut response = created(environment, &session);
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    Ok(response)
}

fn created(environment: &Environment, session: &Session) -> Response {
    let body = SessionCreated::new(session, environment.session_url(session.id));
    (StatusCode::CREATED, Json(body)).into_response()
}
