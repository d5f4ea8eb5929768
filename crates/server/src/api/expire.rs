//! Ending a pending session before its deadline.

use super::{
    call::{SessionInPath, authorized, read_empty},
    session::parse_id,
    wire::SessionStatus,
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_service::{
    cashier::{Cashier, ExpireRefusal},
    web::Problem,
};

/// `POST …/session/{session_id}/expire`
pub async fn expire(
    State(cashier): State<Arc<Cashier>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let cashier = &*cashier;
    let environment = cashier.environment();
    authorized(environment, &environment.limits.status, request, |call, request| async move {
        read_empty(request).await?;
        let expired = cashier.expire(parse_id(&id)?, &call.vendor).await.map_err(refused)?;
        Ok(Json(SessionStatus::from(&expired)).into_response())
    })
    .await
}

fn refused(refusal: ExpireRefusal) -> Problem {
    match refusal {
        ExpireRefusal::Rejected(rejection) => rejection.into(),
        ExpireRefusal::Silent => Problem::unavailable(
            "the payment provider did not respond, so the payment is still open: try again shortly",
        ),
        ExpireRefusal::Store(error) => error.into(),
    }
}
