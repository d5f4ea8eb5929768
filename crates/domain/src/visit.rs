//! The record of customers' visits to a session's page, and its limits. It helps a vendor to understand a
//! payment, so neither a link that is opened for years nor a crawler adds any.

use crate::{
    change::{Change, VisitKind},
    session::{Session, State},
    time::Timestamp,
};
use std::time::Duration;

/// Time after a session's end in which visits are still recorded.
pub const NOTED_AFTER_END: Duration = Duration::from_secs(60 * 60);

/// Maximum visits that are kept of one session. The store counts them.
pub const MAX_PER_SESSION: u32 = 100;

/// Retention of visits.
pub const KEPT_FOR: Duration = Duration::from_secs(90 * 86_400);

/// The change that records a visit at this moment; `None` if the session ended too long ago.
#[must_use]
pub fn note(session: &Session, kind: VisitKind, at: Timestamp) -> Option<Change> {
    let over = session.state != State::Pending && at > session.updated_at.plus(NOTED_AFTER_END);
    (!over).then_some(Change::NoteVisit { session: session.id, kind, at })
}
