//! Sends finished spans to an OTLP endpoint, in batches. An endpoint that does not respond costs spans, and nothing else.

use super::{FinishedSpan, QUEUE, wire};
use crate::{
    outbound::{CallResult, Delivery, Outbound},
    telemetry::Complaints,
};
use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue, header},
};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};
use till_domain::id::VendorId;
use tokio::sync::{mpsc, watch};

/// Spans that wait to be sent; more are dropped.
const QUEUED: usize = 8_192;

/// The most spans of one request.
const BATCH: usize = 512;

/// How long a span waits for others.
const FLUSH_EVERY: Duration = Duration::from_secs(2);

/// The longest that an export may take.
pub const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Spans that were dropped since the last export.
static DROPPED: AtomicU64 = AtomicU64::new(0);

pub(super) fn count_dropped(spans: u64) {
    DROPPED.fetch_add(spans, Ordering::Relaxed);
}

/// Where spans are sent.
#[derive(Debug, Clone)]
pub struct OtlpOptions {
    /// The endpoint, without `/v1/traces`.
    pub endpoint: String,
    /// Headers of every request, such as the key of a tracing service.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

/// The exporter of this process.
#[derive(Debug)]
pub struct Exporter {
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What describes this process.
    resource: Vec<(&'static str, String)>,
    outbound: Outbound,
    queue: mpsc::Receiver<FinishedSpan>,
    complaints: Complaints,
}

impl Exporter {
    /// Turns traces on. `None` if this process exports them already.
    #[must_use]
    pub fn start(options: &OtlpOptions, node: String, outbound: Outbound) -> Option<Self> {
        let (sender, queue) = mpsc::channel(QUEUED);
        QUEUE.set(sender).ok()?;
        let mut headers = options.headers.clone();
        headers.push((header::CONTENT_TYPE, HeaderValue::from_static("application/json")));
        let resource = vec![
            ("service.name", "till".to_owned()),
            ("service.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("service.instance.id", node),
        ];
        let url = format!("{}/v1/traces", options.endpoint.trim_end_matches('/'));
        Some(Self { url, headers, resource, outbound, queue, complaints: Complaints::new() })
    }

    /// Sends spans until `stop` turns true, and then those that wait.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut spans = Vec::with_capacity(BATCH);
        loop {
            let is_stopped = tokio::select! {
                // Some more may be finished within the pause; they are sent together.
                count = self.queue.recv_many(&mut spans, BATCH) => count == 0,
                _ = stop.wait_for(|stop| *stop) => true,
            };
            if is_stopped {
                break;
            }
            let full = tokio::time::sleep(FLUSH_EVERY);
            tokio::pin!(full);
            while spans.len() < BATCH {
                let room = BATCH - spans.len();
                tokio::select! {
                    _ = self.queue.recv_many(&mut spans, room) => {}
                    () = &mut full => break,
                    _ = stop.wait_for(|stop| *stop) => break,
                }
            }
            self.send(&mut spans).await;
        }
        while let Ok(span) = self.queue.try_recv() {
            spans.push(span);
            if spans.len() == BATCH {
                self.send(&mut spans).await;
            }
        }
        if !spans.is_empty() {
            self.send(&mut spans).await;
        }
    }

    async fn send(&self, spans: &mut Vec<FinishedSpan>) {
        let body = Bytes::from(wire::body(&self.resource, spans));
        let delivery = Delivery {
            vendor: VendorId::from_bytes([0; 16]),
            url: &self.url,
            headers: &self.headers,
            body: &body,
        };
        let latest = Instant::now() + EXPORT_TIMEOUT;
        let CallResult { result, .. } = self.outbound.post(delivery, latest.into()).await;
        if let Err(failure) = result {
            count_dropped(spans.len() as u64);
            if self.complaints.tell(&failure.to_string(), Instant::now()).is_some() {
                tracing::warn!("cannot export traces to TILL_OTLP_ENDPOINT: {failure}");
            }
        }
        spans.clear();
        let dropped = DROPPED.swap(0, Ordering::Relaxed);
        if dropped > 0 && self.complaints.tell("dropped", Instant::now()).is_some() {
            tracing::warn!(spans = dropped, "spans were dropped");
        }
    }
}
