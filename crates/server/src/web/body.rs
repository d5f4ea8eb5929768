//! Reads a request's body before anything else happens, within bounds.
//!
//! A service that answers while the caller still sends closes the connection on it, and the caller sees a
//! broken connection instead of the answer. So the body is taken off the wire first; what is too large is
//! thrown away up to a bound, and the handler learns that it was.

use super::{Problem, multipart};
use axum::{
    body::{Body, HttpBody},
    extract::{Request, State},
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The largest body that is kept.
pub const MAX_BODY: usize = 32 * 1024;

/// The largest body of a form with a file. The file comes back in a form of the page that shows what it would
/// do, with an id in each row, so this is twice the largest file.
pub const MAX_UPLOAD: usize = 512 * 1024;

/// Where such forms go.
const UPLOADS: [&str; 2] = ["/import", "/import/take"];

/// Such bodies that are in memory at once; more of them wait.
static LARGE: Semaphore = Semaphore::const_new(16);

/// How much more is read and thrown away, so that the caller gets to read its answer.
const MAX_THROWN_AWAY: usize = 1024 * 1024;
const MAX_THROWN_AWAY_OF_FILES: usize = 16 * 1024 * 1024;

/// In a request's extensions if its body was larger than it may be, or broke off.
#[derive(Debug, Clone, Copy)]
pub struct BodyNotRead;

/// Takes the body off the wire and hands the request on. A body that takes too long ends the connection.
pub async fn take_body(State(deadline): State<Duration>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let large = is_upload(&parts);
    let bytes = async {
        let permit = if large { LARGE.acquire().await.ok() } else { None };
        let most = if permit.is_some() { MAX_UPLOAD } else { MAX_BODY };
        (read(body, most).await, permit)
    };
    // The permit is held until the answer is made: so long the body is in memory.
    let (bytes, _permit) = match tokio::time::timeout(deadline, bytes).await {
        Err(_) => return Problem::request_timeout().into_response(),
        Ok(read) => read,
    };
    let body = match bytes {
        Some(bytes) => Body::from(bytes),
        None => {
            parts.extensions.insert(BodyNotRead);
            Body::empty()
        }
    };
    next.run(Request::from_parts(parts, body)).await
}

/// Whether this is a form of the panel that carries a file.
fn is_upload(parts: &axum::http::request::Parts) -> bool {
    let path = parts.uri.path();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    path.starts_with("/panel/")
        && UPLOADS.iter().any(|end| path.ends_with(end))
        && kind.and_then(multipart::boundary).is_some()
}

async fn read(mut body: Body, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.ok()?.into_data() else { continue };
        seen += data.len();
        if seen > most + thrown_away(most) {
            return None;
        }
        if seen <= most {
            bytes.extend_from_slice(&data);
        }
    }
    (seen <= most).then_some(bytes)
}

/// Somebody who chose the wrong file is told so too.
fn thrown_away(most: usize) -> usize {
    if most > MAX_BODY { MAX_THROWN_AWAY_OF_FILES } else { MAX_THROWN_AWAY }
}
