//! `GET …/session/{id}/events`: server-sent events that tell an open page to reload.
//!
//! An event carries the state that the page would show now (`Body::state`); the page compares it with its
//! own. The first is sent at once, so nothing is missed between the page and its stream.

use super::{CheckoutState, answer::Wants, view::RefusedForm};
use axum::{
    extract::{Path, State},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::{Stream, stream};
use std::{convert::Infallible, sync::Arc, time::Duration};
use till_domain::{id::SessionId, rejection::Rejection, session::State as SessionState};
use till_service::{environment::OpenPage, web::Problem};
use tokio::sync::watch;

/// Interval of keep-alive comments, so that no proxy closes the stream as idle.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Pause after a session could not be read.
const AFTER_ERROR: Duration = Duration::from_secs(1);

pub(super) async fn stream(State(checkout): State<Arc<CheckoutState>>, Path(id): Path<String>) -> Response {
    let Some(id) = SessionId::parse(&id) else { return Problem::not_found().into_response() };
    // Open before the first look: later changes are sent.
    let page = checkout.cashier.environment().store.pages.open(id);
    let environment = checkout.cashier.environment().name;
    match checkout.session_view(id).await {
        Ok(Some(session_view)) if session_view.vendor.may_use(environment) => {}
        Ok(Some(session_view)) if !session_view.vendor.disabled => {
            return Problem::from(Rejection::SandboxDisabled).into_response();
        }
        Ok(_) => return Problem::not_found().into_response(),
        Err(error) => return Problem::from(error).into_response(),
    }
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    let stream = Sse::new(words(checkout, id, page)).keep_alive(keep_alive);
    ([("x-accel-buffering", "no"), ("cache-control", "no-store")], stream).into_response()
}

struct PageFeed {
    checkout: Arc<CheckoutState>,
    id: SessionId,
    page: OpenPage,
    stopping: watch::Receiver<bool>,
    last_sent: Option<String>,
    over: bool,
}

fn words(
    checkout: Arc<CheckoutState>,
    id: SessionId,
    page: OpenPage,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let stopping = checkout.cashier.environment().stopping.subscribe();
    let feed = PageFeed { checkout, id, page, stopping, last_sent: None, over: false };
    stream::unfold(feed, async |mut feed| {
        let word = feed.next().await?;
        Some((Ok(Event::default().event("state").data(word)), feed))
    })
}

impl PageFeed {
    /// The next state that differs from the last; `None` when the stream ends.
    async fn next(&mut self) -> Option<String> {
        while !self.over && !*self.stopping.borrow() {
            match self.look().await {
                Ok(Some((word, over))) => {
                    self.over = over;
                    if self.last_sent.as_ref() != Some(&word) {
                        self.last_sent = Some(word.clone());
                        return Some(word);
                    }
                }
                Ok(None) => return None,
                Err(_) => {
                    tokio::select! {
                        () = tokio::time::sleep(AFTER_ERROR) => {}
                        _ = self.stopping.changed() => {}
                    }
                    continue;
                }
            }
            if self.over {
                break;
            }
            tokio::select! {
                () = self.page.changed() => {}
                _ = self.stopping.changed() => {}
            }
        }
        None
    }

    /// The state that the page would show, and true if it is final.
    async fn look(&self) -> Result<Option<(String, bool)>, till_store::StoreError> {
        let Some(session_view) = self.checkout.session_view(self.id).await? else { return Ok(None) };
        let over = session_view.session.state != SessionState::Pending;
        let body = self.checkout.body(&session_view, Wants::default(), &RefusedForm::default()).await?;
        Ok(Some((body.state(), over)))
    }
}
