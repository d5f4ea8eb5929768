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
    let session_view = match find(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let Some(target) = target(&session_view) else {
        return answer::go(&checkout.path(session_view.session.id));
    };
    let page = match checkout.leave_page(&session_view, &visit, &target).await {
        Ok(page) => page,
        Err(error) => return visit.trouble(&checkout, &error),
    };
    match page {
        Some(page) => visit.page(StatusCode::OK, &page),
        None => go_to(&checkout, &session_view, &target).await,
    }
}

/// `POST`: the customer confirmed to leave.
pub(super) async fn leave(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let session_view = match find_for_form(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    match target(&session_view) {
        Some(target) => go_to(&checkout, &session_view, &target).await,
        None => answer::go(&checkout.path(session_view.session.id)),
    }
}

/// The shop's return address with its placeholders filled in, if there is one.
fn target(session_view: &SessionView) -> Option<String> {
    let session = &session_view.session;
    let target = session.return_url.as_ref().or(session_view.vendor.settings.return_url.as_ref())?;
    Some(target.filled(session.id, &session.order_id))
}

async fn go_to(checkout: &CheckoutState, session_view: &SessionView, target: &str) -> Response {
    if session_view.session.state != SessionState::Pending {
        wait_for_callback(checkout, session_view).await;
    }
    checkout.visits.note(checkout.cashier.environment(), &session_view.session, VisitKind::Returned);
    answer::go(target)
}

/// Waits until the first attempt of the callback has ended, or [`WAIT_FOR_CALLBACK`] has passed.
async fn wait_for_callback(checkout: &CheckoutState, session_view: &SessionView) {
    let environment = checkout.cashier.environment();
    let until = session_view.session.updated_at.plus(WAIT_FOR_CALLBACK);
    let mut stopping = environment.stopping.subscribe();
    while environment.now() < until {
        let callback = environment.store.callback(session_view.session.id).await;
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
