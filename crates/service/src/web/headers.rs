//! What is done first and last for a request: gives each request its id and each answer its headers, and writes problem documents.

use super::Problem;
use crate::environment::{Environment, RequestId};
use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode, Version, header},
    response::{IntoResponse as _, Response},
};
use std::sync::Arc;
use tracing::Instrument as _;

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The content security policy: only our own origin, no inline script or style, no framing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// HSTS for a year. It does not include subdomains, which are not ours to decide about.
const TRANSPORT_SECURITY: &str = "max-age=31536000";

/// What [`finish`] needs.
#[derive(Debug, Clone)]
pub struct Finish {
    /// The base of the links in problem documents.
    pub base_url: Arc<str>,
    /// True if clients use https, here or at a proxy.
    pub secure: bool,
    /// Its clock gives the time in request ids: both environments have the same.
    pub environment: Arc<Environment>,
}

/// True if proxies and servers could parse a request differently (request smuggling): not exactly one `Host`
/// (RFC 9112, 3.2), or an unknown transfer coding. A `Content-Length` beside `Transfer-Encoding` is ignored,
/// and the connection is closed after the answer (RFC 9112, 6.1).
fn is_ambiguous(request: &Request) -> bool {
    let headers = request.headers();
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let hosts = headers.get_all(header::HOST).iter().count();
    let coded =
        codings.next().is_some_and(|value| !value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"));
    hosts > 1 || coded || codings.next().is_some() || request.version() == Version::HTTP_11 && hosts != 1
}

/// The largest head of a request. The listener stops reading there, but accepts a larger one that arrived at
/// once.
pub const MAX_HEAD: usize = 32 * 1024;

fn head_length(request: &Request) -> usize {
    let line =
        |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + ": \r\n".len();
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    target + request.headers().iter().map(line).sum::<usize>()
}

/// The refusal of a request that is ambiguous, or whose head is too large.
#[must_use]
pub fn refuse_ambiguous(request: &Request) -> Option<Response> {
    let status = match request {
        _ if head_length(request) > MAX_HEAD => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        _ if is_ambiguous(request) => StatusCode::BAD_REQUEST,
        _ => return None,
    };
    Some((status, [(header::CONNECTION, "close")]).into_response())
}

/// Runs the request and completes its answer.
pub async fn finish<Answer: Future<Output = Response>>(
    with: &Finish,
    mut request: Request,
    run: impl FnOnce(Request) -> Answer,
) -> Response {
    let text = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let id = text.and_then(RequestId::from_client).unwrap_or_else(|| {
        RequestId::new(with.environment.now(), request.method().as_str(), request.uri().path())
    });
    request.extensions_mut().insert(id.clone());
    let span = tracing::error_span!("request", id = id.as_str());
    let mut response = run(request).instrument(span).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = problem.write(response, &id, &with.base_url);
    }
    let headers = response.headers_mut();
    let value = HeaderValue::from_str(id.as_str());
    headers.insert(REQUEST_ID.clone(), value.unwrap_or_else(|_| unreachable!("an id is plain ASCII")));
    let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if with.secure {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(TRANSPORT_SECURITY));
    }
    headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    response
}
