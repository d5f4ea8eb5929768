//! How providers are set up. A document may hold secrets: it is sealed before it comes here.

use crate::{
    accounts::{Accounts, audit, users::guarded},
    engine::{
        error::StoreError,
        sql::{Row, Sql, statements},
    },
};
use till_domain::{audit::AuditEntry, time::Timestamp};

/// A provider that was set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSetup {
    pub name: String,
    /// Its place in the operator's order.
    pub position: i64,
    /// Whether customers are sent there.
    pub enabled: bool,
    /// The document that says how, sealed.
    pub document_sealed: Vec<u8>,
    /// Rises with every change.
    pub version: i64,
    /// When it was changed.
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
    /// The providers that were set up, in the operator's order.
    pub async fn setups(&self) -> Result<Vec<StoredSetup>, StoreError> {
        self.engine.read(&SETUPS, vec![]).await?.into_iter().map(read_setup).collect()
    }

    /// Their names and versions: little enough to be asked for every moment.
    pub async fn setup_versions(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let rows = self.engine.read(&VERSIONS, vec![]).await?;
        rows.into_iter().map(|mut row| Ok((row.text()?, row.int()?))).collect()
    }

    /// Sets a provider up for the first time, switched on and last in the operator's order. False if somebody else was quicker.
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

    /// Gives a provider another document. False if it has changed since this version was read.
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

    /// Switches a provider on or off. False if it is that way already, or was never set up.
    pub async fn switch_setup(&self, name: &str, on: bool, entry: &AuditEntry) -> Result<bool, StoreError> {
        let params = vec![name.into(), on.into(), entry.at.into(), (&*entry.actor.name).into()];
        self.done(vec![guarded(&SWITCH, params), audit::line(entry)]).await
    }

    /// Gives providers other places in the operator's order, all of them or none: the name of each, the version that was
    /// read, and its place. False if one has changed since.
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
