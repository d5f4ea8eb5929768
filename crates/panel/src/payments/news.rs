//! Counts the rows that are new since a page was rendered, for the polling script.
//!
//! Lists are sorted by creation time, so the rows above the page's first row are new. But a session that has
//! ended may have been created long ago: those are counted by their callback events, which are created when a
//! session ends. Each poll reads the events since the one before, and its answer says where the next one
//! continues.

use crate::{
    payments::{VendorScope, list_query::ListQuery, lists::view::List},
    visit::Fields,
};
use std::time::Duration;
use till_domain::{
    id::{EventId, SessionId},
    session::Status,
    time::Timestamp,
};
use till_store::{EventFilter, Span, StoreError, StoredEvent, Turn};

/// How much later than its id says an event may become visible. Younger events are read again.
const LATE: Duration = Duration::from_secs(10);

/// Events read per poll.
const AT_ONCE: u32 = 500;

/// The cursor of counting ended sessions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    /// Events after this one are not counted yet.
    after: EventId,
    /// The count up to there. Negative if some of the events that follow were on the page already.
    seen: i64,
}

impl Count {
    /// Reads the cursor from the address of a poll.
    pub fn read(query: &Fields, now: Timestamp) -> Self {
        let after = EventId::parse(query.get("after")).unwrap_or_else(|| first(now.minus(LATE)));
        Self { after, seen: query.get("seen").parse().unwrap_or(0) }
    }

    /// The address of the next poll.
    pub fn href(&self, query: &ListQuery) -> String {
        let path = format!("{}/news", List::Sessions.path());
        query.narrowed.href(&path, &[("after", &self.after.to_string()), ("seen", &self.seen.to_string())])
    }
}

/// The smallest id of a moment.
fn first(moment: Timestamp) -> EventId {
    EventId::new(moment, &[0; 10])
}

impl ListQuery {
    /// The status filter, if it is a final status.
    pub(super) fn ended(&self) -> Option<Status> {
        Status::parse(&self.narrowed.status).filter(|status| *status != Status::Pending)
    }

    /// True if the session that this event ended would be listed.
    fn lists(&self, status: Status, event: &StoredEvent) -> bool {
        let bound = |at: Timestamp| SessionId::new(at, &[0; 10]);
        event.event.strip_prefix("session.") == Some(status.as_str())
            && self.span.since.is_none_or(|since| bound(since) <= event.session)
            && self.span.until.is_none_or(|until| event.session < bound(until))
    }
}

impl VendorScope<'_> {
    /// The cursor for a page rendered now. Sessions that ended just before are on the page already.
    pub(super) async fn begin_count(&self, query: &ListQuery, status: Status) -> Result<Count, StoreError> {
        let begin = Count { after: first(self.environment.now().minus(LATE)), seen: 0 };
        let (there, _) = self.count(query, status, begin).await?;
        Ok(Count { seen: there.saturating_neg(), ..begin })
    }

    /// The number of sessions with this status that are not on the page, and the next cursor.
    pub(super) async fn count(
        &self,
        query: &ListQuery,
        status: Status,
        from: Count,
    ) -> Result<(i64, Count), StoreError> {
        let vendor = Some(self.vendor.id);
        let filter = EventFilter { vendor, standing: None, method: query.method, span: Span::default() };
        let mut events = self.environment.store.events(&filter, Turn::Newer(from.after), AT_ONCE).await?;
        events.reverse();
        let settled = first(self.environment.now().minus(LATE));
        let (mut count, mut next) = (from.seen, from);
        for event in events {
            count = count.saturating_add(i64::from(query.lists(status, &event)));
            if event.id < settled {
                next = Count { after: event.id, seen: count };
            }
        }
        Ok((count, next))
    }
}
