//! The audit log of a vendor, for its own users.

pub mod view;

use crate::{
    Access, Panel, Route,
    history::view::{History, HistoryActor, HistoryLine},
    pages::NavItem,
    shows,
    visit::{Answer, Visit},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent,
    id::AuditId,
    user::{Right, Role},
};
use till_store::TeamEntry;

const PATH: &str = "/panel/audit";

/// Lines per page.
const LINES: u32 = 50;

pub(super) fn routes() -> Vec<Route> {
    vec![shows(PATH, Access::May(Right::SeeVendor), list)]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let before = AuditId::parse(visit.query.get("before"));
    // One more than is shown tells whether there is another page.
    let mut rows = panel.admin.accounts.team_audit(visit.vendor_id(), before, LINES + 1).await?;
    let more = u32::try_from(rows.len()).is_ok_and(|rows| rows > LINES);
    rows.truncate(usize::try_from(LINES).unwrap_or(usize::MAX));
    let last = rows.last().filter(|_| more).map(|line| line.entry.id);
    let history = History {
        newer: before.map(|_| PATH.to_owned()),
        older: last.map(|id| format!("{PATH}?before={id}")),
        rows: rows.into_iter().map(line).collect(),
    };
    Ok(visit.page(&panel, Some(NavItem::History), history))
}

/// A line as a vendor may read it. Names and addresses of the operator's staff are left out, and so are their
/// internal notes.
fn line(TeamEntry { entry, role, colleague, member }: TeamEntry) -> HistoryLine {
    let who = match role {
        _ if colleague => HistoryActor::Colleague(entry.actor.name),
        Some(Role::SuperVendor) => HistoryActor::SuperVendor,
        None if entry.actor.address.is_some() => HistoryActor::Stranger,
        // Commands on the machine have no address.
        _ => HistoryActor::Operator,
    };
    let known = matches!(who, HistoryActor::Colleague(_) | HistoryActor::Stranger);
    let noted = matches!(
        entry.event,
        AuditEvent::SandboxOn
            | AuditEvent::SandboxOff
            | AuditEvent::SandboxRefused
            | AuditEvent::ParentChanged
    );
    HistoryLine {
        at: entry.at,
        what: entry.event,
        detail: entry.detail.filter(|detail| (known || !noted) && !detail.is_empty()),
        to: member,
        from: entry.actor.address.filter(|_| known),
        who,
    }
}
