//! The checkout: the pages that customers see of a session, in both environments.
//!
//! [`pages`] turns a view of a session into HTML and knows nothing of requests or the store. [`view`] makes
//! that view from the store; the other modules are the addresses below a session: `pay`, `pay-again`,
//! `check`, `events`, `return`, and `simulate` in the sandbox ([`simulate`]). [`receipt`] is the page of a receipt. [`element`] serves the scripts of
//! providers' forms. Nothing here names a provider. [`bank`] is the page of the simulated bank, [`not_found`] the
//! answer at addresses with nothing behind them.

mod answer;
mod back;
mod bank;
mod element;
mod events;
mod forms;
mod not_found;
pub mod pages;
pub(crate) mod receipt;
mod simulate;
mod view;
mod visits;

use axum::{
    Router,
    routing::{get, post},
};
pub use not_found::not_found;
use pages::{Banner, OperatorLinks};
use std::sync::Arc;
use till_providers::Bank;
use till_service::{cashier::Cashier, metrics::Metrics};
use till_store::Faults;
pub use visits::Visits;

/// The state of one environment's checkout pages.
#[derive(Debug)]
pub struct CheckoutState {
    /// Calls the providers.
    pub cashier: Arc<Cashier>,
    /// The simulated bank, if there is one.
    pub bank: Option<Arc<Bank>>,
    /// The path before `/session` in this environment's addresses.
    pub prefix: &'static str,
    /// The banner on top of every page, whichever provider takes the payment.
    pub banner: Option<Banner>,
    /// In the sandbox, whose visitors are testers: how they want callbacks to be delivered.
    pub faults: Option<Faults>,
    /// The operator's own addresses.
    pub operator: OperatorLinks,
    /// Counts refused attempts.
    pub metrics: Arc<Metrics>,
    /// The customers' recent visits.
    pub visits: Visits,
}

impl CheckoutState {
    /// The banner on top of every page: also while a simulated provider is offered for live sessions.
    fn banner(&self) -> Option<Banner> {
        self.banner.or_else(|| self.cashier.plays().then_some(Banner::Simulated))
    }

    /// True if the visitors are testers: they see the addresses of the callback and of the return, and choose outcomes,
    /// events and deliveries.
    fn for_testers(&self) -> bool {
        self.faults.is_some()
    }

    /// True if a receipt can be mailed, so that the form asks for an address.
    fn mails(&self) -> bool {
        self.cashier.environment().rules().mails
    }
}

/// The pages of one environment.
pub fn router(checkout: CheckoutState) -> Router {
    let prefix = checkout.prefix;
    let session = |rest: &str| format!("{prefix}/session/{{id}}{rest}");
    let mut router = Router::new()
        .route(&session(""), get(forms::show))
        .route(&session("/pay"), post(forms::pay).get(forms::go_back))
        .route(&session("/pay-again"), post(forms::pay_again).get(forms::go_back))
        .route(&session("/check"), post(forms::check).get(forms::go_back))
        .route(&session("/events"), get(events::stream))
        .route(&session("/return"), get(back::ask).post(back::leave))
        .route(&format!("{prefix}/elements/{{provider}}"), get(element::script));
    if checkout.cashier.environment().rules().receipts {
        router = router.route("/receipt/{link}", get(receipt::show));
    }
    if checkout.for_testers() {
        router = router.route(&session("/simulate"), get(simulate::show).post(simulate::choose));
    }
    if checkout.bank.is_some() {
        let page = format!("{prefix}/bank/{{id}}");
        router = router.route(&page, get(bank::show).post(bank::decide));
    }
    router.with_state(Arc::new(checkout))
}
