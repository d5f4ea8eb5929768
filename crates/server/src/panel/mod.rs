//! The vendor panel and the operator console.
//!
//! [`ROUTES`](routes) names every address with who may use it; [`guard`] sees to that before any handler runs, so that none
//! can forget it, and makes pages of what handlers refuse. The other folders are the pages: `mod.rs` has the handlers,
//! `view.rs` what is shown. What all pages share is in [`pages`], which knows no request and no store. Handlers change
//! accounts through the [`Office`].

mod account;
mod catalog;
mod console;
mod cookies;
mod entry;
mod guard;
mod history;
mod kept;
mod links;
mod looks;
mod pages;
mod payments;
mod profile;
mod reauthentication;
mod refunds;
mod refusals;
mod settings;
mod team;
mod visit;

use crate::{
    access::{codes::WrongCodes, password::Passwords, throttle::Throttle},
    callbacks::Sender,
    cashier::Cashier,
    environment::{Directory, Environment},
    metrics::Metrics,
    office::{Office, Resender},
    registry::Registry,
    settings::ChangedSetting,
};
use axum::{
    Router,
    extract::State,
    handler::Handler as _,
    http::StatusCode,
    middleware,
    response::Response,
    routing::{MethodRouter, any, get, post},
};
use guard::Gate;
use ipnet::IpNet;
pub use looks::Looks;
use pages::Refusal;
pub use refusals::Refusals;
use std::{path::PathBuf, sync::Arc, time::Instant};
use till_domain::{audit::Actor, environment::Environment as EnvironmentName, time::Timestamp, user::Right};
use till_store::NodeId;
use visit::{Visit, go};

/// What the pages of the panel need.
#[derive(Debug)]
pub struct Panel {
    /// What is done to accounts.
    pub office: Office,
    /// Which providers take live money.
    pub registry: Arc<Registry>,
    /// Vendors as they were at most a second ago.
    pub directory: Arc<Directory>,
    /// What sends callbacks, live first.
    pub senders: [Arc<Sender>; 2],
    /// What talks to providers, live first.
    pub cashiers: [Arc<Cashier>; 2],
    pub passwords: Passwords,
    pub metrics: Arc<Metrics>,
    /// What slows guessing down.
    pub throttle: Throttle,
    /// Which pages with credentials were opened lately.
    pub looks: Looks,
    /// Which failures and refusals were written down lately.
    pub refusals: Refusals,
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
    /// This process, among those that share the store.
    pub node: NodeId,
    /// The folder of the embedded store, if that is where the store is.
    pub folder: Option<PathBuf>,
    /// Settings that are not at their defaults.
    pub changed_settings: Vec<ChangedSetting>,
    /// When this service started.
    pub started: Instant,
}

impl Panel {
    fn now(&self) -> Timestamp {
        self.office.accounts.now()
    }

    /// The time for what is compared with the clocks of others: codes of second factors.
    fn calendar(&self) -> Timestamp {
        self.office.accounts.clock().calendar()
    }

    /// One of the two environments.
    fn environment(&self, name: EnvironmentName) -> &Arc<Environment> {
        self.sender(name).environment()
    }

    fn sender(&self, name: EnvironmentName) -> &Arc<Sender> {
        let [live, sandbox] = &self.senders;
        match name {
            EnvironmentName::Live => live,
            EnvironmentName::Sandbox => sandbox,
        }
    }

    /// Sends callbacks of an environment again, for somebody.
    fn resender<'a>(&'a self, environment: EnvironmentName, actor: &'a Actor) -> Resender<'a> {
        let sender = self.sender(environment);
        Resender {
            accounts: &self.office.accounts,
            payments: &sender.environment().store,
            environment,
            schedule: sender.schedule(),
            actor,
        }
    }

    fn cashier(&self, name: EnvironmentName) -> &Arc<Cashier> {
        let [live, sandbox] = &self.cashiers;
        match name {
            EnvironmentName::Live => live,
            EnvironmentName::Sandbox => sandbox,
        }
    }

    fn uptime(&self) -> std::time::Duration {
        self.started.elapsed()
    }
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
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
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// Whether the password must have been shown a short while ago.
    needs_password: fn(&Visit) -> bool,
    handler: MethodRouter<Arc<Panel>>,
}

impl Route {
    /// The same, for visitors who showed the password a short while ago; others are asked for it.
    fn after_password(self) -> Self {
        self.after_password_if(|_| true)
    }

