//! The callbacks of a session: every event, its attempts, and what the receiver responded to those that failed.

use crate::{
    Panel,
    payments::{
        VendorScope,
        lists::view::Delivery,
        session::view::{DeliveryTry, FaultLine, OneCallback, TimelineEvent, TimelineStep},
    },
};
use till_domain::{delivery::DeliveryState, id::SessionId};
use till_service::environment::Signed;
use till_store::{KeptResponses, PlayedFault, StoreError, StoredAttempt, StoredEvent};

/// All callbacks of a session, oldest first.
pub(super) async fn of_session(
    panel: &Panel,
    scope: &VendorScope<'_>,
    session: SessionId,
) -> Result<Vec<OneCallback>, StoreError> {
    let store = &scope.environment.store;
    let automatic = panel.schedule.attempts();
    let mut callbacks = Vec::new();
    for event in store.session_events(session).await? {
        let made = store.attempts(event.id).await?;
        let responses = store.responses(event.id).await?;
        callbacks.push(one(scope, event, &made, responses, automatic).await?);
    }
    Ok(callbacks)
}

/// The steps of a callback on the timeline of its session.
pub(super) fn steps(callback: &OneCallback) -> Vec<TimelineStep> {
    if callback.delivery.state == DeliveryState::NoTarget {
        return vec![TimelineStep { at: callback.created_at, what: TimelineEvent::NoTarget }];
    }
    let called = |one: &DeliveryTry| TimelineStep { at: one.at, what: TimelineEvent::Called(one.clone()) };
    callback.tries.iter().map(called).collect()
}

/// The step of a fault on the timeline of its session.
pub(super) fn misdelivered(played: PlayedFault, callbacks: &[OneCallback]) -> TimelineStep {
    let callback = callbacks.iter().find(|callback| callback.id == played.event);
    let line = FaultLine {
        fault: played.planned.fault,
        about: callback.and_then(|callback| other_subject(&callback.event)),
        answer: played.result.map(|result| (result, played.status)),
        delay: Some(played.planned.delay).filter(|delay| !delay.is_zero()),
    };
    TimelineStep { at: played.at, what: TimelineEvent::Misdelivered(line) }
}

/// The event, if it is not about the session's own status.
fn other_subject(event: &str) -> Option<String> {
    (!event.starts_with("session.")).then(|| event.to_owned())
}

async fn one(
    scope: &VendorScope<'_>,
    event: StoredEvent,
    made: &[StoredAttempt],
    mut responses: KeptResponses,
    automatic: u32,
) -> Result<OneCallback, StoreError> {
    let about = other_subject(&event.event);
    let tried = |made: &StoredAttempt| DeliveryTry {
        about: about.clone(),
        number: made.number,
        at: made.started_at,
        took: made.took,
        result: made.result.clone(),
        status: made.status,
        is_manual: made.requested_by.is_some() || made.number > automatic,
        requested_by: made.requested_by.clone(),
        response: responses.remove(&made.number),
    };
    let last = made.last();
    Ok(OneCallback {
        id: event.id,
        created_at: event.created_at,
        delivery: Delivery {
            state: event.state,
            attempts: event.attempts,
            next_at: event.due_at.filter(|_| event.state == DeliveryState::Queued),
            answer: last.map(|made| (made.result.clone(), made.status)),
        },
        signatures: signatures(scope, &event, last).await?,
        target: event.target.as_ref().map(|url| url.as_str().to_owned()),
        tries: made.iter().map(tried).collect(),
        body: String::from_utf8_lossy(&event.body).into_owned(),
        event: event.event,
    })
}

/// The signature headers of a callback, made with the current secrets. The secrets themselves are not shown.
async fn signatures(
    scope: &VendorScope<'_>,
    event: &StoredEvent,
    last: Option<&StoredAttempt>,
) -> Result<Vec<(String, String)>, StoreError> {
    let now = scope.environment.now();
    let Some(secrets) = scope.environment.keyring.secrets(scope.vendor.id, now).await? else {
        return Ok(Vec::new());
    };
    let signed = Signed {
        event: event.id,
        body: &event.body,
        attempt: last.map_or(1, |made| made.number),
        at: last.map_or(now, |made| made.started_at),
        environment: scope.environment.name,
    };
    let headers = signed.headers(&secrets).into_iter().filter_map(|(name, value)| {
        let name = match name.as_str() {
            "x-signature" => "X-Signature",
            "x-signature-alternate" => "X-Signature-Alternate",
            "webhook-id" => "webhook-id",
            "webhook-timestamp" => "webhook-timestamp",
            "webhook-signature" => "webhook-signature",
            _ => return None,
        };
        Some((name.to_owned(), value.to_str().ok()?.to_owned()))
    });
    Ok(headers.collect())
}
