//! `till move`: the embedded store to PostgreSQL.

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
};
use till_domain::audit::{Actor, AuditEvent};
use till_service::admin::entry;
use till_store::{
    Durability, StoreLocation, Stores,
    relocation::{self, MovedTable, RelocationError, RelocationProgress, RelocationStep},
};

const NOT_MOVED: &str = "nothing was moved; run the command again once the problem is solved";

#[derive(Debug, Args)]
pub struct MoveOptions {
    /// The data folder of the embedded store; the service must be stopped
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
}

/// Runs `till move`.
pub fn run(common: &Common, options: &MoveOptions) -> anyhow::Result<ExitCode> {
    let settings = load_settings(common)?;
    let StoreLocation::Server(url) = &settings.place else {
        bail!("set TILL_DATABASE_URL to the empty PostgreSQL database to move to")
    };
    block_on(async {
        let mut progress = Progress::new();
        let copying = relocation::copy_store(&options.from, url, |at| {
            progress.show(at.done, at.total, || progress_line(&at));
        });
        let copied = tokio::select! {
            copied = copying => copied.context(NOT_MOVED)?,
            _ = tokio::signal::ctrl_c() => bail!("interrupted: nothing was moved; run the command again"),
        };
        let moved = match copied.commit().await {
            Err(unknown @ RelocationError::Unknown(_)) => return Err(unknown.into()),
            moved => moved.context(NOT_MOVED)?,
        };
        prepare_old_store(&options.from).await.context(
            "the store was moved and the old one is on hold, but the old one could not be prepared for a return: do not \
             release it",
        )?;
        print(common.json, &MoveReport::from(moved.as_slice()), text)?;
        Ok(ExitCode::SUCCESS)
    })
}

fn progress_line(at: &RelocationProgress<'_>) -> String {
    let step = match at.step {
        RelocationStep::Copying(table) => format!("copying {table}"),
        RelocationStep::Comparing(table) => format!("comparing {table}"),
        RelocationStep::CheckingReferences => "checking foreign keys".to_owned(),
    };
    format!("{:>3} %  {step}", at.done.saturating_mul(100) / at.total.max(1))
}

/// The old store is on hold. If an operator goes back to it, it does not give out again what the new one has given out.
async fn prepare_old_store(folder: &Path) -> anyhow::Result<()> {
    let place = StoreLocation::Folder(folder.to_owned());
    let stores = Stores::open(&place, Durability::Full, None).await?;
    for payments in [&stores.live, &stores.sandbox] {
        payments.prepare_after_restore().await?;
    }
    let line = entry(&stores.accounts, &Actor::shell(), AuditEvent::HoldPlaced).saying("moved".to_owned());
    Ok(stores.accounts.record(&line).await?)
}

#[derive(Serialize)]
struct MoveReport {
    rows: u64,
    tables: Vec<MovedRow>,
}

#[derive(Serialize)]
struct MovedRow {
    table: String,
    rows: u64,
    /// The same in the file and on the server.
    checksum: String,
}

impl From<&[MovedTable]> for MoveReport {
    fn from(moved: &[MovedTable]) -> Self {
        let row = |table: &MovedTable| MovedRow {
            table: table.name.clone(),
            rows: table.rows,
            checksum: table.checksum.clone(),
        };
        Self { rows: moved.iter().map(|table| table.rows).sum(), tables: moved.iter().map(row).collect() }
    }
}

fn text(report: &MoveReport) -> String {
    format!(
        "{} rows of {} tables are on the server, each table with the checksum that it has in the files. The old store is \
         on hold. Run `till verify`, then start the service with TILL_DATABASE_URL and the same master key.",
        report.rows,
        report.tables.len()
    )
}
