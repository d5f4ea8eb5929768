//! The audit log: who did what.

pub mod detail;
pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES,
        audit::view::{Audit, AuditLine, Subject},
        newer, older,
    },
    pages::NavItem,
    shows,
    visit::{Answer, Visit},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{
    audit::AuditEntry,
    id::{AuditId, UserId, VendorId},
};
use till_store::{AuditFilter, StoreError, VendorFilter};

const PATH: &str = "/operator/audit";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, list)]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (vendor, who) = (visit.query.get("vendor").trim(), visit.query.get("who").trim());
    let before = visit.query.get("before");
    let named = if vendor.is_empty() { None } else { Some(find_vendor(&panel, vendor).await?) };
    let rows = match named {
        // No vendor has this id or name.
        Some(None) => Vec::new(),
        named => {
            let filter = AuditFilter {
                vendor: named.flatten(),
                actor: Some(who.to_lowercase()).filter(|who| !who.is_empty()),
                before: AuditId::parse(before),
                limit: LINES,
                event: None,
            };
            panel.admin.accounts.audit(&filter).await?
        }
    };
    let fields = [("vendor", vendor), ("who", who)];
    let last = rows.last().map(|line| line.id.to_string());
    let audit = Audit {
        vendor: vendor.to_owned(),
        who: who.to_owned(),
        newer: newer(PATH, before, &fields),
        older: older(PATH, last, rows.len(), &fields),
        rows: panel.audit_lines(rows).await?,
    };
    Ok(visit.page(&panel, Some(NavItem::Audit), audit))
}

/// The vendor with this id, or with this name.
async fn find_vendor(panel: &Panel, text: &str) -> Result<Option<VendorId>, StoreError> {
    if let Some(id) = VendorId::parse(text) {
        return Ok(Some(id));
    }
    let filter = VendorFilter { has: text.to_owned(), limit: LINES, ..VendorFilter::default() };
    let found = panel.admin.accounts.find_vendors(&filter).await?;
    let exact = found.iter().find(|vendor| vendor.summary.name.eq_ignore_ascii_case(text));
    Ok(exact.or(found.first()).map(|vendor| vendor.summary.id))
}

impl Panel {
    /// Lines of the audit log with the names of the vendors and users they are about.
    pub(super) async fn audit_lines(&self, entries: Vec<AuditEntry>) -> Result<Vec<AuditLine>, StoreError> {
        let mut lines = Vec::with_capacity(entries.len());
        for entry in entries {
            let about = match (entry.vendor, entry.user) {
                (Some(id), _) => Some(self.vendor_subject(id).await?),
                (None, Some(id)) => Some(self.user_subject(id).await?),
                (None, None) => None,
            };
            lines.push(AuditLine {
                at: entry.at,
                who: entry.actor.name,
                what: entry.event,
                detail: entry.detail,
                about,
                from: entry.actor.address,
            });
        }
        Ok(lines)
    }

    async fn vendor_subject(&self, id: VendorId) -> Result<Subject, StoreError> {
        let vendor = self.directory.vendor(id).await?;
        let name = vendor.map_or_else(|| id.to_string(), |vendor| vendor.name.clone());
        Ok(Subject { name, href: Some(format!("/operator/vendors/{id}")) })
    }

    async fn user_subject(&self, id: UserId) -> Result<Subject, StoreError> {
        let known = self.admin.accounts.user(id).await?;
        let name = known.map_or_else(|| id.to_string(), |known| known.user.email);
        Ok(Subject { name, href: Some(format!("/operator/users/{id}")) })
    }
}
