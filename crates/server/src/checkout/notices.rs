//! `POST /notices/{provider}/{place}`: a provider says that something happened. Nothing of it is believed
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
use till_providers::{Notice, Proof};

/// Where the notices of one environment's providers arrive.
pub fn router(cashier: Arc<Cashier>) -> Router {
    Router::new().route("/notices/{provider}/{place}", post(receive)).with_state(cashier)
}

async fn receive(
    State(cashier): State<Arc<Cashier>>,
    Path((provider, place)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let signature = match cashier.proof(&provider) {
        Some(Proof::Header(name)) => headers.get(name).and_then(|value| value.to_str().ok()),
        Some(Proof::Address) => Some(place.as_str()),
        None => None,
    };
    match cashier.notice(&provider, &Notice { signature, body: &body }).await {
        Ok(true) => Json(json!({ "status": "ok" })).into_response(),
        // Whoever cannot prove to be a provider is not told whether there is one.
        Ok(false) => Problem::not_found().into_response(),
        Err(error) => Problem::from(error).into_response(),
    }
}
