//! The configurations of payment providers. A document may hold secrets: it is sealed before it reaches this
//! crate.

use crate::{
    accounts::{Accounts, audit, users::guarded},
    engine::{
        error::StoreError,
        sql::{Row, Sql, statements},
    },
};
use till_domain::{audit::AuditEntry, time::Timestamp};

/// The stored configuration of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSetup {
    pub name: String,
    /// Its position in the operator's order.
    pub position: i64,
    /// Whether customers are sent to this provider.
    pub enabled: bool,
    /// The configuration document, sealed.
    pub document_sealed: Vec<u8>,
    /// Rises with every change; the basis of optimistic concurrency.
    pub version: i64,
    pub updated_at: Timestamp,
    pub updated_by: String,
}

statements! {
    static SETUPS = Sql::new(
        "SELECT name, position, enabled, document_sealed, version, updated_at, updated_by FROM providers
         ORDER BY position, name",
    );
    static VERSIONS = Sql::new("SELECT name, version FROM providers ORDER BY position, name");
    static ADD = Sql::new(
        "INSERT INTO providers (name, position, enabled, document_sealed, version, updated_at, updated_by)
         VALUES ($1, (SELECT COALESCE(MAX(position) + 1, 0) FROM providers), $2, $3, 1, $4, $5)
         ON CONFLICT (name) DO NOTHING",
    );
    static CHANGE = Sql::new(
        "UPDATE providers SET document_sealed = $3, version = version + 1, updated_at = $4, updated_by = $5
         WHERE name = $1 AND version = $2",
    );
    static SWITCH = Sql::new(
        "UPDATE providers SET enabled = $2, version = version + 1, updated_at = $3, updated_by = $4
         WHERE name = $1 AND enabled <> $2",
    );
    static PLACE = Sql::new(
        "UPDATE providers SET position = $3, version = version + 1, updated_at = $4, updated_by = $5
         WHERE name = $1 AND version = $2",
    );
}

impl Accounts {
    /// The configurations of all providers, in the operator's order.
    pub async fn setups(&self) -> Result<Vec<StoredSetup>, StoreError> {
        self.engine.read(&SETUPS, vec![]).await?.into_iter().map(read_setup).collect()
    }

    /// Names and versions of all configurations: little enough to be polled frequently.
    pub async fn setup_versions(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let rows = self.engine.read(&VERSIONS, vec![]).await?;
        rows.into_iter().map(|mut row| Ok((row.text()?, row.int()?))).collect()
    }

    /// Adds a provider's configuration, enabled and last in the operator's order. False if the provider
    /// already has one.
    pub async fn add_setup(
        &self,
        name: &str,
        document_sealed: &[u8],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            name.into(),
            true.into(),
            document_sealed.into(),
            entry.at.into(),
            (&*entry.actor.name).into(),
        ];
        self.done(vec![guarded(&ADD, params), audit::line(entry)]).await
    }

    /// Replaces a provider's document. False if it has changed since this version was read.
    pub async fn change_setup(
        &self,
        (name, version): (&str, i64),
        document_sealed: &[u8],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            name.into(),
            version.into(),
            document_sealed.into(),
            entry.at.into(),
            (&*entry.actor.name).into(),
        ];
        self.done(vec![guarded(&CHANGE, params), audit::line(entry)]).await
    }

    /// Enables or disables a provider. False if it is so already, or was never configured.
    pub async fn switch_setup(&self, name: &str, on: bool, entry: &AuditEntry) -> Result<bool, StoreError> {
        let params = vec![name.into(), on.into(), entry.at.into(), (&*entry.actor.name).into()];
        self.done(vec![guarded(&SWITCH, params), audit::line(entry)]).await
    }

    /// Gives providers new positions in the operator's order, all of them or none: the name of each, the
    /// version that was read, and the new position. False if one has changed since it was read.
    pub async fn place_setups(
        &self,
        places: &[(&str, i64, i64)],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let place = |(name, version, position): &(&str, i64, i64)| {
            let who = &*entry.actor.name;
            let params =
                vec![(*name).into(), (*version).into(), (*position).into(), entry.at.into(), who.into()];
            guarded(&PLACE, params)
        };
        let changes = places.iter().map(place).chain([audit::line(entry)]);
        self.done(changes.collect()).await
    }
}

fn read_setup(mut row: Row) -> Result<StoredSetup, StoreError> {
    Ok(StoredSetup {
        name: row.text()?,
        position: row.int()?,
        enabled: row.bool()?,
        document_sealed: row.bytes()?,
        version: row.int()?,
        updated_at: row.time()?,
        updated_by: row.text()?,
    })
}
