//! `GET …/session/{id}/return`: takes the customer back to the shop, which by then has usually heard.

use super::{
    Counter,
    answer::{self, Visit},
    forms::find,
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use std::{sync::Arc, time::Duration};
use till_domain::{change::VisitKind, session::State as SessionState};

/// How long after its end a session's customer waits for the first callback.
const WAIT_FOR_CALLBACK: Duration = Duration::from_secs(3);

/// From one look at the callback to the next.
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(super) async fn leave(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let sight = match find(&counter, &id, &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    let session = &sight.session;
    let target = session.return_url.as_ref().or(sight.vendor.settings.return_url.as_ref());
    let Some(target) = target else { return answer::go(&counter.path(session.id)) };
    if session.state != SessionState::Pending {
        wait_for_callback(&counter, &sight).await;
    }
    counter.visits.note(counter.cashier.environment(), session, VisitKind::Returned);
    answer::go(&target.filled(session.id, &session.order_id))
}

/// Waits until the first attempt to tell the shop has ended, but not long.
async fn wait_for_callback(counter: &Counter, sight: &super::view::Sight) {
    let environment = counter.cashier.environment();
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
