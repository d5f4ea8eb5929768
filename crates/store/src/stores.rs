//! Opens the three databases: accounts, live and sandbox.

use crate::{
    accounts::Accounts,
    clock::Clock,
    engine::Engine,
    error::StoreError,
    migrate::{self, Migration},
    payments::Payments,
    sqlite::Sqlite,
};
use std::{
    fs::{self, File, TryLockError},
    path::Path,
    time::Duration,
};

/// How hard the store tries to keep what it acknowledges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Synced before the answer. The only one that the service starts with.
    Full,
    /// Not synced: for proving that the tests notice, and for nothing else.
    Off,
}

/// The three databases. Each environment gets only its own.
#[derive(Debug)]
pub struct Stores {
    /// Vendors, credentials, catalog.
    pub accounts: Accounts,
    /// Live sessions.
    pub live: Payments,
    /// Sandbox sessions.
    pub sandbox: Payments,
}

const ACCOUNTS: &str = "accounts.db";

/// Held while a service runs on a folder.
const LOCK_FILE: &str = "serve.lock";

impl Stores {
    /// Opens the embedded store in a folder, making the folder and the files if need be. Accounts come
    /// last, so a folder that has them and not the others has lost something, and is refused.
    pub fn open_embedded(folder: &Path, durability: Durability, clock: &Clock) -> Result<Self, StoreError> {
        make_folder(folder)?;
        let established = folder.join(ACCOUNTS).exists();
        let open = |name: &str, migrations: &[Migration]| {
            let path = folder.join(name);
            if established && !path.exists() {
                let reason = "it is missing beside accounts.db; restore it from a backup".to_owned();
                return Err(StoreError::Open { path, reason });
            }
            Sqlite::open(&path, migrations, durability).map(Engine::Sqlite)
        };
        let live = Payments::new(open("live.db", migrate::PAYMENTS)?, clock.clone());
        let sandbox = Payments::new(open("sandbox.db", migrate::PAYMENTS)?, clock.clone());
        let accounts = Accounts::new(open(ACCOUNTS, migrate::ACCOUNTS)?, clock.clone());
        Ok(Self { accounts, live, sandbox })
    }

    /// Makes sure that no other service runs on a folder, for as long as the returned file is open.
    pub fn lock_embedded(folder: &Path) -> Result<File, StoreError> {
        make_folder(folder)?;
        let path = folder.join(LOCK_FILE);
        let cannot = |reason: String| StoreError::Open { path: path.clone(), reason };
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|e| cannot(e.to_string()))?;
        // Somebody who only looks holds it for a moment.
        let mut tries = 5;
        while tries > 0 && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            std::thread::sleep(Duration::from_millis(20));
            tries -= 1;
        }
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                let reason = "another till serve runs on this folder; stop it or set another TILL_DATA_DIR";
                Err(cannot(reason.to_owned()))
            }
            Err(TryLockError::Error(error)) => Err(cannot(error.to_string())),
        }
    }

    /// Whether a service runs on a folder.
    #[must_use]
    pub fn is_locked(folder: &Path) -> bool {
        folder.join(LOCK_FILE).exists() && Self::lock_embedded(folder).is_err()
    }

    /// Checks that every database keeps what it acknowledges.
    pub fn assert_durable(&self) -> Result<(), StoreError> {
        self.accounts.assert_durable()?;
        self.live.assert_durable()?;
        self.sandbox.assert_durable()
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    let cannot =
        |error: std::io::Error| StoreError::Open { path: folder.to_owned(), reason: error.to_string() };
    fs::create_dir_all(folder).map_err(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(cannot)?;
    }
    Ok(())
}
