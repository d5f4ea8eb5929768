//! `/openapi.json`, and `/docs`: a readable reference rendered from that same document.

mod errors;
mod example;
mod operations;
mod page;
mod prose;
mod schema;

use crate::api::openapi;
use axum::{
    Router,
    http::{HeaderValue, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use std::sync::Arc;

/// The routes of the documentation.
pub fn router(base_url: &str) -> Router {
    let document = openapi::document(base_url);
    let page: Arc<str> = page::render(&document, base_url).into();
    let document: Arc<str> = document.to_string().into();
    Router::new()
        .route("/openapi.json", get(async move || typed("application/json", document.to_string())))
        .route("/docs", get(async move || Html(page.to_string())))
}

fn typed(content_type: &'static str, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
