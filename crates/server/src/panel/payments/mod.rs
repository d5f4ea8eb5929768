//! What a vendor sees of its payments: figures, lists, one session, callbacks, files. While its sandbox is on it
//! is the sandbox's, and nothing here can name the other.

pub mod asked;
pub mod callbacks;
pub mod csv;
pub mod curl;
pub mod export;
pub mod find;
pub mod lists;
pub mod news;
pub mod overview;
pub mod payout;
pub mod rows;
pub mod session;
pub mod statement;
pub mod wallet;

use crate::{
    environment::Environment,
    panel::{Access, Panel, Route, visit::Visit},
};
use std::sync::Arc;
use till_domain::{environment::Environment as Name, time::TimeZone, user::Right, vendor::Vendor};

pub(super) fn routes() -> Vec<Route> {
    let (see, run) = (Access::May(Right::SeeVendor), Access::May(Right::RunVendor));
    let parts = [
        overview::routes(),
        lists::routes(see),
        export::routes(see),
        wallet::routes(see),
        statement::routes(see),
        payout::routes(run),
        session::routes(see, run),
        callbacks::routes(run),
    ];
    parts.into_iter().flatten().collect()
}

/// What a visit is about: a vendor in the environment that it is shown.
pub(super) struct Desk<'a> {
    vendor: &'a Arc<Vendor>,
    environment: &'a Arc<Environment>,
    /// The zone of the calendar: that of whoever looks.
    zone: TimeZone,
    /// Whether whoever looks may send callbacks.
    can_send: bool,
}

impl<'a> Desk<'a> {
    fn new(panel: &'a Panel, visit: &'a Visit) -> Self {
        let vendor = visit.vendor();
        Self {
            vendor,
            environment: panel.environment(if vendor.sandbox { Name::Sandbox } else { Name::Live }),
            zone: visit.zone(),
            can_send: visit.user().role.may(Right::RunVendor) && !vendor.disabled,
        }
    }

    /// The live desk of a vendor that the operator looks at: nothing can be done there.
    pub(super) fn watched(panel: &'a Panel, visit: &Visit, vendor: &'a Arc<Vendor>) -> Self {
        Self { vendor, environment: panel.environment(Name::Live), zone: visit.zone(), can_send: false }
    }

    fn is_sandbox(&self) -> bool {
        self.environment.name == Name::Sandbox
    }
}
