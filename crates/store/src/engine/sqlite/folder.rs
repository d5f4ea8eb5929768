//! The folder of an embedded store: three files that belong together, and one service at a time.

use crate::engine::{
    error::StoreError,
    migrate::{Role, Schema},
};
use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

/// The lock file, held while a service runs on a folder.
const LOCK_FILE: &str = "serve.lock";

/// True if a folder holds a store, even an incomplete one.
pub(crate) fn holds_store(folder: &Path) -> bool {
    Role::ALL.iter().any(|role| folder.join(role.file()).exists())
}

/// Locks a folder: no other service can run on it while the returned file is open.
pub(crate) fn lock(folder: &Path) -> Result<File, StoreError> {
    make_folder(folder)?;
    let path = folder.join(LOCK_FILE);
    let cannot = |reason: String| StoreError::cannot_open(path.display(), reason);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|e| cannot(e.to_string()))?;
    // A process that only checks the lock holds it for a moment.
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

/// True if a service runs on a folder.
pub(crate) fn is_locked(folder: &Path) -> bool {
    folder.join(LOCK_FILE).exists() && lock(folder).is_err()
}

/// Refuses a folder in which one file holds rows and another is missing or blank: something was lost, and an
/// empty file in its place would hide it. All three files are created before any of them gets a row, so this
/// checks for rows first.
pub(crate) fn refuse_loss(folder: &Path) -> Result<(), StoreError> {
    let mut filled = None;
    for role in Role::ALL {
        let path = restoring(folder, role);
        if path.exists() {
            let reason = "a restore was cut off: delete the folder and run `till restore` again";
            return Err(StoreError::cannot_open(path.display(), reason));
        }
        let path = folder.join(role.file());
        if super::has_rows(&path, Schema::of(role).main_table)? {
            filled = Some(role.file());
        }
    }
    let Some(filled) = filled else { return Ok(()) };
    for role in Role::ALL {
        let path = folder.join(role.file());
        if super::is_blank(&path)? {
            let reason =
                format!("it is missing or empty, while {filled} contains data; restore it from a backup");
            return Err(StoreError::cannot_open(path.display(), reason));
        }
    }
    Ok(())
}

/// A database that is being restored, until it is on hold and has its name.
pub(crate) fn restoring(folder: &Path, role: Role) -> PathBuf {
    folder.join(format!("{}.restoring", role.file()))
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    let cannot = |error: std::io::Error| {
        let reason = format!("{error}; choose a folder that can be made and written");
        StoreError::cannot_open(folder.display(), reason)
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(cannot)?;
    }
    Ok(())
}
