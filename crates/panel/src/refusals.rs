//! Records failed log-ins and refused requests: a line of the audit log and a warning in the service log.
//!
//! Rate limited: for each user and kind one line a minute, and the next line says how many were left out. If
//! no user is concerned, it is one warning a minute for each network, and four lines for all. So neither
//! password guessing nor a flood fills the audit log, and a flood of made-up names hides no attack on a real
//! user. Warnings name users by their ids, never by their e-mail addresses.

use crate::Panel;
use std::{net::IpAddr, time::Instant};
use till_domain::{
    address::network,
    audit::{Actor, AuditEvent},
    id::UserId,
};
use till_service::telemetry::{Complaints, explain};

/// The most users recorded in a minute.
const MAX_USERS: usize = 1_024;

/// The most networks that get a warning in a minute, and that get an audit line.
const MAX_WARNINGS: usize = 64;
const MAX_LINES: usize = 4;

const MAX_DETAIL: usize = 200;

/// The rate limits of what was recorded recently.
#[derive(Debug)]
pub struct Refusals {
    about_users: Complaints,
    about_networks: Complaints,
    lines_about_networks: Complaints,
}

impl Default for Refusals {
    fn default() -> Self {
        Self {
            about_users: Complaints::with_room(MAX_USERS),
            about_networks: Complaints::with_room(MAX_WARNINGS),
            lines_about_networks: Complaints::with_room(MAX_LINES),
        }
    }
}

impl Panel {
    /// Records a failure or refusal. It is written in the background: the response time must not reveal
    /// whether the user exists.
    pub(super) fn note_refusal(
        &self,
        event: AuditEvent,
        (actor, address): (Actor, IpAddr),
        about: Option<UserId>,
        detail: &str,
    ) {
        let (word, now) = (event.as_str(), Instant::now());
        let (warning, line) = match about {
            Some(user) => {
                let more = self.refusals.about_users.tell(&format!("{word} {user}"), now);
                (more, more)
            }
            None => {
                let key = format!("{word} {}", network(address));
                let warning = self.refusals.about_networks.tell(&key, now);
                (warning, self.refusals.lines_about_networks.tell(&key, now))
            }
        };
        if let Some(more) = warning {
            let account = about.map_or_else(|| "unknown".to_owned(), |user| user.to_string());
            tracing::warn!(account, %address, more, "refused in the panel: {word}");
        }
        let Some(more) = line else { return };
        let mut detail: String = detail.chars().take(MAX_DETAIL).collect();
        if more > 0 {
            let separator = if detail.is_empty() { "" } else { "; " };
            detail = format!("{detail}{separator}{more} more since the last line");
        }
        let mut entry = self.admin.entry(&Actor { form: None, ..actor }, event);
        entry.user = about;
        entry.detail = (!detail.is_empty()).then_some(detail);
        let admin = self.admin.clone();
        tokio::spawn(async move {
            if let Err(error) = admin.accounts.record(&entry).await {
                tracing::error!(error = explain(&error), "a line of the audit log was not written: {word}");
            }
        });
    }
}
