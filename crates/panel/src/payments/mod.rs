//! A vendor's payments: overview, lists, one session, callbacks, exports, wallet. While the vendor's sandbox
//! is on, these pages show the sandbox only, and nothing here can reach live data.

pub mod callbacks;
pub mod csv;
pub mod curl;
pub mod export;
pub mod list_query;
pub mod lists;
pub mod news;
pub mod overview;
pub mod payout;
pub mod rows;
pub mod search;
pub mod session;
pub mod statement;
pub mod statistics;
pub mod wallet;

use crate::{Access, Panel, Route, sealed_search, visit::Visit};
use std::sync::Arc;
use till_domain::{environment::EnvironmentName, time::TimeZone, user::Right, vendor::Vendor};
use till_service::{environment::Environment, vault::Vault};

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

/// The vendor of a visit and the environment that is shown.
pub(super) struct VendorScope<'a> {
    vendor: &'a Arc<Vendor>,
    environment: &'a Arc<Environment>,
    /// The time zone of the user.
    zone: TimeZone,
    /// True if the user may send callbacks.
    can_send: bool,
    vault: &'a Vault,
}

impl<'a> VendorScope<'a> {
    fn new(panel: &'a Panel, visit: &'a Visit) -> Self {
        let vendor = visit.vendor();
        Self {
            vendor,
            environment: panel.vendor_environment(vendor),
            zone: visit.zone(),
            can_send: visit.user().role.may(Right::RunVendor) && !vendor.disabled,
            vault: &panel.admin.vault,
        }
    }

    /// A read-only view of a vendor's live environment, for the operator.
    pub(super) fn watched(panel: &'a Panel, visit: &Visit, vendor: &'a Arc<Vendor>) -> Self {
        Self {
            vendor,
            environment: panel.environment(EnvironmentName::Live),
            zone: visit.zone(),
            can_send: false,
            vault: &panel.admin.vault,
        }
    }

    /// The search text as an address may hold it, if it is a customer's e-mail address.
    fn seal_search(&self, typed: &str) -> Option<String> {
        sealed_search::seal(self.vault, &self.vendor.id.to_string(), typed)
    }

    fn open_search(&self, sealed: &str) -> Option<String> {
        sealed_search::open(self.vault, &self.vendor.id.to_string(), sealed)
    }

    fn is_sandbox(&self) -> bool {
        self.environment.name == EnvironmentName::Sandbox
    }
}
