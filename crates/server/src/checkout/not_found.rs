//! Addresses at which there is nothing: a browser gets a page, every other client problem details (RFC 9457).

use super::{CheckoutState, answer::Visit, pages::Body};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
};
use std::sync::Arc;
use till_service::web::Problem;

/// The router for every address that no other one knows.
pub fn not_found(checkout: CheckoutState) -> Router {
    Router::new().fallback(answer).with_state(Arc::new(checkout))
}

async fn answer(
    State(checkout): State<Arc<CheckoutState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    visit: Visit,
) -> Response {
    if wants_page(&method, &uri, &headers) {
        visit.plain(&checkout, StatusCode::NOT_FOUND, Body::NoPage)
    } else {
        Problem::not_found().into_response()
    }
}

/// Whether a person looks at the answer. Below `/api` there are programs only.
fn wants_page(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let html = accepts
        .flat_map(|value| value.split(','))
        .any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html")));
    html && matches!(*method, Method::GET | Method::HEAD) && !uri.path().starts_with("/api/")
}
