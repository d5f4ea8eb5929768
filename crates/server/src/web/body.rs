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
use tokio::sync::{Semaphore, SemaphorePermit};

/// The largest body that is kept.
pub const MAX_BODY: usize = 32 * 1024;

/// The largest body of a form with a file. The file comes back in a form of the page that shows what it would
/// do, with an id in each row, so this is twice the largest file.
pub const MAX_UPLOAD: usize = 512 * 1024;

/// Where such forms go.
const UPLOADS: [&str; 2] = ["/import", "/import/take"];

/// Such bodies that are in memory at once; more of them wait.
static LARGE: Semaphore = Semaphore::const_new(16);

/// The largest notice of a provider, which may repeat all that it knows of a payment, and those that are in memory at once: whoever sends them holds up no forms.
pub const MAX_NOTICE: usize = 256 * 1024;
static NOTICES: Semaphore = Semaphore::const_new(16);

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
    let taken = take(body, Room::of(&parts));
    // The permit is held until the answer is made: so long the body is in memory.
    let (bytes, _permit) = match tokio::time::timeout(deadline, taken).await {
        Err(_) => return Problem::request_timeout().into_response(),
        Ok(taken) => taken,
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

/// What a large body may be.
#[derive(Debug, Clone, Copy)]
struct Room<'a> {
    /// The most of it.
    most: usize,
    /// How much more is thrown away.
    thrown_away: usize,
    /// How many of its kind may be in memory.
    permits: &'a Semaphore,
}

impl Room<'static> {
    /// What the body of this request may be, if it may be large.
    fn of(parts: &axum::http::request::Parts) -> Option<Self> {
        if is_upload(parts) {
            return Some(Self { most: MAX_UPLOAD, thrown_away: MAX_THROWN_AWAY_OF_FILES, permits: &LARGE });
        }
        let notice = parts.uri.path().starts_with("/notices/");
        notice.then_some(Self { most: MAX_NOTICE, thrown_away: MAX_THROWN_AWAY, permits: &NOTICES })
    }
}

/// What is read of a body: its bytes unless it broke off or is too large, and the permit of a large one. Whoever
/// sends little, however slowly, needs none.
async fn take(body: Body, room: Option<Room<'_>>) -> (Option<Vec<u8>>, Option<SemaphorePermit<'_>>) {
    let mut taking = Taking { body, bytes: Vec::new(), seen: 0 };
    let (mut ended, mut permit) = (taking.up_to(MAX_BODY).await, None);
    if let Some(room) = room
        && ended == Some(false)
    {
        permit = room.permits.acquire().await.ok();
        ended = taking.up_to(room.most).await;
    }
    match ended {
        Some(true) => (Some(taking.bytes), permit),
        Some(false) => {
            // What is thrown away is not in memory.
            drop(permit);
            taking.throw_away(room.map_or(MAX_THROWN_AWAY, |room| room.thrown_away)).await;
            (None, None)
        }
        None => (None, None),
    }
}

/// A body that is being read.
struct Taking {
    body: Body,
    bytes: Vec<u8>,
    seen: usize,
}

impl Taking {
    /// Reads on while it is not larger than this, and says whether that was all. Nothing if it broke off.
    async fn up_to(&mut self, most: usize) -> Option<bool> {
        while self.seen <= most {
            let Some(frame) = self.body.frame().await else { return Some(true) };
            let Ok(data) = frame.ok()?.into_data() else { continue };
            self.seen += data.len();
            self.bytes.extend_from_slice(&data);
        }
        Some(false)
    }

    /// Somebody who chose the wrong file is told so too.
    async fn throw_away(mut self, more: usize) {
        let most = self.seen + more;
        self.bytes = Vec::new();
        while self.seen <= most
            && let Some(Ok(frame)) = self.body.frame().await
        {
            self.seen += frame.data_ref().map_or(0, |data| data.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;
    use std::convert::Infallible;
    use tokio::time::timeout;

    const SOON: Duration = Duration::from_millis(50);

    /// A body of so many bytes, which then ends or never does.
    fn body(length: usize, ends: bool) -> Body {
        let mut left = Some(Bytes::from(vec![b'x'; length]));
        Body::from_stream(futures_util::stream::poll_fn(move |_| match left.take() {
            Some(bytes) => std::task::Poll::Ready(Some(Ok::<_, Infallible>(bytes))),
            None if ends => std::task::Poll::Ready(None),
            None => std::task::Poll::Pending,
        }))
    }

    fn file(permits: &Semaphore) -> Option<Room<'_>> {
        Some(Room { most: MAX_UPLOAD, thrown_away: MAX_THROWN_AWAY_OF_FILES, permits })
    }

    #[tokio::test]
    async fn who_sends_little_and_slowly_holds_no_permit() {
        let permits = Semaphore::new(1);
        let slow = take(body(MAX_BODY, false), file(&permits));
        assert!(timeout(SOON, slow).await.is_err(), "it has not ended");
        let mut slow = Box::pin(take(body(MAX_BODY, false), file(&permits)));
        assert!(timeout(SOON, &mut slow).await.is_err());
        let (bytes, permit) =
            timeout(SOON, take(body(MAX_UPLOAD, true), file(&permits))).await.expect("a turn");
        assert_eq!(bytes.map(|bytes| bytes.len()), Some(MAX_UPLOAD));
        assert!(permit.is_some());
        let waiting = take(body(MAX_BODY + 1, true), file(&permits));
        assert!(timeout(SOON, waiting).await.is_err(), "one large body at a time");
        let (bytes, none) = take(body(MAX_BODY, true), file(&permits)).await;
        assert!(bytes.is_some() && none.is_none(), "a small one does not wait");
    }

    #[test]
    fn forms_with_files_and_notices_may_be_large() {
        let most = |path: &str, kind: &str| {
            let request = Request::post(path).header(header::CONTENT_TYPE, kind).body(()).expect("a request");
            Room::of(&request.into_parts().0).map(|room| room.most)
        };
        let form = "multipart/form-data; boundary=x";
        assert_eq!(most("/panel/vendors/1/products/import", form), Some(MAX_UPLOAD));
        assert_eq!(most("/panel/vendors/1/products/import", "text/csv"), None);
        assert_eq!(most("/notices/yookassa/secret", "application/json"), Some(MAX_NOTICE));
        assert_eq!(most("/api/product/session", "application/json"), None);
    }

    #[tokio::test]
    async fn what_is_too_large_is_thrown_away_without_a_permit() {
        let permits = Semaphore::new(1);
        for (length, upload) in [(MAX_BODY + 1, false), (MAX_UPLOAD + 1, true)] {
            let (bytes, permit) = take(body(length, true), upload.then(|| file(&permits)).flatten()).await;
            assert!(bytes.is_none() && permit.is_none(), "{length}");
        }
        let mut endless = Box::pin(take(body(MAX_UPLOAD + 1, false), file(&permits)));
        assert!(timeout(SOON, &mut endless).await.is_err());
        assert_eq!(permits.available_permits(), 1);
    }
}
