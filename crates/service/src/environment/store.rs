//! The store of one environment with the only way to commit to it.

use super::{
    hold::Hold,
    open_pages::{self, OpenPages},
    request_id::RequestId,
};
use crate::{
    random,
    traces::{SpanKind, TraceSpan},
};
use std::{
    ops::Deref,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use till_domain::{
    change::Change,
    environment::EnvironmentName,
    id::{EventId, SessionId, VendorId},
    rules::Rules,
    session::Session,
};
use till_store::{Committed, NodeId, Payments, Span, StoreError};
use tokio::sync::{broadcast, mpsc};

/// How long a request waits for the store before it answers that it does not know.
pub const COMMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a decision is made anew because another commit changed what it was based on.
const TRIES: usize = 64;

/// The same where each try calls a provider.
const TRIES_WITH_CALLS: usize = 6;

/// Names of vendors with a new callback that a slow listener may leave unread.
const QUEUED_BEHIND: usize = 256;

/// The most that a clock may have been set back while a request was received.
const REQUEST_BEFORE: Duration = Duration::from_secs(5);

/// The longest between a request's first line and the creation of its session: its body may be slow.
const REQUEST_WITHIN: Duration = Duration::from_secs(60);

/// The payments of one environment and its rules. Reads are those of [`Payments`]; [`EnvironmentStore::commit`] takes the
/// place of its commit, for pages, the API, workers and commands alike.
#[derive(Debug)]
pub struct EnvironmentStore {
    /// Which of the two environments it is.
    pub name: EnvironmentName,
    payments: Arc<Payments>,
    rules: RwLock<Arc<Rules>>,
    /// While the store is on hold, nothing is committed. Commands of an operator are not bound by it.
    pub hold: Hold,
    /// The checkout pages that are open on this node.
    pub pages: OpenPages,
    /// Tells the other nodes which sessions have changed, if there can be others.
    announce: Option<mpsc::Sender<SessionId>>,
    /// The vendors whose callbacks were queued on this node. A listener that falls behind misses names, and takes that as
    /// a sign to look at all of them.
    pub callback_queued: broadcast::Sender<VendorId>,
    /// Commits that were begun.
    commits: AtomicU64,
}

impl Deref for EnvironmentStore {
    type Target = Payments;

    fn deref(&self) -> &Payments {
        &self.payments
    }
}

impl EnvironmentStore {
    /// The store as a command uses it: no page is open in its process, and it tells no other node.
    #[must_use]
    pub fn new(payments: Payments, rules: Rules) -> Self {
        Self {
            name: rules.environment,
            payments: Arc::new(payments),
            rules: RwLock::new(Arc::new(rules)),
            hold: Hold::default(),
            pages: OpenPages::default(),
            announce: None,
            callback_queued: broadcast::Sender::new(QUEUED_BEHIND),
            commits: AtomicU64::new(0),
        }
    }

    /// The session that a request created, if this service gave the request its id.
    pub async fn created_by(&self, request_id: &str) -> Result<Option<Session>, StoreError> {
        let Some(at) = RequestId::moment(request_id) else { return Ok(None) };
        let span = Span { since: Some(at.minus(REQUEST_BEFORE)), until: Some(at.plus(REQUEST_WITHIN)) };
        self.session_of_request(request_id, span).await
    }

    /// The store as a node of the service uses it: nodes tell each other which sessions have changed.
    #[must_use]
    pub fn of_node(payments: Payments, rules: Rules, node: NodeId, hold: Hold) -> Self {
        let news = payments.news(node);
        let mut store = Self { hold, ..Self::new(payments, rules) };
        store.announce = news.map(|news| {
            tokio::spawn(store.pages.clone().follow(news.heard));
            news.announce
        });
        store
    }

    /// The payments, for an adapter that keeps them.
    #[must_use]
    pub fn payments(&self) -> Arc<Payments> {
        Arc::clone(&self.payments)
    }

    /// The rules as they are now. A decision uses one answer throughout.
    #[must_use]
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the rules while the service runs: providers come and go.
    pub fn change_rules(&self, change: impl FnOnce(&Rules) -> Rules) {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        *rules = Arc::new(change(&rules));
    }

    /// A new id for an event of a session.
    #[must_use]
    pub fn next_event_id(&self, session: SessionId) -> EventId {
        random::id_for(self.now(), &[session.as_bytes()])
    }

    /// Commits changes, waiting no longer than a request may; running out of time means that the outcome is unknown.
    /// Open pages, other nodes and the sender of callbacks learn of what changed.
    pub async fn commit(&self, changes: &[Change]) -> Result<Committed, StoreError> {
        self.hold.check()?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        let span = TraceSpan::start(SpanKind::Internal, || "commit".to_owned());
        let commit = self.payments.commit(changes);
        let committed = tokio::time::timeout(COMMIT_TIMEOUT, commit).await;
        let committed = committed.unwrap_or_else(|_| Err(StoreError::unknown("no response in time")));
        if let Some(span) = span {
            self.trace(span, changes, &committed);
        }
        if let Ok(Committed::Done) = committed {
            changes.iter().for_each(|change| self.announce(change));
        }
        committed
    }

    /// The number of commits that were begun, by which a caller sees whether it was alone.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    fn trace(&self, span: TraceSpan, changes: &[Change], committed: &Result<Committed, StoreError>) {
        let outcome = match committed {
            Ok(Committed::Done) => "done",
            Ok(Committed::Lost(_)) => "lost",
            Err(_) => "failed",
        };
        let count = u32::try_from(changes.len()).unwrap_or(u32::MAX);
        span.with("till.environment", self.name.as_str())
            .with("till.changes", count)
            .with("till.outcome", outcome)
            .failed(committed.as_ref().err().map(ToString::to_string))
            .finish(changes.iter().find_map(Change::session));
    }

    fn announce(&self, change: &Change) {
        if let Change::QueueCallback(event) = change {
            // An error says that nothing listens.
            let _ = self.callback_queued.send(event.vendor);
        }
        if let Some(session) = open_pages::seen_by(change) {
            self.pages.tell(session);
            if let Some(announce) = &self.announce {
                // Full: the other nodes have enough to do.
                let _ = announce.try_send(session);
            }
        }
    }
}

/// Counts how often a decision was made anew because its commit lost to another one (optimistic concurrency):
///
/// ```ignore
/// let mut retries = Retries::default();
/// loop {
///     // read, decide, commit; return unless the commit was lost
///     retries.lost()?;
/// }
/// ```
#[derive(Debug)]
pub struct Retries {
    left: usize,
    most: usize,
}

impl Default for Retries {
    fn default() -> Self {
        Self { left: TRIES, most: TRIES }
    }
}

impl Retries {
    /// Where each try calls a provider: fewer, so that a customer and the provider's rate limit are spared.
    #[must_use]
    pub fn with_provider_calls() -> Self {
        Self { left: TRIES_WITH_CALLS, most: TRIES_WITH_CALLS }
    }

    /// Allows one more try, until there were too many.
    pub fn lost(&mut self) -> Result<(), StoreError> {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 { Ok(()) } else { Err(StoreError::Busy { waiting: self.most }) }
    }
}
