//! The vendor panel and the operator console.
//!
//! [`ROUTES`](routes) lists every address with its access rights; [`guard`] enforces them before any handler
//! runs, so that no handler can forget to, and turns refusals of handlers into pages. The other folders are
//! the pages: `mod.rs` has the handlers, `view.rs` the displayed data. Code shared by all pages is in
//! [`pages`], which knows neither requests nor the store. Handlers change accounts through the [`Admin`].

mod account;
mod catalog;
mod console;
mod cookies;
mod drafts;
mod endpoint_check;
mod fiscal_settings;
mod guard;
mod history;
mod login;
mod misdelivery;
mod one_time_links;
mod pages;
mod payments;
mod profile;
mod reauthentication;
mod recent_views;
mod refunds;
mod refusals;
mod sealed;
mod sealed_search;
mod settings;
mod signature;
mod team;
mod visit;

use axum::{
    Router,
    extract::State,
    handler::Handler as _,
    http::StatusCode,
    middleware,
    response::Response,
    routing::{MethodRouter, any, get, post},
};
use guard::RouteAccess;
use ipnet::IpNet;
use pages::{LivePayments, RefusalPage};
pub use recent_views::RecentViews;
pub use refusals::Refusals;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    audit::Actor, delivery::Schedule, environment::EnvironmentName, time::Timestamp, user::Right,
    vendor::Vendor,
};
use till_service::{
    access::{codes::WrongCodes, password::Passwords, throttle::Throttle},
    admin::{Admin, Resender},
    callbacks::endpoint_check::EndpointChecker,
    cashier::Cashier,
    environment::{Directory, Environment},
    metrics::Metrics,
    outbound::Outbound,
    registry::Registry,
    settings::ChangedSetting,
};
use till_store::{Faults, NodeId};
use visit::{Visit, go};

/// The dependencies of the panel's pages.
#[derive(Debug)]
pub struct Panel {
    /// Operations on accounts, each with its audit line.
    pub admin: Admin,
    /// The providers of live payments.
    pub registry: Arc<Registry>,
    /// A cache of vendors, at most a second old.
    pub directory: Arc<Directory>,
    /// Live first.
    pub environments: [Arc<Environment>; 2],
    /// The client for calls to vendors' receivers.
    pub outbound: Outbound,
    /// The retry schedule of callbacks.
    pub schedule: Schedule,
    /// The faults of the sandbox's callbacks.
    pub faults: Faults,
    /// Checks the endpoints of vendors in the sandbox.
    pub checker: Arc<EndpointChecker>,
    /// True if a vendor must have passed an endpoint check before it sees its live credentials.
    pub require_endpoint_check: bool,
    /// The parts that call providers, live first.
    pub cashiers: [Arc<Cashier>; 2],
    pub passwords: Passwords,
    pub metrics: Arc<Metrics>,
    /// The rate limit for guessing passwords.
    pub throttle: Throttle,
    /// The pages with credentials that were opened recently.
    pub recent_views: RecentViews,
    /// The failures and refusals that were logged recently.
    pub refusals: Refusals,
    /// The limit for guessing codes of the second factor.
    pub codes: WrongCodes,
    /// Proxies whose forwarded client addresses are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// True if the service is reached over https.
    pub secure: bool,
    /// The address of the service, with which links begin.
    pub base_url: Arc<str>,
    /// True if operators need a second factor.
    pub operator_totp: bool,
    /// True if mail can be sent.
    pub mail: bool,
    /// The contact for support.
    pub support: Option<String>,
    /// True if vendors may use private network addresses for callbacks, which are otherwise refused (SSRF).
    pub private_callbacks: bool,
    /// The id of this process among those that share the store.
    pub node: NodeId,
    /// The folder of the embedded store, if that is used.
    pub folder: Option<PathBuf>,
    /// Settings that differ from their defaults.
    pub changed_settings: Vec<ChangedSetting>,
    /// The time of day in UTC of the nightly reconciliation, if there is one.
    pub reconcile_at: Option<Duration>,
    pub started: Instant,
}

impl Panel {
    fn now(&self) -> Timestamp {
        self.admin.accounts.now()
    }

    /// The wall-clock time, for comparison with other clocks: codes of second factors.
    fn calendar(&self) -> Timestamp {
        self.admin.accounts.clock().calendar()
    }

    fn environment(&self, name: EnvironmentName) -> &Arc<Environment> {
        let [live, sandbox] = &self.environments;
        match name {
            EnvironmentName::Live => live,
            EnvironmentName::Sandbox => sandbox,
        }
    }

    /// The environment whose data a vendor's users see.
    fn vendor_environment(&self, vendor: &Vendor) -> &Arc<Environment> {
        self.environment(if vendor.sandbox { EnvironmentName::Sandbox } else { EnvironmentName::Live })
    }

