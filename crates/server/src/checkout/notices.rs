//! `POST /notices/{provider}/{account}`: a provider says that something happened. Nothing of it is believed
//! but that the provider should be asked.

use crate::{cashier::Cashier, web::Problem};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::json;
use std::sync::Arc;
use till_providers::Notice;

/// Where the notices of one environment's providers arrive.
pub fn router(cashier: Arc<Cashier>) -> Router {
    Router::new().route("/notices/{provider}/{account}", post(receive)).with_state(cashier)
}

async fn receive(
    State(cashier): State<Arc<Cashier>>,
    Path((provider, _account)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let signature = headers.get("x-signature").and_then(|value| value.to_str().ok());
    match cashier.notice(&provider, &Notice { signature, body: &body }).await {
        Ok(true) => Json(json!({ "status": "ok" })).into_response(),
        // Whoever cannot prove to be a provider is not told whether there is one.
        Ok(false) => Problem::not_found().into_response(),
        Err(error) => Problem::from(error).into_response(),
    }
}
