//! Vendors as requests need them: a small cache in front of the accounts.
//!
//! An entry is used for at most [`FRESH_FOR`], so whatever the operator changes on the command line or on
//! another node is in force here well within two seconds, without anybody telling anybody.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use till_domain::{credential::Credential, environment::Environment, id::VendorId, vendor::Vendor};
use till_store::{Accounts, StoreError};

/// How long an entry is used before it is read again.
const FRESH_FOR: Duration = Duration::from_secs(1);

const MAX_ENTRIES: usize = 10_000;

#[derive(Debug)]
pub struct Directory {
    accounts: Arc<Accounts>,
    entries: RwLock<HashMap<VendorId, (Instant, Arc<Vendor>)>>,
    /// Whose a client id is. That never changes.
    owners: RwLock<HashMap<String, VendorId>>,
    /// How often something was forgotten.
    changes: AtomicU64,
}

impl Directory {
    /// A directory of these accounts.
    #[must_use]
    pub fn new(accounts: Arc<Accounts>) -> Self {
        Self { accounts, entries: RwLock::default(), owners: RwLock::default(), changes: AtomicU64::new(0) }
    }

    #[must_use]
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The same, to be kept.
    #[must_use]
    pub fn accounts_shared(&self) -> Arc<Accounts> {
        Arc::clone(&self.accounts)
    }

    /// A vendor, as it was at most a second ago.
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

    /// A vendor, as it was at most a second ago, unless that was before it got this pair: a token of a new
    /// pair works at once, on whichever node it was bought.
    pub async fn vendor_with_pair(
        &self,
        id: VendorId,
        environment: Environment,
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

    /// The vendor of a client id, as it was at most a second ago. An id that is new here is read afresh: a
    /// new pair works at once.
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

    /// Reads a vendor afresh the next time it is asked for.
    pub fn forget(&self, id: VendorId) {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Another number whenever a vendor was forgotten: what was read before is to be read again.
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
