//! Choosing the outcome of a sandbox session from an automated test, and what happens to its money after that.

use super::{
    call::{Call, SessionInPath, authorized, read_json},
    session::find,
    wire::SessionStatus,
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::{
    request::{FieldValue, SimulateRequest},
    session::{self, Status},
    simulation::{self, SimulationFacts},
    transaction::{Action, ActionKind},
};
use till_service::{
    environment::{Environment, Retries},
    web::Problem,
};
use till_store::Committed;

/// `POST …/session/{session_id}/simulate`
pub async fn simulate(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.create, request, |call, request| async move {
        let mut body = read_json(request).await?;
        let simulate_request = SimulateRequest::from_fields(|name| body.take(name));
        if simulate_request.event != FieldValue::Absent {
            return simulate_event(environment, &call, &id, &simulate_request).await;
        }
        let mut retries = Retries::default();
        loop {
            let found = find(environment, &id, &call.vendor).await?;
            let (now, event_id) = (environment.now(), environment.next_event_id());
            let (session, changes) =
                session::simulate(&found, &simulate_request, now, &call.vendor.settings, event_id)?;
            if changes.is_empty() {
                return Ok(Json(SessionStatus::from(&session)).into_response());
            }
            // Lost: the session is final now, or another method or plan was chosen; the next read tells.
            if environment.commit(&changes).await? == Committed::Done {
                if session.state.status() != Status::Pending {
                    environment.log_final(&session);
                }
                return Ok(Json(SessionStatus::from(&session)).into_response());
            }
            retries.lost()?;
        }
    })
    .await
}

/// Makes an event about the money of a final session happen.
async fn simulate_event(
    environment: &Environment,
    call: &Call,
    id: &str,
    request: &SimulateRequest,
) -> Result<Response, Problem> {
    let (store, mut retries) = (&environment.store, Retries::default());
    loop {
        let session = find(environment, id, &call.vendor).await?;
        let stored = store.actions_of(session.id).await?;
        let open: Vec<Action> =
            stored.iter().filter(|one| one.decided.is_none()).map(|one| one.action.clone()).collect();
        let facts = SimulationFacts {
            session: &session,
            transactions: &store.transactions_of(session.id).await?,
            open: &open,
            disputes: stored.iter().filter(|one| one.action.kind == ActionKind::Disputed).count(),
            refunds: &store.refunds().of_session(session.id).await?,
            settings: &call.vendor.settings,
            now: environment.now(),
            id: environment.next_event_id(),
        };
        let changes = simulation::simulate_event(request, &facts)?;
        // Lost: another request opened or decided the same; the next read tells.
        if environment.commit(&changes).await? == Committed::Done {
            return Ok(Json(SessionStatus::from(&session)).into_response());
        }
        retries.lost()?;
    }
}
