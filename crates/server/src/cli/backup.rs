//! `till backup` and `till restore`: the embedded store in one file, and back.

use super::{
    Common,
    context::{block_on, load_settings},
    output::print,
    progress::Progress,
};
use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use till_store::{
    Clock, StoreLocation,
    backup::{self, BackupError, Manifest},
};
use tokio::signal::unix::{SignalKind, signal};

#[derive(Debug, Args)]
pub struct BackupOptions {
    /// The file to write; it must not exist yet
    file: PathBuf,
}

#[derive(Debug, Args)]
pub struct RestoreOptions {
    /// The file that `till backup` wrote
    file: PathBuf,
    /// The folder to restore into: new or empty
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

/// Runs `till backup`.
pub fn back_up(common: &Common, options: BackupOptions) -> anyhow::Result<ExitCode> {
    let settings = load_settings(common)?;
    let folder = match &settings.place {
        StoreLocation::Folder(folder) => folder.clone(),
        StoreLocation::Server(_) => bail!(
            "the store is on PostgreSQL: back it up with \
             `pg_dump --format=custom --file=till.dump \"$TILL_DATABASE_URL\"`, or by continuous archiving"
        ),
    };
    let file = options.file.clone();
    let manifest = long_work("stored", move |progress| {
        let version = env!("CARGO_PKG_VERSION");
        backup::back_up(&folder, &file, version, Clock::System.now(), progress)
    })?;
    let row = BackupRow::new(&options.file, &manifest);
    print(common.json, &row, |row| {
        format!(
            "{} holds the store as of {} ({}). The master key is not in it: keep both, in different places.",
            row.file,
            row.made_at,
            size(row.bytes)
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `till restore`.
pub fn restore(common: &Common, options: RestoreOptions) -> anyhow::Result<ExitCode> {
    let settings = load_settings(common)?;
    if let StoreLocation::Server(_) = settings.place {
        bail!(
            "the store is on PostgreSQL: restore it into an empty database with \
             `pg_restore --dbname=\"$TILL_DATABASE_URL\" till.dump`, run `till hold` before you start the \
             service, and `till release` after you have checked it"
        );
    }
    let (file, into) = (options.file.clone(), options.into.clone());
    let manifest =
        long_work("restored", move |progress| backup::restore(&file, &into, Clock::System.now(), progress))?;
    let row = BackupRow::new(&options.into, &manifest);
    print(common.json, &row, |row| {
        format!(
            "{} holds the store as of {}, on hold. Next:\n  \
             till verify --data-dir {0}    # check it\n  \
             till serve --data-dir {0}     # start it: nothing is sent and nothing expires\n  \
             till release --data-dir {0}   # see what will happen, and let it happen",
            row.file, row.made_at,
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct BackupRow {
    /// The file or folder that was written.
    file: String,
    made_at: String,
    till: String,
    bytes: u64,
}

impl BackupRow {
    fn new(path: &Path, manifest: &Manifest) -> Self {
        Self {
            file: path.display().to_string(),
            made_at: manifest.made_at.clone(),
            till: manifest.till.clone(),
            bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        }
    }
}

/// Does work that reports its progress in bytes, until it ends or the user interrupts it.
fn long_work(
    word: &'static str,
    work: impl FnOnce(backup::Progress<'_>) -> Result<Manifest, BackupError> + Send + 'static,
) -> anyhow::Result<Manifest> {
    block_on(async move {
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let mut working = tokio::task::spawn_blocking(move || {
            let mut progress = Progress::new();
            work(&mut |done, total| {
                progress.show(done, total, || {
                    let percent = done.saturating_mul(100).checked_div(total).unwrap_or(100);
                    format!("{word} {} of {} ({percent} %)", size(done), size(total))
                });
                !stop.load(Ordering::Relaxed)
            })
        });
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            done = &mut working => return Ok(done.context("the command failed unexpectedly")??),
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stopped.store(true, Ordering::Relaxed);
        Ok(working.await.context("the command failed unexpectedly")??)
    })
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes % 1_000_000_000 / 100_000_000),
    }
}
