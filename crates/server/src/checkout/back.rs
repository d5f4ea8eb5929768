//! `…/session/{id}/return`: takes the customer back to the shop, which has usually received its callback by
//! then.

use super::{
    CheckoutState,
    answer::{self, Visit},
    forms::{find, find_for_form},
    view::SessionView,
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use std::{sync::Arc, time::Duration};
use till_domain::{change::VisitKind, session::State as SessionState};

/// How long after its end a session's customer waits for the first callback.
const WAIT_FOR_CALLBACK: Duration = Duration::from_secs(3);

/// Polling interval for the callback.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// `GET`: from a session that has ended, or whose order is paid, redirects to the shop. From any other the
/// customer is asked first and told the target: a link to a payment page must not be an open redirect.
pub(super) async fn ask(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let sight = match find(&checkout, &id, &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    let Some(target) = target(&sight) else { return answer::go(&checkout.path(sight.session.id)) };
    let page = match checkout.leave_page(&sight, &visit, &target).await {
        Ok(page) => page,
        Err(error) => return visit.trouble(&checkout, &error),
    };
    match page {
        Some(page) => visit.page(StatusCode::OK, &page),
        None => go_to(&checkout, &sight, &target).await,
    }
}

/// `POST`: the customer confirmed to leave.
pub(super) async fn leave(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let sight = match find_for_form(&checkout, &id, &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    match target(&sight) {
        Some(target) => go_to(&checkout, &sight, &target).await,
        None => answer::go(&checkout.path(sight.session.id)),
    }
}

/// The shop's return address with its placeholders filled in, if there is one.
fn target(sight: &SessionView) -> Option<String> {
    let session = &sight.session;
    let target = session.return_url.as_ref().or(sight.vendor.settings.return_url.as_ref())?;
    Some(target.filled(session.id, &session.order_id))
}

async fn go_to(checkout: &CheckoutState, sight: &SessionView, target: &str) -> Response {
    if sight.session.state != SessionState::Pending {
        wait_for_callback(checkout, sight).await;
    }
    checkout.visits.note(checkout.cashier.environment(), &sight.session, VisitKind::Returned);
    answer::go(target)
}

/// Waits until the first attempt of the callback has ended, or [`WAIT_FOR_CALLBACK`] has passed.
async fn wait_for_callback(checkout: &CheckoutState, sight: &SessionView) {
    let environment = checkout.cashier.environment();
    let until = sight.session.updated_at.plus(WAIT_FOR_CALLBACK);
    let mut stopping = environment.stopping.subscribe();
    while environment.now() < until {
        let callback = environment.store.callback(sight.session.id).await;
        let tried = match callback {
            Ok(Some(callback)) => callback.tried(),
            Ok(None) | Err(_) => true,
        };
        if tried || *stopping.borrow() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = stopping.changed() => {}
        }
    }
}
