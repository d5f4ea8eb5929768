//! The page of sandbox requests.

use crate::pages::view::{View, template};
use till_domain::{id::VendorId, time::Timestamp};
use till_service::web::words::Words;

/// The sandbox requests of vendors.
#[derive(Debug, Clone)]
pub struct Requests {
    /// The open requests, oldest first.
    pub rows: Vec<Request>,
}

#[derive(Debug, Clone)]
pub struct Request {
    pub id: String,
    pub vendor: VendorId,
    pub vendor_name: String,
    pub by: String,
    pub at: Timestamp,
    pub reason: String,
}

impl View for Requests {
    fn kind(&self) -> &'static str {
        "requests"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-requests")
    }

    template!(write, view: Requests, "operator/requests.html");
}
