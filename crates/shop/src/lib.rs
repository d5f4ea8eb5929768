//! The book shop of Till's demo: a vendor's server, written as a vendor would write it.
//!
//! It knows the public API and nothing else of Till: this crate depends on none of Till's other crates.
//! `flow.rs` is the integration (open a session, query its status, apply a report), `callbacks.rs` receives
//! signed callbacks, `orders.rs` is the shop's own database, `pages/` is what a visitor sees. Every call and
//! callback is logged (`journal.rs`) and shown beside the order.

mod address;
mod api;
mod assets;
mod callbacks;
mod catalog;
mod compression;
mod environment;
mod flow;
mod journal;
mod order;
mod orders;
mod pages;
mod report;
mod signature;
mod visit;

#[cfg(test)]
#[path = "../tests/unit/scripted_api.rs"]
mod tests;

pub use catalog::products;

use anyhow::bail;
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};
use environment::Environment;
use std::{fmt, path::PathBuf, sync::Arc};

/// The largest body that the shop reads: a callback has at most a few kilobytes.
const MAX_BODY: usize = 32 * 1024;

#[derive(Debug, Clone)]
pub struct Config {
    /// The base URL of the API, and of the shop itself below `/shop`.
    pub base_url: String,
    /// The base URL of the checkout: the only other place that a form of the shop may lead to.
    pub checkout_url: String,
    /// The directory of the shop's database.
    pub data_dir: PathBuf,
    /// Its credentials for live payments.
    pub live: Credentials,
    /// Its credentials for test payments.
    pub sandbox: Credentials,
    /// Draws the random part of an order number.
    pub random: fn() -> [u8; 8],
}

/// A client id and secret, with which tokens are obtained. The secret also verifies callbacks.
#[derive(Clone)]
pub struct Credentials {
    pub client_id: String,
    /// Never printed.
    pub client_secret: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

impl Config {
    fn credentials(&self, environment: Environment) -> &Credentials {
        match environment {
            Environment::Live => &self.live,
            Environment::Sandbox => &self.sandbox,
        }
    }
}

/// The state shared by all handlers.
#[derive(Debug)]
struct Shop {
    config: Config,
    orders: orders::Orders,
    till: api::Till,
    policy: String,
}

impl Shop {
    fn new(config: Config) -> anyhow::Result<Self> {
        Ok(Self {
            orders: orders::Orders::open(&config.data_dir.join("shop.db"))?,
            till: api::Till::new(&config),
            policy: visit::policy(&config.checkout_url),
            config,
        })
    }
}

/// The shop's routes, all under `/shop`.
///
/// # Errors
/// If the shop's file cannot be opened, or the API is not at an `http` address: this small client speaks no
/// TLS.
pub fn router(config: Config) -> anyhow::Result<Router> {
    if !config.base_url.starts_with("http://") {
        bail!("the shop speaks plain http, and the API is at {}", config.base_url);
    }
    let shop = Arc::new(Shop::new(config)?);
    Ok(Router::new()
        .route("/shop", get(pages::catalogue))
        .route("/shop/", get(async || visit::go("/shop")))
        .route("/shop/orders", get(pages::list).post(pages::buy))
        .route("/shop/orders/{id}", get(pages::order))
        .route("/shop/orders/{id}/start", post(pages::start).get(pages::back_to_order))
        .route("/shop/orders/{id}/check", post(pages::check).get(pages::back_to_order))
        .route("/shop/orders/{id}/news", get(pages::news))
        .route("/shop/callbacks/{environment}", post(callbacks::receive))
        .route("/shop/assets/{hash}/{name}", get(assets::serve))
        .route("/shop/{*rest}", get(pages::nowhere))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn(compression::compress))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&shop), visit::only_here))
        .with_state(shop))
}
