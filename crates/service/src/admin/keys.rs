//! The master key in use, and its rotation.

use super::{entry, factor_place, providers};
use crate::{
    cashier::form_place,
    status::NodeState,
    vault::{SecretPlace, Vault, mail_place},
};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use std::time::Duration;
use till_domain::{
    audit::{Actor, AuditEvent},
    environment::EnvironmentName,
    id::AttemptId,
    time::Timestamp,
};
use till_store::{
    Accounts, FailPoint, Payments, SealedForm, SealedKey, SealedTable, StoreError, StoredNode, StoredRotation,
};

/// Rows that are read at once.
const STEP: u32 = 1_000;

/// How long before a rotation forms are looked at that may still be sealed with the previous key.
const FORMS_LOOKED_AT: Duration = Duration::from_secs(24 * 60 * 60);

/// The reason why the master keys that are known cannot be used with a store.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(
        "TILL_MASTER_KEY is not the key that this store is sealed with: use the right key, or another store. While the \
         key is rotated, set TILL_MASTER_KEY_PREVIOUS too"
    )]
    Unknown,
    #[error(
        "the rotation of the master key is not complete: set TILL_MASTER_KEY_PREVIOUS to the previous key ({0}), and \
         run `till key rotate`"
    )]
    Incomplete(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes the vault use the key that the store is sealed with.
pub async fn adopt_key(accounts: &Accounts, vault: &Vault) -> Result<(), KeyError> {
    let stored = accounts.key_check(&vault.seal_key_check()).await?;
    if !vault.adopt(&stored) {
        return Err(KeyError::Unknown);
    }
    let rotation = accounts.last_rotation().await?.filter(|rotation| rotation.completed_at.is_none());
    match rotation {
        Some(rotation) if vault.previous_key() != Some(&rotation.from) => {
            Err(KeyError::Incomplete(rotation.from))
        }
        _ => Ok(()),
    }
}

/// Rotates the master key: the current key of the vault replaces its previous one.
#[derive(Debug, Clone, Copy)]
pub struct KeyRotation<'a> {
    pub accounts: &'a Accounts,
    pub payments: [(EnvironmentName, &'a Payments); 2],
    pub vault: &'a Vault,
}

/// What was done with the sealed texts.
#[derive(Debug, Clone, Default)]
pub struct ResealReport {
    /// Texts that were sealed anew.
    pub resealed: u64,
    /// Texts that neither key opens.
    pub unreadable: Vec<String>,
    /// The rows that were read.
    pub read: u64,
}

impl KeyRotation<'_> {
    /// The running processes that do not know the current key.
    pub async fn unaware_nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        self.running(|node| node.keys.iter().any(|key| key == self.vault.current_key())).await
    }

    /// The running processes that do not use the current key yet.
    pub async fn nodes_behind(&self) -> Result<Vec<StoredNode>, StoreError> {
        self.running(|node| node.keys.first().is_some_and(|key| key == self.vault.current_key())).await
    }

    /// The running processes that are not `ready`.
    async fn running(&self, ready: impl Fn(&StoredNode) -> bool) -> Result<Vec<StoredNode>, StoreError> {
        let (now, mut nodes) = (self.accounts.now(), self.accounts.nodes().await?);
        nodes.retain(|node| NodeState::of(node, now) == NodeState::Running && !ready(node));
        Ok(nodes)
    }

    /// The rotation to the current key, if it has started.
    pub async fn started(&self) -> Result<Option<StoredRotation>, StoreError> {
        let last = self.accounts.last_rotation().await?;
        Ok(last.filter(|rotation| rotation.to == self.vault.current_key()))
    }

    /// Puts the current key in use. False if the previous key is not the one in use, or another command was first.
    pub async fn start(&self, actor: &Actor) -> Result<bool, StoreError> {
        let (from, to) = (self.vault.previous_key().unwrap_or_default(), self.vault.current_key());
        let sealed = self.vault.seal_key_check();
        let was = self.accounts.key_check(&sealed).await?;
        if !self.vault.adopt(&was) || self.vault.uses_current() {
            return Ok(false);
        }
        let line =
            entry(self.accounts, actor, AuditEvent::KeyRotationStarted).saying(format!("{from} to {to}"));
        let started = self.accounts.start_rotation((&was, &sealed), (from, to), &line).await?;
        self.vault.adopt(&sealed);
        Ok(started)
    }

    /// The approximate number of rows to read.
    pub async fn count(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        for (_, payments) in self.payments {
            count += payments.count_attempts().await?;
        }
        Ok(count)
    }

    /// Seals every text that the previous key opens with the current one. What is sealed already is left alone, so that an
    /// interrupted run can be repeated. `progress` is called with the report so far.
    pub async fn reseal(&self, mut progress: impl FnMut(&ResealReport)) -> Result<ResealReport, StoreError> {
        let mut report = ResealReport::default();
        for table in SealedTable::ALL {
            self.reseal_accounts(table, &mut report, &mut progress).await?;
        }
        for (environment, payments) in self.payments {
            self.reseal_forms(environment, payments, &mut report, &mut progress).await?;
        }
        Ok(report)
    }

    async fn reseal_accounts(
        &self,
        table: SealedTable,
        report: &mut ResealReport,
        progress: &mut impl FnMut(&ResealReport),
    ) -> Result<(), StoreError> {
        let mut last = None;
        loop {
            let rows = self.accounts.sealed_rows(table, last.as_ref(), STEP).await?;
            for row in &rows {
                report.read += 1;
                match self.vault.reseal(&place(&row.key), &row.sealed) {
                    Ok(None) => {}
                    Ok(Some(new)) => {
                        // Replaced meanwhile: then by a process that uses the current key.
                        let done = self.accounts.reseal(row, &new.sealed, &new.check).await?;
                        report.resealed += u64::from(done);
                        FailPoint::SecretResealed.reach();
                    }
                    Err(_) => report.unreadable.push(place(&row.key)),
                }
                progress(report);
            }
            match rows.into_iter().next_back() {
                Some(row) => last = Some(row.key),
                None => return Ok(()),
            }
        }
    }

    async fn reseal_forms(
        &self,
        environment: EnvironmentName,
        payments: &Payments,
        report: &mut ResealReport,
        progress: &mut impl FnMut(&ResealReport),
    ) -> Result<(), StoreError> {
        let mut last = None;
        loop {
            let step = payments.sealed_forms(last, STEP).await?;
            report.read += step.read;
            report.unreadable.extend(step.unreadable.iter().map(|id| form_place(environment, *id)));
            for form in &step.forms {
                let place = form_place(environment, form.attempt);
                let sealed = STANDARD_NO_PAD.decode(&form.values).unwrap_or_default();
                match self.vault.reseal(&place, &sealed) {
                    Ok(None) => {}
                    Ok(Some(new)) => {
                        let values = STANDARD_NO_PAD.encode(&new.sealed);
                        report.resealed += u64::from(payments.reseal_form(form, values).await?);
                    }
                    Err(_) => report.unreadable.push(place),
                }
            }
            progress(report);
            match step.last {
                Some(attempt) => last = Some(attempt),
                None => return Ok(()),
            }
        }
    }

    /// The number of texts that are still sealed with the previous key: in the accounts, and in forms of attempts from the
    /// day before this rotation on. Older ones are of no use any more.
    pub async fn left(&self, rotation: &StoredRotation) -> Result<u64, StoreError> {
        let mut left = self.left_in_forms(rotation.started_at.minus(FORMS_LOOKED_AT)).await?;
        for table in SealedTable::ALL {
            let mut last = None;
            loop {
                let rows = self.accounts.sealed_rows(table, last.as_ref(), STEP).await?;
                let is_left = |key: &SealedKey, sealed: &[u8]| {
                    matches!(self.vault.reseal(&place(key), sealed), Ok(Some(_)))
                };
                left += rows.iter().filter(|row| is_left(&row.key, &row.sealed)).count() as u64;
                match rows.into_iter().next_back() {
                    Some(row) => last = Some(row.key),
                    None => break,
                }
            }
        }
        Ok(left)
    }

    async fn left_in_forms(&self, since: Timestamp) -> Result<u64, StoreError> {
        let mut left = 0;
        for (environment, payments) in self.payments {
            let mut last = Some(AttemptId::new(since, &[0; 10]));
            while last.is_some() {
                let step = payments.sealed_forms(last, STEP).await?;
                let is_left = |form: &&SealedForm| {
                    let sealed = STANDARD_NO_PAD.decode(&form.values).unwrap_or_default();
                    matches!(self.vault.reseal(&form_place(environment, form.attempt), &sealed), Ok(Some(_)))
                };
                left += step.forms.iter().filter(is_left).count() as u64;
                last = step.last;
            }
        }
        Ok(left)
    }

    /// Records that everything is sealed with the current key.
    pub async fn complete(
        &self,
        rotation: &StoredRotation,
        actor: &Actor,
        resealed: u64,
    ) -> Result<bool, StoreError> {
        let line = entry(self.accounts, actor, AuditEvent::KeyRotationCompleted).saying(resealed.to_string());
        self.accounts.complete_rotation(rotation.number, &line).await
    }
}

/// The place that the text of a row is sealed for.
fn place(key: &SealedKey) -> String {
    match key {
        SealedKey::Credential { vendor, environment, number } => {
            let number = u32::try_from(*number).unwrap_or_default();
            SecretPlace { environment: *environment, vendor: *vendor, number }.associated_data()
        }
        SealedKey::Factor(user) | SealedKey::PendingFactor(user) => factor_place(*user),
        SealedKey::Mail(id) => mail_place(*id),
        SealedKey::Setup(name) => providers::place(name),
    }
}
