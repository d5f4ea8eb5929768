//! A provider whose books a command reads, from how it is set up.

use super::{Plan, Prober};
use std::sync::Arc;
use till_providers::{Provider, stripe::Stripe, yookassa::Yookassa};

/// The provider that a document sets up, if it has books: chains have none, they are read all the time.
#[must_use]
pub fn with_books(plan: &Plan, prober: &Prober) -> Option<Arc<dyn Provider>> {
    let web = prober.web.clone();
    match plan {
        Plan::Yookassa(setup) => Some(Arc::new(Yookassa::new(setup.as_ref().clone(), web))),
        Plan::Stripe(setup) => {
            Some(Arc::new(Stripe::new(setup.as_ref().clone(), web, Arc::clone(&prober.clock))))
        }
        Plan::Evm(_) => None,
    }
}
