//! A vendor's id and name, for pages of the console.

use crate::{panel::pages::view::Crumb, web::words::Words};
use till_domain::id::VendorId;

#[derive(Debug, Clone)]
pub struct VendorName {
    pub id: VendorId,
    pub name: String,
}

impl VendorName {
    /// The breadcrumbs of a page about the vendor.
    pub fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        let vendor = Crumb::new(&format!("/operator/vendors/{}", self.id), self.name.clone());
        vec![Crumb::new("/operator/vendors", t.text("nav-vendors")), vendor]
    }
}
