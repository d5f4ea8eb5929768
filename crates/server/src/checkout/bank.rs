//! `…/bank/{attempt}`: the page of the simulated bank. Its visitor decides the outcome of the payment.

use super::{
    Counter,
    answer::{self, Visit},
    forms,
    pages::{Body, Challenge, Clock},
};
use axum::{
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use std::sync::Arc;
use till_domain::{id::AttemptId, method::Method};
use till_providers::{Bank, Decision, Entry, Notice};

/// The form value that brings the customer back without any decision.
const LEAVE: &str = "leave";

pub(super) async fn show(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let (bank, entry) = match find(&counter, &id, &visit).await {
        Ok(found) => found,
        Err(response) => return response,
    };
    let path = counter.path(entry.session);
    let decisions = bank.decisions(&entry);
    if decisions.is_empty() {
        return answer::go(&path);
    }
    let sight = match forms::find(&counter, &entry.session.to_string(), &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    let mut actions: Vec<&'static str> = decisions.iter().map(|d| word(*d, entry.method)).collect();
    actions.push(LEAVE);
    let clock = bank.challenge_left(&entry).map(|(left, total)| Clock { left, total });
    let challenge = Challenge {
        order: sight.order(),
        method: entry.method,
        url: format!("{}/bank/{}", counter.prefix, entry.id),
        actions,
        clock,
        back: path,
    };
    match counter.page(&sight, &visit, &super::view::Mishap::default()).await {
        Ok(mut page) => {
            page.body = Body::Challenge(challenge);
            page.frame.live = false;
            visit.page(StatusCode::OK, &page)
        }
        Err(error) => visit.trouble(&counter, &error),
    }
}

pub(super) async fn decide(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
    form: Bytes,
) -> Response {
    if visit.foreign {
        return visit.plain(&counter, StatusCode::FORBIDDEN, Body::Forbidden);
    }
    let (bank, entry) = match find(&counter, &id, &visit).await {
        Ok(found) => found,
        Err(response) => return response,
    };
    if let Err(response) = forms::find(&counter, &entry.session.to_string(), &visit).await {
        return response;
    }
    let given = url::form_urlencoded::parse(&form).find(|(name, _)| name == "decision");
    let decision = given.and_then(|(_, word)| read(&word));
    let Some(decision) = decision else { return answer::go(&counter.path(entry.session)) };
    let notice = match bank.decide(entry.id, decision).await {
        Ok(notice) => notice,
        Err(error) => return visit.trouble(&counter, &till_store::StoreError::unknown(&error.to_string())),
    };
    // The bank sends a notice (webhook), as a real one does; a slow one leaves it to polling.
    if let Some(notice) = notice.filter(|_| decision != Decision::ApproveSlowly) {
        let read = Notice { signature: Some(&notice.signature), body: &notice.body };
        if let Err(error) = counter.cashier.notice("simulator", None, &read).await {
            tracing::warn!(%error, "a simulated notice was not heard; the payment is asked about later");
        }
    }
    if decision == Decision::ThreeDs {
        return answer::go(&format!("{}/bank/{}", counter.prefix, entry.id));
    }
    answer::go(&counter.path(entry.session))
}

async fn find<'a>(counter: &'a Counter, id: &str, visit: &Visit) -> Result<(&'a Bank, Entry), Response> {
    let not_found = || visit.plain(counter, StatusCode::NOT_FOUND, Body::NotFound);
    let bank = counter.bank.as_deref().ok_or_else(not_found)?;
    let id = AttemptId::parse(id).ok_or_else(not_found)?;
    let entry = bank
        .entry(id)
        .await
        .map_err(|error| visit.trouble(counter, &till_store::StoreError::unknown(&error.to_string())))?;
    Ok((bank, entry.ok_or_else(not_found)?))
}

/// A decision's value on the page: with SBP the customer pays, where with a card the bank approves.
fn word(decision: Decision, method: Method) -> &'static str {
    match (decision, method) {
        (Decision::Approve, Method::Sbp) => "pay",
        (decision, _) => decision.as_str(),
    }
}

fn read(word: &str) -> Option<Decision> {
    if word == "pay" { Some(Decision::Approve) } else { Decision::parse(word) }
}
