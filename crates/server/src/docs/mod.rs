//! `/openapi.json`; `/docs`, a readable reference rendered from that same document; and beside it the guides.

mod errors;
mod example;
mod guide;
mod markdown;
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
use guide::GUIDES;
use std::sync::Arc;

/// The pages, as each of them lists all.
const PAGES: [(&str, &str); 3] = [
    ("/docs", "API reference"),
    ("/docs/integration", "Integration guide"),
    ("/docs/callbacks", "Callbacks"),
];

/// The routes of the documentation.
pub fn router(base_url: &str) -> Router {
    let document = openapi::document(base_url);
    let page: Arc<str> = page::render(&document, base_url).into();
    let document: Arc<str> = document.to_string().into();
    let router = Router::new()
        .route("/openapi.json", get(async move || typed("application/json", document.to_string())))
        .route("/docs", get(async move || Html(page.to_string())));
    GUIDES.iter().fold(router, |router, guide| {
        let page: Arc<str> = guide.render(base_url).into();
        router.route(guide.path, get(async move || Html(page.to_string())))
    })
}

fn typed(content_type: &'static str, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
