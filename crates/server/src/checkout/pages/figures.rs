//! The remaining time of a page.

use super::Countdown;
use std::time::Duration;
use till_domain::time::Timestamp;

#[derive(Debug, Clone)]
pub(super) struct ClockFace {
    /// Whole seconds left, rounded up: at zero the time is over for the server too.
    pub left: u64,
    /// Whole seconds at the start.
    pub total: u64,
    /// `14:23`.
    pub text: String,
    /// True in the last minute.
    pub late: bool,
    /// The end, for customers whose browser runs no script and so counts nothing down.
    pub ends_at: Timestamp,
}

impl Countdown {
    pub(super) fn face(&self) -> ClockFace {
        let left = seconds(self.left);
        let total = seconds(self.total).max(left).max(1);
        let text = format!("{:02}:{:02}", left / 60, left % 60);
        ClockFace { left, total, text, late: left <= 60, ends_at: self.ends_at }
    }
}

fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
