//! Choosing the outcome of a sandbox session from an automated test.

use super::{
    call::{SessionInPath, authorized, read_json},
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
    request::SimulateRequest,
    session::{self, Status},
};
use till_service::environment::{Environment, Retries};
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
        let mut retries = Retries::default();
        loop {
            let found = find(environment, &id, &call.vendor).await?;
            let (now, event_id) = (environment.now(), environment.next_event_id());
            let (session, changes) =
                session::simulate(&found, &simulate_request, now, &call.vendor.settings, event_id)?;
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
