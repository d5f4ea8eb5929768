//! Which visits of customers to a session's page are noted, and for how long. They help a vendor to understand a payment,
//! so neither a link that is opened for years nor a crawler adds any.

use crate::{
    change::{Change, VisitKind},
    session::{Session, State},
    time::Timestamp,
};
use std::time::Duration;

/// How long after a session's end visits are still noted.
pub const NOTED_AFTER_END: Duration = Duration::from_secs(60 * 60);

/// Visits that are kept of one session. The store counts them.
pub const MAX_PER_SESSION: u32 = 100;

/// How long visits are kept.
pub const KEPT_FOR: Duration = Duration::from_secs(90 * 86_400);

/// What notes a visit at this moment; nothing if the session is over for too long.
#[must_use]
pub fn note(session: &Session, kind: VisitKind, at: Timestamp) -> Option<Change> {
    let over = session.state != State::Pending && at > session.updated_at.plus(NOTED_AFTER_END);
    (!over).then_some(Change::NoteVisit { session: session.id, kind, at })
}
