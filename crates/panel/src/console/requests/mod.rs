//! Sandbox requests: vendors that wait for the operator to switch their sandbox on.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::requests::view::{Request, Requests},
    does,
    pages::{FlashMessage, NavItem, Question},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    id::RequestId,
};
use till_store::StoredSandboxRequest;

const PLACE: Option<NavItem> = Some(NavItem::Requests);
const PATH: &str = "/operator/requests";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        does("/operator/requests/{id}/grant", operate, grant),
        shows("/operator/requests/{id}/dismiss", operate, ask_dismiss),
        does("/operator/requests/{id}/dismiss", operate, dismiss),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let row = |request: StoredSandboxRequest| Request {
        id: request.id.to_string(),
        vendor: request.vendor,
        vendor_name: request.vendor_name,
        by: request.email,
        at: request.created_at,
        reason: request.reason,
    };
    let requests = panel.admin.accounts.sandbox_requests(None).await?;
    let rows = requests.into_iter().map(row).collect();
    Ok(visit.page(&panel, PLACE, Requests { rows }))
}

async fn find(panel: &Panel, id: &str) -> Result<StoredSandboxRequest, Refused> {
    let id = RequestId::parse(id).ok_or(Refused::NotFound)?;
    let requests = panel.admin.accounts.sandbox_requests(None).await?;
    requests.into_iter().find(|request| request.id == id).ok_or(Refused::NotFound)
}

async fn grant(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let request = find(&panel, &id).await?;
    let detail = SandboxRequest { by: request.email, why: request.reason }.detail();
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SandboxOn).about(request.vendor).saying(detail);
    let granted = panel.admin.accounts.grant_sandbox(request.id, request.vendor, &entry).await?;
    panel.directory.forget(request.vendor);
    Ok(done(PATH, if granted { FlashMessage::SandboxOn } else { FlashMessage::Overtaken }))
}

async fn ask_dismiss(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let request = find(&panel, &id).await?;
    let question = Question::Dismiss { id: request.id.to_string(), vendor: request.vendor_name };
    Ok(visit.page(&panel, PLACE, question))
}

async fn dismiss(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let request = find(&panel, &id).await?;
    let note: String = visit.form.get("note").trim().chars().take(500).collect();
    let note = Some(note).filter(|note| !note.is_empty());
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SandboxRefused).about(request.vendor);
    let entry = note.iter().fold(entry, |entry, note| entry.saying(note));
    let dismissed = panel.admin.accounts.dismiss_sandbox_request(request.id, note.as_deref(), &entry).await?;
    Ok(done(PATH, if dismissed { FlashMessage::Dismissed } else { FlashMessage::Overtaken }))
}
