//! Sending callbacks again, for a vendor: one more attempt, the next attempt now, or all that failed.

pub mod view;

use crate::{
    Access, Panel, Route, does,
    pages::{FlashMessage, NavItem},
    payments::{VendorScope, callbacks::view::ResendAll},
    shows,
    visit::{Answer, Refused, Visit, done, go, safe_next},
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use std::sync::Arc;
use till_domain::{id::EventId, time::Timestamp};
use till_service::admin::ResendOutcome;
use till_store::{StoredEvent, Undelivered};

const PATH: &str = "/panel/callbacks";

pub(super) fn routes(run: Access) -> Vec<Route> {
    vec![
        shows("/panel/callbacks/resend", run, show_all),
        does("/panel/callbacks/resend", run, resend_all),
        does("/panel/callbacks/{id}/resend", run, resend),
        does("/panel/callbacks/{id}/now", run, now),
    ]
}

async fn resend(State(panel): State<Arc<Panel>>, Path(id): Path<String>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let event = own(&scope, &id).await?;
    let actor = visit.actor();
    let notice = match panel.resender(scope.environment.name, &actor, false).one(event.id).await? {
        ResendOutcome::Done(_) => FlashMessage::Resent,
        ResendOutcome::NoTarget => FlashMessage::NoAddress,
        ResendOutcome::OnItsWay | ResendOutcome::Missing => FlashMessage::OnItsWay,
    };
    wake(&scope);
    Ok(redirect_with_message(&visit, notice))
}

async fn now(State(panel): State<Arc<Panel>>, Path(id): Path<String>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let event = own(&scope, &id).await?;
    let actor = visit.actor();
    if !panel.resender(scope.environment.name, &actor, false).now(&event).await? {
        return Ok(redirect_with_message(&visit, FlashMessage::OnItsWay));
    }
    wake(&scope);
    Ok(redirect_with_message(&visit, FlashMessage::SentNow))
}

/// Wakes the callback sender of this node.
fn wake(scope: &VendorScope<'_>) {
    // An error means that there is no receiver; the sender finds it by itself then.
    let _ = scope.environment.store.callback_queued.send(scope.vendor.id);
}

/// A callback of this vendor.
async fn own(scope: &VendorScope<'_>, id: &str) -> Result<StoredEvent, Refused> {
    let id = EventId::parse(id).ok_or(Refused::NotFound)?;
    let event = scope.environment.store.event(id).await?;
    event.filter(|event| event.vendor == scope.vendor.id).ok_or(Refused::NotFound)
}

/// Redirects to the page of the form, with a notice of what was done.
fn redirect_with_message(visit: &Visit, notice: FlashMessage) -> Response {
    let back = safe_next(visit.form.get("back")).unwrap_or(PATH);
    let mark = if back.contains('?') { '&' } else { '?' };
    go(&format!("{back}{mark}done={}", notice.word()))
}

async fn show_all(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    ask_all(&panel, &visit, visit.query.get("since")).await
}

/// The page that says how many would be sent, before the confirmation.
async fn ask_all(panel: &Panel, visit: &Visit, since: &str) -> Answer {
    let scope = VendorScope::new(panel, visit);
    let moment = read_since(&scope, since);
    let count = match moment {
        Ok(moment) => scope.environment.store.undelivered(scope.vendor.id, moment).await?,
        Err(()) => 0,
    };
    let (since, zone, wrong) = (since.to_owned(), scope.zone.as_str().to_owned(), moment.is_err());
    let body = ResendAll { since, zone, wrong, count };
    let place = Some(NavItem::Callbacks);
    Ok(if wrong { visit.again(panel, place, body) } else { visit.page(panel, place, body) })
}

/// Parses the start of the period in the zone of the page; `None` for all.
fn read_since(scope: &VendorScope<'_>, text: &str) -> Result<Option<Timestamp>, ()> {
    match text {
        "" => Ok(None),
        text => scope.zone.moment(text).map(Some).ok_or(()),
    }
}

async fn resend_all(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let typed = visit.form.get("since");
    let Ok(since) = read_since(&scope, typed) else { return ask_all(&panel, &visit, typed).await };
    let (actor, which) = (visit.actor(), Undelivered { vendor: Some(scope.vendor.id), since });
    let resent = panel.resender(scope.environment.name, &actor, false).all(which).await?;
    wake(&scope);
    Ok(done(PATH, if resent == 0 { FlashMessage::OnItsWay } else { FlashMessage::ResentAll }))
}
