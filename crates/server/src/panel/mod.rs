//! The vendor panel and the operator console.
//!
//! [`pages`] makes HTML from views and knows no request and no store. [`ROUTES`](routes) names every address
//! with who may use it; [`guard`] sees to that before any handler runs, so that none can forget it. The other
//! modules are the handlers, by subject. What they do to accounts they do through the [`Office`].

mod account;
mod cookies;
mod entry;
mod guard;
mod history;
mod links;
mod looks;
mod operator;
pub mod pages;
mod profile;
mod settings;
mod shelf;
mod team;
mod vendor;
mod visit;

use crate::{
    access::{codes::WrongCodes, password::Passwords, throttle::Throttle},
    callbacks::Sender,
    directory::Directory,
    office::Office,
};
use axum::{
    Router, middleware,
    routing::{MethodRouter, get, post},
};
use ipnet::IpNet;
pub use looks::Looks;
use std::{sync::Arc, time::Instant};
use till_domain::{time::Timestamp, user::Right};
use visit::go;

/// What the pages of the panel need.
#[derive(Debug)]
pub struct Panel {
    /// What is done to accounts.
    pub office: Office,
    /// Vendors as they were at most a second ago.
    pub directory: Arc<Directory>,
    /// What sends callbacks, live first.
    pub senders: [Arc<Sender>; 2],
    /// What compares passwords.
    pub passwords: Passwords,
    /// What slows guessing down.
    pub throttle: Throttle,
    /// Which pages with credentials were opened lately.
    pub looks: Looks,
    /// What keeps codes from being guessed.
    pub codes: WrongCodes,
    /// Proxies that are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether the service is reached over https.
    pub secure: bool,
    /// Where links in mails lead to.
    pub base_url: Arc<str>,
    /// Whether operators need a second factor.
    pub operator_totp: bool,
    /// Whether mail can be sent.
    pub mail: bool,
    /// Whom to ask for help.
    pub support: Option<String>,
    /// Whether vendors may name private addresses.
    pub private_callbacks: bool,
    /// When this service started.
    pub started: Instant,
}

impl Panel {
    fn now(&self) -> Timestamp {
        self.office.accounts.now()
    }

    fn uptime(&self) -> std::time::Duration {
        self.started.elapsed()
    }
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Open,
    /// Whoever is logged in.
    Known,
    /// Whoever has this right.
    May(Right),
}

/// An address of the panel.
#[derive(Debug)]
pub struct Route {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Its path.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    handler: MethodRouter<Arc<Panel>>,
}

/// Every address, in the order of the modules. The router is made from this list and from nothing else.
#[must_use]
pub fn routes() -> Vec<Route> {
    let parts = [
        entry::routes(),
        vendor::routes(),
        account::routes(),
        settings::routes(),
        shelf::routes(),
        team::routes(),
        history::routes(),
        profile::routes(),
        operator::routes(),
    ];
    parts.into_iter().flatten().collect()
}

fn shows<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: axum::handler::Handler<T, Arc<Panel>>,
    T: 'static,
{
    Route { method: "GET", path, access, handler: get(handler) }
}

fn does<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: axum::handler::Handler<T, Arc<Panel>>,
    T: 'static,
{
    Route { method: "POST", path, access, handler: post(handler) }
}

/// The panel and the console.
pub fn router(panel: &Arc<Panel>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let guard = middleware::from_fn_with_state((Arc::clone(panel), route.access), guard::check);
        router = router.route(route.path, route.handler.route_layer(guard));
    }
    router
        .route("/panel/", get(async || go("/panel")))
        .route("/operator", get(async || go("/operator/vendors")))
        .with_state(Arc::clone(panel))
}
