//! The switch of a vendor's sandbox. The operator has to enter who asked for the change, and why.

use crate::{
    Access, Panel, Route,
    console::vendors::{PLACE, find, page, path},
    does,
    pages::{FlashMessage, Question, sandbox_request_form::SandboxRequestForm},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    vendor::Vendor,
};

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/vendors/{id}/sandbox", operate, ask_off),
        does("/operator/vendors/{id}/sandbox", operate, switch),
    ]
}

fn question(vendor: Vendor, request_form: SandboxRequestForm) -> Question {
    Question::SandboxOff { vendor: vendor.id, name: vendor.name, request_form }
}

async fn ask_off(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    Ok(visit.page(&panel, PLACE, question(vendor, SandboxRequestForm::default())))
}

async fn switch(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let on = match visit.form.get("on") {
        "on" => true,
        "off" => false,
        _ => return Err(Refused::NotFound),
    };
    let (by, why) = (visit.form.get("asked_by"), visit.form.get("why"));
    let request = match SandboxRequest::new(by, why) {
        Ok(request) => request,
        Err(problems) => {
            let typed = SandboxRequestForm { by: by.to_owned(), why: why.to_owned(), problems };
            // Switching on is a form on the vendor's page; switching off has a page of its own.
            return if on && !vendor.sandbox {
                page(&panel, &visit, vendor, Some(typed)).await
            } else {
                Ok(visit.again(&panel, PLACE, question(vendor, typed)))
            };
        }
    };
    let entry =
        panel.admin.entry(&visit.actor(), if on { AuditEvent::SandboxOn } else { AuditEvent::SandboxOff });
    let entry = entry.about(vendor.id).saying(request.detail());
    panel.admin.accounts.set_sandbox(vendor.id, on, &entry).await?;
    panel.directory.forget(vendor.id);
    Ok(done(&path(vendor.id), if on { FlashMessage::SandboxOn } else { FlashMessage::SandboxOff }))
}
