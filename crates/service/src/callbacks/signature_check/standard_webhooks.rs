//! The times that a signature of Standard Webhooks may cover: a vendor who asks about one does not say which
//! `webhook-timestamp` it read.

use super::SentEvent;
use crate::callbacks::misdelivery::OLD_BY;
use std::collections::BTreeSet;
use till_domain::time::Timestamp;

/// How long after an event it is sent for the first time, and how long after a request its signature is examined.
const WITHIN_SECONDS: i64 = 3600;

/// How far a time may be from the one that is known.
const ABOUT_SECONDS: i64 = 5;

/// The times to try, in seconds: after the event, at each attempt, and before now, because the feed signs when it is read.
/// Each also as the sandbox sends an old timestamp on purpose.
pub(super) fn times(occurred_at: i64, sent: Option<&SentEvent>, now: Timestamp) -> BTreeSet<i64> {
    let now = seconds(now);
    let mut times: BTreeSet<i64> = (occurred_at - ABOUT_SECONDS..occurred_at + WITHIN_SECONDS).collect();
    times.extend(now - WITHIN_SECONDS..=now + ABOUT_SECONDS);
    for at in sent.iter().flat_map(|sent| &sent.at) {
        let at = seconds(*at);
        times.extend(at - ABOUT_SECONDS..=at + ABOUT_SECONDS);
    }
    let old_by = i64::try_from(OLD_BY.as_secs()).unwrap_or(i64::MAX);
    let old: Vec<i64> = times.iter().map(|time| time - old_by).collect();
    times.extend(old);
    times
}

fn seconds(time: Timestamp) -> i64 {
    time.as_ms().div_euclid(1000)
}
