//! Choosing the outcome of a sandbox session from an automated test, and what happens to its money after that.

use super::{
    call::{SessionInPath, posted},
    session::parse_id,
    wire::SessionStatus,
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::request::{FieldValue, SimulateRequest};
use till_service::{
    admin::{SimulationError, Simulator},
    environment::Environment,
    web::{MAX_BODY, Problem},
};

/// `POST …/session/{session_id}/simulate`
pub async fn simulate(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    posted(environment, request, MAX_BODY, |call, mut posted| async move {
        let simulate_request = SimulateRequest::from_fields(|name| posted.body.take(name));
        let id = parse_id(&id)?;
        let simulator = Simulator { environment, vendor: &call.vendor };
        let SimulateRequest { outcome, event, receipt, .. } = &simulate_request;
        let simulated = match (event, outcome, receipt) {
            (FieldValue::Absent, FieldValue::Absent, FieldValue::Absent) => {
                simulator.end(id, &simulate_request).await
            }
            (FieldValue::Absent, FieldValue::Absent, _) => simulator.register(id, &simulate_request).await,
            (FieldValue::Absent, ..) => simulator.end(id, &simulate_request).await,
            _ => simulator.make_event(id, &simulate_request).await,
        };
        let session = simulated.map_err(|error| match error {
            SimulationError::Rejected(rejection) => rejection.into(),
            SimulationError::Store(error) => Problem::from(error),
        })?;
        Ok(Json(SessionStatus::from(&session)).into_response())
    })
    .await
}
