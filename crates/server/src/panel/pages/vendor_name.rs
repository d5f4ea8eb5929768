//! A vendor as pages of the console name it.

use crate::{panel::pages::view::Crumb, web::words::Words};
use till_domain::id::VendorId;

/// A vendor and what it is called.
#[derive(Debug, Clone)]
pub struct VendorName {
    pub id: VendorId,
    pub name: String,
}

impl VendorName {
    /// The way to a page of the vendor.
    pub fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        let vendor = Crumb::new(&format!("/operator/vendors/{}", self.id), self.name.clone());
        vec![Crumb::new("/operator/vendors", t.text("nav-vendors")), vendor]
    }
}
