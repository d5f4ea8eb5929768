//! The callback feed: the same bytes and headers that are sent, for vendors without a public address or whose
//! receiver was down. An event is in the feed whether it was sent or not; fetching one changes nothing about
//! its delivery.

use super::{
    call::{Call, admit, authorized},
    query::{read_limit, read_one},
    wire::{CallbackPage, FetchedCallback},
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderName, HeaderValue},
    response::{IntoResponse, Response},
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    id::VendorId,
    rejection::{FieldProblem, Problems, Rejection},
};
use till_service::{
    environment::{Environment, Secrets, Signed},
    settings::parse_duration,
    web::Problem,
};
use till_store::{StoreError, StoredEvent};
use tokio::{
    sync::broadcast,
    time::{Instant, sleep_until},
};

/// The most callbacks on a page.
pub const MAX_LIMIT: u32 = 100;

/// Callbacks on a page if the caller sets no limit.
pub const DEFAULT_LIMIT: u32 = 20;

/// The longest wait of a call for new events (long polling).
pub const MAX_WAIT: Duration = Duration::from_secs(30);

/// Most digits of a cursor; every number with at most this many is a position.
pub const MAX_CURSOR: usize = 18;

/// Interval at which a waiting call checks for events of other nodes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// `GET …/callbacks`
pub async fn fetch(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.status, request, |call, request| async move {
        let query = FeedQuery::read(request.uri().query().unwrap_or_default())?;
        let events = wait_for_events(environment, &call, &query).await?;
        Ok(Json(page(environment, &call, &query, events).await?).into_response())
    })
    .await
}

/// The query parameters.
#[derive(Debug, PartialEq, Eq)]
struct FeedQuery {
    after: i64,
    limit: u32,
    wait: Duration,
}

impl FeedQuery {
    /// Parses a query, and names every wrong parameter. Unknown ones are ignored.
    fn read(query: &str) -> Result<Self, Rejection> {
        let mut problems = Problems::default();
        let after = problems.take("after", read_one(query, "after", read_cursor));
        let limit = problems.take("limit", read_one(query, "limit", |text| read_limit(text, MAX_LIMIT)));
        let wait = problems.take("wait", read_one(query, "wait", read_wait));
        problems.finish()?;
        Ok(Self {
            after: after.flatten().unwrap_or(0),
            limit: limit.flatten().unwrap_or(DEFAULT_LIMIT),
            wait: wait.flatten().unwrap_or_default(),
        })
    }
}

fn read_cursor(text: &str) -> Result<i64, FieldProblem> {
    // Accepts only the form that is given out: no sign, no leading zero.
    let cursor = text.parse().ok().filter(|cursor: &i64| *cursor >= 0 && cursor.to_string() == text);
    cursor.filter(|_| text.len() <= MAX_CURSOR).ok_or(FieldProblem::NotACursor)
}

fn read_wait(text: &str) -> Result<Duration, FieldProblem> {
    let wait = parse_duration(text).filter(|wait| *wait <= MAX_WAIT);
    wait.ok_or(FieldProblem::NotADuration { most: MAX_WAIT.as_secs() })
}

