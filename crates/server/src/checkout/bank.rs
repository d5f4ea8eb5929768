//! `…/bank/{attempt}`: the page of the simulated bank. Its visitor decides the outcome of the payment.

use super::{
    CheckoutState,
    answer::{self, Visit},
    forms,
    pages::{Body, Challenge, Countdown},
};
use axum::{
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use std::sync::Arc;
use till_domain::{id::AttemptId, method::Method, misdelivery::DeliveryChoice};
use till_providers::{Bank, BankDecision, BankPayment, Notice};
use till_service::environment::FROM_BANK;

/// The links that bring the customer back without any decision: while the session is pending, and after it.
const LEAVE: &str = "leave";
const BACK: &str = "back";

pub(super) async fn show(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let (bank, entry) = match find(&checkout, &id, &visit).await {
        Ok(found) => found,
        Err(response) => return response,
    };
    let path = format!("{}{FROM_BANK}", checkout.path(entry.session));
    let url = format!("{}/bank/{}", checkout.prefix, entry.id);
    if let Some(language) = visit.chosen {
        return answer::go_in_language(&checkout, &url, language);
    }
    let decisions = bank.decisions(&entry);
    if decisions.is_empty() {
        return answer::go(&path);
    }
    let session_view = match forms::find(&checkout, &entry.session.to_string(), &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let mut actions: Vec<&'static str> = decisions.iter().map(|d| word(*d, entry.method)).collect();
    actions.push(if session_view.is_pending() { LEAVE } else { BACK });
    let now = checkout.cashier.environment().now();
    let clock = bank.challenge_left(&entry);
    let clock = clock.map(|(left, total)| Countdown { left, total, ends_at: now.plus(left) });
    let challenge = Challenge {
        order: session_view.order(),
        method: entry.method,
        url: url.clone(),
        actions,
        clock,
        back: path,
        note: None,
        default_delivery: DeliveryChoice::NONE,
    };
    match checkout.page(&session_view, &visit, &super::view::RefusedForm::default()).await {
        Ok(mut page) => {
            page.body = Body::Challenge(challenge);
            page.frame.live = false;
            page.frame.path = url;
            visit.page(StatusCode::OK, &page)
        }
        Err(error) => visit.trouble(&checkout, &error),
    }
}

pub(super) async fn decide(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
    form: Bytes,
) -> Response {
    if visit.foreign {
        return visit.plain(&checkout, StatusCode::FORBIDDEN, Body::Forbidden);
    }
    let (bank, entry) = match find(&checkout, &id, &visit).await {
        Ok(found) => found,
        Err(response) => return response,
    };
    if let Err(response) = forms::find(&checkout, &entry.session.to_string(), &visit).await {
        return response;
    }
    let field = url::form_urlencoded::parse(&form).find(|(name, _)| name == "decision");
    let decision = field.and_then(|(_, word)| read(&word));
    let Some(decision) = decision else { return answer::go(&checkout.path(entry.session)) };
    if let Err(held) = checkout.cashier.environment().store.hold.check() {
        return visit.trouble(&checkout, &held);
    }
    let notice = match bank.decide(entry.id, decision).await {
        Ok(notice) => notice,
        Err(error) => return visit.trouble(&checkout, &till_store::StoreError::unknown(&error.to_string())),
    };
    // The bank sends a notice (webhook), as a real one does; a slow one leaves it to polling.
    if let Some(notice) = notice.filter(|_| decision != BankDecision::ApproveSlowly) {
        let read = Notice { signature: Some(&notice.signature), body: &notice.body };
        if let Err(error) = checkout.cashier.notice("simulator", None, &read).await {
            tracing::warn!(%error, "a simulated notice was not heard; the payment is asked about later");
        }
    }
    if matches!(decision, BankDecision::ThreeDs | BankDecision::Expire) {
        return answer::go(&format!("{}/bank/{}", checkout.prefix, entry.id));
    }
    answer::go(&format!("{}{FROM_BANK}", checkout.path(entry.session)))
}

async fn find<'a>(
    checkout: &'a CheckoutState,
    id: &str,
    visit: &Visit,
) -> Result<(&'a Bank, BankPayment), Response> {
    let not_found = || visit.plain(checkout, StatusCode::NOT_FOUND, Body::NotFound);
    let bank = checkout.bank.as_deref().ok_or_else(not_found)?;
    let id = AttemptId::parse(id).ok_or_else(not_found)?;
    let entry = bank
        .entry(id)
        .await
        .map_err(|error| visit.trouble(checkout, &till_store::StoreError::unknown(&error.to_string())))?;
    Ok((bank, entry.ok_or_else(not_found)?))
}

/// A decision's value on the page: with SBP the customer pays, where with a card the bank approves.
fn word(decision: BankDecision, method: Method) -> &'static str {
    match (decision, method) {
        (BankDecision::Approve, Method::Sbp) => "pay",
        (decision, _) => decision.as_str(),
    }
}

fn read(word: &str) -> Option<BankDecision> {
    if word == "pay" { Some(BankDecision::Approve) } else { BankDecision::parse(word) }
}
