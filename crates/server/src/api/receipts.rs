//! The closing receipt of a session: what was paid before has been handed over.

use super::{
    call::{SessionInPath, authorized, read_json},
    session::find,
    wire::ReceiptObject,
};
use axum::{
    Json,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::request::ReceiptRequest;
use till_service::{
    admin::{ClosingError, close},
    environment::Environment,
    web::Problem,
};

/// `POST …/session/{session_id}/receipts`
pub async fn create(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.create, request, |call, request| async move {
        let mut body = read_json(request).await?;
        let session = find(environment, &id, &call.vendor).await?;
        let mut request = ReceiptRequest::from_fields(|name| body.take(name));
        request.unknown = body.rest();
        let (receipt, is_new) = close(&environment.store, &session, &call.vendor.settings.fiscal, &request)
            .await
            .map_err(|error| match error {
                ClosingError::Rejected(rejection) => Problem::from(rejection),
                ClosingError::Store(error) => error.into(),
            })?;
        let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, Json(ReceiptObject::from(&receipt))).into_response())
    })
    .await
}
