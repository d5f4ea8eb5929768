//! Reads a request's body before anything else happens, within bounds.
//!
//! A service that answers while the caller still sends closes the connection on it, and the caller sees a
//! broken connection instead of the answer. So the body is taken off the wire first; what is too large is
//! thrown away up to a bound, and the handler learns that it was.

use super::Problem;
use axum::{
    body::{Body, HttpBody},
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::BodyExt;
use std::time::Duration;

/// The largest body that is kept.
pub const MAX_BODY: usize = 32 * 1024;

/// How much more is read and thrown away, so that the caller gets to read its answer.
const MAX_THROWN_AWAY: usize = 1024 * 1024;

/// In a request's extensions if its body was larger than [`MAX_BODY`], or broke off.
#[derive(Debug, Clone, Copy)]
pub struct BodyNotRead;

/// Takes the body off the wire and hands the request on. A body that takes too long ends the connection.
pub async fn take_body(State(deadline): State<Duration>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let body = match tokio::time::timeout(deadline, read(body)).await {
        Err(_) => return Problem::request_timeout().into_response(),
        Ok(Some(bytes)) => Body::from(bytes),
        Ok(None) => {
            parts.extensions.insert(BodyNotRead);
            Body::empty()
        }
    };
    next.run(Request::from_parts(parts, body)).await
}

async fn read(mut body: Body) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.ok()?.into_data() else { continue };
        seen += data.len();
        if seen > MAX_BODY + MAX_THROWN_AWAY {
            return None;
        }
        if seen <= MAX_BODY {
            bytes.extend_from_slice(&data);
        }
    }
    (seen <= MAX_BODY).then_some(bytes)
}
