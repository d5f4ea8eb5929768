//! The closing receipt of a session: what was paid before has been handed over.

use super::{
    call::{SessionInPath, posted},
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
    web::{MAX_RECEIPT, Problem},
};

/// `POST …/session/{session_id}/receipts`
pub async fn create(
    State(environment): State<Arc<Environment>>,
    SessionInPath(id): SessionInPath,
    request: Request,
) -> Response {
    let environment = &*environment;
    posted(environment, request, MAX_RECEIPT, |call, mut posted| async move {
        let session = find(environment, &id, &call.vendor).await?;
        let mut request = ReceiptRequest::from_fields(|name| posted.body.take(name));
        request.unknown = posted.body.rest();
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
