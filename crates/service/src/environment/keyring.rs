//! A cache of the decrypted secrets that sign callbacks, for a second: a rotation is in force here well
//! within two, and at once if it, or the first token of the new pair, was requested on this node.

use super::{Directory, Secrets};
use crate::vault::{SecretPlace, Vault};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::{credential, environment::EnvironmentName, id::VendorId, time::Timestamp};
use till_store::StoreError;
use tokio::time::Instant;

/// How long decrypted secrets are used before they are read again.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// Upper bound of vendors in the cache.
const MAX_ENTRIES: usize = 10_000;

/// The signing secrets of one environment's vendors.
#[derive(Debug)]
pub struct Keyring {
    environment: EnvironmentName,
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    entries: Mutex<HashMap<VendorId, CachedSecrets>>,
}

/// Decrypted secrets in the cache.
#[derive(Debug)]
struct CachedSecrets {
    read_at: Instant,
    /// The value of [`Directory::changes`] before they were read.
    changes: u64,
    secrets: Arc<Secrets>,
}

impl Keyring {
    /// An empty keyring.
    #[must_use]
    pub fn new(environment: EnvironmentName, directory: Arc<Directory>, vault: Arc<Vault>) -> Self {
        Self { environment, directory, vault, entries: Mutex::default() }
    }

    /// The secrets that sign a vendor's callbacks now. `None` if it has no valid pair, or none of its secrets
    /// can be decrypted. If one of two cannot, the other signs alone.
    pub async fn secrets(
        &self,
        vendor: VendorId,
        now: Timestamp,
    ) -> Result<Option<Arc<Secrets>>, StoreError> {
        let (read_at, changes) = (Instant::now(), self.directory.changes());
        if let Some(secrets) = self.kept(vendor, read_at, changes) {
            return Ok(Some(secrets));
        }
        let Some(secrets) = self.read(vendor, now).await?.map(Arc::new) else { return Ok(None) };
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MAX_ENTRIES {
            entries.retain(|_, kept| read_at.duration_since(kept.read_at) < FRESH_FOR);
        }
        if entries.len() < MAX_ENTRIES {
            entries.insert(vendor, CachedSecrets { read_at, changes, secrets: Arc::clone(&secrets) });
        }
        Ok(Some(secrets))
    }

    fn kept(&self, vendor: VendorId, now: Instant, changes: u64) -> Option<Arc<Secrets>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = entries.get(&vendor)?;
        let fresh = kept.changes == changes && now.duration_since(kept.read_at) < FRESH_FOR;
        fresh.then(|| Arc::clone(&kept.secrets))
    }

    async fn read(&self, vendor: VendorId, now: Timestamp) -> Result<Option<Secrets>, StoreError> {
        let sealed = self.directory.accounts().credentials(vendor).await?;
        let credentials: Vec<_> = sealed.iter().map(|sealed| sealed.credential.clone()).collect();
        let Some((first, other)) = credential::signers(&credentials, self.environment, now) else {
            return Ok(None);
        };
        let open = |number: u32| {
            let own = |c: &credential::Credential| c.environment == self.environment && c.number == number;
            let sealed = sealed.iter().find(|sealed| own(&sealed.credential))?;
            let place = SecretPlace { environment: self.environment, vendor, number };
            self.vault.open(place, &sealed.secret_sealed).ok()
        };
        let mut opened = [Some(first), other].into_iter().flatten().filter_map(open);
        Ok(opened.next().map(|first| Secrets { first, other: opened.next() }))
    }
}