    /// The same, where that is needed only for some.
    fn after_password_if(self, needs_password: fn(&Visit) -> bool) -> Self {
        Self { needs_password, ..self }
    }

    fn matches(&self, path: &str) -> bool {
        let (mut mine, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (mine.next(), given.next()) {
                (None, None) => return true,
                (Some(part), Some(text)) if part == text || part.starts_with('{') => {}
                _ => return false,
            }
        }
    }
}

/// Every address, in the order of the modules. The router is made from this list and from nothing else.
#[must_use]
pub fn routes() -> Vec<Route> {
    let parts = [
        entry::routes(),
        payments::routes(),
        account::routes(),
        reauthentication::routes(),
        settings::routes(),
        catalog::routes(),
        team::routes(),
        history::routes(),
        profile::routes(),
        console::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// The page that has the form which is sent to this path, or the nearest one above it.
fn page_of(path: &str) -> String {
    match path {
        "/operator/vendors" | "/operator/users" | "/panel/products" | "/panel/categories" | "/panel/team" => {
            return format!("{path}/new");
        }
        // The set-up is a page of its own only once it has begun.
        "/panel/account/totp" | "/panel/account/totp/codes" => return "/panel/account".to_owned(),
        _ => {}
    }
    let routes = routes();
    // A user is enabled by a button on their page; all else is asked first at the same address.
    let mut path = path.strip_suffix("/enable").unwrap_or(path);
    loop {
        if routes.iter().any(|route| route.method == "GET" && route.matches(path)) {
            return path.to_owned();
        }
        match path.rsplit_once('/') {
            Some((above, _)) => path = above,
            None => return "/panel".to_owned(),
        }
    }
}

fn shows<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: axum::handler::Handler<T, Arc<Panel>>,
    T: 'static,
{
    Route { method: "GET", path, access, needs_password: |_| false, handler: get(handler) }
}

fn does<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: axum::handler::Handler<T, Arc<Panel>>,
    T: 'static,
{
    Route { method: "POST", path, access, needs_password: |_| false, handler: post(handler) }
}

/// An address that is none of ours.
async fn nowhere(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    visit.not_found(&panel)
}

/// An address that takes a form and was opened, or the other way round.
async fn wrong_way(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    visit.answer(&panel, StatusCode::METHOD_NOT_ALLOWED, None, Refusal::WrongMethod)
}

/// The panel and the console.
pub fn router(panel: &Arc<Panel>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let gate = Gate { path: route.path, access: route.access, needs_password: route.needs_password };
        let guard = middleware::from_fn_with_state((Arc::clone(panel), gate), guard::check);
        router = router.route(route.path, route.handler.route_layer(guard));
    }
    let gate = Gate { path: "an unknown address", access: Access::Open, needs_password: |_| false };
    let open = || middleware::from_fn_with_state((Arc::clone(panel), gate), guard::check);
    router
        .route("/panel/", get(async || go("/panel")))
        .route("/operator", get(async || go("/operator/vendors")))
        .route("/operator/", get(async || go("/operator/vendors")))
        .route("/panel/{*rest}", any(nowhere).layer(open()))
        .route("/operator/{*rest}", any(nowhere).layer(open()))
        .method_not_allowed_fallback(wrong_way.layer(open()))
        .with_state(Arc::clone(panel))
}

#[cfg(test)]
mod tests {
    use crate::panel::page_of;

    #[test]
    fn a_form_belongs_to_a_page_that_can_be_opened() {
        for (form, page) in [
            ("/panel/settings", "/panel/settings"),
            ("/panel/settings/reveal", "/panel/settings"),
            ("/panel/settings/rotate", "/panel/settings/rotate"),
            ("/panel/sandbox/ask", "/panel/sandbox"),
            ("/panel/account/totp/confirm", "/panel/account/totp"),
            ("/panel/account/totp/codes", "/panel/account"),
            ("/panel/account/sessions/s2/end", "/panel/account"),
            ("/panel/profile/v1/reveal", "/panel/profile/v1"),
            ("/operator/vendors", "/operator/vendors/new"),
            ("/operator/users", "/operator/users/new"),
            ("/operator/vendors/v1/methods", "/operator/vendors/v1"),
            ("/operator/vendors/v1/enable", "/operator/vendors/v1"),
            ("/operator/users/u1/disable", "/operator/users/u1/disable"),
            ("/operator/users/u1/enable", "/operator/users/u1"),
            ("/operator/requests/r1/grant", "/operator/requests"),
        ] {
            assert_eq!(page_of(form), page, "{form}");
        }
    }
}
