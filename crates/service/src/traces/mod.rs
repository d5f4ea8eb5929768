//! Traces: spans of requests, commits, calls to providers and callbacks, exported as OpenTelemetry (OTLP over HTTP). Off unless an
//! endpoint is set.
//!
//! Everything that belongs to a session is in one trace, whatever node or worker does it and whenever: the trace's id is computed from the
//! session's. A session's id itself opens its checkout page, so it is not exported; neither are addresses, bodies or personal
//! data.

mod export;
mod wire;

pub use export::{EXPORT_TIMEOUT, Exporter, OtlpOptions};

use crate::random;
use sha2::{Digest as _, Sha256};
use std::{
    cell::Cell,
    future::Future,
    sync::OnceLock,
    time::{Instant, SystemTime},
};
use till_domain::id::SessionId;
use tokio::sync::mpsc;

/// The queue to the exporter, once one was started.
static QUEUE: OnceLock<mpsc::Sender<FinishedSpan>> = OnceLock::new();

tokio::task_local! {
    /// The request that the task serves.
    static REQUEST: Cell<RequestContext>;
}

#[derive(Debug, Clone, Copy)]
struct RequestContext {
    span: [u8; 8],
    /// The trace of the first session that the request was about.
    trace: Option<[u8; 16]>,
}

/// Who does the work of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// This process, by itself.
    Internal,
    /// This process, for a client.
    Server,
    /// Another service, which this process calls.
    Client,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeValue {
    Text(String),
    Number(i64),
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u32> for AttributeValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

/// Work that has begun. It is recorded when it is finished; one that is dropped is not.
#[derive(Debug)]
pub struct TraceSpan {
    id: [u8; 8],
    name: String,
    kind: SpanKind,
    started: SystemTime,
    began: Instant,
    attributes: Vec<(&'static str, AttributeValue)>,
    error: Option<String>,
}

/// Work that has ended, and its place in its trace.
#[derive(Debug)]
struct FinishedSpan {
    span: TraceSpan,
    ended: SystemTime,
    trace: [u8; 16],
    parent: Option<[u8; 8]>,
}

/// The id of a session's trace.
#[must_use]
pub fn trace_of(session: SessionId) -> [u8; 16] {
    let digest =
        Sha256::new().chain_update(b"till trace of session ").chain_update(session.as_bytes()).finalize();
    let mut trace = [0; 16];
    trace.copy_from_slice(&digest[..16]);
    trace
}

impl TraceSpan {
    /// Begins a span; `None` if traces are off.
    pub fn start(kind: SpanKind, name: impl FnOnce() -> String) -> Option<Self> {
        QUEUE.get()?;
        Some(Self {
            id: random::bytes(),
            name: name(),
            kind,
            started: SystemTime::now(),
            began: Instant::now(),
            attributes: Vec::new(),
            error: None,
        })
    }

    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<AttributeValue>) -> Self {
        self.attributes.push((key, value.into()));
        self
    }

    /// Marks it as failed, for this reason, if there is one.
    #[must_use]
    pub fn failed(mut self, reason: Option<String>) -> Self {
        self.error = reason;
        self
    }

    /// Ends it, and puts it in the trace of a session, or that of the request which the task serves. Work of neither, such as
    /// that of the retention, is not recorded.
    pub fn finish(self, session: Option<SessionId>) {
        let of_session = session.map(trace_of);
        let request = REQUEST.try_with(|request| {
            let mut now = request.get();
            now.trace = now.trace.or(of_session);
            request.set(now);
            now
        });
        let request = request.ok();
        let Some(trace) = of_session.or(request.and_then(|request| request.trace)) else { return };
        let parent = request.filter(|request| request.trace == Some(trace)).map(|request| request.span);
        self.send(trace, parent);
    }

    fn send(self, trace: [u8; 16], parent: Option<[u8; 8]>) {
        let ended = self.started + self.began.elapsed();
        if let Some(queue) = QUEUE.get()
            && queue.try_send(FinishedSpan { span: self, ended, trace, parent }).is_err()
        {
            export::count_dropped(1);
        }
    }
}

/// Serves a request: spans that its task finishes meanwhile are its children. `complete` adds what is known at its end.
pub async fn serve<T>(
    span: Option<TraceSpan>,
    request: impl Future<Output = T>,
    complete: impl FnOnce(TraceSpan, &T) -> TraceSpan,
) -> T {
    let Some(span) = span else { return request.await };
    let context = RequestContext { span: span.id, trace: None };
    let within = async {
        let answer = request.await;
        (answer, REQUEST.with(Cell::get))
    };
    let (answer, context) = REQUEST.scope(Cell::new(context), within).await;
    let trace = context.trace.unwrap_or_else(random::bytes);
    complete(span, &answer).send(trace, None);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::time::Timestamp;

    #[test]
    fn a_trace_is_found_by_its_session_and_does_not_reveal_it() {
        let one = SessionId::new(Timestamp::from_ms(1), &[1; 10]);
        let other = SessionId::new(Timestamp::from_ms(1), &[2; 10]);
        assert_eq!(trace_of(one), trace_of(one));
        assert_ne!(trace_of(one), trace_of(other));
        assert_ne!(&trace_of(one), one.as_bytes());
    }
}
