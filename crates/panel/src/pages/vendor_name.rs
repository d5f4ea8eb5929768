//! A vendor's id and name, for pages of the console.

use crate::pages::view::Crumb;
use till_domain::id::VendorId;
use till_service::web::words::Words;

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
