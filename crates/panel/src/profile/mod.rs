//! The vendors of a super vendor, and their sandbox credentials. Nothing here decrypts a live secret.

pub mod view;

use crate::{
    Access, Panel, Route, does,
    pages::NavItem,
    profile::view::{Profile, ProfileCredentials, ProfileLine, ProfileVendor},
    settings::view::Secret,
    shows,
    visit::{Answer, Refused, Visit},
};
use axum::extract::{Path, State};
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use till_domain::{audit::AuditEvent, environment::EnvironmentName, id::VendorId, user::Right};
use till_store::{StoreError, VendorFilter};

const PLACE: Option<NavItem> = Some(NavItem::Profile);

/// The most vendors that a list shows.
const MOST: u32 = 1000;

pub(super) fn routes() -> Vec<Route> {
    let watch = Access::May(Right::WatchVendors);
    vec![
        shows("/panel/profile", watch, show),
        shows("/panel/profile/{vendor}", watch, show_vendor),
        does("/panel/profile/{vendor}/reveal", watch, reveal),
    ]
}

async fn vendors(panel: &Panel, visit: &Visit) -> Result<Vec<ProfileLine>, StoreError> {
    let filter = VendorFilter { parent: Some(visit.user().id), limit: MOST, ..VendorFilter::default() };
    let found = panel.admin.accounts.find_vendors(&filter).await?;
    let mut lines: Vec<_> = found
        .into_iter()
        .map(|vendor| ProfileLine {
            id: vendor.summary.id,
            name: vendor.summary.name,
            sandbox: vendor.summary.sandbox,
            disabled: vendor.summary.disabled,
        })
        .collect();
    lines.sort_by_key(|line| line.name.to_lowercase());
    Ok(lines)
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendors = vendors(&panel, &visit).await?;
    Ok(visit.page(&panel, PLACE, Profile { vendors, support: panel.support.clone() }))
}

async fn show_vendor(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    page(&panel, &visit, &id, false).await
}

async fn reveal(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    page(&panel, &visit, &id, true).await
}

/// The page of one of the visitor's own vendors; not found for any other.
async fn page(panel: &Panel, visit: &Visit, id: &str, revealed: bool) -> Answer {
    let id = VendorId::parse(id).ok_or(Refused::NotFound)?;
    let vendors = vendors(panel, visit).await?;
    let line = vendors.iter().find(|line| line.id == id).ok_or(Refused::NotFound)?;
    let credentials = if line.sandbox { Some(credentials(panel, visit, id, revealed).await?) } else { None };
    let name = line.name.clone();
    let support = panel.support.clone();
    Ok(visit.page(panel, PLACE, ProfileVendor { vendors, id, name, credentials, support }))
}

/// Writes to the audit log that a user opens a page with a vendor's credentials, before the page is shown;
/// not again for a reload.
async fn note_opening(panel: &Panel, visit: &Visit, id: VendorId) -> Result<(), StoreError> {
    let login = visit.known().login.id;
    if !panel.recent_views.is_new(login, id, panel.now()) {
        return Ok(());
    }
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::CredentialsSeen).about(id);
    let noted = panel.admin.accounts.record(&entry.saying(EnvironmentName::Sandbox.as_str())).await;
    if noted.is_err() {
        panel.recent_views.forget(login, id);
    }
    noted
}

async fn credentials(
    panel: &Panel,
    visit: &Visit,
    id: VendorId,
    revealed: bool,
) -> Result<ProfileCredentials, Refused> {
    let environment = EnvironmentName::Sandbox;
    if revealed {
        let pair = panel.admin.reveal(&visit.actor(), id, environment).await?;
        let secret = Secret::Shown(pair.client_secret.expose_secret().to_owned());
        return Ok(ProfileCredentials { client_id: pair.client_id, secret });
    }
    note_opening(panel, visit, id).await?;
    let vendor = panel.directory.vendor(id).await?.ok_or(Refused::NotFound)?;
    let newest = vendor.credentials.iter().rfind(|credential| credential.environment == environment);
    let client_id = newest.map(|credential| credential.client_id.clone()).unwrap_or_default();
    Ok(ProfileCredentials { client_id, secret: Secret::Hidden })
}