    /// Sends callbacks of an environment again, on behalf of a user.
    fn resender<'a>(
        &'a self,
        environment: EnvironmentName,
        actor: &'a Actor,
        by_operator: bool,
    ) -> Resender<'a> {
        Resender {
            accounts: &self.admin.accounts,
            store: &self.environment(environment).store,
            schedule: &self.schedule,
            actor,
            by_operator,
        }
    }

    fn cashier(&self, name: EnvironmentName) -> &Arc<Cashier> {
        let [live, sandbox] = &self.cashiers;
        match name {
            EnvironmentName::Live => live,
            EnvironmentName::Sandbox => sandbox,
        }
    }

    /// Whether live payments move money.
    fn live_payments(&self) -> LivePayments {
        let handles = self.cashier(EnvironmentName::Live).handles();
        let offered: Vec<_> = handles.iter().filter(|handle| handle.offered).collect();
        if offered.is_empty() {
            LivePayments::Impossible
        } else if offered.iter().any(|handle| handle.provider.is_simulated()) {
            LivePayments::Simulated
        } else {
            LivePayments::Real
        }
    }

    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Access rights of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Open,
    /// Any logged-in user.
    Known,
    /// Users with this right.
    May(Right),
}

/// A route of the panel.
#[derive(Debug)]
pub struct Route {
    /// `GET` or `POST`.
    pub method: &'static str,
    pub path: &'static str,
    pub access: Access,
    /// Returns true when the visitor must have typed the password recently.
    needs_password: fn(&Visit) -> bool,
    handler: MethodRouter<Arc<Panel>>,
}

impl Route {
    /// Requires that the visitor typed the password recently; others are asked for it.
    fn after_password(self) -> Self {
        self.after_password_if(|_| true)
    }

    /// Requires the password only if the function returns true for the visit.
    fn after_password_if(self, needs_password: fn(&Visit) -> bool) -> Self {
        Self { needs_password, ..self }
    }

    fn matches(&self, path: &str) -> bool {
        let (mut mine, mut requested) = (self.path.split('/'), path.split('/'));
        loop {
            match (mine.next(), requested.next()) {
                (None, None) => return true,
                (Some(part), Some(text)) if part == text || part.starts_with('{') => {}
                _ => return false,
            }
        }
    }
}

/// Every route, in the order of the modules. The router is made from this list and from nothing else.
#[must_use]
pub fn routes() -> Vec<Route> {
    let parts = [
        login::routes(),
        payments::routes(),
        account::routes(),
        reauthentication::routes(),
        settings::routes(),
        signature::routes(),
        misdelivery::routes(),
        fiscal_settings::routes(),
        endpoint_check::routes(),
        catalog::routes(),
        team::routes(),
        history::routes(),
        profile::routes(),
        console::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// The page with the form that posts to this path, or the nearest page above it.
fn page_of(path: &str) -> String {
    match path {
        "/operator/vendors" | "/operator/users" | "/panel/products" | "/panel/categories" | "/panel/team" => {
            return format!("{path}/new");
        }
        // The set-up has a page of its own only once it has begun.
        "/panel/account/totp" | "/panel/account/totp/codes" => return "/panel/account".to_owned(),
        _ => {}
    }
    let routes = routes();
    // A user is enabled by a button on their page; all other forms have a page at the same address.
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

/// The answer to an unknown address.
async fn nowhere(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    visit.not_found(&panel)
}

/// The answer to a wrong method: `GET` for a form's address, or `POST` for a page.
async fn wrong_way(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    visit.answer(&panel, StatusCode::METHOD_NOT_ALLOWED, None, RefusalPage::WrongMethod)
}

/// The router of the panel and the console.
pub fn router(panel: &Arc<Panel>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let gate =
            RouteAccess { path: route.path, access: route.access, needs_password: route.needs_password };
        let guard = middleware::from_fn_with_state((Arc::clone(panel), gate), guard::check);
        router = router.route(route.path, route.handler.route_layer(guard));
    }
    let gate = RouteAccess { path: "an unknown address", access: Access::Open, needs_password: |_| false };
    let open = || middleware::from_fn_with_state((Arc::clone(panel), gate), guard::check);
    router
        .route("/panel/", get(async || go("/panel")))
        .route("/operator/", get(async || go("/operator")))
        .route("/panel/{*rest}", any(nowhere).layer(open()))
        .route("/operator/{*rest}", any(nowhere).layer(open()))
        .method_not_allowed_fallback(wrong_way.layer(open()))
        .with_state(Arc::clone(panel))
}

#[cfg(test)]
mod tests {
    use crate::page_of;

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
