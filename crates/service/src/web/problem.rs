//! Errors on the wire: `application/problem+json` (RFC 9457) with a stable code and every wrong field.
//!
//! A handler returns a [`Problem`]; the outermost layer writes it, because only that knows the request's id.
//! Errors of the store are logged here, and reported to the caller without any detail.

use crate::environment::RequestId;
use crate::telemetry::{Complaints, explain};
use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use std::time::{Duration, Instant};
use till_domain::rejection::{FieldError, Rejection};
use till_store::StoreError;

/// An error for the caller.
#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<FieldOfProblem>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// The body of every error: RFC 9457, `application/problem+json`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub struct ProblemDocument {
    /// A link to the description of this error.
    #[serde(rename = "type")]
    #[schema(format = "uri", examples("https://pay.example.com/docs#problem-invalid_request"))]
    kind: String,
    /// The HTTP status in words.
    #[schema(examples("Unprocessable Entity"))]
    title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599, examples(422))]
    status: u16,
    /// What is wrong and what to do about it, for people.
    #[schema(examples("price has 3 decimals but RUB allows 2"))]
    detail: String,
    /// The stable error code, for programs.
    #[schema(examples("invalid_request"))]
    code: &'static str,
    /// Every invalid field; empty if the error is not about a field.
    errors: Vec<FieldOfProblem>,
    /// The request's id; include it when you contact support.
    #[schema(examples("req_019a8b2c3d4e9fd736ad88ea"))]
    request_id: String,
}

/// One invalid field.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[schema(as = FieldError)]
pub struct FieldOfProblem {
    /// The field's name in the request.
    #[schema(examples("price"))]
    field: String,
    /// The stable error code of the field, for programs.
    #[schema(examples("too_many_decimals"))]
    code: &'static str,
    /// What is wrong with it, for people.
    #[schema(examples("price has 3 decimals but RUB allows 2"))]
    message: String,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), errors: Vec::new(), headers: Vec::new() }
    }

    /// 404 for an unknown address.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is no endpoint at this URL")
    }

    /// 405 for a known address.
    #[must_use]
    pub fn method_not_allowed() -> Self {
        let detail = "this endpoint does not accept this method; see the Allow header";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
    }

    /// 400 for a body that is not one JSON object.
    pub fn invalid_json(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_json", detail)
    }

    /// 408 for a body that does not arrive.
    #[must_use]
    pub fn request_timeout() -> Self {
        let detail = "the request body did not arrive in time";
        let close = HeaderValue::from_static("close");
        Self::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", detail).header(header::CONNECTION, close)
    }

    /// 500 for an internal error.
    #[must_use]
    pub fn internal() -> Self {
        let detail = "something went wrong on our side; include the request_id when you contact the service \
            operator";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", detail)
    }

    /// 503 while a part that we need does not work.
    #[must_use]
    pub fn unavailable(detail: &'static str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail).retry_after(Duration::from_secs(1))
    }

    /// 429 for a caller that calls too often.
    #[must_use]
    pub fn rate_limited(wait: Duration) -> Self {
        let detail = "too many requests: wait for the number of seconds in Retry-After";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(wait)
    }

    /// Adds a header to the answer.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value));
        self
    }

    fn retry_after(self, wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        let value = HeaderValue::from_str(&seconds.to_string());
        self.header(header::RETRY_AFTER, value.unwrap_or_else(|_| unreachable!("digits are a header")))
    }

    /// Completes the answer that carries this problem. The other headers of that answer stay.
    pub(super) fn write(self, answer: Response, id: &RequestId, base_url: &str) -> Response {
        let (mut parts, _) = answer.into_parts();
        let document = ProblemDocument {
            kind: format!("{base_url}/docs#problem-{}", self.code),
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: self.detail,
            code: self.code,
            errors: self.errors,
            request_id: id.as_str().to_owned(),
        };
        let body = serde_json::to_vec(&document).unwrap_or_else(|_| unreachable!("strings always serialize"));
        parts.status = self.status;
        parts.headers.remove(header::CONTENT_LENGTH);
        for (name, value) in self.headers {
            parts.headers.insert(name, value);
        }
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Response::from_parts(parts, Body::from(body))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        let status = match &rejection {
            Rejection::Invalid(_)
            | Rejection::NoPaymentMethod
            | Rejection::NothingToRefund
            | Rejection::TooManyRefunds
            | Rejection::RefundNotSupported
            | Rejection::NoPrepayment
            | Rejection::InsufficientBalance { .. }
            | Rejection::IdempotencyKeyReused
            | Rejection::InvalidIdempotencyKey => StatusCode::UNPROCESSABLE_ENTITY,
            Rejection::SessionNotPending
            | Rejection::PaymentInFlight
            | Rejection::NotPossibleNow
            | Rejection::CheckRunning
            | Rejection::SessionNotPaid
            | Rejection::RefundPending
            | Rejection::MethodNotOffered
            | Rejection::MethodTimedOut => StatusCode::CONFLICT,
            Rejection::SessionNotFound | Rejection::RefundNotFound | Rejection::CheckNotFound => {
                StatusCode::NOT_FOUND
            }
            Rejection::InvalidClient | Rejection::InvalidToken | Rejection::TokenOfOtherEnvironment(_) => {
                StatusCode::UNAUTHORIZED
            }
            Rejection::SandboxDisabled | Rejection::VendorDisabled => StatusCode::FORBIDDEN,
        };
        let mut problem = Self::new(status, rejection.code(), rejection.to_string());
        problem.errors = rejection.fields().iter().map(FieldOfProblem::from).collect();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = format!("Bearer realm=\"till\", error=\"{}\"", rejection.code());
            let challenge = HeaderValue::from_str(&challenge);
            let challenge = challenge.unwrap_or_else(|_| unreachable!("codes are plain ASCII"));
            problem = problem.header(header::WWW_AUTHENTICATE, challenge);
        }
        problem
    }
}

