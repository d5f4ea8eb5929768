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
use axum::{Router, http::HeaderMap, routing::get};
use guide::GUIDES;
use till_service::web::assets::Shared;

const HTML: &str = "text/html; charset=utf-8";

/// The pages, for the list on each of them.
const PAGES: [(&str, &str); 3] = [
    ("/docs", "API reference"),
    ("/docs/integration", "Integration guide"),
    ("/docs/callbacks", "Callbacks"),
];

pub fn router(base_url: &str) -> Router {
    let document = openapi::document(base_url);
    let page = Shared::new(HTML, page::render(&document, base_url));
    let document = Shared::new("application/json", document.to_string());
    let router = Router::new()
        .route("/openapi.json", get(async move |headers: HeaderMap| document.answer(&headers)))
        .route("/docs", get(async move |headers: HeaderMap| page.answer(&headers)));
    GUIDES.iter().fold(router, |router, guide| {
        let page = Shared::new(HTML, guide.render(base_url));
        router.route(guide.path, get(async move |headers: HeaderMap| page.answer(&headers)))
    })
}
