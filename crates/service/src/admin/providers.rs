//! The set-up of providers: one document each. It may hold secrets, so it is stored sealed, and never written
//! to the audit log or any other log.

use super::{Admin, AdminError};
use crate::vault::{CannotOpen, Vault};
use secrecy::SecretString;
use till_domain::audit::{Actor, AuditEvent};
use till_store::StoredSetup;

/// A provider's set-up with its document.
#[derive(Debug, Clone)]
pub struct OpenSetup {
    pub stored: StoredSetup,
    pub document: SecretString,
}

impl Admin {
    /// The set-up of a provider, if there is one. A caller that shows the document to a user has to record
    /// that, as `show_setup` does.
    pub async fn setup(&self, name: &str) -> Result<Option<OpenSetup>, AdminError> {
        let stored = self.accounts.setups().await?.into_iter().find(|stored| stored.name == name);
        let Some(stored) = stored else { return Ok(None) };
        let document = open_setup(&self.vault, &stored)?;
        Ok(Some(OpenSetup { stored, document }))
    }

    /// The set-up of a provider to show to a user; recorded in the audit log.
    pub async fn show_setup(&self, actor: &Actor, name: &str) -> Result<Option<OpenSetup>, AdminError> {
        let Some(setup) = self.setup(name).await? else { return Ok(None) };
        let entry = self.entry(actor, AuditEvent::SecretRevealed).saying(format!("set-up of {name}"));
        self.accounts.record(&entry).await?;
        Ok(Some(setup))
    }

    /// Stores the document of a provider. `seen` is the version that the user read, 0 if there was none; the
    /// write fails if the version has changed (compare-and-set).
    pub async fn set_up(
        &self,
        actor: &Actor,
        (name, seen): (&str, i64),
        document: &SecretString,
    ) -> Result<(), AdminError> {
        let sealed = self.vault.seal_text(&place(name), document);
        let done = if seen == 0 {
            let entry = self.entry(actor, AuditEvent::ProviderSetUp).saying(name);
            self.accounts.add_setup(name, &sealed, &entry).await?
        } else {
            let entry = self.entry(actor, AuditEvent::ProviderChanged).saying(name);
            self.accounts.change_setup((name, seen), &sealed, &entry).await?
        };
        if done { Ok(()) } else { Err(AdminError::SetupMoved) }
    }

    /// Switches a provider on or off. False if it is that way already, or was never set up.
    pub async fn switch_provider(&self, actor: &Actor, name: &str, on: bool) -> Result<bool, AdminError> {
        let event = if on { AuditEvent::ProviderOn } else { AuditEvent::ProviderOff };
        let entry = self.entry(actor, event).saying(name);
        Ok(self.accounts.switch_setup(name, on, &entry).await?)
    }

    /// Puts these providers first in the operator's order; the others follow in their previous order.
    pub async fn order_providers(&self, actor: &Actor, first: &[&str]) -> Result<(), AdminError> {
        let stored = self.accounts.setups().await?;
        let named = |name: &&str| stored.iter().find(|stored| stored.name == *name);
        let rest = stored.iter().filter(|stored| !first.contains(&stored.name.as_str()));
        let order: Vec<_> = first.iter().filter_map(named).chain(rest).collect();
        let names: Vec<_> = order.iter().map(|stored| stored.name.as_str()).collect();
        let entry = self.entry(actor, AuditEvent::ProvidersOrdered).saying(names.join(", "));
        let placed = (0_i64..).zip(order).filter(|(position, stored)| stored.position != *position);
        let changes: Vec<_> =
            placed.map(|(position, stored)| (stored.name.as_str(), stored.version, position)).collect();
        if changes.is_empty() || self.accounts.place_setups(&changes, &entry).await? {
            return Ok(());
        }
        Err(AdminError::SetupMoved)
    }
}

/// Opens the document of a set-up.
pub fn open_setup(vault: &Vault, stored: &StoredSetup) -> Result<SecretString, CannotOpen> {
    vault.open_text(&place(&stored.name), &stored.document_sealed)
}

/// The place that a document is sealed for; it opens for no other.
pub(super) fn place(name: &str) -> String {
    format!("providers/{name}")
}
