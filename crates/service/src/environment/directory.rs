//! A cache of vendors in front of the accounts, for requests.
//!
//! An entry is used for at most [`FRESH_FOR`], so a change by the operator on the command line or on another
//! node is in force here well within two seconds, without any message between nodes.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use till_domain::{credential::Credential, environment::EnvironmentName, id::VendorId, vendor::Vendor};
use till_store::{Accounts, StoreError};
use tokio::time::Instant;

/// The lifetime of an entry.
const FRESH_FOR: Duration = Duration::from_secs(1);

const MAX_ENTRIES: usize = 10_000;

#[derive(Debug)]
pub struct Directory {
    accounts: Arc<Accounts>,
    entries: RwLock<HashMap<VendorId, (Instant, Arc<Vendor>)>>,
    /// The vendor of each client id. It never changes.
    owners: RwLock<HashMap<String, VendorId>>,
    /// Number of invalidations.
    changes: AtomicU64,
}

impl Directory {
    #[must_use]
    pub fn new(accounts: Arc<Accounts>) -> Self {
        Self { accounts, entries: RwLock::default(), owners: RwLock::default(), changes: AtomicU64::new(0) }
    }

    #[must_use]
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The accounts, shared.
    #[must_use]
    pub fn accounts_shared(&self) -> Arc<Accounts> {
        Arc::clone(&self.accounts)
    }

    /// A vendor, at most a second old.
    pub async fn vendor(&self, id: VendorId) -> Result<Option<Arc<Vendor>>, StoreError> {
        let now = Instant::now();
        if let Some(vendor) = self.cached(id, now) {
            return Ok(Some(vendor));
        }
        let vendor = self.accounts.vendor(id).await?.map(Arc::new);
        if let Some(vendor) = &vendor {
            self.remember(now, vendor);
        }
        Ok(vendor)
    }

    /// A vendor, at most a second old, unless that is older than this credential pair: a token of a new pair
    /// works at once, whichever node issued it.
    pub async fn vendor_with_pair(
        &self,
        id: VendorId,
        environment: EnvironmentName,
        number: u32,
    ) -> Result<Option<Arc<Vendor>>, StoreError> {
        let vendor = self.vendor(id).await?;
        let own = |c: &Credential| c.environment == environment && c.number == number;
        if vendor.as_ref().is_none_or(|vendor| vendor.credentials.iter().any(own)) {
            return Ok(vendor);
        }
        self.forget(id);
        self.vendor(id).await
    }

    /// The vendor of a client id, at most a second old. A client id that is not cached is read from the
    /// store: a new pair works at once.
    pub async fn vendor_of_client(&self, client_id: &str) -> Result<Option<Arc<Vendor>>, StoreError> {
        let owner = self.owners.read().unwrap_or_else(PoisonError::into_inner).get(client_id).copied();
        if let Some(owner) = owner {
            return self.vendor(owner).await;
        }
        let now = Instant::now();
        let vendor = self.accounts.vendor_of_client(client_id).await?.map(Arc::new);
        if let Some(vendor) = &vendor {
            self.remember(now, vendor);
            let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
            if owners.len() < MAX_ENTRIES {
                owners.insert(client_id.to_owned(), vendor.id);
            }
        }
        Ok(vendor)
    }

    /// Invalidates a vendor: it is read from the store the next time.
    pub fn forget(&self, id: VendorId) {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// A number that changes with every invalidation: anything read before must be read again.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    fn cached(&self, id: VendorId, now: Instant) -> Option<Arc<Vendor>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let (read_at, vendor) = entries.get(&id)?;
        (now.duration_since(*read_at) < FRESH_FOR).then(|| Arc::clone(vendor))
    }

    fn remember(&self, now: Instant, vendor: &Arc<Vendor>) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MAX_ENTRIES {
            entries.retain(|_, (read_at, _)| now.duration_since(*read_at) < FRESH_FOR);
        }
        if entries.len() < MAX_ENTRIES {
            entries.insert(vendor.id, (now, Arc::clone(vendor)));
        }
    }
}
