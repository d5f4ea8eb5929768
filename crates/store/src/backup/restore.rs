//! Restores a backup into an empty folder, on hold.

use super::{
    BackupError, FORMAT, MANIFEST, Manifest, ManifestFile, ORDER, Progress, archive::Hashing, sync_folder,
};
use crate::{
    FailPoint,
    accounts::hold::{self, HoldReason},
    engine::{
        error::StoreError,
        migrate::{Role, Schema},
        sqlite::{folder, identity::beside, migrate},
    },
    payments::after_restore,
};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File},
    io::{self, BufReader, Read},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};
use till_domain::time::Timestamp;

/// The name under which a hold is placed by a restore.
const PLACED_BY: &str = "till restore";

/// Restores a backup into a folder that is new or empty. The store is on hold from its first moment: a service that is
/// started on it sends nothing and expires nothing until an operator releases it.
pub fn restore(
    file: &Path,
    into: &Path,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Manifest, BackupError> {
    let was_there = prepare(into)?;
    let restored = unpack(file, into, progress).and_then(|manifest| {
        FailPoint::RestoreUnpacked.reach();
        place_hold(into, now)?;
        FailPoint::RestoreHeld.reach();
        name_files(into)?;
        Ok(manifest)
    });
    if restored.is_err() {
        for role in ORDER {
            let path = folder::restoring(into, role);
            for suffix in ["", "-wal", "-shm", "-journal"] {
                let _ = fs::remove_file(beside(&path, suffix));
            }
            let _ = fs::remove_file(into.join(role.file()));
        }
        if !was_there {
            let _ = fs::remove_dir(into);
        }
    }
    restored
}

/// Makes the folder, and refuses one that has files; true if it was there.
fn prepare(into: &Path) -> Result<bool, BackupError> {
    let failed = || BackupError::io(into);
    match fs::read_dir(into) {
        Ok(mut entries) => match entries.next() {
            None => Ok(true),
            Some(_) => Err(BackupError::NotEmpty(into.to_owned())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(into).map_err(failed())?;
            Ok(false)
        }
        Err(error) => Err(failed()(error)),
    }
}

/// Unpacks the three databases and compares them with the manifest.
fn unpack(file: &Path, into: &Path, progress: Progress<'_>) -> Result<Manifest, BackupError> {
    let unusable = |reason: String| BackupError::Unusable { file: file.to_owned(), reason };
    let opened = File::open(file).map_err(BackupError::io(file))?;
    let total = opened.metadata().map_err(BackupError::io(file))?.len();
    let mut archive = tar::Archive::new(BufReader::with_capacity(1 << 20, opened));
    let (mut found, mut manifest, mut before) = (Vec::new(), None, 0);
    let damaged = |error: io::Error| unusable(format!("it is damaged, or not a backup: {error}"));
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let name = entry.path().map_err(damaged)?.to_string_lossy().into_owned();
        if name == MANIFEST {
            let mut text = String::new();
            entry.read_to_string(&mut text).map_err(damaged)?;
            let read: Manifest = serde_json::from_str(&text)
                .map_err(|error| unusable(format!("its manifest is not readable: {error}")))?;
            manifest = Some(read);
            continue;
        }
        let Some(role) = ORDER.into_iter().find(|role| role.file() == name) else {
            return Err(unusable(format!("it has a file that is not of a backup: {name}")));
        };
        let size = entry.size();
        let stored = unpack_one(&mut entry, &folder::restoring(into, role), &mut |done| {
            progress(before + done, total)
        });
        let sha256 = stored?.ok_or(BackupError::Interrupted)?;
        before += size;
        found.push(ManifestFile { name, bytes: size, sha256, schema: 0, commits: 0 });
    }
    let manifest =
        manifest.ok_or_else(|| unusable("it is incomplete: the manifest is missing".to_owned()))?;
    if manifest.format != FORMAT {
        let reason = format!("its format is {}, this version of till reads {FORMAT}", manifest.format);
        return Err(unusable(reason));
    }
    for role in ORDER {
        let named = |file: &&ManifestFile| file.name == role.file();
        let (Some(wanted), Some(got)) = (manifest.files.iter().find(named), found.iter().find(named)) else {
            return Err(unusable(format!("{} is missing", role.file())));
        };
        if wanted.sha256 != got.sha256 || wanted.bytes != got.bytes {
            return Err(unusable(format!("{} is damaged: its checksum is wrong", role.file())));
        }
    }
    progress(total, total);
    Ok(manifest)
}

/// Writes one file; its checksum, or `None` if the work was interrupted.
fn unpack_one(
    entry: &mut impl Read,
    path: &Path,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<String>, BackupError> {
    let failed = || BackupError::io(path);
    let mut options = File::options();
    let opened = options.create_new(true).write(true).mode(0o600).open(path);
    let mut target = opened.map_err(failed())?;
    let mut hashing = Hashing { source: entry, hash: Sha256::new(), done: 0, progress, interrupted: false };
    let copied = io::copy(&mut hashing, &mut target);
    if hashing.interrupted {
        return Ok(None);
    }
    copied.map_err(failed())?;
    target.sync_all().map_err(failed())?;
    Ok(Some(hex::encode(hashing.hash.finalize())))
}

/// Brings the schemas up to date and puts the store on hold, before its files have the names that a service opens. A version
/// of till that does not know of holds cannot be started on it.
fn place_hold(into: &Path, now: Timestamp) -> Result<(), BackupError> {
    for role in ORDER {
        let (path, schema) = (folder::restoring(into, role), Schema::of(role));
        let unusable =
            |error: StoreError| BackupError::Unusable { file: path.clone(), reason: error.to_string() };
        let change = || -> rusqlite::Result<Result<(), StoreError>> {
            let mut connection = Connection::open(&path)?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            if let Err(error) = migrate::migrate(&mut connection, &path, &schema) {
                return Ok(Err(error));
            }
            connection.pragma_update(None, "user_version", schema.version())?;
            pass_over(&connection, role, now)?;
            connection.close().map_err(|(_, error)| error).map(Ok)
        };
        change().map_err(BackupError::database(role))?.map_err(unusable)?;
    }
    Ok(())
}

fn pass_over(connection: &Connection, role: Role, now: Timestamp) -> rusqlite::Result<()> {
    if role == Role::Accounts {
        let reason = HoldReason::Restored.as_str();
        connection.execute(hold::PLACE.sqlite(), (now.as_ms(), reason, PLACED_BY))?;
        return Ok(());
    }
    connection.execute(after_restore::PASS_FEEDS.sqlite(), [after_restore::PASSED_OVER])?;
    connection.execute(after_restore::CHECK_REFUNDS.sqlite(), [])?;
    if role == Role::Live {
        let least = after_restore::least_index(now);
        connection.execute(after_restore::RAISE_FLOOR.sqlite(), [after_restore::PASSED_OVER, least])?;
    }
    Ok(())
}

/// Gives the files their names, the accounts last: a service does not start without them.
fn name_files(into: &Path) -> Result<(), BackupError> {
    for role in ORDER {
        let path = into.join(role.file());
        fs::rename(folder::restoring(into, role), &path).map_err(BackupError::io(&path))?;
        sync_folder(into)?;
        FailPoint::RestoreFileNamed.reach();
    }
    into.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), sync_folder)
}
