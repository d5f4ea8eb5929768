//! `/panel/sessions/{id}`: one session with its full history.

mod callbacks;
pub mod view;

use crate::{
    Access, Panel, Route, does,
    pages::{NavItem, fiscal::FiscalLine},
    payments::{
        VendorScope, curl,
        session::view::{OneSession, ReceiptMailLine, Received, TimelineEvent, TimelineStep},
    },
    refunds::{self, RefundContext},
    shows,
    visit::{Answer, Refused, Visit},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{
    attempt::{Attempt, AttemptState},
    change::VisitKind,
    dispatch::DispatchKind,
    id::SessionId,
    method::Method,
    receipt::ReceiptKind,
    session::{Session, State as SessionState},
    text::masked_email,
    time::Timestamp,
    transaction::Transaction,
};
use till_service::environment::Environment;
use till_store::{StoreError, StoredDispatch};

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
    let scope = VendorScope::new(panel, visit);
    let session = find(&scope, id).await?;
    let back = format!("/panel/sessions/{}", session.id);
    let (environment, session) = (scope.environment, &session);
    let counter = RefundContext { panel, visit, environment, session, back, place: NavItem::Sessions };
    if sent { counter.take().await } else { counter.ask().await }
}

/// The vendor's session. While the service is on hold it may be past its deadline.
async fn find(scope: &VendorScope<'_>, id: &str) -> Result<Session, Refused> {
    let id = SessionId::parse(id).ok_or(Refused::NotFound)?;
    let session = scope.environment.page_session(id).await?;
    session.filter(|session| session.vendor == scope.vendor.id).ok_or(Refused::NotFound)
}

async fn show(State(panel): State<Arc<Panel>>, Path(id): Path<String>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let session = find(&scope, &id).await?;
    let body = one(&panel, &scope, session).await?;
    Ok(visit.page(&panel, Some(NavItem::Sessions), body))
}

async fn one(panel: &Panel, scope: &VendorScope<'_>, session: Session) -> Result<OneSession, StoreError> {
    let store = &scope.environment.store;
    let history = store.history(session.id).await?;
    let attempts = store.attempts_of(session.id).await?;
    let money = store.transactions_of(session.id).await?;
    let callbacks = callbacks::of_session(panel, scope, session.id).await?;
    let refunds = refunds::lines(scope.environment, &session).await?;
    let refunded = refunds::part(scope.environment, &session).await?;
    let left = refunds::left(scope.environment, &session).await?;
    let receipt_url = receipt_url(scope.environment, session.id).await?;
    let mut steps = steps(&session, &history, &attempts, &money);
    for line in &refunds {
        steps.push(TimelineStep { at: line.asked_at, what: TimelineEvent::RefundAsked(line.clone()) });
        steps.extend(
            line.ended_at.map(|at| TimelineStep { at, what: TimelineEvent::RefundEnded(line.clone()) }),
        );
    }
    for (at, kind) in store.visits(session.id).await? {
        let what = match kind {
            VisitKind::Opened => TimelineEvent::Opened,
            VisitKind::Returned => TimelineEvent::Returned,
        };
        steps.push(TimelineStep { at, what });
    }
    if scope.is_sandbox() {
        let played = panel.faults.played(session.id).await?;
        steps.extend(played.into_iter().map(|fault| callbacks::misdelivered(fault, &callbacks)));
    }
    steps.extend(callbacks.iter().flat_map(callbacks::steps));
    if scope.environment.rules().receipts {
        steps.extend(store.dispatches_of(session.id).await?.into_iter().map(mailed));
    }
    steps.sort_by_key(|step| step.at);
    let settings = &scope.vendor.settings;
    let url = |own: &Option<_>, usual: &Option<_>| {
        own.as_ref().or(usual.as_ref()).map(|url: &till_domain::weburl::WebUrl| url.as_str().to_owned())
    };
    let pending = session.state == SessionState::Pending;
    let erasure = store.erasure_of(session.id).await?;
    let receipts = store.fiscal_receipts_of(session.id).await?;
    Ok(OneSession {
        erased_at: erasure.and_then(|erasure| erasure.erased_at),
        left: pending.then(|| session.ends_at().since(scope.environment.now())),
        curl: curl::again(&panel.base_url, scope.is_sandbox(), &session, &receipts),
        checkout_url: scope.environment.session_url(session.id),
        receipt_url,
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
        refunded,
        method: session.methods.chosen,
        offered: session.methods.offered,
        created_at: session.created_at,
        updated_at: session.updated_at,
        request_id: session.request_id,
        customer: session.customer,
        metadata: session.metadata,
        steps,
        callbacks,
        money: (!scope.is_sandbox()).then(|| money.into_iter().map(received).collect()),
        can_send: scope.can_send,
        refunds,
        can_refund: scope.can_send && left.is_some_and(|left| left.minor > 0),
        fiscal: FiscalLine::all(receipts),
    })
}

