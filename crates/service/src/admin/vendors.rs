//! Vendors and their API credentials: a pair of client id and client secret for each environment.

use super::{Admin, AdminError};
use crate::{
    random,
    vault::{self, SecretPlace, Vault},
};
use secrecy::SecretString;
use std::time::Duration;
use till_domain::{
    audit::{Actor, AuditEvent, SandboxRequest},
    environment::EnvironmentName,
    id::VendorId,
    time::Timestamp,
};
use till_store::{NewCredential, NewVendor, SealedCredential};

/// An API credential with its secret.
#[derive(Debug, Clone)]
pub struct CredentialPair {
    pub client_id: String,
    pub client_secret: SecretString,
}

/// A vendor with its newest pairs.
#[derive(Debug, Clone)]
pub struct VendorPairs {
    pub id: VendorId,
    pub live: CredentialPair,
    pub sandbox: CredentialPair,
}

/// The data of a new vendor.
#[derive(Debug, Clone)]
pub struct VendorDraft {
    /// Its name, as [`till_domain::text::name`] gives it.
    pub name: String,
    /// The contact address for its customers.
    pub contact_email: Option<String>,
    /// The requester and the reason if its sandbox is on from the start; `None` if it is off.
    pub sandbox: Option<SandboxRequest>,
}

/// A pair that replaces another one (rotation).
#[derive(Debug, Clone)]
pub struct NewPair {
    pub pair: CredentialPair,
    /// When the previous pair stops working.
    pub old_ends_at: Timestamp,
}

impl Admin {
    /// Makes a vendor with a pair for each environment, all in one commit.
    pub async fn create_vendor(&self, actor: &Actor, vendor: VendorDraft) -> Result<VendorPairs, AdminError> {
        let VendorDraft { name, contact_email, sandbox } = vendor;
        let id = random::id::<VendorId>(self.accounts.now());
        let (live, live_pair) = new_pair(&self.vault, id, EnvironmentName::Live, 1);
        let (test, test_pair) = new_pair(&self.vault, id, EnvironmentName::Sandbox, 1);
        let mut lines = vec![self.entry(actor, AuditEvent::VendorCreated).about(id).saying(&name)];
        if let Some(request) = &sandbox {
            lines.push(self.entry(actor, AuditEvent::SandboxOn).about(id).saying(request.detail()));
        }
        let (sandbox, credentials) = (sandbox.is_some(), vec![live, test]);
        let new = NewVendor { id, name, sandbox, contact_email, credentials };
        if !self.accounts.add_vendor(new, &lines).await? {
            return Err(AdminError::Repeated);
        }
        Ok(VendorPairs { id, live: live_pair, sandbox: test_pair })
    }

    /// The newest pair of an environment, with its secret. A caller that shows it to a user has to record
    /// that, as `reveal` does.
    pub async fn pair(
        &self,
        vendor: VendorId,
        environment: EnvironmentName,
    ) -> Result<CredentialPair, AdminError> {
        let sealed = self.accounts.credentials(vendor).await?;
        let newest = sealed.iter().rfind(|s| s.credential.environment == environment);
        open(&self.vault, vendor, newest.ok_or(AdminError::NoVendor)?)
    }

    pub async fn pairs(&self, id: VendorId) -> Result<VendorPairs, AdminError> {
        let live = self.pair(id, EnvironmentName::Live).await?;
        Ok(VendorPairs { id, live, sandbox: self.pair(id, EnvironmentName::Sandbox).await? })
    }

    /// The newest pair with its secret, to show to a user; recorded in the audit log.
    pub async fn reveal(
        &self,
        actor: &Actor,
        vendor: VendorId,
        environment: EnvironmentName,
    ) -> Result<CredentialPair, AdminError> {
        let pair = self.pair(vendor, environment).await?;
        let entry = self.entry(actor, AuditEvent::SecretRevealed).about(vendor).saying(environment.as_str());
        self.accounts.record(&entry).await?;
        Ok(pair)
    }

    /// Rotates the pair of an environment; the old one stays valid for `overlap`.
    pub async fn rotate(
        &self,
        actor: &Actor,
        vendor: VendorId,
        environment: EnvironmentName,
        overlap: Duration,
    ) -> Result<NewPair, AdminError> {
        let known = self.accounts.vendor(vendor).await?.ok_or(AdminError::NoVendor)?;
        let numbers = known.credentials.iter().filter(|c| c.environment == environment).map(|c| c.number);
        let number = numbers.max().unwrap_or(0) + 1;
        let (credential, pair) = new_pair(&self.vault, vendor, environment, number);
        let old_ends_at = self.accounts.now().plus(overlap);
        let detail = format!("{environment}, the old one until {old_ends_at}");
        let entry = self.entry(actor, AuditEvent::SecretRotated).about(vendor).saying(detail);
        if !self.accounts.rotate(vendor, credential, old_ends_at, &entry).await? {
            return Err(self.refused(actor, AdminError::Overtaken).await);
        }
        Ok(NewPair { pair, old_ends_at })
    }
}

fn new_pair(
    vault: &Vault,
    vendor: VendorId,
    environment: EnvironmentName,
    number: u32,
) -> (NewCredential, CredentialPair) {
    let secret = vault::new_client_secret(environment);
    let sealed = vault.seal(SecretPlace { environment, vendor, number }, &secret);
    let credential = NewCredential {
        environment,
        number,
        client_id: vault::new_client_id(environment),
        secret_check: sealed.check,
        secret_sealed: sealed.sealed,
    };
    let pair = CredentialPair { client_id: credential.client_id.clone(), client_secret: secret };
    (credential, pair)
}

fn open(vault: &Vault, vendor: VendorId, sealed: &SealedCredential) -> Result<CredentialPair, AdminError> {
    let credential = &sealed.credential;
    let place = SecretPlace { environment: credential.environment, vendor, number: credential.number };
    let client_secret = vault.open(place, &sealed.secret_sealed)?;
    Ok(CredentialPair { client_id: credential.client_id.clone(), client_secret })
}
