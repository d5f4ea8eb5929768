//! The attempts to deliver the callbacks of sample payments, as far as they were made in the past.

use super::{month::CallbackCourse, past::Past};
use anyhow::Context as _;
use futures_util::future::try_join_all;
use std::time::Duration;
use till_domain::{
    callback::CallbackEvent,
    change::Change,
    delivery::{self, AttemptResult, DueEvent},
    time::Timestamp,
};

/// The lease of an attempt. It is over at once, because the result is known.
const LEASE: Duration = Duration::from_secs(30);

/// How long the shop takes for an answer.
const TOOK: Duration = Duration::from_millis(38);

/// Delivers the callbacks that these changes queue.
pub(super) async fn deliver(
    past: &Past<'_>,
    changes: &[Change],
    course: CallbackCourse,
) -> anyhow::Result<()> {
    let events = changes.iter().filter_map(|change| match change {
        Change::QueueCallback(event) => Some((due(event)?, event.at)),
        _ => None,
    });
    let deliveries = events.map(|(due, at)| attempt_all(past, due, at, course));
    try_join_all(deliveries).await?;
    Ok(())
}

/// The event for its first attempt; `None` if it has no callback URL.
fn due(event: &CallbackEvent) -> Option<DueEvent> {
    let target = event.target.clone()?;
    Some(DueEvent {
        id: event.id,
        vendor: event.vendor,
        host: target.host_key(),
        target,
        body: event.body.clone(),
        sending: false,
        attempts: 0,
        started_at: None,
        delivered: false,
        fence: 0,
    })
}

/// Makes one attempt after the other, each at its time, until there is no further one.
async fn attempt_all(
    past: &Past<'_>,
    mut due: DueEvent,
    queued_at: Timestamp,
    course: CallbackCourse,
) -> anyhow::Result<()> {
    let mut next = Some(queued_at);
    while let Some(now) = next {
        let (changes, attempt) = delivery::begin(&due, now, past.schedule, LEASE);
        let attempt = attempt.context("no attempt was interrupted")?;
        past.commit(&changes).await?;
        let result = answer(course, attempt.number);
        let changes = delivery::end(&attempt, result, TOOK, now.plus(TOOK), past.schedule);
        past.commit(&changes).await?;
        let (number, started_at, fence) = (attempt.number, Some(now), attempt.fence);
        due = DueEvent { attempts: number, started_at, fence, ..due };
        next = changes.iter().find_map(|change| match change {
            Change::EndAttempt { due_at, .. } => *due_at,
            _ => None,
        });
    }
    Ok(())
}

/// The shop's answer to an attempt. What it never accepts is of an order that it does not know, as it would
/// answer today.
fn answer(course: CallbackCourse, attempt: u32) -> AttemptResult {
    match course {
        CallbackCourse::AcceptedLater if attempt == 1 => AttemptResult::Status(503),
        CallbackCourse::Refused => AttemptResult::Status(404),
        _ => AttemptResult::Delivered(200),
    }
}
