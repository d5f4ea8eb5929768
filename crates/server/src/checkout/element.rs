//! `…/elements/{provider}`: the script that puts a provider's own form into our page.

use super::CheckoutState;
use axum::{
    extract::{Path, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_service::web::Problem;

pub(super) async fn script(
    State(checkout): State<Arc<CheckoutState>>,
    Path(provider): Path<String>,
) -> Response {
    let Some(text) = checkout.cashier.element(&provider) else { return Problem::not_found().into_response() };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300")),
    ];
    (headers, text).into_response()
}
