//! The steps before every API handler, in the order that the documentation promises: authentication, rate
//! limit, body size, content type, JSON.

use crate::api::{
    idempotency,
    json::{self, Json},
};
use axum::{
    body::{Bytes, to_bytes},
    extract::{FromRequestParts, Path, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use std::{convert::Infallible, sync::Arc};
use till_domain::{
    credential::{self, Claims},
    environment::EnvironmentName,
    rejection::Rejection,
    vendor::Vendor,
};
use till_service::{
    environment::{Environment, RequestId},
    limits::{Limiter, Quota},
    web::{BodyNotRead, MAX_BODY, Problem},
};

/// A call with a valid token of a vendor.
#[derive(Debug)]
pub struct Call {
    pub vendor: Arc<Vendor>,
    /// The claims of the token.
    pub claims: Claims,
    pub request_id: RequestId,
}

/// Runs a call with a valid token, within the rate limit. Every answer carries the rate limit headers.
pub async fn authorized<Work>(
    environment: &Environment,
    limiter: &Limiter,
    request: Request,
    work: impl FnOnce(Call, Request) -> Work,
) -> Response
where
    Work: Future<Output = Result<Response, Problem>>,
{
    let (vendor, claims) = match authenticate(environment, request.headers()).await {
        Ok(known) => known,
        Err(problem) => return problem.into_response(),
    };
    let quota = limiter.take(&vendor.id, environment.uptime());
    let answer = match quota.and_then(|quota| quota.retry_after) {
        Some(wait) => Err(Problem::rate_limited(wait)),
        None => work(Call { vendor, claims, request_id: request_id(&request) }, request).await,
    };
    with_quota(answer, quota)
}

/// A body that was posted, and the idempotency key that came with it.
pub struct Posted {
    pub body: Json,
    key: Result<Option<String>, Problem>,
}

impl Posted {
    /// The idempotency key, if there is one. A wrong one is an error only where keys count.
    pub fn take_key(&mut self) -> Result<Option<String>, Problem> {
        std::mem::replace(&mut self.key, Ok(None))
    }
}

/// Runs a call that posts something about a session: authorized, within the rate limit of creates, with its body of at most so
/// many bytes.
pub async fn posted<Work>(
    environment: &Environment,
    request: Request,
    most: usize,
    work: impl FnOnce(Call, Posted) -> Work,
) -> Response
where
    Work: Future<Output = Result<Response, Problem>>,
{
    authorized(environment, &environment.limits.create, request, |call, request| async move {
        let key = idempotency::read_key(&request);
        let body = read_json_of(request, most).await?;
        work(call, Posted { body, key }).await
    })
    .await
}

/// Completes an answer of the API with the rate limit headers and `no-store`.
pub fn with_quota(answer: Result<Response, Problem>, quota: Option<Quota>) -> Response {
    let mut response = answer.unwrap_or_else(IntoResponse::into_response);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(quota) = quota {
        headers.insert("ratelimit-limit", quota.limit.into());
        headers.insert("ratelimit-remaining", quota.remaining.into());
        let reset = u64::try_from(quota.reset.as_millis().div_ceil(1000)).unwrap_or(u64::MAX);
        headers.insert("ratelimit-reset", reset.into());
    }
    response
}

async fn authenticate(
    environment: &Environment,
    headers: &HeaderMap,
) -> Result<(Arc<Vendor>, Claims), Problem> {
    let Some(token) = bearer(headers) else {
        // No token was presented, so there is no error to name (RFC 6750 §3.1).
        let challenge = HeaderValue::from_static("Bearer realm=\"till\"");
        return Err(Problem::from(Rejection::InvalidToken).header(header::WWW_AUTHENTICATE, challenge));
    };
    let claims = environment.vault.read_token(environment.name, token);
    let claims = claims.ok_or_else(|| unreadable(environment, token))?;
    Ok((admit(environment, &claims).await?, claims))
}

/// Why a token cannot be read: it may belong to the other environment, whose key signed it.
fn unreadable(environment: &Environment, token: &str) -> Rejection {
    let other = match environment.name {
        EnvironmentName::Live => EnvironmentName::Sandbox,
        EnvironmentName::Sandbox => EnvironmentName::Live,
    };
    match environment.vault.read_token(other, token) {
        Some(_) => Rejection::TokenOfOtherEnvironment(other),
        None => Rejection::InvalidToken,
    }
}

/// The vendor that a token belongs to, if the token is valid now.
pub async fn admit(environment: &Environment, claims: &Claims) -> Result<Arc<Vendor>, Problem> {
    let name = environment.name;
    let vendor = environment.directory.vendor_with_pair(claims.vendor, name, claims.credential).await?;
    let vendor = vendor.ok_or(Rejection::InvalidToken)?;
    let issued_at = claims.expires_at.minus(environment.rules().token_lifetime);
    credential::admit(claims, &vendor, name, environment.store.clock().now_for(issued_at))?;
    Ok(vendor)
}

/// Returns true if a request presents a token that was issued here, in either environment.
pub fn has_token(environments: &[Arc<Environment>], headers: &HeaderMap) -> bool {
    let is_ours = |token| environments.iter().any(|one| one.vault.read_token(one.name, token).is_some());
    bearer(headers).is_some_and(is_ours)
}

/// The token that a request presents.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The session id in a path, unparsed: it is checked only after the caller is authenticated.
#[derive(Debug)]
pub struct SessionInPath(pub String);

impl<S: Send + Sync> FromRequestParts<S> for SessionInPath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        // A path that is not text names no session, like any other text that is not an id.
        let path = Path::<String>::from_request_parts(parts, state).await;
        Ok(Self(path.map(|Path(id)| id).unwrap_or_default()))
    }
}

