//! Refunds that the operator has to send by hand: the operator names the transaction, or gives the refund up. And refunds of which
//! the provider does not say whether it made them: the operator confirms one, or gives it up.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES, newer, older,
        refunds::view::{
            ManualRefundForm, ManualRefundLine, ManualRefundProblem, ManualRefundStep, ManualRefunds,
        },
    },
    does,
    pages::{FlashMessage, NavItem},
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
    id::RefundId,
    refund::{self, Refund, RefundState},
    text,
};
use till_service::admin::{self, ManualRefundOutcome};
use till_store::{Refunds, StoreError};

const PLACE: Option<NavItem> = Some(NavItem::Refunds);
const PATH: &str = "/operator/refunds";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        shows("/operator/refunds/{id}/{step}", operate, ask),
        does("/operator/refunds/{id}/{step}", operate, step),
    ]
}

fn refunds(panel: &Panel) -> Refunds<'_> {
    panel.environment(EnvironmentName::Live).store.refunds()
}

async fn line(panel: &Panel, refund: Refund) -> Result<ManualRefundLine, StoreError> {
    let silent = refund.manual.is_none().then(|| refund.provider.clone());
    let waits = refund.state == if silent.is_some() { RefundState::Sent } else { RefundState::Manual };
    let (what, note) = refund.manual.map(|hand| (hand.what, hand.note)).unwrap_or_default();
    Ok(ManualRefundLine {
        id: refund.id,
        vendor: panel.vendor_name(refund.vendor).await?,
        session: refund.session,
        payment: refund.payment,
        amount: refund.amount,
        what,
        silent,
        note,
        by: refund.requested_by,
        reason: refund.reason,
        at: refund.created_at,
        waits,
    })
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let before = visit.query.get("before");
    let found = refunds(&panel).by_hand(RefundId::parse(before), LINES).await?;
    let last = found.last().map(|refund| refund.id.to_string());
    let (newer, older) = (newer(PATH, before, &[]), older(PATH, last, found.len(), &[]));
    let mut rows = Vec::with_capacity(found.len());
    for refund in found {
        rows.push(line(&panel, refund).await?);
    }
    Ok(visit.page(&panel, PLACE, ManualRefunds { rows, newer, older }))
}

/// The refund and the step named by the address.
fn read((id, step): &(String, String)) -> Result<(RefundId, ManualRefundStep), Refused> {
    RefundId::parse(id).zip(ManualRefundStep::parse(step)).ok_or(Refused::NotFound)
}

/// The refund, if it has or had to be answered this way: sent by hand, or decided about.
async fn find(panel: &Panel, id: RefundId, step: ManualRefundStep) -> Result<Refund, Refused> {
    let refund = refunds(panel).refund(id).await?.ok_or(Refused::NotFound)?;
    if refund.manual.is_some() {
        let fits = ManualRefundStep::BY_HAND.contains(&step);
        return fits.then_some(refund).ok_or(Refused::NotFound);
    }
    let store = &panel.environment(EnvironmentName::Live).store;
    let is_doubted = store.action_about(&refund.silence_subject()).await?.is_some();
    (is_doubted && step != ManualRefundStep::Sent).then_some(refund).ok_or(Refused::NotFound)
}

async fn form_page(
    panel: &Panel,
    visit: &Visit,
    (refund, step): (Refund, ManualRefundStep),
    (status, problem): (StatusCode, Option<ManualRefundProblem>),
) -> Answer {
    let field = if step == ManualRefundStep::Sent { "transaction" } else { "reason" };
    let typed = visit.form.get(field).to_owned();
    let form = ManualRefundForm { line: line(panel, refund).await?, step, typed, problem };
    Ok(visit.answer(panel, status, PLACE, form))
}

async fn ask(State(panel): State<Arc<Panel>>, visit: Visit, Path(path): Path<(String, String)>) -> Answer {
    let (id, step) = read(&path)?;
    form_page(&panel, &visit, (find(&panel, id, step).await?, step), (StatusCode::OK, None)).await
}

async fn step(State(panel): State<Arc<Panel>>, visit: Visit, Path(path): Path<(String, String)>) -> Answer {
    let (id, step) = read(&path)?;
    let found = find(&panel, id, step).await?;
    let (wrong, by_hand) = (StatusCode::UNPROCESSABLE_ENTITY, found.manual.is_some());
    let environment = panel.environment(EnvironmentName::Live);
    let (accounts, live, actor) = (&panel.admin.accounts, &environment.store, visit.actor());
    let (handed, notice) = match step {
        ManualRefundStep::Sent => {
            let Some(transaction) = refund::read_transaction(visit.form.get("transaction")) else {
                let problem = Some(ManualRefundProblem::Transaction);
                return form_page(&panel, &visit, (found, step), (wrong, problem)).await;
            };
            let handed = admin::sent_by_hand(accounts, live, &actor, id, transaction).await?;
            (handed, FlashMessage::HandSent)
        }
        ManualRefundStep::GiveUp => {
            let Ok(reason) = text::name(visit.form.get("reason").trim()) else {
                let problem = Some(ManualRefundProblem::Reason);
                return form_page(&panel, &visit, (found, step), (wrong, problem)).await;
            };
            let handles = panel.registry.cashier().handles();
            let handle = handles.iter().find(|handle| handle.provider.name() == found.provider);
            let provider = handle.and_then(|handle| handle.provider.refunds());
            let word = (id, reason.as_str());
            let handed = admin::give_up_refund(accounts, live, &actor, word, provider).await?;
            (handed, FlashMessage::HandGivenUp)
        }
        ManualRefundStep::Confirm => {
            (admin::confirm_refund(accounts, live, &actor, id).await?, FlashMessage::RefundConfirmed)
        }
    };
    match handed {
        ManualRefundOutcome::Done(_) => Ok(done(if by_hand { PATH } else { "/operator/actions" }, notice)),
        ManualRefundOutcome::Taken(refund) => {
            form_page(&panel, &visit, (refund, step), (wrong, Some(ManualRefundProblem::Taken))).await
        }
        ManualRefundOutcome::MayArrive(refund) => {
            form_page(
                &panel,
                &visit,
                (refund, step),
                (StatusCode::CONFLICT, Some(ManualRefundProblem::MayArrive)),
            )
            .await
        }
        ManualRefundOutcome::Silent(refund) => {
            let unavailable = StatusCode::SERVICE_UNAVAILABLE;
            form_page(&panel, &visit, (refund, step), (unavailable, Some(ManualRefundProblem::Silent))).await
        }
        ManualRefundOutcome::Unfit(refund) => {
            form_page(&panel, &visit, (refund, step), (StatusCode::CONFLICT, None)).await
        }
        ManualRefundOutcome::Missing => Err(Refused::NotFound),
    }
}
