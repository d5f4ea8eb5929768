//! Opens the three databases: accounts, live and sandbox, and makes sure that they belong together.

use crate::{
    accounts::Accounts,
    clock::Clock,
    engine::Engine,
    error::StoreError,
    migrate::{Role, Schema},
    payments::Payments,
    sqlite::{self, Sqlite},
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

/// Held while a service runs on a folder.
const LOCK_FILE: &str = "serve.lock";

impl Stores {
    /// Whether a folder holds an embedded store, be it only in part.
    #[must_use]
    pub fn is_embedded_in(folder: &Path) -> bool {
        Role::ALL.iter().any(|role| folder.join(role.file()).exists())
    }

    /// Opens the embedded store in a folder, making the folder and the files if need be.
    pub fn open_embedded(folder: &Path, durability: Durability, clock: &Clock) -> Result<Self, StoreError> {
        make_folder(folder)?;
        refuse_loss(folder)?;
        let open = |role: Role| {
            Sqlite::open(&folder.join(role.file()), &Schema::of(role), durability).map(Engine::Sqlite)
        };
        Ok(Self {
            accounts: Accounts::new(open(Role::Accounts)?, clock.clone()),
            live: Payments::new(open(Role::Live)?, clock.clone()),
            sandbox: Payments::new(open(Role::Sandbox)?, clock.clone()),
        })
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

/// Refuses a folder in which one file holds rows and another is gone or blank: something was lost, and
/// an empty file in its place would hide it. All three files are made before any of them gets a row, so
/// this looks for rows first.
fn refuse_loss(folder: &Path) -> Result<(), StoreError> {
    let mut filled = None;
    for role in Role::ALL {
        let path = folder.join(role.file());
        if sqlite::has_rows(&path, Schema::of(role).main_table)? {
            filled = Some(role.file());
        }
    }
    let Some(filled) = filled else { return Ok(()) };
    for role in Role::ALL {
        let path = folder.join(role.file());
        if sqlite::is_blank(&path)? {
            let reason =
                format!("it is missing or blank, while {filled} holds data; restore it from a backup");
            return Err(StoreError::Open { path, reason });
        }
    }
    Ok(())
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    let cannot = |error: std::io::Error| {
        let reason = format!("{error}; choose a folder that can be made and written");
        StoreError::Open { path: folder.to_owned(), reason }
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(cannot)?;
    }
    Ok(())
}
