//! The addresses of the service and the layers around them.

use super::{App, providers::bank};
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
use serde_json::json;
use std::{sync::Arc, time::Duration};
use till_domain::environment::EnvironmentName;
use till_service::{
    cashier::{self, Cashier},
    environment::Environment,
    metrics,
    web::{self, Problem},
};
use tokio::sync::watch;
use tower_http::catch_panic::CatchPanicLayer;

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
            for_testers: sandbox,
            operator: self.operator.clone(),
            metrics: Arc::clone(&self.metrics),
            visits: checkout::Visits::default(),
        }
    }

    /// The reader of request bodies.
    fn bodies(&self) -> Arc<web::Bodies> {
        let (panel, cashier) = (Arc::clone(&self.panel), Arc::clone(&self.cashiers[0]));
        web::Bodies::new(
            self.connections.client_timeout,
            self.live.trusted_proxies.clone(),
            move |headers| {
                let (panel, headers) = (Arc::clone(&panel), headers.clone());
                Box::pin(async move { panel.is_logged_in(&headers).await })
            },
            move |provider| cashier.proof(provider).is_some(),
        )
    }

    pub(super) fn router(&self, stop: watch::Receiver<bool>) -> Router {
        let environments = [Arc::clone(&self.live), Arc::clone(&self.sandbox)];
        let ready = ReadinessCheck { environments, stop };
        let finish = web::Finish {
            base_url: Arc::clone(&self.base_url),
            secure: self.tls.is_some() || self.base_url.starts_with("https://"),
            environment: Arc::clone(&self.live),
        };
        Router::new()
            .merge(api::router(Arc::clone(&self.cashiers[0])))
            .merge(api::router(Arc::clone(&self.cashiers[1])))
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
            .layer(CatchPanicLayer::custom(|_| {
                tracing::error!("a request panicked; see the message above");
                Problem::internal().into_response()
            }))
            .layer(middleware::from_fn_with_state(self.bodies(), web::take_body))
            .layer(middleware::from_fn(web::refuse_ambiguous))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.metrics), metrics::observe))
            .layer(middleware::from_fn_with_state(finish, web::finish))
    }
}

/// The state of the readiness check.
#[derive(Debug, Clone)]
struct ReadinessCheck {
    environments: [Arc<Environment>; 2],
    stop: watch::Receiver<bool>,
}

impl ReadinessCheck {
    /// True if all stores read and write.
    async fn stores_are_ready(&self) -> bool {
        let [live, sandbox] = &self.environments;
        let ask = async {
            let accounts = live.directory.accounts().ping();
            tokio::try_join!(live.store.ping(), sandbox.store.ping(), accounts)
        };
        matches!(tokio::time::timeout(READY_WITHIN, ask).await, Ok(Ok(_)))
    }
}

/// `GET /readyz`: tells whether requests can be served, passes on the warning of the store's clock, if any, and says if the
/// store is on hold, when tokens, reads and pages work.
async fn readiness(State(ready): State<ReadinessCheck>) -> Response {
    let not_ready =
        |why: &str| (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": why }))).into_response();
    if *ready.stop.borrow() {
        return not_ready("stopping");
    }
    if !ready.stores_are_ready().await {
        return not_ready("the store cannot be read and written");
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
