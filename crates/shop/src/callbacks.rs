//! `POST /shop/callbacks/{environment}`: Till reports how a payment ended.
//!
//! The signature is verified first, over the raw bytes; then the order is updated; then the answer is sent. A
//! callback that is not signed with this environment's secret leaves no trace.

use crate::{
    Shop,
    api::now_ms,
    environment::Environment,
    journal::{JournalEntry, MessageKind},
    orders::CallbackResult,
    report::PaymentReport,
    signature,
};
use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;
use std::{sync::Arc, time::Instant};

/// Headers of a callback that are shown in the journal and repeated in the curl command.
const SHOWN: [&str; 5] =
    ["Content-Type", "X-Signature", "X-Signature-Alternate", "X-Environment", "X-Attempt"];

pub(crate) async fn receive(
    State(shop): State<Arc<Shop>>,
    Path(environment): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let started = Instant::now();
    let Some(environment) = Environment::parse(&environment) else { return answer(StatusCode::NOT_FOUND) };
    let secret = &shop.config.credentials(environment).client_secret;
    // While credentials are being rotated, either header may hold the signature by the secret that the shop
    // knows.
    let signed = ["x-signature", "x-signature-alternate"].iter().any(|name| {
        let header = headers.get(*name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        signature::verify(secret, &body, header)
    });
    if !signed {
        return answer(StatusCode::UNAUTHORIZED);
    }
    let entry = entry(environment, &headers, &body);
    let Some(report) = PaymentReport::parse(&body).filter(|report| report.event_id.is_some()) else {
        return ignore(&shop, environment, &body, entry, started).await;
    };
    match shop.orders.hear(environment, report, entry, started).await {
        Ok(CallbackResult::Unknown) => {
            tracing::warn!("a callback about an order that the shop does not know");
            answer(StatusCode::OK)
        }
        // A retry would not change what it says.
        Ok(CallbackResult::Doubted(_) | CallbackResult::Believed | CallbackResult::Repeat) => {
            answer(StatusCode::OK)
        }
        Err(error) => {
            tracing::error!("a callback could not be stored: {error:#}");
            answer(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

/// Handles a signed callback that the shop does not understand. An event of an unknown type is answered 200,
/// because a retry would not help; a body that is no event at all is refused.
async fn ignore(
    shop: &Shop,
    environment: Environment,
    body: &[u8],
    entry: JournalEntry,
    started: Instant,
) -> Response {
    let Some(event) = serde_json::from_slice::<Event>(body).ok() else {
        return answer(StatusCode::BAD_REQUEST);
    };
    tracing::info!("a callback about {:?}, which the shop does not know", event.event);
    let kept = match event.order_id {
        Some(order) => shop.orders.overhear(environment, order, entry, started).await,
        None => Ok(()),
    };
    match kept {
        Ok(()) => answer(StatusCode::OK),
        Err(error) => {
            tracing::error!("a callback could not be stored: {error:#}");
            answer(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

/// The fields of an event whose type the shop does not know.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    event: String,
    order_id: Option<String>,
}

fn entry(environment: Environment, headers: &HeaderMap, body: &[u8]) -> JournalEntry {
    let line = |name: &&str| {
        let value = headers.get(*name).and_then(|value| value.to_str().ok())?;
        Some(format!("{name}: {value}"))
    };
    JournalEntry {
        kind: MessageKind::Callback,
        at_ms: now_ms(),
        took_ms: 0,
        method: "POST".to_owned(),
        path: format!("/shop/callbacks/{}", environment.word()),
        headers: SHOWN.iter().filter_map(line).collect::<Vec<_>>().join("\n"),
        body: String::from_utf8_lossy(body).into_owned(),
        status: Some(200),
        answer: ok_body(StatusCode::OK).to_string(),
        note: None,
        times: 1,
    }
}

fn ok_body(status: StatusCode) -> serde_json::Value {
    json!({ "received": status == StatusCode::OK })
}

fn answer(status: StatusCode) -> Response {
    (status, Json(ok_body(status))).into_response()
}
