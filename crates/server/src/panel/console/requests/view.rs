//! Vendors that ask for the sandbox.

use crate::{
    panel::pages::view::{View, template},
    web::words::Words,
};
use till_domain::{id::VendorId, time::Timestamp};

/// Vendors that ask for the sandbox.
#[derive(Debug, Clone)]
pub struct Requests {
    /// The open requests, oldest first.
    pub rows: Vec<Request>,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// What its forms name it by.
    pub id: String,
    /// The vendor.
    pub vendor: VendorId,
    /// Its name.
    pub vendor_name: String,
    /// Who asked.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What for.
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
