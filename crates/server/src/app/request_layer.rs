//! The layer around every request.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::FutureExt as _;
use std::{panic::AssertUnwindSafe, sync::Arc};
use till_service::{
    metrics::Metrics,
    web::{self, Problem},
};

/// The state of the layer.
///
/// There is one layer and not one for each task, because a layer of the router boxes and clones everything below it for each
/// request.
pub(super) struct RequestLayer {
    pub(super) finish: web::Finish,
    pub(super) metrics: Arc<Metrics>,
    pub(super) bodies: web::Bodies,
}

impl RequestLayer {
    /// Gives the request its id and the answer its headers, counts it, refuses what is ambiguous, reads the body, and answers
    /// with 500 if the handler panics.
    pub(super) async fn run(State(layer): State<Arc<Self>>, request: Request, next: Next) -> Response {
        let layer = &*layer;
        let run = |request| catch_panic(request, next);
        let admitted = |request| async move {
            match web::refuse_ambiguous(&request) {
                Some(refusal) => refusal,
                None => layer.bodies.read(request, run).await,
            }
        };
        let counted = |request| layer.metrics.observe(request, admitted);
        web::finish(&layer.finish, request, counted).await
    }
}

async fn catch_panic(request: Request, next: Next) -> Response {
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answered.unwrap_or_else(|_| {
        tracing::error!("a request panicked; see the message above");
        Problem::internal().into_response()
    })
}
