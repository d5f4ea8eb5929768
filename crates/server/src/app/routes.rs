//! The addresses of the service.

use super::{App, manual_clock, providers::bank, request_layer::RequestLayer};
use crate::{
    api,
    checkout::{self, CheckoutState, pages::Banner},
    docs,
};
use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use futures_util::TryFutureExt as _;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use till_domain::environment::EnvironmentName;
use till_service::{
    cashier::{self, Cashier},
    environment::Environment,
    telemetry::explain,
    web::{self, Problem},
};
use till_store::{Clock, StoreError};
use tokio::sync::watch;

/// The time in which the stores must answer for the service to be ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

impl App {
    /// The state of an environment's checkout pages.
    fn checkout(&self, cashier: &Arc<Cashier>) -> CheckoutState {
        let environment = cashier.environment();
        let sandbox = environment.name == EnvironmentName::Sandbox;
        let banner =
            if sandbox { Some(Banner::Sandbox) } else { self.simulated.then_some(Banner::Simulated) };
        CheckoutState {
            cashier: Arc::clone(cashier),
            bank: banner.map(|_| bank(environment)),
            prefix: if sandbox { "/sandbox" } else { "" },
            banner,
            faults: sandbox.then(|| self.panel.faults.clone()),
            operator: self.operator.clone(),
            metrics: Arc::clone(&self.metrics),
            visits: checkout::Visits::default(),
        }
    }

    /// The reader of request bodies.
    fn bodies(&self) -> web::Bodies {
        let (panel, cashier) = (Arc::clone(&self.panel), Arc::clone(&self.cashiers[0]));
        let environments = [Arc::clone(&self.live), Arc::clone(&self.sandbox)];
        web::Bodies::new(
            self.connections.client_timeout,
            self.live.trusted_proxies.clone(),
            move |headers| {
                let (panel, headers) = (Arc::clone(&panel), headers.clone());
                Box::pin(async move { panel.is_logged_in(&headers).await })
            },
            move |provider| cashier.proof(provider).is_some(),
            move |headers| api::has_token(&environments, headers),
        )
    }

    pub(super) fn router(&self, stop: watch::Receiver<bool>) -> Router {
        let environments = [Arc::clone(&self.live), Arc::clone(&self.sandbox)];
        let ready = ReadinessCheck { environments, stop };
        let layer = Arc::new(RequestLayer {
            finish: web::Finish {
                base_url: Arc::clone(&self.base_url),
                secure: self.tls.is_some() || self.base_url.starts_with("https://"),
                environment: Arc::clone(&self.live),
            },
            metrics: Arc::clone(&self.metrics),
            bodies: self.bodies(),
        });
        let router = Router::new()
            .merge(api::router(Arc::clone(&self.cashiers[0]), Arc::clone(&self.checker)))
            .merge(api::router(Arc::clone(&self.cashiers[1]), Arc::clone(&self.checker)))
            .merge(docs::router(&self.base_url))
            .merge(web::assets::router())
            .merge(till_panel::router(&self.panel))
            .merge(checkout::router(self.checkout(&self.cashiers[0])))
            .merge(checkout::router(self.checkout(&self.cashiers[1])))
            .merge(cashier::notices::router(Arc::clone(&self.cashiers[0])))
            .merge(self.guest.clone())
            .route("/", get(Redirect::to(self.home)))
            .route("/healthz", get(async || Json(json!({ "status": "ok" }))))
            .route("/readyz", get(readiness).with_state(ready))
            .fallback_service(checkout::not_found(self.checkout(&self.cashiers[0])))
            .method_not_allowed_fallback(async || Problem::method_not_allowed())
            .layer(middleware::from_fn_with_state(layer, RequestLayer::run));
        match self.live.store.clock() {
            clock @ Clock::Manual(_) => {
                router.layer(middleware::from_fn_with_state(clock.clone(), manual_clock::set_date))
            }
            _ => router,
        }
    }
}

/// The state of the readiness check.
#[derive(Debug, Clone)]
struct ReadinessCheck {
    environments: [Arc<Environment>; 2],
    stop: watch::Receiver<bool>,
}

impl ReadinessCheck {
    /// What keeps a store from being read and written, in a sentence; `None` if nothing does.
    async fn store_problem(&self) -> Option<String> {
        let [live, sandbox] = &self.environments;
        let ask = async {
            let named = |name: &'static str| move |error: StoreError| unready(name, &error);
            tokio::try_join!(
                live.store.ping().map_err(named("live")),
                sandbox.store.ping().map_err(named("sandbox")),
                live.directory.accounts().ping().map_err(named("accounts"))
            )
        };
        match tokio::time::timeout(READY_WITHIN, ask).await {
            Ok(Ok(_)) => None,
            Ok(Err(problem)) => Some(problem),
            Err(_) => Some(format!(
                "the store did not respond within {} seconds: the disk or the database server is overloaded or gone",
                READY_WITHIN.as_secs()
            )),
        }
    }
}

/// Why a store is not ready. Everyone can read it, so it has none of the words of the store: they name files and servers.
fn unready(store: &str, error: &StoreError) -> String {
    let text = explain(error);
    let why = match error {
        StoreError::Busy { .. } => "more writes are waiting than its queue holds",
        StoreError::Stopped(_) => "it stopped after an error of the disk: restart the service",
        _ if text.contains("disk is full") => "the disk is full",
        _ if text.contains("readonly") || text.contains("read-only") => "it is read-only",
        _ => "the disk or the database server fails; the log says how",
    };
    format!("the {store} store cannot be read and written: {why}")
}

/// `GET /readyz`: tells whether requests can be served, passes on the warning of the store's clock, if any, and says if the
/// store is on hold, when tokens, reads and pages work.
async fn readiness(State(ready): State<ReadinessCheck>) -> Response {
    let not_ready =
        |why: &str| (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": why }))).into_response();
    if *ready.stop.borrow() {
        return not_ready("stopping");
    }
    if let Some(problem) = ready.store_problem().await {
        return not_ready(&problem);
    }
    let store = &ready.environments[0].store;
    let mut answer = json!({ "status": "ready" });
    if let Some(warning) = store.clock().status().warning() {
        answer["warnings"] = json!([warning]);
    }
    if store.hold.is_held() {
        answer["held"] = json!(true);
    }
    Json(answer).into_response()
}
