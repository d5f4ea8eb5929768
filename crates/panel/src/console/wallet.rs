//! A vendor's wallet for the operator: the same wallet and statement that the vendor sees, read-only.

use crate::{
    Access, Panel, Route,
    console::vendors::{PLACE, find},
    pages::vendor_name::VendorName,
    payments::{VendorScope, statement, wallet},
    shows,
    visit::{Answer, Visit},
};
use axum::extract::{Path, State};
use std::sync::Arc;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/vendors/{id}/wallet", operate, show),
        shows("/operator/vendors/{id}/wallet.csv", operate, file),
    ]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = Arc::new(find(&panel, &id).await?);
    let owner = Some(VendorName { id: vendor.id, name: vendor.name.clone() });
    let handle = VendorScope::watched(&panel, &visit, &vendor);
    wallet::answer(&panel, &visit, &handle, (PLACE, owner)).await
}

async fn file(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = Arc::new(find(&panel, &id).await?);
    let handle = VendorScope::watched(&panel, &visit, &vendor);
    statement::write(&handle, &visit, &format!("/operator/vendors/{}/wallet", vendor.id))
}
