//! Card payments by Stripe: a PaymentIntent for each attempt, and the Payment Element in the checkout page.
//! Card data goes from the customer's browser to Stripe and never through here.
//!
//! An event (webhook) only causes a query; what is true is read from the PaymentIntent (`intents.rs`). A
//! declined payment is cancelled at Stripe before it is reported, so that no second try of the customer can
//! bring money for a session that has failed.

mod amount;
mod api;
mod decline;
mod intents;
mod notice;
mod records;
mod refunds;
mod setup;
mod webhook;
mod wire;

pub use api::VERSION;
pub use records::Probe;
pub use setup::{FIELDS, StripeSetup};
pub use webhook::{EVENTS, WebhookState};

use crate::{
    Books, Disputes, Notice, NoticeSubject, Order, Proof, Provider, ProviderError, Refunds, web::Web,
};
use api::Api;
use futures_util::future::BoxFuture;
use std::{fmt, sync::Arc};
use till_domain::{
    attempt::{Attempt, Instructions, Observation, Started, Values},
    method::Method,
    money::Money,
    rules::{Currencies, Offering},
    time::Timestamp,
};

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The provider for one Stripe account.
pub struct Stripe {
    setup: StripeSetup,
    api: Api,
    clock: Clock,
}

impl fmt::Debug for Stripe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stripe").field("setup", &self.setup).finish_non_exhaustive()
    }
}

impl Stripe {
    /// Its name in settings, logs and addresses.
    pub const NAME: &str = "stripe";

    /// A provider for the account in this setup. The age of events is judged by this clock.
    #[must_use]
    pub fn new(setup: StripeSetup, web: Web, clock: Clock) -> Self {
        let api = Api::new(web, &setup.api, &setup.secret_key);
        Self { setup, api, clock }
    }

    /// The values for the script in the checkout page. The client secret lets its holder pay, and is for the
    /// customer alone.
    fn instructions(&self, secret: String, back: &str) -> Instructions {
        let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Instructions::Embedded {
            origins: self.setup.origins(),
            values: Values::Open(vec![
                value("publishable_key", &self.setup.publishable_key),
                value("client_secret", &secret),
                value("script", &self.setup.script),
                value("back", back),
            ]),
        }
    }
}

impl Provider for Stripe {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn methods(&self) -> Vec<Offering> {
        let currencies = Currencies::Only(self.setup.currencies.clone());
        vec![Offering { method: Method::Card, currencies }]
    }

    fn takes(&self, method: Method, money: Money) -> bool {
        let fits = amount::to_units(money).is_some() && amount::is_enough(money);
        method == Method::Card && fits && self.setup.currencies.contains(&money.currency)
    }

    fn element(&self) -> Option<&'static str> {
        Some(include_str!("element.js"))
    }

    fn notifies_of_every_change(&self) -> bool {
        true
    }

    fn requests_per_second(&self) -> Option<u32> {
        Some(self.setup.requests_per_second)
    }

    fn is_simulated(&self) -> bool {
        !self.setup.is_live()
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(self.create(order))
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.look(attempt, false))
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.look(attempt, true))
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    fn books(&self) -> Option<&dyn Books> {
        Some(self)
    }

    fn disputes(&self) -> Option<&dyn Disputes> {
        Some(self)
    }

    fn proof(&self) -> Proof {
        Proof::Header("stripe-signature")
    }

    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject> {
        self.event(notice).map(notice::subject)
    }
}
