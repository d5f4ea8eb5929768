//! Callbacks of all vendors: delivered, undelivered, and sending them again.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES,
        callbacks::view::{CallbackGroup, DeliverAll, Deliveries, FilterProblem, OneDelivery},
        newer, older, watch,
    },
    does,
    pages::{FlashMessage, NavItem, vendor_name::VendorName},
    shows,
    visit::{Answer, Fields, Refused, Visit, done, go},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{delivery::DeliveryState, environment::EnvironmentName, id::EventId, time::Timestamp};
use till_service::admin::ResendOutcome;
use till_store::{DeliveryFilter, EventFilter, Span, StoreError, StoredEvent, Turn, Undelivered};

const PLACE: Option<NavItem> = Some(NavItem::Deliveries);
const PATH: &str = "/operator/callbacks";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        shows("/operator/callbacks/resend", operate, ask_all),
        does("/operator/callbacks/resend", operate, resend_all),
        shows("/operator/callbacks/{env}/{id}", operate, show),
        does("/operator/callbacks/{env}/{id}/resend", operate, resend),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (environment, before) = (watch::environment_filter(&visit.query), visit.query.get("before"));
    let stand = CallbackGroup::parse(visit.query.get("state"));
    let typed = typed(&panel, &visit.query).await?;
    let mut found = Vec::new();
    // A filter with errors shows nothing instead of everything.
    if typed.problems.is_empty() {
        let filter = EventFilter {
            vendor: typed.vendor.as_ref().map(|vendor| vendor.id),
            standing: stand.map(standing),
            method: None,
            span: Span { since: typed.since, until: None },
        };
        let turn = EventId::parse(before).map_or(Turn::Newest, Turn::Older);
        found = panel.environment(environment).store.events(&filter, turn, LINES).await?;
    }
    let word = stand.map_or("", CallbackGroup::word);
    let (vendor, since) = (visit.query.get("vendor").trim(), visit.query.get("since").trim());
    let fields = [("env", environment.as_str()), ("state", word), ("vendor", vendor), ("since", since)];
    let last = found.last().map(|event| event.id.to_string());
    let mut rows = Vec::with_capacity(found.len());
    for event in &found {
        rows.push(panel.delivery_line(environment, event).await?);
    }
    let wrong = !typed.problems.is_empty();
    let body = Deliveries {
        environment,
        stand,
        vendor: vendor.to_owned(),
        since: since.to_owned(),
        problems: typed.problems,
        newer: newer(PATH, before, &fields),
        older: older(PATH, last, found.len(), &fields),
        rows,
    };
    Ok(if wrong { visit.again(&panel, PLACE, body) } else { visit.page(&panel, PLACE, body) })
}

fn standing(stand: CallbackGroup) -> DeliveryFilter {
    match stand {
        CallbackGroup::OnItsWay => DeliveryFilter::OnItsWay,
        CallbackGroup::Delivered => DeliveryFilter::Is(DeliveryState::Delivered),
        CallbackGroup::Undelivered => DeliveryFilter::Is(DeliveryState::Undelivered),
        CallbackGroup::NoTarget => DeliveryFilter::Is(DeliveryState::NoTarget),
    }
}

/// The parsed filter.
struct CallbackQuery {
    vendor: Option<VendorName>,
    since: Option<Timestamp>,
    problems: Vec<FilterProblem>,
}

async fn typed(panel: &Panel, fields: &Fields) -> Result<CallbackQuery, StoreError> {
    let mut problems = Vec::new();
    let vendor = match fields.get("vendor").trim() {
        "" => None,
        text => {
            let found = panel.typed_vendor(text).await?;
            if found.is_none() {
                problems.push(FilterProblem::NoVendor);
            }
            found
        }
    };
    let since = watch::moment(fields.get("since").trim()).unwrap_or_else(|()| {
        problems.push(FilterProblem::Since);
        None
    });
    Ok(CallbackQuery { vendor, since, problems })
}

async fn find(panel: &Panel, env: &str, id: &str) -> Result<(EnvironmentName, StoredEvent), Refused> {
    let environment = watch::named(env)?;
    let id = EventId::parse(id).ok_or(Refused::NotFound)?;
    let event = panel.environment(environment).store.event(id).await?.ok_or(Refused::NotFound)?;
    Ok((environment, event))
}

async fn show(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((env, id)): Path<(String, String)>,
) -> Answer {
    let (environment, event) = find(&panel, &env, &id).await?;
    let attempts = panel.environment(environment).store.attempts(event.id).await?;
    let body = OneDelivery {
        line: panel.delivery_line(environment, &event).await?,
        body: String::from_utf8_lossy(&event.body).into_owned(),
        attempts: attempts.into_iter().map(watch::send_line).collect(),
    };
    Ok(visit.page(&panel, PLACE, body))
}

async fn resend(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((env, id)): Path<(String, String)>,
) -> Answer {
    let environment = watch::named(&env)?;
    let id = EventId::parse(&id).ok_or(Refused::NotFound)?;
    let notice = match panel.resender(environment, &visit.actor(), true).one(id).await? {
        ResendOutcome::Done(event) => {
            // Wakes the sender, so that it is sent now. An error means that there is no receiver.
            let _ = panel.environment(environment).store.callback_queued.send(event.vendor);
            FlashMessage::Resent
        }
        ResendOutcome::NoTarget => FlashMessage::NoAddress,
        ResendOutcome::OnItsWay => FlashMessage::OnItsWay,
        ResendOutcome::Missing => return Err(Refused::NotFound),
    };
    Ok(done(&format!("{PATH}/{environment}/{id}"), notice))
}

/// The page that says how many callbacks would be sent, or what is wrong with the filter.
async fn ask_all(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let fields = &visit.query;
    let environment = watch::environment_filter(fields);
    let CallbackQuery { vendor, since, problems } = typed(&panel, fields).await?;
    let wrong = !problems.is_empty();
    let found = match vendor.filter(|_| !wrong) {
        Some(vendor) => {
            let which = Undelivered { vendor: Some(vendor.id), since };
            let count = panel.environment(environment).store.count_undelivered(which).await?;
            Some((vendor, count))
        }
        None => None,
    };
    let body = DeliverAll {
        environment,
        vendor: fields.get("vendor").trim().to_owned(),
        since: fields.get("since").trim().to_owned(),
        problems,
        found,
    };
    Ok(if wrong { visit.again(&panel, PLACE, body) } else { visit.page(&panel, PLACE, body) })
}

async fn resend_all(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let environment = watch::environment_filter(&visit.form);
    let CallbackQuery { vendor, since, mut problems } = typed(&panel, &visit.form).await?;
    let Some(vendor) = vendor.filter(|_| problems.is_empty()) else {
        if problems.is_empty() {
            problems.push(FilterProblem::VendorMissing);
        }
        let (vendor, since) = (visit.form.get("vendor").trim(), visit.form.get("since").trim());
        let (vendor, since) = (vendor.to_owned(), since.to_owned());
        let body = DeliverAll { environment, vendor, since, problems, found: None };
        return Ok(visit.again(&panel, PLACE, body));
    };
    let which = Undelivered { vendor: Some(vendor.id), since };
    panel.resender(environment, &visit.actor(), true).all(which).await?;
    let _ = panel.environment(environment).store.callback_queued.send(vendor.id);
    let done = FlashMessage::ResentAll.word();
    Ok(go(&format!("{PATH}?env={environment}&vendor={}&done={done}", vendor.id)))
}
