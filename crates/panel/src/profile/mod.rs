//! The vendors of a super vendor, their sandbox credentials, and what happens in their sandboxes. Nothing here decrypts a live secret.

pub mod view;

use crate::{
    Access, Panel, Route, does,
    pages::NavItem,
    payments::rows,
    profile::view::{Profile, ProfileCredentials, ProfileLine, ProfileVendor, SandboxActivity},
    settings::view::Secret,
    shows,
    visit::{Answer, Refused, Visit},
};
use axum::extract::{Path, State};
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent, delivery::DeliveryState, environment::EnvironmentName, id::VendorId, user::Right,
};
use till_store::{DeliveryFilter, EventFilter, SessionFilter, Span, StoreError, Turn, VendorFilter};

const PLACE: Option<NavItem> = Some(NavItem::Profile);

/// The most vendors that a list shows.
const MOST: u32 = 1000;

/// The vendors of a page of the profile.
const LINES: usize = 50;

/// The newest sessions on the page of a vendor.
const RECENT: u32 = 6;

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
            activity: None,
        })
        .collect();
    lines.sort_by_key(|line| line.name.to_lowercase());
    Ok(lines)
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let all = vendors(&panel, &visit).await?;
    let with_sandbox = all.iter().filter(|line| line.sandbox && !line.disabled).count();
    let (count, pages) = (all.len(), all.len().div_ceil(LINES).max(1));
    let number = visit.query.get("page").parse().unwrap_or(1).clamp(1, pages);
    let mut vendors: Vec<_> = all.into_iter().skip((number - 1) * LINES).take(LINES).collect();
    for line in vendors.iter_mut().filter(|line| line.sandbox) {
        line.activity = Some(activity(&panel, line.id, 1).await?);
    }
    let user = visit.user();
    let body = Profile {
        vendors,
        support: panel.support.clone(),
        email: user.email.clone(),
        has_factor: user.has_factor,
        created_at: user.created_at,
        count,
        with_sandbox,
        page: number,
        pages,
    };
    Ok(visit.page(&panel, PLACE, body))
}

/// What happened last in a vendor's sandbox, with so many of its newest sessions.
async fn activity(panel: &Panel, vendor: VendorId, sessions: u32) -> Result<SandboxActivity, StoreError> {
    let environment = panel.environment(EnvironmentName::Sandbox);
    let store = &environment.store;
    let filter = SessionFilter { vendor, status: None, method: None, span: Span::default() };
    let sessions =
        rows::sessions(environment, store.sessions(&filter, Turn::Newest, sessions).await?).await?;
    let newest = async |standing| {
        let filter = EventFilter { vendor: Some(vendor), standing, ..EventFilter::default() };
        let events = store.events(&filter, Turn::Newest, 1).await?;
        Ok::<_, StoreError>(rows::callbacks(environment, events).await?.into_iter().next())
    };
    Ok(SandboxActivity {
        sessions,
        last_callback: newest(None).await?,
        last_error: newest(Some(DeliveryFilter::Is(DeliveryState::Undelivered))).await?,
    })
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
    let activity = if line.sandbox { Some(activity(panel, id, RECENT).await?) } else { None };
    Ok(visit.page(panel, PLACE, ProfileVendor { vendors, id, name, credentials, activity, support }))
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
