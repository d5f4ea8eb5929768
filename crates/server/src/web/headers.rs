//! The outermost layer: gives each request its id and each answer its headers, and writes out problems.

use super::Problem;
use crate::random;
use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use std::sync::Arc;
use tracing::Instrument as _;

/// The id of a request, kept from the caller if it is well formed.
#[derive(Debug, Clone)]
pub struct RequestId(String);

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Ours only, no inline script or style, never in a frame.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

impl RequestId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of(request: &Request) -> Self {
        let given = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
        let well_formed = |id: &&str| {
            (1..=128).contains(&id.len())
                && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        };
        match given.filter(well_formed) {
            Some(id) => Self(id.to_owned()),
            None => Self(format!("req_{}", hex::encode(random::bytes::<12>()))),
        }
    }
}

/// Runs the request and completes its answer. `base_url` leads the links of problem documents.
pub async fn finish(State(base_url): State<Arc<str>>, mut request: Request, next: Next) -> Response {
    let id = RequestId::of(&request);
    request.extensions_mut().insert(id.clone());
    let span = tracing::error_span!("request", id = id.as_str());
    let mut response = next.run(request).instrument(span).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = problem.write(response, &id, &base_url);
    }
    let headers = response.headers_mut();
    let value = HeaderValue::from_str(&id.0);
    headers.insert(REQUEST_ID.clone(), value.unwrap_or_else(|_| unreachable!("an id is plain ASCII")));
    let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    response
}