/// The events after the cursor, with one more than the limit if there is one. While there is none it waits as
/// long as requested, but not if the service stops or too many other calls of the vendor wait already.
async fn wait_for_events(
    environment: &Environment,
    call: &Call,
    query: &FeedQuery,
) -> Result<Vec<StoredEvent>, Problem> {
    let vendor = call.vendor.id;
    let waits = if query.wait.is_zero() { None } else { environment.waiting.enter(vendor) };
    let end = Instant::now() + waits.as_ref().map_or(Duration::ZERO, |_| query.wait);
    // From before the look, so that nothing is queued unheard in between.
    let mut queued = environment.store.callback_queued.subscribe();
    let mut stopping = environment.stopping.subscribe();
    loop {
        let events = environment.feed(vendor, query.after, query.limit + 1).await?;
        let Some(events) = events else { return Err(unknown_cursor().into()) };
        let now = Instant::now();
        if !events.is_empty() || now >= end || *stopping.borrow() {
            return Ok(events);
        }
        tokio::select! {
            () = sleep_until(end.min(now + LOOK_EVERY)) => {}
            () = heard_of(vendor, &mut queued) => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
        // The token may have become invalid during the wait.
        admit(environment, &call.claims).await?;
    }
}

/// The error for a cursor that was never given out.
fn unknown_cursor() -> Rejection {
    let mut problems = Problems::default();
    problems.take("after", Err::<(), _>(FieldProblem::NotACursor));
    problems.finish().map_or_else(|rejection| rejection, |()| unreachable!("there is a problem"))
}

/// Waits until an event of the vendor is queued on this node, or the channel lagged behind.
async fn heard_of(vendor: VendorId, queued: &mut broadcast::Receiver<VendorId>) {
    while queued.recv().await.is_ok_and(|name| name != vendor) {}
}

/// The page of these events; one more than the limit means that there are more.
async fn page(
    environment: &Environment,
    call: &Call,
    query: &FeedQuery,
    mut events: Vec<StoredEvent>,
) -> Result<CallbackPage, Problem> {
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let has_more = events.len() > limit;
    events.truncate(limit);
    let next = events.last().and_then(|event| event.position).unwrap_or(query.after).to_string();
    let mut page = CallbackPage { callbacks: Vec::new(), next, has_more };
    if events.is_empty() {
        return Ok(page);
    }
    let now = environment.now();
    let Some(secrets) = environment.keyring.secrets(call.vendor.id, now).await? else {
        let detail = "your callbacks cannot be signed right now: try again, or contact the service operator";
        return Err(Problem::unavailable(detail));
    };
    for event in events {
        page.callbacks.push(signed(environment, event, &secrets)?);
    }
    Ok(page)
}

/// An event as it would be sent now.
fn signed(
    environment: &Environment,
    event: StoredEvent,
    secrets: &Secrets,
) -> Result<FetchedCallback, StoreError> {
    let signed = Signed {
        event: event.id,
        body: &event.body,
        attempt: event.attempts.max(1),
        at: environment.calendar(),
        environment: environment.name,
    };
    let text = |(name, value): (HeaderName, HeaderValue)| {
        let value = value.to_str().unwrap_or_else(|_| unreachable!("what is signed is plain ASCII"));
        (name.as_str().to_owned(), value.to_owned())
    };
    let headers = signed.headers(secrets).into_iter().map(text).collect();
    let corrupt = |_| StoreError::Corrupt(format!("the body of callback {} is not text", event.id));
    Ok(FetchedCallback {
        event_id: event.id.to_string(),
        headers,
        body: String::from_utf8(event.body).map_err(corrupt)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;
    use till_domain::rejection::FieldError;

    fn wrong(query: &str) -> Vec<(&'static str, &'static str)> {
        let rejection = FeedQuery::read(query).expect_err(query);
        let static_name = |error: &FieldError| match error.field {
            Cow::Borrowed(name) => (name, error.problem.code()),
            Cow::Owned(_) => unreachable!("the feed ignores unknown parameters"),
        };
        rejection.fields().iter().map(static_name).collect()
    }

    #[test]
    fn a_query_may_leave_out_everything_and_say_more_than_is_known() {
        let nothing = FeedQuery { after: 0, limit: DEFAULT_LIMIT, wait: Duration::ZERO };
        assert_eq!(FeedQuery::read("").expect("good"), nothing);
        assert_eq!(FeedQuery::read("&&x=1&x=2&After=-1").expect("good"), nothing);
        let all = FeedQuery { after: 12, limit: 100, wait: MAX_WAIT };
        assert_eq!(FeedQuery::read("wait=30s&limit=100&%61fter=12").expect("good"), all);
        assert_eq!(FeedQuery::read("wait=30000ms&limit=100&after=12").expect("good"), all);
    }

    #[test]
    fn every_wrong_parameter_is_named() {
        for text in ["", "x", "-1", "+1", "01", "1.0", "1000000000000000000", "%20 1"] {
            assert_eq!(wrong(&format!("after={text}")), [("after", "invalid_cursor")], "{text}");
        }
        for text in ["", "0", "101", "-1", "%2B5", "5.0", "x", "4294967297"] {
            assert_eq!(wrong(&format!("limit={text}")), [("limit", "out_of_range")], "{text}");
        }
        for text in ["", "5", "s", "-1s", "31s", "30001ms", "1m", "1.5s", "30S"] {
            assert_eq!(wrong(&format!("wait={text}")), [("wait", "invalid_duration")], "{text}");
        }
        assert_eq!(wrong("after=1&after=1"), [("after", "repeated")]);
        let all = [("after", "invalid_cursor"), ("limit", "out_of_range"), ("wait", "repeated")];
        assert_eq!(wrong("wait=1s&limit=0&wait=1s&after=x"), all);
    }
}
