//! `till migrate`: applies what a start would apply to the store, or says what it would be.

use super::{
    Common,
    context::{Context, block_on, load_settings},
    output::{print, table},
};
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;
use till_store::PendingMigrations;

#[derive(Debug, Args)]
pub struct MigrateOptions {
    /// Only say what a start would change: exits with 0 if nothing, 1 if something
    #[arg(long)]
    check: bool,
}

/// Runs `till migrate`.
pub fn run(common: &Common, options: &MigrateOptions) -> anyhow::Result<ExitCode> {
    block_on(async move {
        let settings = load_settings(common)?;
        let pending = settings.place.pending_migrations().await?;
        if !options.check && !pending.is_empty() {
            Context::open_or_make(common).await?;
        }
        let report = MigrationReport {
            changed: !options.check && !pending.is_empty(),
            databases: pending.iter().map(MigrationRow::from).collect(),
        };
        print(common.json, &report, text)?;
        Ok(if options.check && !pending.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}

#[derive(Serialize)]
struct MigrationReport {
    /// True if the migrations were applied.
    changed: bool,
    databases: Vec<MigrationRow>,
}

#[derive(Serialize)]
struct MigrationRow {
    database: &'static str,
    from: i64,
    to: i64,
    /// Whether the version before can be started after it.
    version_before_works: bool,
}

impl From<&PendingMigrations> for MigrationRow {
    fn from(pending: &PendingMigrations) -> Self {
        Self {
            database: pending.database,
            from: pending.applied,
            to: pending.known,
            version_before_works: pending.additive,
        }
    }
}

fn text(report: &MigrationReport) -> String {
    if report.databases.is_empty() {
        return "The schemas are up to date.".to_owned();
    }
    let row = |row: &MigrationRow| {
        let back = if row.version_before_works { "works on it too" } else { "cannot be started on it" };
        vec![row.database.to_owned(), row.from.to_string(), row.to.to_string(), back.to_owned()]
    };
    let rows: Vec<Vec<String>> = report.databases.iter().map(row).collect();
    let said = if report.changed { "Migrated:" } else { "A start of this version migrates:" };
    format!("{said}\n\n{}", table(&["database", "from", "to", "the version before"], &rows))
}
