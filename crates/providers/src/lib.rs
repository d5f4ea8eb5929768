//! The acquirers behind Till, each behind one trait.
//!
//! A provider says which methods it serves and in which currencies; taking a payment comes with the
//! attempts. Nothing here decides what an answer means for a session: that is `till-domain`'s business.

mod simulator;

pub use simulator::Simulator;

use till_domain::rules::Offering;

/// Somebody who can take a payment.
pub trait Provider: Send + Sync {
    /// Its name in settings, logs and addresses.
    fn name(&self) -> &'static str;

    /// The methods it serves, with the currencies of each.
    fn methods(&self) -> Vec<Offering>;
}
