//! `/sandbox/clock` of a demo whose time a tester moves.
//!
//! Time is moved from one due moment to the next, and the workers do at each what they would have done then. So a retry
//! has the time of its schedule, however far the clock is moved in one call. Of what is due at one moment, callbacks are
//! sent last and one after the other, so that their order is the same in every run. Between calls the workers wait: a
//! callback does not overtake the next request of a test.

use super::App;
use crate::{
    api::read_json,
    workers::{dispatch::PaymentMailer, mail::Mailer},
};
use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderValue, header, uri::Authority},
    middleware::Next,
    response::Response,
    routing::get,
};
use serde::Serialize;
use std::{
    mem,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};
use till_domain::{
    rejection::{FieldError, FieldProblem, Rejection},
    request::FieldValue,
    time::Timestamp,
};
use till_service::{
    callbacks::{LiveSender, SandboxSender},
    cashier::Cashier,
    web::Problem,
};
use till_store::{Clock, Payments, StoreError};
use tokio::sync::Mutex;
use url::{Host, Url};

/// The address of the clock.
pub const PATH: &str = "/sandbox/clock";

/// The furthest that one call moves the clock.
const MAX_ADVANCE_MS: u32 = 31 * 24 * 60 * 60 * 1_000;

/// How long the work of one moment may take. Callbacks are sent one after the other, so that of 50 receivers that hang is
/// still waited for.
const WORK_WITHIN: Duration = Duration::from_secs(10 * 60);

/// The interval in which the queues are read while work is under way.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// True if a URL leads to this machine alone.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl App {
    /// Serves the clock, which has to be a manual one.
    pub fn host_clock(&mut self) {
        self.live.store.clock().set_paused(true);
        self.live_sender.wait_for_turns();
        self.sandbox_sender.wait_for_turns();
        let driver = Arc::new(ClockDriver {
            clock: self.live.store.clock().clone(),
            cashiers: self.cashiers.clone(),
            live_sender: Arc::clone(&self.live_sender),
            sandbox_sender: Arc::clone(&self.sandbox_sender),
            mailer: self.mailer.clone(),
            payment_mailer: self.payment_mailer.clone(),
            moving: Mutex::default(),
        });
        let router = Router::new().route(PATH, get(show).post(advance)).with_state(driver);
        self.guest = mem::take(&mut self.guest).merge(router);
    }
}

/// Sets the `Date` of responses to the time of the clock.
pub(super) async fn set_date(State(clock): State<Clock>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let since = Duration::from_millis(clock.now().as_ms().try_into().unwrap_or(0));
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since);
    let date = HeaderValue::from_str(&date).unwrap_or_else(|_| unreachable!("a date is plain ASCII"));
    response.headers_mut().insert(header::DATE, date);
    response
}

#[derive(Serialize)]
struct ClockReport {
    now: String,
    now_ms: i64,
}

impl From<Timestamp> for ClockReport {
    fn from(now: Timestamp) -> Self {
        Self { now: now.to_string(), now_ms: now.as_ms() }
    }
}

/// `GET /sandbox/clock`
async fn show(State(driver): State<Arc<ClockDriver>>) -> Json<ClockReport> {
    Json(driver.clock.now().into())
}

/// `POST /sandbox/clock`
async fn advance(
    State(driver): State<Arc<ClockDriver>>,
    request: Request,
) -> Result<Json<ClockReport>, Problem> {
    if !is_local(&request) {
        return Err(Problem::not_found());
    }
    let mut body = read_json(request).await?;
    let by = advance_of(&body.take("advance_ms"))
        .map_err(|problem| Rejection::Invalid(vec![FieldError { field: "advance_ms".into(), problem }]))?;
    // Not cut off when the tester closes the connection: the clock would stand in between.
    let moved = tokio::spawn(async move { driver.advance(by).await });
    let now = moved.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
    Ok(Json(now.into()))
}

/// True if a request is addressed to this machine by its loopback name: a page of another site that makes its own name lead
/// here (DNS rebinding) is not.
fn is_local(request: &Request) -> bool {
    // HTTP/2 has the name in the URI.
    let authority = request.uri().authority().map(Authority::as_str);
    let host = authority.or_else(|| request.headers().get(header::HOST)?.to_str().ok());
    host.and_then(|host| Url::parse(&format!("http://{host}")).ok()).is_some_and(|url| is_loopback(&url))
}

fn advance_of(field: &FieldValue) -> Result<Duration, FieldProblem> {
    let ms = field.whole(0..=MAX_ADVANCE_MS, "a whole number of milliseconds")?;
    ms.map(|ms| Duration::from_millis(ms.into())).ok_or(FieldProblem::Required)
}

/// Moves a manual clock, and knows what is due.
#[derive(Debug)]
struct ClockDriver {
    clock: Clock,
    cashiers: [Arc<Cashier>; 2],
    live_sender: Arc<LiveSender>,
    sandbox_sender: Arc<SandboxSender>,
    mailer: Option<Arc<Mailer>>,
    payment_mailer: Option<Arc<PaymentMailer>>,
    /// One call at a time moves the clock.
    moving: Mutex<()>,
}

impl ClockDriver {
    /// Moves the clock, and returns the new time once everything that is due by then has happened.
    async fn advance(&self, by: Duration) -> Result<Timestamp, Problem> {
        let _moving = self.moving.lock().await;
        self.clock.set_paused(false);
        let moved = self.advance_to(self.clock.now().plus(by)).await;
        self.pause().await;
        moved
    }

