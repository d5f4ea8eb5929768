//! Opens the three databases: accounts, live and sandbox, and makes sure that they belong together.

use crate::{
    accounts::{Accounts, nodes},
    engine::{
        Durability, Engine,
        clock::Clock,
        error::StoreError,
        migrate::{Role, Schema, SchemaState},
        postgres::{self, DatabaseUrl, Postgres},
        sqlite::{self, OnFault, Sqlite, folder},
    },
    payments::{Payments, endpoint_checks::EndpointChecks, faults::Faults},
};
use std::{fs::File, path::PathBuf, sync::Arc};

/// The location of the databases.
#[derive(Debug, Clone)]
pub enum StoreLocation {
    /// Three files in a folder.
    Folder(PathBuf),
    /// Three schemas of a PostgreSQL database, shared by any number of services.
    Server(DatabaseUrl),
}

impl StoreLocation {
    /// True if there is a store already, even an incomplete one.
    pub async fn has_store(&self) -> Result<bool, StoreError> {
        match self {
            Self::Folder(path) => Ok(folder::holds_store(path)),
            Self::Server(url) => postgres::holds_store(url).await,
        }
    }

    /// Locks a folder: no other service can run on it while the returned file is open. A server is shared by
    /// its nodes.
    pub fn lock(&self) -> Result<Option<File>, StoreError> {
        match self {
            Self::Folder(path) => folder::lock(path).map(Some),
            Self::Server(_) => Ok(None),
        }
    }

    /// True if a service runs on a folder.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        match self {
            Self::Folder(path) => folder::is_locked(path),
            Self::Server(_) => false,
        }
    }
}

/// The migrations that a start of this program would apply to a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingMigrations {
    /// `accounts`, `live` or `sandbox`.
    pub database: &'static str,
    /// The newest migration that was applied; 0 if there is no database yet.
    pub applied: i64,
    /// The newest that this program knows.
    pub known: i64,
    /// True if the program of the version before can be started after them too.
    pub additive: bool,
}

impl PendingMigrations {
    /// None if there is nothing to do.
    fn of(role: Role, found: Option<SchemaState>) -> Result<Option<Self>, StoreError> {
        let (schema, state) = (Schema::of(role), found.unwrap_or(SchemaState::new(0, None)));
        let known = schema.version();
        if state.required > known {
            let place = role.name().to_owned();
            return Err(StoreError::NewerSchema { place, found: state.required, known });
        }
        let mut missing = schema.missing(state.newest).peekable();
        if missing.peek().is_none() {
            return Ok(None);
        }
        let additive = missing.all(|migration| migration.additive);
        Ok(Some(Self { database: role.name(), applied: state.newest, known, additive }))
    }
}

impl StoreLocation {
    /// What a start of this program would migrate. Nothing is changed.
    pub async fn pending_migrations(&self) -> Result<Vec<PendingMigrations>, StoreError> {
        let states = match self {
            Self::Folder(path) => {
                let state = |role: Role| Ok((role, sqlite::schema_state(&path.join(role.file()))?));
                Role::ALL.into_iter().map(state).collect::<Result<Vec<_>, StoreError>>()?
            }
            Self::Server(url) => postgres::schema_states(url).await?,
        };
        states
            .into_iter()
            .filter_map(|(role, state)| PendingMigrations::of(role, state).transpose())
            .collect()
    }
}

/// The three databases. Each environment gets only its own.
#[derive(Debug)]
pub struct Stores {
    pub accounts: Accounts,
    pub live: Payments,
    pub sandbox: Payments,
    /// The faults with which testers of the sandbox have callbacks delivered.
    pub faults: Faults,
    /// The checks of vendors' endpoints, which the sandbox has.
    pub endpoint_checks: EndpointChecks,
}

impl Stores {
    /// Opens the store, creating what is missing. Without `clock` the store's own clock is used, which
    /// follows the machine's clock for a folder and the server's for a server. If a file fails later, the
    /// process ends.
    pub async fn open(
        place: &StoreLocation,
        durability: Durability,
        clock: Option<Clock>,
    ) -> Result<Self, StoreError> {
        Self::open_with(place, durability, clock, OnFault::EndProcess).await
    }

    /// Opens a store that may be damaged, to examine it: faults are reported, and nothing is written because
    /// of them.
    pub async fn examine(place: &StoreLocation) -> Result<Self, StoreError> {
        Self::open_with(place, Durability::Full, None, OnFault::Report).await
    }

    /// Opens the store as [`Stores::open`] does, with a choice of the reaction to a fault of a file.
    pub async fn open_with(
        place: &StoreLocation,
        durability: Durability,
        clock: Option<Clock>,
        on_fault: OnFault,
    ) -> Result<Self, StoreError> {
        match place {
            StoreLocation::Folder(path) => {
                folder::make_folder(path)?;
                folder::refuse_loss(path)?;
                let open = |role: Role| {
                    let path = path.join(role.file());
                    Sqlite::open(&path, &Schema::of(role), durability, on_fault).map(Engine::Sqlite)
                };
                let engines = [open(Role::Accounts)?, open(Role::Live)?, open(Role::Sandbox)?];
                let clock = match clock {
                    Some(clock) => clock,
                    None => Clock::machine(nodes::left(&engines[0]).await?),
                };
                Ok(Self::new(engines, clock))
            }
            StoreLocation::Server(url) => {
                // Probing starts here, so that each of the following steps need not find the hosts anew.
                let _probe = url.watch();
                postgres::migrate(url).await?;
                let engines =
                    Role::ALL.map(|role| Engine::Postgres(Box::new(Postgres::open(url, role, durability))));
                let clock = match clock {
                    Some(clock) => clock,
                    None => postgres::server_clock(url, nodes::left(&engines[0]).await?).await?,
                };
                Ok(Self::new(engines, clock))
            }
        }
    }

    fn new([accounts, live, sandbox]: [Engine; 3], clock: Clock) -> Self {
        let (live, sandbox) = (Arc::new(live), Arc::new(sandbox));
        Self {
            accounts: Accounts::new(accounts, clock.clone()),
            live: Payments::new(live, clock.clone(), true),
            faults: Faults::new(Arc::clone(&sandbox)),
            endpoint_checks: EndpointChecks::new(Arc::clone(&sandbox)),
            sandbox: Payments::new(sandbox, clock, false),
        }
    }

    /// Checks that every database keeps what it acknowledges.
    pub async fn assert_durable(&self) -> Result<(), StoreError> {
        self.accounts.assert_durable().await?;
        self.live.assert_durable().await?;
        self.sandbox.assert_durable().await
    }

    /// Conditions of the store that are allowed but that the operator should know about.
    pub async fn warnings(&self) -> Result<Vec<String>, StoreError> {
        self.live.warnings().await
    }
}
