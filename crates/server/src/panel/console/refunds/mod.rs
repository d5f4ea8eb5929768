//! Refunds that the operator has to send by hand: the operator names the transaction, or gives the refund up.

pub mod view;

use crate::{
    office::{self, Handed},
    panel::{
        Access, Panel, Route,
        console::{
            LINES, newer, older,
            refunds::view::{HandForm, HandLine, HandProblem, HandRefunds, HandStep},
        },
        does,
        pages::{Notice, Place},
        shows,
        visit::{Answer, Refused, Visit, done},
    },
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use std::sync::Arc;
use till_domain::{
    environment::Environment,
    id::RefundId,
    refund::{self, Refund, RefundState},
    text,
};
use till_store::{Refunds, StoreError};

const PLACE: Option<Place> = Some(Place::Refunds);
const PATH: &str = "/operator/refunds";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        shows("/operator/refunds/{id}/{step}", operate, ask),
        does("/operator/refunds/{id}/{step}", operate, step),
    ]
}

fn refunds(panel: &Panel) -> Result<Refunds<'_>, Refused> {
    panel.environment(Environment::Live).store.refunds().ok_or(Refused::NotFound)
}

async fn line(panel: &Panel, refund: Refund) -> Result<HandLine, StoreError> {
    let (what, note) = refund.hand.map(|hand| (hand.what, hand.note)).unwrap_or_default();
    Ok(HandLine {
        id: refund.id,
        vendor: panel.vendor_name(refund.vendor).await?,
        session: refund.session,
        amount: refund.amount,
        what,
        note,
        by: refund.requested_by,
        reason: refund.reason,
        at: refund.created_at,
        waits: refund.state == RefundState::ByHand,
    })
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let before = visit.query.get("before");
    let found = refunds(&panel)?.by_hand(RefundId::parse(before), LINES).await?;
    let last = found.last().map(|refund| refund.id.to_string());
    let (newer, older) = (newer(PATH, before, &[]), older(PATH, last, found.len(), &[]));
    let mut rows = Vec::with_capacity(found.len());
    for refund in found {
        rows.push(line(&panel, refund).await?);
    }
    Ok(visit.page(&panel, PLACE, HandRefunds { rows, newer, older }))
}

/// The refund and the step named by the address.
fn read((id, step): &(String, String)) -> Result<(RefundId, HandStep), Refused> {
    RefundId::parse(id).zip(HandStep::parse(step)).ok_or(Refused::NotFound)
}

/// The refund, if it has or had to be sent by hand.
async fn find(panel: &Panel, id: RefundId) -> Result<Refund, Refused> {
    let found = refunds(panel)?.refund(id).await?;
    found.filter(|refund| refund.hand.is_some()).ok_or(Refused::NotFound)
}

async fn form_page(
    panel: &Panel,
    visit: &Visit,
    (refund, step): (Refund, HandStep),
    (status, problem): (StatusCode, Option<HandProblem>),
) -> Answer {
    let typed = visit.form.get(if step == HandStep::Sent { "transaction" } else { "reason" }).to_owned();
    let form = HandForm { line: line(panel, refund).await?, step, typed, problem };
    Ok(visit.answer(panel, status, PLACE, form))
}

async fn ask(State(panel): State<Arc<Panel>>, visit: Visit, Path(path): Path<(String, String)>) -> Answer {
    let (id, step) = read(&path)?;
    form_page(&panel, &visit, (find(&panel, id).await?, step), (StatusCode::OK, None)).await
}

async fn step(State(panel): State<Arc<Panel>>, visit: Visit, Path(path): Path<(String, String)>) -> Answer {
    let (id, step) = read(&path)?;
    let wrong = StatusCode::UNPROCESSABLE_ENTITY;
    let environment = panel.environment(Environment::Live);
    let (accounts, live, actor) = (&panel.office.accounts, &environment.store, visit.actor());
    let (handed, notice) = match step {
        HandStep::Sent => {
            let Some(transaction) = refund::read_transaction(visit.form.get("transaction")) else {
                let problem = Some(HandProblem::Transaction);
                return form_page(&panel, &visit, (find(&panel, id).await?, step), (wrong, problem)).await;
            };
            let handed = office::sent_by_hand(accounts, live, &actor, id, &transaction).await?;
            (handed, Notice::HandSent)
        }
        HandStep::GiveUp => {
            let Ok(reason) = text::name(visit.form.get("reason").trim()) else {
                let problem = Some(HandProblem::Reason);
                return form_page(&panel, &visit, (find(&panel, id).await?, step), (wrong, problem)).await;
            };
            let desks = panel.registry.cashier().desks();
            let name = find(&panel, id).await?.provider;
            let desk = desks.iter().find(|desk| desk.provider.name() == name);
            let provider = desk.and_then(|desk| desk.provider.refunds());
            let word = (id, reason.as_str());
            let handed = office::give_up_refund(accounts, live, &actor, word, provider).await?;
            (handed, Notice::HandGivenUp)
        }
    };
    match handed {
        Handed::Done(_) => Ok(done(PATH, notice)),
        Handed::Taken(refund) => {
            form_page(&panel, &visit, (refund, step), (wrong, Some(HandProblem::Taken))).await
        }
        Handed::MayArrive(refund) => {
            form_page(&panel, &visit, (refund, step), (StatusCode::CONFLICT, Some(HandProblem::MayArrive)))
                .await
        }
        Handed::Silent(refund) => {
            let unavailable = StatusCode::SERVICE_UNAVAILABLE;
            form_page(&panel, &visit, (refund, step), (unavailable, Some(HandProblem::Silent))).await
        }
        Handed::Unfit(refund) if refund.hand.is_some() => {
            form_page(&panel, &visit, (refund, step), (StatusCode::CONFLICT, None)).await
        }
        Handed::Unfit(_) | Handed::Missing => Err(Refused::NotFound),
    }
}
