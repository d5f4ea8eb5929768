//! One environment as handlers and workers hold it: its rules, its store, its limits. The other environment
//! cannot be reached from here.

mod directory;
mod hold;
mod in_flight;
mod keyring;
mod open_pages;
mod request_id;
mod signing;
mod store;
mod waiting;

pub use directory::Directory;
pub use hold::Hold;
pub use in_flight::{InFlight, KeyTurn};
pub use keyring::Keyring;
pub use open_pages::{OpenPage, OpenPages};
pub use request_id::RequestId;
pub use signing::{Secrets, Signed};
pub use store::{COMMIT_TIMEOUT, EnvironmentStore, Retries};
pub use waiting::{Waiting, WaitingCall};

use crate::{limits::Limits, vault::Vault};
use ipnet::IpNet;
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::Change,
    environment::EnvironmentName,
    id::{EventId, SessionId, VendorId},
    receipt::ReceiptLink,
    rules::Rules,
    session::{self, Session},
    time::Timestamp,
    vendor::{Settings, Vendor},
};
use till_store::{Committed, Lease, NodeId, StoreError, StoredEvent, Unreadable};
use tokio::{sync::watch, time::Instant};

/// The query of a session's page that marks a customer who comes back from a provider's page.
pub const FROM_BANK: &str = "?from=bank";

/// One of the two isolated copies of the service.
#[derive(Debug)]
pub struct Environment {
    pub name: EnvironmentName,
    /// Its store and rules, and the way to commit.
    pub store: EnvironmentStore,
    /// Vendors, shared by both.
    pub directory: Arc<Directory>,
    /// The keys, shared by both environments; tokens are bound to an environment by their own key.
    pub vault: Arc<Vault>,
    /// The secrets that sign its callbacks, sent or fetched.
    pub keyring: Keyring,
    /// The rate limits of callers.
    pub limits: Limits,
    /// Creates with an idempotency key in flight on this node.
    pub in_flight: InFlight,
    /// The address of this environment's checkout pages, without a slash at the end.
    pub checkout_url: String,
    /// Networks of proxies whose headers about a caller's address are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// This node's id, among those that share the store.
    pub node: NodeId,
    /// The duration of this node's leases.
    pub lease: Duration,
    /// Calls that wait for a callback.
    pub waiting: Waiting,
    /// Turns true when the service stops: every waiting call answers now.
    pub stopping: watch::Sender<bool>,
    /// The start of the time by which the limits count.
    pub started: Instant,
}