    /// Lets the workers wait, and returns once none of them works: a pass that began before would find what the next request
    /// of a test causes.
    async fn pause(&self) {
        self.clock.set_paused(true);
        let began = Instant::now();
        while self.clock.is_working() && began.elapsed() < WORK_WITHIN {
            self.clock.wake();
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn advance_to(&self, target: Timestamp) -> Result<Timestamp, Problem> {
        loop {
            self.clock.wake();
            let next = self.work_off().await?;
            let now = self.clock.now();
            if now == target {
                return Ok(now);
            }
            let stop = next.map_or(target, |next| next.min(target));
            self.clock.advance(stop.since(now));
        }
    }

    /// Waits until nothing is due and nothing is under way, and returns when something is due next.
    async fn work_off(&self) -> Result<Option<Timestamp>, Problem> {
        let began = Instant::now();
        loop {
            if let Some(next) = self.quiet_until().await? {
                return Ok(next);
            }
            if began.elapsed() > WORK_WITHIN {
                return Err(Problem::unavailable(
                    "something that is due has not happened within ten minutes: the log of the demo says why",
                ));
            }
            // Repeated, because a worker that is running a pass misses it.
            self.clock.wake();
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// If nothing is due and nothing is under way: when something is due next, if ever.
    async fn quiet_until(&self) -> Result<Option<Option<Timestamp>>, StoreError> {
        let commits = self.commits();
        if self.is_busy().await {
            return Ok(None);
        }
        let (next, callback) = (self.next_due().await?, self.next_callback_due().await?);
        let is_due = |next: Option<Timestamp>| next.is_some_and(|next| next <= self.clock.now());
        // Work that began after the queues were read has committed something.
        if is_due(next) || self.is_busy().await || commits != self.commits() {
            return Ok(None);
        }
        if is_due(callback) {
            self.give_turn().await?;
            return Ok(None);
        }
        Ok(Some([next, callback].into_iter().flatten().min()))
    }

    /// Lets one of the senders take the callback that is due first; of two, the live one.
    async fn give_turn(&self) -> Result<(), StoreError> {
        let [live, sandbox] = &self.cashiers;
        let live = live.environment().store.next_callback_due().await?;
        let sandbox = sandbox.environment().store.next_callback_due().await?;
        if sandbox.is_none_or(|sandbox| live.is_some_and(|live| live <= sandbox)) {
            self.live_sender.give_turn();
        } else {
            self.sandbox_sender.give_turn();
        }
        Ok(())
    }

    fn commits(&self) -> [u64; 2] {
        self.cashiers.each_ref().map(|cashier| cashier.environment().store.commits())
    }

    async fn is_busy(&self) -> bool {
        if let Some(mailer) = &self.mailer {
            mailer.idle().await;
        }
        if let Some(mailer) = &self.payment_mailer {
            mailer.idle().await;
        }
        self.live_sender.is_busy()
            || self.sandbox_sender.is_busy()
            || self.cashiers.iter().any(|cashier| cashier.is_busy())
    }

    /// When a callback is due next.
    async fn next_callback_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let mut due = Vec::new();
        for cashier in &self.cashiers {
            due.extend(cashier.environment().store.next_callback_due().await?);
        }
        Ok(due.into_iter().min())
    }

    /// When something other than a callback is due next. What causes work of another kind is read before that.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let mut due = Vec::new();
        for cashier in &self.cashiers {
            due.extend(next_due(&cashier.environment().store).await?);
        }
        due.extend(self.next_mail_due().await?);
        Ok(due.into_iter().min())
    }

    async fn next_mail_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let (live, now) = (self.cashiers[0].environment(), self.clock.now());
        if self.payment_mailer.is_some() && !live.store.due_dispatches(now, 1).await?.0.is_empty() {
            return Ok(Some(now));
        }
        match &self.mailer {
            Some(_) => live.directory.accounts().next_mail_due().await,
            None => Ok(None),
        }
    }
}

/// When the workers have something to do next with the payments of an environment.
pub async fn next_due(store: &Payments) -> Result<Option<Timestamp>, StoreError> {
    let mut due = Vec::from_iter(store.next_due().await?);
    for provider in store.attempt_providers().await? {
        due.extend(store.next_attempt_due_at(&provider).await?);
    }
    due.extend(store.refunds().next_due().await?);
    due.extend(store.next_fiscal_check().await?);
    if let Some(books) = store.ledger() {
        due.extend(books.next_settlement().await?);
    }
    Ok(due.into_iter().min())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    #[test]
    fn a_request_is_local_by_its_name_in_either_version_of_http() {
        let request = |uri: &str, host: Option<&str>| {
            let mut request = Request::builder().uri(uri);
            if let Some(host) = host {
                request = request.header(header::HOST, host);
            }
            is_local(&request.body(Body::empty()).expect("a request"))
        };
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"] {
            assert!(request(PATH, Some(host)), "{host}");
            assert!(request(&format!("https://{host}{PATH}"), None), "{host}, HTTP/2");
        }
        for host in ["shop.example", "192.0.2.1:8080", "localhost.shop.example", ""] {
            assert!(!request(PATH, Some(host)), "{host}");
        }
        assert!(!request(&format!("https://shop.example{PATH}"), Some("localhost")));
        assert!(!request(PATH, None));
    }
}
