//! The outermost layer: gives each request its id and each answer its headers, and writes out problems.

use super::Problem;
use crate::{environment::Environment, random};
use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode, Version, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use std::sync::Arc;
use till_domain::time::Timestamp;
use tracing::Instrument as _;

/// The id of a request, kept from the caller if it is well formed. Ours begin with their moment: what a request made
/// is found near that moment, without an index of request ids.
#[derive(Debug, Clone)]
pub struct RequestId(String);

/// What an id of ours begins with: then twelve hexadecimal digits of milliseconds, and twelve random ones.
const OURS: &str = "req_";

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Ours only, no inline script or style, never in a frame.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A browser that has been here by https comes by nothing else for a year. Other names of the domain are not ours to
/// decide about.
const TRANSPORT_SECURITY: &str = "max-age=31536000";

impl RequestId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// When a request with this id came, if the id is one of ours.
    #[must_use]
    pub fn moment(text: &str) -> Option<Timestamp> {
        let digits = text.strip_prefix(OURS)?;
        let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let ms = digits.get(..12).filter(|_| digits.len() == 24 && digits.bytes().all(is_digit))?;
        i64::from_str_radix(ms, 16).ok().map(Timestamp::from_ms)
    }

    /// A new id of ours.
    fn new(now: Timestamp) -> Self {
        let [_, _, ms @ ..] = u64::try_from(now.as_ms()).unwrap_or(0).to_be_bytes();
        Self(format!("{OURS}{}{}", hex::encode(ms), hex::encode(random::bytes::<6>())))
    }

    fn of(request: &Request, now: impl Fn() -> Timestamp) -> Self {
        let given = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
        let well_formed = |id: &&str| {
            (1..=128).contains(&id.len())
                && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        };
        match given.filter(well_formed) {
            Some(id) => Self(id.to_owned()),
            None => Self::new(now()),
        }
    }
}

/// What every answer needs.
#[derive(Debug, Clone)]
pub struct Finish {
    /// Leads the links of problem documents.
    pub base_url: Arc<str>,
    /// Whether clients come by https, here or at a proxy.
    pub secure: bool,
    /// Whose clock the ids of requests begin with: both environments have the same.
    pub environment: Arc<Environment>,
}

/// Whether proxies and servers could read a request differently, so that one of them takes a part of it for another
/// request: without one `Host` (RFC 9112, 3.2), or in a transfer coding that is not known. A `Content-Length` beside
/// `Transfer-Encoding` does not count, and the connection is closed after the answer (RFC 9112, 6.1).
fn is_ambiguous(request: &Request) -> bool {
    let headers = request.headers();
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let hosts = headers.get_all(header::HOST).iter().count();
    let coded =
        codings.next().is_some_and(|value| !value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"));
    hosts > 1 || coded || codings.next().is_some() || request.version() == Version::HTTP_11 && hosts != 1
}

/// Refuses what could be read in two ways.
pub async fn refuse_ambiguous(request: Request, next: Next) -> Response {
    if is_ambiguous(&request) {
        return (StatusCode::BAD_REQUEST, [(header::CONNECTION, "close")]).into_response();
    }
    next.run(request).await
}

/// Runs the request and completes its answer.
pub async fn finish(State(with): State<Finish>, mut request: Request, next: Next) -> Response {
    let id = RequestId::of(&request, || with.environment.now());
    request.extensions_mut().insert(id.clone());
    let span = tracing::error_span!("request", id = id.as_str());
    let mut response = next.run(request).instrument(span).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = problem.write(response, &id, &with.base_url);
    }
    let headers = response.headers_mut();
    let value = HeaderValue::from_str(&id.0);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_ours_tells_its_moment_and_no_other_does() {
        let now = Timestamp::from_ms(1_763_164_800_123);
        let id = RequestId::new(now);
        assert_eq!((id.as_str().len(), RequestId::moment(id.as_str())), (28, Some(now)));
        assert_ne!(id.as_str(), RequestId::new(now).as_str());
        let wrong = ["", "req_", "order-7", "req_019a8b2c3d4e9fd736ad88e", "req_019a8b2c3d4e9fd736ad88eaa"];
        for other in
            wrong.iter().chain(&["req_019A8B2C3D4E9FD736AD88EA", "req_+19a8b2c3d4e9fd736ad88ea", "req_ё"])
        {
            assert_eq!(RequestId::moment(other), None, "{other}");
        }
    }
}
