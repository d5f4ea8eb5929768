//! How many rows are new since a page was made, for the script that asks again and again.
//!
//! Rows are listed by when they were made, and so are counted those above the page's first. But a session that has ended
//! may have been made long ago: those are counted by their callback events, which are made when a session ends. Each
//! question reads the events since the one before, and its answer says where the next goes on.

use crate::panel::{
    payments::{Desk, asked::Asked, lists::view::List},
    visit::Fields,
};
use std::time::Duration;
use till_domain::{
    id::{EventId, SessionId},
    session::Status,
    time::Timestamp,
};
use till_store::{EventFilter, Span, StoreError, StoredEvent, Turn};

/// How much later than its id says an event may be seen. What is younger is looked at again.
const LATE: Duration = Duration::from_secs(10);

/// Events that one question reads.
const AT_ONCE: u32 = 500;

/// Where the counting of ended sessions stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    /// After this event nothing is counted yet.
    after: EventId,
    /// What is new up to there. Less than nothing if some of what follows was on the page already.
    seen: i64,
}

impl Count {
    /// Where the address of a question says that it stands.
    pub fn read(query: &Fields, now: Timestamp) -> Self {
        let after = EventId::parse(query.get("after")).unwrap_or_else(|| first(now.minus(LATE)));
        Self { after, seen: query.get("seen").parse().unwrap_or(0) }
    }

    /// Where to ask next.
    pub fn href(&self, asked: &Asked) -> String {
        let path = format!("{}/news", List::Sessions.path());
        asked.narrowed.href(&path, &[("after", &self.after.to_string()), ("seen", &self.seen.to_string())])
    }
}

/// The first id of a moment.
fn first(moment: Timestamp) -> EventId {
    EventId::new(moment, &[0; 10])
}

impl Asked {
    /// The status that sessions get by ending, if only those with one are asked for.
    pub(super) fn ended(&self) -> Option<Status> {
        Status::parse(&self.narrowed.status).filter(|status| *status != Status::Pending)
    }

    /// Whether a session that has ended would be listed.
    fn lists(&self, status: Status, event: &StoredEvent) -> bool {
        let bound = |at: Timestamp| SessionId::new(at, &[0; 10]);
        event.event.strip_prefix("session.") == Some(status.as_str())
            && self.span.since.is_none_or(|since| bound(since) <= event.session)
            && self.span.until.is_none_or(|until| event.session < bound(until))
    }
}

impl Desk<'_> {
    /// Where the counting begins for a page that is made now. What ended just before is on it.
    pub(super) async fn begin_count(&self, asked: &Asked, status: Status) -> Result<Count, StoreError> {
        let begin = Count { after: first(self.environment.now().minus(LATE)), seen: 0 };
        let (there, _) = self.count(asked, status, begin).await?;
        Ok(Count { seen: there.saturating_neg(), ..begin })
    }

    /// How many more sessions have this status than the page has, and where the counting goes on.
    pub(super) async fn count(
        &self,
        asked: &Asked,
        status: Status,
        from: Count,
    ) -> Result<(i64, Count), StoreError> {
        let vendor = Some(self.vendor.id);
        let filter = EventFilter { vendor, standing: None, method: asked.method, span: Span::default() };
        let mut events = self.environment.store.events(&filter, Turn::Newer(from.after), AT_ONCE).await?;
        events.reverse();
        let settled = first(self.environment.now().minus(LATE));
        let (mut count, mut next) = (from.seen, from);
        for event in events {
            count = count.saturating_add(i64::from(asked.lists(status, &event)));
            if event.id < settled {
                next = Count { after: event.id, seen: count };
            }
        }
        Ok((count, next))
    }
}
