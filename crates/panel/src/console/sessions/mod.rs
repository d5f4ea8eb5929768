//! One session with all that is known of it, and its refunds.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        sessions::view::{CaseLine, MoneyLine, OperatorSession, TryLine},
        watch,
    },
    does,
    pages::{NavItem, fiscal::FiscalLine},
    payments::session::receipt_url,
    refunds::{self, RefundContext},
    shows,
    visit::{Answer, Refused, Visit},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{
    attempt::Attempt, id::SessionId, session::State as SessionState, transaction::Transaction,
};

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/sessions/{env}/{id}", operate, show),
        shows("/operator/sessions/{env}/{id}/refund", operate, ask_refund),
        does("/operator/sessions/{env}/{id}/refund", operate, take_refund),
    ]
}

async fn ask_refund(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((env, id)): Path<(String, String)>,
) -> Answer {
    refund(&panel, &visit, &env, &id, false).await
}

async fn take_refund(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((env, id)): Path<(String, String)>,
) -> Answer {
    refund(&panel, &visit, &env, &id, true).await
}

async fn refund(panel: &Panel, visit: &Visit, env: &str, id: &str, sent: bool) -> Answer {
    let name = watch::named(env)?;
    let environment = panel.environment(name);
    let id = SessionId::parse(id).ok_or(Refused::NotFound)?;
    let session = environment.page_session(id).await?.ok_or(Refused::NotFound)?;
    let back = format!("/operator/sessions/{name}/{id}");
    let session = &session;
    let counter = RefundContext { panel, visit, environment, session, back, place: NavItem::AllSessions };
    if sent { counter.take().await } else { counter.ask().await }
}

async fn show(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((env, id)): Path<(String, String)>,
) -> Answer {
    let name = watch::named(&env)?;
    let environment = panel.environment(name);
    let store = &environment.store;
    let id = SessionId::parse(&id).ok_or(Refused::NotFound)?;
    // The session as of now: a status change that is due by time is committed first.
    let session = environment.page_session(id).await?.ok_or(Refused::NotFound)?;
    let history = store.history(id).await?;
    let attempts = store.attempts_of(id).await?;
    let money = store.transactions_of(id).await?;
    let mut callbacks = Vec::new();
    for event in store.session_events(id).await? {
        let sends = store.attempts(event.id).await?.into_iter().map(watch::send_line).collect();
        callbacks.push((panel.delivery_line(name, &event).await?, sends));
    }
    let mut actions = Vec::new();
    for stored in store.actions_of(id).await? {
        actions.push(panel.action_line(environment, stored).await?);
    }
    let refunds = refunds::lines(environment, &session).await?;
    let left = refunds::left(environment, &session).await?;
    let url = |url: &Option<till_domain::weburl::WebUrl>| url.as_ref().map(ToString::to_string);
    let pending = session.state == SessionState::Pending;
    let erasure = store.erasure_of(id).await?;
    let body = OperatorSession {
        erased_at: erasure.and_then(|erasure| erasure.erased_at),
        environment: name,
        id,
        status: session.state.status(),
        refunded: refunds::part(environment, &session).await?,
        reason: match session.state {
            SessionState::Failed(reason) => Some(reason.as_str()),
            _ => None,
        },
        item: session.item.name.clone(),
        price: session.item.price.money(),
        vendor: panel.vendor_name(session.vendor).await?,
        methods: session.methods.offered.clone(),
        method: session.methods.chosen,
        created_at: session.created_at,
        updated_at: session.updated_at,
        ends_at: pending.then(|| session.ends_at()),
        callback_url: url(&session.callback_url),
        return_url: url(&session.return_url),
        checkout_url: environment.session_url(id),
        receipt_url: receipt_url(environment, id).await?,
        request_id: session.request_id,
        customer: session.customer,
        metadata: session.metadata,
        order_id: session.order_id,
        history: history.into_iter().map(|(at, kind, detail)| CaseLine { at, kind, detail }).collect(),
        attempts: attempts.into_iter().map(try_line).collect(),
        money: money.into_iter().map(money_line).collect(),
        callbacks,
        actions,
        refunds,
        can_refund: left.is_some_and(|left| left.minor > 0),
        fiscal: FiscalLine::all(store.fiscal_receipts_of(id).await?),
    };
    Ok(visit.page(&panel, Some(NavItem::AllSessions), body))
}

fn try_line(attempt: Attempt) -> TryLine {
    TryLine {
        id: attempt.id,
        at: attempt.started_at,
        method: attempt.method,
        provider: attempt.provider,
        reference: attempt.reference,
        state: attempt.state.as_str(),
        reason: attempt.state.reason().map(|reason| reason.as_str()),
        check_at: attempt.check_at,
    }
}

fn money_line(money: Transaction) -> MoneyLine {
    let marks = [("late", money.marks.late), ("partial", money.marks.partial), ("over", money.marks.over)];
    let marks = marks.into_iter().chain([("reversed", money.marks.reversed)]);
    MoneyLine {
        id: money.id,
        at: money.at,
        worth: money.moved(),
        received: money.received,
        method: money.method,
        provider: money.provider,
        reference: money.reference,
        marks: marks.filter(|(_, is)| *is).map(|(word, _)| word).collect(),
    }
}
