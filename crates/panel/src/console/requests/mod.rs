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
    let row = |wish: StoredSandboxRequest| Request {
        id: wish.id.to_string(),
        vendor: wish.vendor,
        vendor_name: wish.vendor_name,
        by: wish.email,
        at: wish.created_at,
        reason: wish.reason,
    };
    let wishes = panel.admin.accounts.sandbox_wishes(None).await?;
    let rows = wishes.into_iter().map(row).collect();
    Ok(visit.page(&panel, PLACE, Requests { rows }))
}

async fn find(panel: &Panel, id: &str) -> Result<StoredSandboxRequest, Refused> {
    let id = RequestId::parse(id).ok_or(Refused::NotFound)?;
    let wishes = panel.admin.accounts.sandbox_wishes(None).await?;
    wishes.into_iter().find(|wish| wish.id == id).ok_or(Refused::NotFound)
}

async fn grant(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let wish = find(&panel, &id).await?;
    let detail = SandboxRequest { by: wish.email, why: wish.reason }.detail();
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SandboxOn).about(wish.vendor).saying(detail);
    let granted = panel.admin.accounts.grant_sandbox(wish.id, wish.vendor, &entry).await?;
    panel.directory.forget(wish.vendor);
    Ok(done(PATH, if granted { FlashMessage::SandboxOn } else { FlashMessage::Overtaken }))
}

async fn ask_dismiss(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let wish = find(&panel, &id).await?;
    let question = Question::Dismiss { id: wish.id.to_string(), vendor: wish.vendor_name };
    Ok(visit.page(&panel, PLACE, question))
}

async fn dismiss(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let wish = find(&panel, &id).await?;
    let note: String = visit.form.get("note").trim().chars().take(500).collect();
    let note = Some(note).filter(|note| !note.is_empty());
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SandboxRefused).about(wish.vendor);
    let entry = note.iter().fold(entry, |entry, note| entry.saying(note));
    let dismissed = panel.admin.accounts.dismiss_wish(wish.id, note.as_deref(), &entry).await?;
    Ok(done(PATH, if dismissed { FlashMessage::Dismissed } else { FlashMessage::Overtaken }))
}