/// The address of the receipt that the customer of a paid session has.
pub(crate) async fn receipt_url(
    environment: &Environment,
    session: SessionId,
) -> Result<Option<String>, StoreError> {
    if !environment.rules().receipts {
        return Ok(None);
    }
    let receipts = environment.store.receipts_of(session).await?;
    let paid = receipts.iter().find(|receipt| receipt.kind == ReceiptKind::Paid);
    Ok(paid.map(|receipt| environment.receipt_url(&receipt.link)))
}

fn received(money: Transaction) -> Received {
    let amount = money.moved();
    let Transaction { marks, provider, reference, .. } = money;
    Received { amount, marks, provider, reference }
}

fn mailed(mail: StoredDispatch) -> TimelineStep {
    let StoredDispatch { due, state, ended_at, last_error, .. } = mail;
    let copy = due.dispatch.kind == DispatchKind::ReceiptCopy;
    // The recipient of a mail that ended long ago is cleared, and shown as one that is hidden.
    let whole = copy && !due.dispatch.recipient.is_empty();
    let to = if whole { due.dispatch.recipient } else { masked_email(&due.dispatch.recipient) };
    let at = ended_at.unwrap_or(due.dispatch.at);
    TimelineStep { at, what: TimelineEvent::Mailed(ReceiptMailLine { copy, state, to, error: last_error }) }
}

/// The steps of a session's timeline, except visits, mails, refunds and its callback.
fn steps(
    session: &Session,
    history: &[(Timestamp, String, Option<String>)],
    attempts: &[Attempt],
    money: &[Transaction],
) -> Vec<TimelineStep> {
    let created = TimelineEvent::Created { ends_at: first_end(session) };
    let mut steps = vec![TimelineStep { at: session.created_at, what: created }];
    for (at, kind, detail) in history {
        steps.extend(
            timeline_event(kind, detail.as_deref().unwrap_or_default())
                .map(|what| TimelineStep { at: *at, what }),
        );
    }
    for attempt in attempts {
        steps.extend(attempt.in_flight_since.map(|at| TimelineStep { at, what: TimelineEvent::InFlight }));
        let what = match attempt.state {
            AttemptState::Declined(reason) => TimelineEvent::Declined(reason),
            AttemptState::Closed => TimelineEvent::Closed { provider: attempt.provider.clone() },
            _ => continue,
        };
        steps.push(TimelineStep { at: attempt.updated_at, what });
    }
    if session.state != SessionState::Pending {
        let paid = session.state == SessionState::Paid;
        let reference = money.iter().find(|money| !money.marks.late && !money.marks.reversed);
        let reference = reference.map(|money| money.reference.clone());
        let reference = reference.filter(|_| paid);
        steps.push(TimelineStep {
            at: session.updated_at,
            what: TimelineEvent::Ended { state: session.state, reference },
        });
    }
    steps
}

/// The end of the session if the customer had chosen no method.
fn first_end(session: &Session) -> Timestamp {
    let methods = &session.methods;
    let requested = methods.requested.default.as_deref().and_then(Method::parse);
    let usual = methods.offered.contains(&Method::Card).then_some(Method::Card);
    let first = requested.or(usual).or(methods.offered.first().copied());
    first.and_then(|method| methods.clocks.of(method)).unwrap_or_else(|| session.deadline())
}

/// Converts a line of the history.
fn timeline_event(kind: &str, detail: &str) -> Option<TimelineEvent> {
    Some(match kind {
        "method_chosen" => {
            let (method, provider) = match detail.split_once(" at ") {
                Some((method, provider)) => (method, Some(provider.to_owned())),
                None => (detail, None),
            };
            TimelineEvent::Chosen { method: Method::parse(method), provider }
        }
        "outcome_planned" => TimelineEvent::Planned { detail: detail.to_owned() },
        "repeat_confirmed" => TimelineEvent::RepeatConfirmed,
        "money_late" => TimelineEvent::Late { detail: detail.to_owned() },
        "money_partial" => TimelineEvent::Partial { detail: detail.to_owned() },
        "money_reversed" => TimelineEvent::Reversed { detail: detail.to_owned() },
        _ => return None,
    })
}