impl Environment {
    /// The time that decides deadlines and tokens.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.store.now()
    }

    /// The time for comparison with the clocks of others, such as the timestamp of a signature.
    #[must_use]
    pub fn calendar(&self) -> Timestamp {
        self.store.clock().calendar()
    }

    /// The rules as they are now. A decision uses one answer throughout.
    #[must_use]
    pub fn rules(&self) -> Arc<Rules> {
        self.store.rules()
    }

    /// The monotonic time for the rate limits.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes or renews the lease of work that one node at a time does. `None` if another node has it.
    pub async fn claim(&self, work: &'static str) -> Result<Option<Lease>, StoreError> {
        self.store.claim(work, self.node, self.lease).await
    }

    /// A new id for an event of a session.
    #[must_use]
    pub fn next_event_id(&self, session: SessionId) -> EventId {
        self.store.next_event_id(session)
    }

    /// The address to which a provider's page sends the customer back.
    #[must_use]
    pub fn url_from_bank(&self, id: SessionId) -> String {
        format!("{}{FROM_BANK}", self.session_url(id))
    }

    /// The address of a session's checkout page.
    #[must_use]
    pub fn session_url(&self, id: SessionId) -> String {
        format!("{}/session/{id}", self.checkout_url)
    }

    /// The address of a receipt's page.
    #[must_use]
    pub fn receipt_url(&self, link: &ReceiptLink) -> String {
        format!("{}{}", self.checkout_url, receipt_path(link))
    }

    /// Commits changes: see [`EnvironmentStore::commit`].
    pub async fn commit(&self, changes: &[Change]) -> Result<Committed, StoreError> {
        self.store.commit(changes).await
    }

    /// A vendor's events after a position of its feed, waiting for the store no longer than a request may.
    /// `None` if that position was never given out.
    pub async fn feed(
        &self,
        vendor: VendorId,
        after: i64,
        limit: u32,
    ) -> Result<Option<Vec<StoredEvent>>, StoreError> {
        let feed = self.store.feed(vendor, after, limit);
        let read = tokio::time::timeout(COMMIT_TIMEOUT, feed).await;
        read.unwrap_or_else(|_| Err(StoreError::unknown("no response in time")))
    }

    /// A vendor's present session: if it is due to expire or close, that is committed first.
    pub async fn session(&self, id: SessionId, vendor: &Vendor) -> Result<Option<Session>, StoreError> {
        let now = self.now();
        match self.store.session(id, vendor.id).await? {
            Some(session) => self.settle(session, &vendor.settings, now).await.map(Some),
            None => Ok(None),
        }
    }

    /// A session that was read, as it is now: if it is due to expire or close, that is committed first.
    pub async fn present(&self, session: Session, settings: &Settings) -> Result<Session, StoreError> {
        self.settle(session, settings, self.now()).await
    }

    /// The present session of a page, found by its id alone, which is all that a customer has. While the store is on hold
    /// it may be past its deadline.
    pub async fn page_session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        let now = self.now();
        let Some(session) = self.store.page_session(id).await? else { return Ok(None) };
        if self.store.hold.is_held() {
            return Ok(Some(session));
        }
        let vendor = self.directory.vendor(session.vendor).await?;
        let settings = vendor.map(|vendor| vendor.settings.clone()).unwrap_or_default();
        self.settle(session, &settings, now).await.map(Some)
    }

    /// Gives a session the final status that time has made due, once. A commit that loses sees the winner's state, and
    /// what time has made of that. Nothing is due while a step of the clock settles: the deadline that was read may not
    /// have been moved with it.
    async fn settle(
        &self,
        mut session: Session,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<Session, StoreError> {
        let mut retries = Retries::default();
        loop {
            if self.store.clock().is_settling() || session::due(&session, now).is_none() {
                return Ok(session);
            }
            let due = session::settle(&session, now, settings, self.next_event_id(session.id));
            let Some((finished, changes)) = due else { return Ok(session) };
            if self.commit(&changes).await? == Committed::Done {
                self.log_final(&finished);
                return Ok(finished);
            }
            retries.lost()?;
            session = self.read_again(session.id, session.vendor).await?;
        }
    }

    /// Logs a final status.
    pub fn log_final(&self, session: &Session) {
        let (environment, id, status) = (self.name, session.id, session.state.status());
        tracing::info!(%environment, session.id = %id, "session {id} is {status}");
    }

    /// The session after another commit changed it.
    pub async fn read_again(&self, id: SessionId, vendor: VendorId) -> Result<Session, StoreError> {
        let session = self.store.session(id, vendor).await?;
        session.ok_or_else(|| StoreError::Corrupt(format!("session {id} disappeared")))
    }

    /// Settles at most `limit` due sessions. One that cannot be settled does not stop the others.
    pub async fn settle_due(self: &Arc<Self>, limit: u32) -> Result<SweepResult, StoreError> {
        let now = self.now();
        let (due, unreadable) = self.store.due_sessions(now, limit).await?;
        let mut swept = SweepResult { settled: 0, unreadable };
        // Concurrently, so that they share transactions; `limit` is within the capacity of the store's queue.
        let mut tasks = tokio::task::JoinSet::new();
        for session in due {
            let environment = Arc::clone(self);
            tasks.spawn(async move {
                let vendor = environment.directory.vendor(session.vendor).await?;
                let settings = vendor.map(|v| v.settings.clone()).unwrap_or_default();
                environment.settle(session, &settings, now).await
            });
        }
        let mut failed = None;
        while let Some(settled) = tasks.join_next().await {
            match settled.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())) {
                Ok(_) => swept.settled += 1,
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(swept), Err)
    }
}

/// The path of a receipt on the checkout's host.
#[must_use]
pub fn receipt_path(link: &ReceiptLink) -> String {
    format!("/receipt/{link}")
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepResult {
    /// Sessions that got their final status.
    pub settled: usize,
    /// Due sessions that cannot be read.
    pub unreadable: Unreadable,
}
