//! `/panel/sessions/{id}`: one session with its full history.

pub mod view;

use crate::{
    environment::Signed,
    panel::{
        Access, Panel, Route, does,
        pages::Place,
        payments::{
            Desk, curl,
            lists::view::Delivery,
            session::view::{Mailed, OneCallback, OneSession, Received, Step, Try, What},
        },
        refunds::{self, Counter},
        shows,
        visit::{Answer, Refused, Visit},
    },
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{
    attempt::{Attempt, AttemptState},
    change::VisitKind,
    delivery::DeliveryState,
    dispatch::DispatchKind,
    id::SessionId,
    method::Method,
    session::{Session, State as SessionState},
    text::masked_email,
    time::Timestamp,
    transaction::Transaction,
};
use till_store::{StoreError, StoredAttempt, StoredDispatch, StoredEvent};

pub(super) fn routes(see: Access, run: Access) -> Vec<Route> {
    vec![
        shows("/panel/sessions/{id}", see, show),
        shows("/panel/sessions/{id}/refund", run, ask_refund),
        does("/panel/sessions/{id}/refund", run, take_refund),
    ]
}

async fn ask_refund(State(panel): State<Arc<Panel>>, Path(id): Path<String>, visit: Visit) -> Answer {
    refund(&panel, &visit, &id, false).await
}

async fn take_refund(State(panel): State<Arc<Panel>>, Path(id): Path<String>, visit: Visit) -> Answer {
    refund(&panel, &visit, &id, true).await
}

async fn refund(panel: &Panel, visit: &Visit, id: &str, sent: bool) -> Answer {
    let desk = Desk::new(panel, visit);
    let id = SessionId::parse(id).ok_or(Refused::NotFound)?;
    let session = desk.environment.session(id, desk.vendor).await?.ok_or(Refused::NotFound)?;
    let back = format!("/panel/sessions/{id}");
    let (environment, session) = (desk.environment, &session);
    let counter = Counter { panel, visit, environment, session, back, place: Place::Sessions };
    if sent { counter.take().await } else { counter.ask().await }
}

async fn show(State(panel): State<Arc<Panel>>, Path(id): Path<String>, visit: Visit) -> Answer {
    let desk = Desk::new(&panel, &visit);
    let id = SessionId::parse(&id).ok_or(Refused::NotFound)?;
    let session = desk.environment.session(id, desk.vendor).await?.ok_or(Refused::NotFound)?;
    let body = one(&panel, &desk, session).await?;
    Ok(visit.page(&panel, Some(Place::Sessions), body))
}

async fn one(panel: &Panel, desk: &Desk<'_>, session: Session) -> Result<OneSession, StoreError> {
    let store = &desk.environment.store;
    let history = store.history(session.id).await?;
    let attempts = store.attempts_of(session.id).await?;
    let money = store.transactions_of(session.id).await?;
    let told = match store.callback(session.id).await? {
        Some(callback) => store.event(callback.id).await?,
        None => None,
    };
    let tries = match &told {
        Some(event) => store.attempts(event.id).await?,
        None => Vec::new(),
    };
    let refunds = refunds::lines(desk.environment, &session).await?;
    let left = refunds::left(desk.environment, &session).await?;
    let mut steps = steps(&session, &history, &attempts, &money);
    for line in &refunds {
        steps.push(Step { at: line.asked_at, what: What::RefundAsked(line.clone()) });
        steps.extend(line.ended_at.map(|at| Step { at, what: What::RefundEnded(line.clone()) }));
    }
    for (at, kind) in store.visits(session.id).await? {
        let what = match kind {
            VisitKind::Opened => What::Opened,
            VisitKind::Returned => What::Returned,
        };
        steps.push(Step { at, what });
    }
    steps.extend(told.as_ref().filter(|event| event.state == DeliveryState::NoTarget).map(no_target));
    steps.extend(tries.iter().map(|made| Step { at: made.started_at, what: What::Called(tried(made)) }));
    if desk.environment.rules().receipts {
        steps.extend(store.dispatches_of(session.id).await?.into_iter().map(mailed));
    }
    steps.sort_by_key(|step| step.at);
    let callback = match told {
        Some(event) => Some(callback(desk, event, &tries).await?),
        None => None,
    };
    let settings = &desk.vendor.settings;
    let url = |own: &Option<_>, usual: &Option<_>| {
        own.as_ref().or(usual.as_ref()).map(|url: &till_domain::weburl::WebUrl| url.as_str().to_owned())
    };
    let pending = session.state == SessionState::Pending;
    Ok(OneSession {
        left: pending.then(|| session.ends_at().since(desk.environment.now())),
        curl: curl::again(&panel.base_url, desk.is_sandbox(), &session),
        checkout_url: desk.environment.session_url(session.id),
        callback_url: url(&session.callback_url, &settings.callback_url),
        return_url: url(&session.return_url, &settings.return_url),
        catalog: [
            session.item.product.as_ref().map(ToString::to_string),
            session.item.category.as_ref().map(ToString::to_string),
        ],
        price: session.item.price.money(),
        id: session.id,
        order_id: session.order_id,
        product: session.item.name,
        state: session.state,
        method: session.methods.chosen,
        offered: session.methods.offered,
        created_at: session.created_at,
        updated_at: session.updated_at,
        request_id: session.request_id,
        steps,
        callback,
        money: (!desk.is_sandbox()).then(|| money.into_iter().map(received).collect()),
        can_send: desk.can_send,
        refunds,
        can_refund: desk.can_send && left.is_some_and(|left| left.minor > 0),
    })
}

fn received(money: Transaction) -> Received {
    let amount = money.moved();
    let Transaction { marks, provider, reference, .. } = money;
    Received { amount, marks, provider, reference }
}

fn mailed(mail: StoredDispatch) -> Step {
    let StoredDispatch { due, state, ended_at, last_error, .. } = mail;
    let copy = due.dispatch.kind == DispatchKind::ReceiptCopy;
    // The recipient of a mail that ended long ago is cleared, and shown as one that is hidden.
    let whole = copy && !due.dispatch.recipient.is_empty();
    let to = if whole { due.dispatch.recipient } else { masked_email(&due.dispatch.recipient) };
    let at = ended_at.unwrap_or(due.dispatch.at);
    Step { at, what: What::Mailed(Mailed { copy, state, to, error: last_error }) }
}

fn no_target(event: &StoredEvent) -> Step {
    Step { at: event.created_at, what: What::NoTarget }
}

fn tried(made: &StoredAttempt) -> Try {
    Try {
        number: made.number,
        at: made.started_at,
        took: made.took,
        result: made.result.clone(),
        status: made.status,
    }
}

/// The steps of a session's timeline, except visits, mails, refunds and its callback.
fn steps(
    session: &Session,
    history: &[(Timestamp, String, Option<String>)],
    attempts: &[Attempt],
    money: &[Transaction],
) -> Vec<Step> {
    let created = What::Created { ends_at: first_end(session) };
    let mut steps = vec![Step { at: session.created_at, what: created }];
    for (at, kind, detail) in history {
        steps.extend(told(kind, detail.as_deref().unwrap_or_default()).map(|what| Step { at: *at, what }));
    }
    for attempt in attempts {
        steps.extend(attempt.in_flight_since.map(|at| Step { at, what: What::InFlight }));
        let what = match attempt.state {
            AttemptState::Declined(reason) => What::Declined(reason),
            AttemptState::Closed => What::Closed { provider: attempt.provider.clone() },
            _ => continue,
        };
        steps.push(Step { at: attempt.updated_at, what });
    }
    if session.state != SessionState::Pending {
        let paid = session.state == SessionState::Paid;
        let reference = money.iter().find(|money| !money.marks.late && !money.marks.reversed);
        let reference = reference.map(|money| money.reference.clone());
        let reference = reference.filter(|_| paid);
        steps.push(Step { at: session.updated_at, what: What::Ended { state: session.state, reference } });
    }
    steps
}

/// The end of the session if the customer had chosen no method.
fn first_end(session: &Session) -> Timestamp {
    let methods = &session.methods;
    let asked = methods.asked.default.as_deref().and_then(Method::parse);
    let usual = methods.offered.contains(&Method::Card).then_some(Method::Card);
    let first = asked.or(usual).or(methods.offered.first().copied());
    first.and_then(|method| methods.clocks.of(method)).unwrap_or_else(|| session.deadline())
}

/// Converts a line of the history.
fn told(kind: &str, detail: &str) -> Option<What> {
    Some(match kind {
        "method_chosen" => {
            let (method, provider) = match detail.split_once(" at ") {
                Some((method, provider)) => (method, Some(provider.to_owned())),
                None => (detail, None),
            };
            What::Chosen { method: Method::parse(method), provider }
        }
        "outcome_planned" => What::Planned { detail: detail.to_owned() },
        "repeat_confirmed" => What::RepeatConfirmed,
        "money_late" => What::Late { detail: detail.to_owned() },
        "money_partial" => What::Partial { detail: detail.to_owned() },
        "money_reversed" => What::Reversed { detail: detail.to_owned() },
        _ => return None,
    })
}

async fn callback(
    desk: &Desk<'_>,
    event: StoredEvent,
    tries: &[StoredAttempt],
) -> Result<OneCallback, StoreError> {
    let last = tries.last();
    Ok(OneCallback {
        id: event.id,
        delivery: Delivery {
            state: event.state,
            attempts: event.attempts,
            next_at: event.due_at.filter(|_| event.state == DeliveryState::Queued),
            answer: last.map(|made| (made.result.clone(), made.status)),
        },
        signatures: signatures(desk, &event, last).await?,
        target: event.target.as_ref().map(|url| url.as_str().to_owned()),
        tries: tries.iter().map(tried).collect(),
        body: String::from_utf8_lossy(&event.body).into_owned(),
    })
}

/// The signature headers of a callback, made with the current secrets. The secrets themselves are not shown.
async fn signatures(
    desk: &Desk<'_>,
    event: &StoredEvent,
    last: Option<&StoredAttempt>,
) -> Result<Vec<(String, String)>, StoreError> {
    let now = desk.environment.now();
    let Some(secrets) = desk.environment.keyring.secrets(desk.vendor.id, now).await? else {
        return Ok(Vec::new());
    };
    let signed = Signed {
        event: event.id,
        body: &event.body,
        attempt: last.map_or(1, |made| made.number),
        at: last.map_or(now, |made| made.started_at),
        environment: desk.environment.name,
    };
    let shown = signed.headers(&secrets).into_iter().filter_map(|(name, value)| {
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
    Ok(shown.collect())
}
