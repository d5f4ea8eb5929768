//! HTTP/2 connections: their limits, idle timeout and shutdown.
//!
//! hyper gives an HTTP/1 connection a deadline for each head. HTTP/2 has nothing of the kind, so this file
//! watches whether any request of a connection is being handled. The answers are made by the router.

use axum::response::Response;
use hyper::{Request, body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{Instant, sleep_until},
};

/// Requests at once on one connection. Clients expect to be allowed this many.
const MAX_STREAMS: u32 = 100;

/// The largest header list of a request, decompressed.
const MAX_HEADER_LIST: u32 = 16 * 1024;

/// The largest frame that is accepted; the protocol allows no lower limit.
const MAX_FRAME: u32 = 16 * 1024;

/// The flow-control window of a stream: the part of a body that may arrive before we have read it. It is
/// larger than [`crate::web::MAX_BODY`].
const STREAM_WINDOW: u32 = 64 * 1024;

/// The flow-control window of a connection.
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The part of an answer that is buffered for a client that reads slowly.
const MAX_SEND_BUFFER: usize = 64 * 1024;

/// Streams that a client may reset before they were accepted; more of them end the connection (rapid reset
/// attack).
const MAX_TAKEN_BACK: usize = 20;

/// The time that a connection may take to end after its shutdown began, with no request being handled.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves a connection until it ends. Its shutdown begins when no request has been handled for `idle`, or
/// when `closing` turns true; requests that are being handled finish.
pub async fn serve<I, Answer>(
    io: I,
    answer: impl Fn(Request<Incoming>) -> Answer,
    idle: Duration,
    mut closing: watch::Receiver<bool>,
) -> hyper::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin + 'static,
    Answer: Future<Output = Result<Response, Infallible>> + Send + 'static,
{
    let activity = Arc::new(Activity::new());
    let service = service_fn(|request| {
        let handling = Handling::begin(&activity);
        let answer = answer(request);
        async move {
            let answered = answer.await;
            drop(handling);
            answered
        }
    });
    let mut connection = pin!(builder().serve_connection(TokioIo::new(io), service));
    tokio::select! {
        ended = connection.as_mut() => return ended,
        () = activity.pause(idle) => {}
        _ = closing.wait_for(|closing| *closing) => {}
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        ended = connection => ended,
        // The connection is dropped, with answers that the client does not read.
        () = activity.pause(FAREWELL) => Ok(()),
    }
}

fn builder() -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_LIST)
        .max_frame_size(MAX_FRAME)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(MAX_SEND_BUFFER)
        .max_pending_accept_reset_streams(MAX_TAKEN_BACK);
    builder
}

/// The activity of one connection.
#[derive(Debug)]
struct Activity(Mutex<ConnectionActivity>);

#[derive(Debug)]
struct ConnectionActivity {
    /// The number of requests being handled.
    handled: usize,
    /// The time of the last answer, or of the connection's start.
    quiet_since: Instant,
}

impl Activity {
    fn new() -> Self {
        Self(Mutex::new(ConnectionActivity { handled: 0, quiet_since: Instant::now() }))
    }

    fn now(&self) -> MutexGuard<'_, ConnectionActivity> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a period of this length, from now on, in which no request is being handled.
    async fn pause(&self, length: Duration) {
        let began = Instant::now();
        loop {
            let now = Instant::now();
            let since = match &*self.now() {
                ConnectionActivity { handled: 0, quiet_since } => began.max(*quiet_since),
                _ => now,
            };
            if since + length <= now {
                return;
            }
            sleep_until(since + length).await;
        }
    }
}

/// A request that is being handled, until this is dropped.
#[derive(Debug)]
struct Handling(Arc<Activity>);

impl Handling {
    fn begin(activity: &Arc<Activity>) -> Self {
        activity.now().handled += 1;
        Self(Arc::clone(activity))
    }
}

impl Drop for Handling {
    fn drop(&mut self) {
        let mut now = self.0.now();
        now.handled -= 1;
        now.quiet_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, timeout};

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_pause_begins_when_the_last_request_was_answered() {
        let activity = Arc::new(Activity::new());
        let began = Instant::now();
        let waiting = tokio::spawn({
            let activity = Arc::clone(&activity);
            async move { activity.pause(10 * SECOND).await }
        });
        for _ in 0..3 {
            tokio::time::sleep(9 * SECOND).await;
            drop(Handling::begin(&activity));
        }
        let long = [Handling::begin(&activity), Handling::begin(&activity)];
        tokio::time::sleep(34 * SECOND).await;
        assert!(!waiting.is_finished(), "it is being handled");
        drop(long);
        waiting.await.expect("no panic");
        assert_eq!(began.elapsed().as_secs(), 3 * 9 + 34 + 10);
        // A second pause starts anew.
        advance(60 * SECOND).await;
        assert!(timeout(5 * SECOND, activity.pause(6 * SECOND)).await.is_err());
    }
}