/// The id of an endpoint check in a path, unparsed.
#[derive(Debug)]
pub struct CheckInPath(pub String);

impl<S: Send + Sync> FromRequestParts<S> for CheckInPath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        SessionInPath::from_request_parts(parts, state).await.map(|SessionInPath(id)| Self(id))
    }
}

/// The session id and the refund id in a path, unparsed.
#[derive(Debug, Default)]
pub struct RefundInPath(pub String, pub String);

impl<S: Send + Sync> FromRequestParts<S> for RefundInPath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        Ok(path.map(|Path((session, refund))| Self(session, refund)).unwrap_or_default())
    }
}

/// The id that the outermost layer gave the request.
#[must_use]
pub fn request_id(request: &Request) -> RequestId {
    let id = request.extensions().get::<RequestId>().cloned();
    id.unwrap_or_else(|| unreachable!("the outermost layer gives every request an id"))
}

/// Reads the body as one JSON object: 413, then 415, then 400.
pub async fn read_json(request: Request) -> Result<Json, Problem> {
    read_json_of(request, MAX_BODY).await
}

async fn read_json_of(request: Request, most: usize) -> Result<Json, Problem> {
    let (headers, body) = read_bytes(request, most).await?;
    parse_json(&headers, &body)
}

/// Reads the body as one JSON object; one that is empty has no fields.
pub async fn read_optional_json(request: Request) -> Result<Json, Problem> {
    let (headers, body) = read_bytes(request, MAX_BODY).await?;
    if body.is_empty() { Ok(Json::Object(Vec::new())) } else { parse_json(&headers, &body) }
}

/// Reads a body that says nothing: it is empty, or a JSON object whose fields are ignored.
pub async fn read_empty(request: Request) -> Result<(), Problem> {
    read_optional_json(request).await.map(drop)
}

async fn read_bytes(request: Request, most: usize) -> Result<(HeaderMap, Bytes), Problem> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, most).await.ok();
    let Some(body) = body.filter(|_| parts.extensions.get::<BodyNotRead>().is_none()) else {
        let detail = format!("the body may have at most {most} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", detail));
    };
    Ok((parts.headers, body))
}

fn parse_json(headers: &HeaderMap, body: &[u8]) -> Result<Json, Problem> {
    if !is_json(headers) {
        let detail = "send the body with Content-Type: application/json";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail));
    }
    json::parse(body).map_err(Problem::invalid_json)
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("");
    let essence = value.split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}