impl From<&FieldError> for FieldOfProblem {
    fn from(error: &FieldError) -> Self {
        Self { field: error.field.to_string(), code: error.problem.code(), message: error.message() }
    }
}

/// Limits the log: the next request will fail in the same way, and a full disk must not also fill the log.
static COMPLAINTS: Complaints = Complaints::new();

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let detail = match error {
            StoreError::Busy { .. } => return Self::unavailable("the service is busy: try again shortly"),
            StoreError::Held => {
                return Self::unavailable("the service is on hold after a restore: try again later");
            }
            StoreError::Corrupt(_) => {
                // Logged every time: the answer tells the caller to quote this request.
                tracing::error!(error = explain(&error), "the store failed a request");
                return Self::internal();
            }
            StoreError::Unknown(_) => {
                "the request may or may not have been carried out: retry it; for a create, use the same \
                 Idempotency-Key"
            }
            _ => "the service cannot store anything right now: try again shortly",
        };
        log_store_trouble(&error);
        Self::unavailable(detail)
    }
}

/// Logs that the store failed a request, each error at most once a minute.
pub fn log_store_trouble(error: &dyn std::error::Error) {
    let error = explain(error);
    if let Some(suppressed) = COMPLAINTS.tell(&error, Instant::now()) {
        tracing::error!(error, untold = suppressed, "the store fails requests; logged at most once a minute");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i26_trouble_of_the_store_is_never_told_as_a_failure_and_never_in_detail() {
        let secret = || StoreError::Open { place: "/var/lib/till".to_owned(), reason: "a reason".to_owned() };
        for (error, status, code) in [
            (StoreError::Busy { waiting: 4096 }, 503, "unavailable"),
            (StoreError::Held, 503, "unavailable"),
            (StoreError::Unknown(Box::new(secret())), 503, "unavailable"),
            (secret(), 503, "unavailable"),
            (StoreError::Closed, 503, "unavailable"),
            (StoreError::Corrupt("secret row".to_owned()), 500, "internal_error"),
        ] {
            let problem = Problem::from(error);
            assert_eq!((problem.status.as_u16(), problem.code), (status, code));
            assert!(
                !problem.detail.contains("/var") && !problem.detail.contains("row"),
                "{}",
                problem.detail
            );
            let retry = problem.headers.iter().any(|(name, _)| *name == header::RETRY_AFTER);
            assert_eq!(retry, status == 503);
        }
    }
}
