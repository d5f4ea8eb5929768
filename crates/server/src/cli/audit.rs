//! `till audit …`: the audit log.

use super::{
    Common,
    context::{Context, block_on, vendor_id},
    output::{RowPrinter, table},
};
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{audit::AuditEntry, id::VendorId};
use till_store::AuditFilter;

/// Entries that are read at once.
const AT_ONCE: u32 = 500;

#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// List the audit log, newest first: who did what, and from where
    List {
        /// Only entries about this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: Option<VendorId>,
        /// Only entries of the user with this email address
        #[arg(long, value_name = "EMAIL")]
        by: Option<String>,
        /// Maximum number of lines; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
}

/// Runs a `till audit` command.
pub fn run(common: &Common, command: AuditCommand) -> anyhow::Result<ExitCode> {
    let AuditCommand::List { vendor, by, limit } = command;
    block_on(async move {
        let context = Context::open(common).await?;
        let actor = by.map(|by| by.trim().to_lowercase());
        let (mut before, mut rows) = (None, RowPrinter::new(common.json, limit));
        while let Some(limit) = rows.next(AT_ONCE) {
            let filter = AuditFilter { vendor, actor: actor.clone(), event: None, before, limit };
            let page = context.accounts.audit(&filter).await?;
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            rows.add(page.iter().map(AuditRow::from))?;
        }
        rows.finish(text)?;
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
pub(super) struct AuditRow {
    audit_id: String,
    at: String,
    by: String,
    address: Option<String>,
    event: &'static str,
    vendor_id: Option<String>,
    user_id: Option<String>,
    detail: Option<String>,
}

impl From<&AuditEntry> for AuditRow {
    fn from(entry: &AuditEntry) -> Self {
        Self {
            audit_id: entry.id.to_string(),
            at: entry.at.to_string(),
            by: entry.actor.name.clone(),
            address: entry.actor.address.clone(),
            event: entry.event.as_str(),
            vendor_id: entry.vendor.map(|id| id.to_string()),
            user_id: entry.user.map(|id| id.to_string()),
            detail: entry.detail.clone(),
        }
    }
}

/// Entries as a table.
pub(super) fn text(lines: &[AuditRow]) -> String {
    if lines.is_empty() {
        return "No entries match.".to_owned();
    }
    let row = |line: &AuditRow| {
        let about = line.vendor_id.as_ref().or(line.user_id.as_ref());
        let about = about.map_or_else(|| "-".to_owned(), Clone::clone);
        let detail = line.detail.clone().unwrap_or_default();
        vec![line.at.clone(), line.by.clone(), line.event.to_owned(), about, detail]
    };
    table(&["at", "by", "event", "about", "details"], &lines.iter().map(row).collect::<Vec<_>>())
}
