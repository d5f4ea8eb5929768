//! The warning that an order was paid before, and the customer's confirmation to pay again.

use super::{Session, State};
use crate::{
    change::{Change, HistoryEntry, HistoryKind},
    rejection::Rejection,
    time::Timestamp,
};
use std::time::Duration;

/// Time after a payment in which a second one for the same order causes a warning. Order numbers are reused
/// sooner or later, by a counter that restarts for example.
pub const REPEAT_WINDOW: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Returns true if paying `session` would repeat the payment of `paid`: the same vendor and order, the same
/// amount, paid within [`REPEAT_WINDOW`]. Amounts compare as money: `10` equals `10.00`. Refunds are left to
/// the caller.
#[must_use]
pub fn repeats(session: &Session, paid: &Session, now: Timestamp) -> bool {
    paid.id != session.id
        && paid.state == State::Paid
        && (paid.vendor, &paid.order_id) == (session.vendor, &session.order_id)
        && paid.item.price.money() == session.item.price.money()
        && now.since(paid.updated_at) <= REPEAT_WINDOW
}

/// Records that the customer was warned and confirmed to pay again.
pub fn confirm_repeat(session: &Session, now: Timestamp) -> Result<Vec<Change>, Rejection> {
    if session.state != State::Pending {
        return Err(Rejection::SessionNotPending);
    }
    let kind = HistoryKind::RepeatConfirmed;
    Ok(vec![Change::Record(HistoryEntry { session: session.id, at: now, kind, detail: None })])
}
