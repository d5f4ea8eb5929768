//! Payouts that vendors asked for: the operator approves or refuses them, and records whether the bank made
//! them.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES, newer, older,
        payouts::view::{Payouts, StepPayout},
    },
    does,
    pages::{FlashMessage, NavItem},
    payments::wallet::payout_line,
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use std::sync::Arc;
use till_domain::{
    environment::EnvironmentName,
    id::PayoutId,
    payout::{Payout, PayoutState},
};
use till_service::admin::{self, PayoutStepOutcome};
use till_store::{Ledger, PayoutFilter, StoredPayout};

const PLACE: Option<NavItem> = Some(NavItem::Payouts);
const PATH: &str = "/operator/payouts";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        shows("/operator/payouts/{id}/{step}", operate, ask),
        does("/operator/payouts/{id}/{step}", operate, step),
    ]
}

fn ledger(panel: &Panel) -> Result<Ledger<'_>, Refused> {
    panel.environment(EnvironmentName::Live).store.ledger().ok_or(Refused::NotFound)
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (all, before) = (visit.query.get("show") == "all", visit.query.get("before"));
    let filter = PayoutFilter { vendor: None, ended: all, before: PayoutId::parse(before) };
    let found = ledger(&panel)?.payouts(&filter, LINES).await?;
    let fields = [("show", if all { "all" } else { "" })];
    let last = found.last().map(|stored| stored.payout.id.to_string());
    let (newer, older) = (newer(PATH, before, &fields), older(PATH, last, found.len(), &fields));
    let mut rows = Vec::with_capacity(found.len());
    for stored in found {
        let vendor = panel.vendor_name(stored.payout.vendor).await?;
        rows.push(payout_line(stored, Some(vendor)));
    }
    Ok(visit.page(&panel, PLACE, Payouts { all, rows, newer, older }))
}

/// The payout and the step named by the address.
fn read((id, step): &(String, String)) -> Result<(PayoutId, PayoutState), Refused> {
    let state = PayoutState::parse(step).filter(|state| state.before().is_some());
    PayoutId::parse(id).zip(state).ok_or(Refused::NotFound)
}

async fn step_page(
    panel: &Panel,
    visit: &Visit,
    (stored, step): (StoredPayout, PayoutState),
    (status, wrong): (StatusCode, bool),
) -> Answer {
    let vendor = panel.vendor_name(stored.payout.vendor).await?;
    let (line, note) = (payout_line(stored, Some(vendor)), visit.form.get("note").to_owned());
    let body = StepPayout { line, step, note, wrong };
    Ok(visit.answer(panel, status, PLACE, body))
}

async fn ask(State(panel): State<Arc<Panel>>, visit: Visit, Path(path): Path<(String, String)>) -> Answer {
    let (id, state) = read(&path)?;
    let stored = ledger(&panel)?.payout(id).await?.ok_or(Refused::NotFound)?;
    step_page(&panel, &visit, (stored, state), (StatusCode::OK, false)).await
}

async fn step(State(panel): State<Arc<Panel>>, visit: Visit, Path(path): Path<(String, String)>) -> Answer {
    let (id, state) = read(&path)?;
    let note = Payout::read_note(visit.form.get("note")).filter(|_| state.needs_note());
    if state.needs_note() && note.is_none() {
        let stored = ledger(&panel)?.payout(id).await?.ok_or(Refused::NotFound)?;
        return step_page(&panel, &visit, (stored, state), (StatusCode::UNPROCESSABLE_ENTITY, true)).await;
    }
    let store = &panel.environment(EnvironmentName::Live).store;
    match admin::step_payout(&panel.admin.accounts, store, &visit.actor(), id, (state, note)).await? {
        PayoutStepOutcome::Done(_) => Ok(done(PATH, FlashMessage::PayoutMoved)),
        PayoutStepOutcome::Unfit(stored) => {
            step_page(&panel, &visit, (stored, state), (StatusCode::CONFLICT, false)).await
        }
        PayoutStepOutcome::Missing => Err(Refused::NotFound),
    }
}
