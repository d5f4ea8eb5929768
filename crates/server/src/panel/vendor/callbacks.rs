//! What a vendor does about its callbacks: one more attempt, the next one now, or one more of all that failed.

use super::Desk;
use crate::panel::{
    Access, Panel, Route, does,
    pages::{Body, Notice, Place, ResendAll},
    shows,
    visit::{Answer, Refused, Visit, done, go, safe_next},
};
use axum::{
    Extension,
    extract::{Path, State},
    response::Response,
};
use std::sync::Arc;
use till_domain::{
    audit::Deed,
    change::Change,
    delivery::{self, DeliveryState},
    id::EventId,
    time::Timestamp,
};
use till_store::{Committed, EventFilter, Span, Standing, StoreError, StoredEvent, Turn};

const PATH: &str = "/panel/callbacks";

/// Events that are asked for at once.
const AT_ONCE: u32 = 250;

pub(super) fn routes(run: Access) -> Vec<Route> {
    vec![
        shows("/panel/callbacks/resend", run, show_all),
        does("/panel/callbacks/resend", run, resend_all),
        does("/panel/callbacks/{id}/resend", run, resend),
        does("/panel/callbacks/{id}/now", run, now),
    ]
}

async fn resend(
    State(panel): State<Arc<Panel>>,
    Path(id): Path<String>,
    Extension(visit): Extension<Visit>,
) -> Response {
    let answer = try_resend(&panel, &visit, &id).await;
    visit.finish(&panel, answer)
}

async fn try_resend(panel: &Panel, visit: &Visit, id: &str) -> Answer {
    let desk = Desk::new(panel, visit);
    let event = own(&desk, id).await?;
    let again = delivery::resend(event.id, desk.environment.now(), desk.sender.schedule());
    ask(panel, visit, &desk, (event, again), Notice::Resent).await
}

async fn now(
    State(panel): State<Arc<Panel>>,
    Path(id): Path<String>,
    Extension(visit): Extension<Visit>,
) -> Response {
    let answer = try_now(&panel, &visit, &id).await;
    visit.finish(&panel, answer)
}

async fn try_now(panel: &Panel, visit: &Visit, id: &str) -> Answer {
    let desk = Desk::new(panel, visit);
    let event = own(&desk, id).await?;
    let hasten = delivery::hasten(event.id, desk.environment.now());
    ask(panel, visit, &desk, (event, hasten), Notice::SentNow).await
}

/// Asks for an attempt, and writes down who did.
async fn ask(
    panel: &Panel,
    visit: &Visit,
    desk: &Desk<'_>,
    (event, change): (StoredEvent, Change),
    done: Notice,
) -> Answer {
    if desk.environment.commit(&[change]).await? != Committed::Done {
        return Ok(told(visit, Notice::OnItsWay));
    }
    let detail = format!("{} callback {}", desk.environment.rules.environment, event.id);
    let entry = panel.office.entry(&visit.actor(), Deed::CallbackResent).about(event.vendor).saying(detail);
    panel.office.accounts.record(&entry).await?;
    // An error says that nobody listens; the sender looks by itself then.
    let _ = desk.environment.callback_queued.send(event.vendor);
    Ok(told(visit, done))
}

/// A callback of this vendor.
async fn own(desk: &Desk<'_>, id: &str) -> Result<StoredEvent, Refused> {
    let id = EventId::parse(id).ok_or(Refused::NotFound)?;
    let event = desk.environment.store.event(id).await?;
    event.filter(|event| event.vendor == desk.vendor.id).ok_or(Refused::NotFound)
}

/// Back to the page that the form was on, where it is told what was done.
fn told(visit: &Visit, notice: Notice) -> Response {
    let back = safe_next(visit.form.get("back")).unwrap_or(PATH);
    let mark = if back.contains('?') { '&' } else { '?' };
    go(&format!("{back}{mark}done={}", notice.word()))
}

async fn show_all(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = ask_all(&panel, &visit, visit.query.get("since")).await;
    visit.finish(&panel, answer)
}

/// How many there are, before anything is done.
async fn ask_all(panel: &Panel, visit: &Visit, since: &str) -> Answer {
    let desk = Desk::new(panel, visit);
    let moment = read_since(&desk, since);
    let count = match moment {
        Ok(moment) => desk.environment.store.undelivered(desk.vendor.id, moment).await?,
        Err(()) => 0,
    };
    let (since, zone, wrong) = (since.to_owned(), desk.zone.as_str().to_owned(), moment.is_err());
    let body = Body::ResendAll(ResendAll { since, zone, wrong, count });
    let place = Some(Place::Callbacks);
    Ok(if wrong { visit.again(panel, place, body) } else { visit.page(panel, place, body) })
}

/// Since when, by the vendor's clocks; nothing for all.
fn read_since(desk: &Desk<'_>, text: &str) -> Result<Option<Timestamp>, ()> {
    match text {
        "" => Ok(None),
        text => desk.zone.moment(text).map(Some).ok_or(()),
    }
}

async fn resend_all(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = try_resend_all(&panel, &visit).await;
    visit.finish(&panel, answer)
}

async fn try_resend_all(panel: &Panel, visit: &Visit) -> Answer {
    let desk = Desk::new(panel, visit);
    let typed = visit.form.get("since");
    let Ok(since) = read_since(&desk, typed) else { return ask_all(panel, visit, typed).await };
    let resent = all_again(&desk, since).await?;
    if resent == 0 {
        return Ok(done(PATH, Notice::OnItsWay));
    }
    let since = since.map(|since| format!(" since {since}")).unwrap_or_default();
    let detail = format!("{resent} undelivered {} callbacks{since}", desk.environment.rules.environment);
    let entry = panel.office.entry(&visit.actor(), Deed::CallbackResent).about(desk.vendor.id);
    panel.office.accounts.record(&entry.saying(detail)).await?;
    let _ = desk.environment.callback_queued.send(desk.vendor.id);
    Ok(done(PATH, Notice::ResentAll))
}

/// Asks for one more attempt of all that could not be delivered; says of how many.
async fn all_again(desk: &Desk<'_>, since: Option<Timestamp>) -> Result<u64, StoreError> {
    let standing = Some(Standing::Is(DeliveryState::Undelivered));
    let span = Span { since, until: None };
    let filter = EventFilter { vendor: Some(desk.vendor.id), standing, span, ..EventFilter::default() };
    let (environment, mut turn, mut resent) = (desk.environment, Turn::Newest, 0);
    loop {
        let page = environment.store.events(&filter, turn, AT_ONCE).await?;
        let Some(last) = page.last() else { return Ok(resent) };
        turn = Turn::Older(last.id);
        for event in &page {
            let again = delivery::resend(event.id, environment.now(), desk.sender.schedule());
            resent += u64::from(environment.commit(&[again]).await? == Committed::Done);
        }
    }
}
