//! When a customer is warned that an order was paid before, and what it means that they pay again.

use super::{Session, State};
use crate::{
    change::{Change, HistoryEntry, HistoryKind},
    rejection::Rejection,
    time::Timestamp,
};
use std::time::Duration;

/// How long after a payment a second one for the same order is warned about. Order numbers are used again sooner or
/// later, by a counter that restarts for example.
pub const REPEAT_WINDOW: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Whether paying `session` would repeat the payment of `paid`: the same vendor's order, the same money, paid lately.
/// Amounts compare as money: `10` equals `10.00`. Refunds are the caller's business.
#[must_use]
pub fn repeats(session: &Session, paid: &Session, now: Timestamp) -> bool {
    paid.id != session.id
        && paid.state == State::Paid
        && (paid.vendor, &paid.order_id) == (session.vendor, &session.order_id)
        && paid.item.price.money() == session.item.price.money()
        && now.since(paid.updated_at) <= REPEAT_WINDOW
}

/// Records that the customer was warned and pays again all the same.
pub fn confirm_repeat(session: &Session, now: Timestamp) -> Result<Vec<Change>, Rejection> {
    if session.state != State::Pending {
        return Err(Rejection::SessionNotPending);
    }
    let kind = HistoryKind::RepeatConfirmed;
    Ok(vec![Change::Record(HistoryEntry { session: session.id, at: now, kind, detail: None })])
}
