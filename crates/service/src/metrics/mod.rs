//! The metrics of the service, for Prometheus: requests, the store's batches and queues, attempts to deliver
//! callbacks, the lag of expiry and callbacks, the clock (`clock.rs`) and the providers (`providers.rs`).
//!
//! Served on a separate listener, for operators. No metric carries a vendor, a session or a secret.

mod clock;
mod log_ins;
mod providers;
mod route;

pub use log_ins::LogIn;

use crate::{
    environment::{Environment, RequestId},
    limits::TooMany,
    mail::KEPT_FOR,
    telemetry,
    traces::{self, SpanKind, TraceSpan},
};
use axum::{
    Router,
    extract::{Request, State},
    http::{Method, header},
    response::{IntoResponse, Response},
    routing::get,
};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text::encode},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::Histogram,
    },
    registry::{Registry, Unit},
};
use providers::{ChainLabels, ProviderCollector, Watched};
use route::Route;
use std::{fmt, sync::Arc, time::Instant};
use till_domain::{delivery::AttemptResult, environment::EnvironmentName, time::Timestamp};
use till_store::{Ledger, StoreStats};

/// Rows of a queue that are checked for unreadable ones. Unreadable rows are never served, so they are among
/// the oldest.
const INSPECTED: u32 = 1_000;

/// The counters of a service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram>,
    expiry_lag: Family<EnvironmentLabels, Gauge>,
    callback_attempts: Family<AttemptLabels, Counter>,
    callback_lag: Family<EnvironmentLabels, Gauge>,
    refused_attempts: Family<LimitLabels, Counter>,
    payment_lag: Family<EnvironmentLabels, Gauge>,
    open_pages: Family<EnvironmentLabels, Gauge>,
    open_actions: Family<EnvironmentLabels, Gauge>,
    mails: Family<MailLabels, Gauge>,
    mail_lag: Gauge,
    log_ins: log_ins::LogIns,
    unsealed: Gauge,
    unsealed_audit: Gauge,
    unreadable: Family<QueueLabels, Gauge>,
    settlement_lag: Gauge,
    chain_lag: Family<ChainLabels, Gauge>,
    chain_silence: Family<ChainLabels, Gauge>,
    environments: [Arc<Environment>; 2],
    providers: Watched,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: Route,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: Route,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EnvironmentLabels {
    environment: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MailLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    environment: &'static str,
    queue: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    environment: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LimitLabels {
    environment: &'static str,
    limit: &'static str,
}

impl Metrics {
    /// Registers all metrics, at zero.
    #[must_use]
    pub fn new(environments: [Arc<Environment>; 2]) -> Arc<Self> {
        let mut registry = Registry::with_prefix("till");
        let requests = Family::default();
        registry.register("requests", "Requests by method, route and status", requests.clone());
        let durations: Family<RouteLabels, Histogram> = Family::new_with_constructor(histogram);
        let help = "Request duration, by route";
        registry.register_with_unit("request_duration", help, Unit::Seconds, durations.clone());
        let expiry_lag = Family::default();
        let help = "How long the oldest overdue session has been waiting for its status, in milliseconds";
        registry.register("expiry_lag_milliseconds", help, expiry_lag.clone());
        let callback_attempts = Family::default();
        let help = "Attempts to deliver a callback, by result";
        registry.register("callback_attempts", help, callback_attempts.clone());
        let refused_attempts = Family::default();
        let help = "Payment attempts rejected by a limit: per session, address or vendor";
        registry.register("payment_attempts_refused", help, refused_attempts.clone());
        let callback_lag = Family::default();
        let help = "How long the oldest overdue callback has been waiting, in milliseconds";
        registry.register("callback_lag_milliseconds", help, callback_lag.clone());
        let payment_lag = Family::default();
        let help = "How long the oldest overdue payment has been waiting to be polled, in milliseconds";
        registry.register("payment_lag_milliseconds", help, payment_lag.clone());
        let open_pages = Family::default();
        registry.register("checkout_pages", "Checkout pages connected to this node", open_pages.clone());
        let open_actions = Family::default();
        registry.register("actions", "Open items under Needs action", open_actions.clone());
        let mails = Family::default();
        let help = "Emails being sent, and emails that could not be delivered in the last 30 days";
        registry.register("mails", help, mails.clone());
        let mail_lag = Gauge::default();
        let help = "How long the oldest overdue email has been waiting, in milliseconds";
        registry.register("mail_lag_milliseconds", help, mail_lag.clone());
        let log_ins = log_ins::LogIns::register(&mut registry);
        let unsealed = Gauge::default();
        let help = "Ledger entries that are not sealed yet";
        registry.register("ledger_unsealed", help, unsealed.clone());
        let unsealed_audit = Gauge::default();
        let help = "Audit log lines that are not in the hash chain yet";
        registry.register("audit_unsealed", help, unsealed_audit.clone());
        let unreadable = Family::default();
        let help = "Due rows of a queue that are unreadable and skipped by its worker";
        registry.register("unreadable_rows", help, unreadable.clone());
        let settlement_lag = Gauge::default();
        let help =
            "How long the oldest overdue payment has been waiting to become available, in milliseconds";
        registry.register("settlement_lag_milliseconds", help, settlement_lag.clone());
        let chain_lag = Family::default();
        registry.register(
            "chain_lag_blocks",
            "Blocks of a chain that have not been read yet",
            chain_lag.clone(),
        );
        let chain_silence = Family::default();
        let help = "How long ago a chain was last read, in milliseconds";
        registry.register("chain_silence_milliseconds", help, chain_silence.clone());
        let providers = Watched::default();
        registry.register_collector(Box::new(ProviderCollector(providers.clone())));
        registry.register_collector(Box::new(StoreCollector(environments.clone())));
        registry.register_collector(Box::new(LogCollector));
        registry.register_collector(Box::new(clock::ClockCollector(Arc::clone(&environments[0]))));
        Arc::new(Self {
            registry,
            requests,
            durations,
            expiry_lag,
            callback_attempts,
            callback_lag,
            refused_attempts,
            payment_lag,
            open_pages,
            open_actions,
            mails,
            mail_lag,
            log_ins,
            unsealed,
            unsealed_audit,
            unreadable,
            settlement_lag,
            chain_lag,
            chain_silence,
            environments,
            providers,
        })
    }

    /// Counts an attempt to deliver a callback.
    pub fn count_attempt(&self, environment: EnvironmentName, result: AttemptResult) {
        let (environment, result) = (environment.as_str(), result.as_str());
        self.callback_attempts.get_or_create(&AttemptLabels { environment, result }).inc();
    }

    /// Counts a payment that was refused by a limit.
    pub fn count_refused_attempt(&self, environment: EnvironmentName, limit: TooMany) {
        let (environment, limit) = (environment.as_str(), limit.limit());
        self.refused_attempts.get_or_create(&LimitLabels { environment, limit }).inc();
    }

    /// Runs a request, and counts it and its time.
    pub async fn observe<Answer: Future<Output = Response>>(
        &self,
        request: Request,
        run: impl FnOnce(Request) -> Answer,
    ) -> Response {
        let began = Instant::now();
        let route = Route::of(&request);
        let method = known_method(request.method());
        // Health checks would fill the traces.
        let is_traced = !matches!(route.as_str(), "/healthz" | "/readyz");
        let start = || TraceSpan::start(SpanKind::Server, || format!("{method} {}", route.as_str()));
        let span = is_traced.then(start).flatten().map(|span| {
            let id = request.extensions().get::<RequestId>().map_or("", RequestId::as_str);
            span.with("till.request_id", id)
        });
        let response = traces::serve(span, run(request), |span, response| {
            let status = response.status();
            span.with("http.request.method", method)
                .with("http.route", route.as_str())
                .with("http.response.status_code", u32::from(status.as_u16()))
                .failed(status.is_server_error().then(|| status.to_string()))
        });
        let response = response.await;
        let status = response.status().as_u16();
        let labels = RouteLabels { route: route.clone() };
        self.durations.get_or_create(&labels).observe(began.elapsed().as_secs_f64());
        self.requests.get_or_create(&RequestLabels { method, route, status }).inc();
        response
    }

    /// The text for Prometheus.
    async fn text(&self) -> String {
        for environment in &self.environments {
            let labels = EnvironmentLabels { environment: environment.name.as_str() };
            let lags = [
                (environment.store.next_due().await, &self.expiry_lag),
                (environment.store.next_callback_due().await, &self.callback_lag),
                (environment.store.next_attempt_due().await, &self.payment_lag),
            ];
            for (due, gauge) in lags {
                let lag = due.ok().flatten().map_or(0, |due| environment.now().since(due).as_millis());
                gauge.get_or_create(&labels).set(i64::try_from(lag).unwrap_or(i64::MAX));
            }
            let pages = i64::try_from(environment.store.pages.count()).unwrap_or(i64::MAX);
            self.open_pages.get_or_create(&labels).set(pages);
            if let Ok(actions) = environment.store.open_actions().await {
                self.open_actions.get_or_create(&labels).set(actions);
            }
            if let Some(books) = environment.store.ledger() {
                self.look_at_books(books, environment.now()).await;
            }
        }
        let accounts = self.environments[0].directory.accounts();
        if let Ok(count) = accounts.unsealed_audit_count().await {
            self.unsealed_audit.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        self.look_at_mails().await;
        self.look_at_unreadable().await;
        self.look_at_chains().await;
        let mut text = String::new();
        encode(&mut text, &self.registry)
            .unwrap_or_else(|_| unreachable!("writing to a string does not fail"));
        text
    }

    /// Reads the backlog of the ledger's workers.
    async fn look_at_books(&self, books: Ledger<'_>, now: Timestamp) {
        if let Ok(count) = books.unsealed_count().await {
            self.unsealed.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let due = books.next_settlement().await.ok().flatten();
        let lag = due.map_or(0, |due| now.since(due).as_millis());
        self.settlement_lag.set(i64::try_from(lag).unwrap_or(i64::MAX));
    }

    /// Reads the number of rows that no worker can serve.
    async fn look_at_unreadable(&self) {
        let mut all = Vec::new();
        for environment in &self.environments {
            if let Ok(found) = environment.store.inspect_queues(environment.now(), INSPECTED).await {
                all.extend(found.into_iter().map(|queue| (environment.name.as_str(), queue.unreadable)));
            }
        }
        let accounts = self.environments[0].directory.accounts();
        if let Ok(mails) = accounts.inspect_mails(accounts.now(), INSPECTED).await {
            all.push(("accounts", mails.unreadable));
        }
        for (environment, unreadable) in all {
            let labels = QueueLabels { environment, queue: unreadable.queue.as_str() };
            let count = i64::try_from(unreadable.count).unwrap_or(i64::MAX);
            self.unreadable.get_or_create(&labels).set(count);
        }
    }

    async fn look_at_mails(&self) {
        let accounts = self.environments[0].directory.accounts();
        let now = accounts.now();
        let mut due = vec![accounts.next_mail_due().await.ok().flatten()];
        let mut counts = accounts.count_mails().await.map(|counts| [counts.queued, counts.failed]).ok();
        for environment in self.environments.iter().filter(|environment| environment.rules().receipts) {
            let about_payments = environment.store.count_dispatches(now.minus(KEPT_FOR)).await.ok();
            counts = counts
                .zip(about_payments)
                .map(|([queued, failed], more)| [queued + more.queued, failed + more.failed]);
            due.push(environment.store.next_dispatch_due().await.ok().flatten());
        }
        for (state, count) in ["queued", "failed"].into_iter().zip(counts.into_iter().flatten()) {
            self.mails.get_or_create(&MailLabels { state }).set(count);
        }
        let lag = due.into_iter().flatten().min().map_or(0, |due| now.since(due).as_millis());
        self.mail_lag.set(i64::try_from(lag).unwrap_or(i64::MAX));
    }
}

/// Buckets from half a millisecond to the longest that a request may take, in seconds.
fn histogram() -> Histogram {
    Histogram::new([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0])
}

/// The routes of the operator's listener.
pub fn router(metrics: Arc<Metrics>) -> Router {
    let text = async |State(metrics): State<Arc<Metrics>>| {
        let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        ([(header::CONTENT_TYPE, content_type)], metrics.text().await).into_response()
    };
    Router::new().route("/metrics", get(text)).with_state(metrics)
}

fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// The number of dropped log lines, read on each scrape.
#[derive(Debug)]
struct LogCollector;

impl Collector for LogCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let counter = ConstCounter::new(telemetry::dropped_lines());
        let help = "Log lines dropped because standard error was not being read";
        counter.encode(encoder.encode_descriptor("log_lines_dropped", help, None, counter.metric_type())?)
    }
}

#[derive(Debug)]
struct StoreCollector([Arc<Environment>; 2]);

impl StoreCollector {
    fn stats(&self) -> Vec<(&'static str, StoreStats)> {
        let own = self.0.iter().map(|e| (e.name.as_str(), e.store.stats()));
        let accounts = ("accounts", self.0[0].directory.accounts().stats());
        own.chain([accounts]).collect()
    }
}

impl Collector for StoreCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let stats = self.stats();
        type Read = fn(&StoreStats) -> u64;
        let counters: [(&str, &str, Read); 4] = [
            ("store_units", "Units of work written", |s| s.units),
            ("store_batches", "Transactions used to write them", |s| s.batches),
            ("store_refused", "Units rejected because the queue was full", |s| s.refused),
            ("store_write_microseconds", "Time spent in transactions", |s| s.write_us),
        ];
        for (name, help, value) in counters {
            let kind = ConstCounter::new(0_u64).metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for (store, stats) in &stats {
                let labels = [("store", *store)];
                ConstCounter::new(value(stats)).encode(family.encode_family(&labels)?)?;
            }
        }
        let kind = ConstGauge::new(0_i64).metric_type();
        let mut family =
            encoder.encode_descriptor("store_waiting", "Units waiting to be written", None, kind)?;
        for (store, stats) in &stats {
            let waiting = i64::try_from(stats.waiting).unwrap_or(i64::MAX);
            let labels = [("store", *store)];
            ConstGauge::new(waiting).encode(family.encode_family(&labels)?)?;
        }
        let logs: Vec<_> =
            stats.iter().filter_map(|(store, stats)| Some((*store, stats.log_bytes?))).collect();
        if logs.is_empty() {
            return Ok(());
        }
        let help = "The part of an embedded store's log (-wal) that is in use";
        let mut family = encoder.encode_descriptor("store_log_bytes", help, None, kind)?;
        for (store, bytes) in logs {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            ConstGauge::new(bytes).encode(family.encode_family(&[("store", store)])?)?;
        }
        Ok(())
    }
}
