//! `till transaction …`: lists movements of money.

use super::{
    Common,
    context::{Context, EnvironmentOption, block_on, span, vendor_id},
    output::{RowPrinter, table},
    session::{method, session_id},
};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    id::{SessionId, VendorId},
    method::Method,
    transaction::{Mark, Transaction},
};
use till_store::{AllTransactions, MoneyKind, Payments, TransactionFilter, Turn};

/// Transactions that are read at once.
const AT_ONCE: u32 = 500;

#[derive(Debug, Subcommand)]
pub enum TransactionCommand {
    /// List transactions, newest first
    List {
        #[command(flatten)]
        place: EnvironmentOption,
        /// Only transactions of this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID", conflicts_with = "session")]
        vendor: Option<VendorId>,
        /// Only transactions of this session
        #[arg(long, value_parser = session_id, value_name = "SESSION_ID")]
        session: Option<SessionId>,
        #[command(flatten)]
        filter: FilterArgs,
        /// Maximum number of lines; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
}

#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Only transactions of this kind: plain, late, partial, over, reversed or to_decide
    #[arg(long, value_parser = kind, conflicts_with = "session")]
    kind: Option<MoneyKind>,
    /// Only transactions with this method: card, sbp or crypto
    #[arg(long, value_parser = method, conflicts_with = "session")]
    method: Option<Method>,
    /// Only transactions since this time, such as 2026-11-15T09:30:00Z, or within this period, such as 2h
    #[arg(long, value_name = "T", conflicts_with = "session")]
    since: Option<String>,
    /// Only transactions before this time, or before this period
    #[arg(long, value_name = "T", conflicts_with = "session")]
    until: Option<String>,
}

fn kind(word: &str) -> Result<MoneyKind, String> {
    if word == "to_decide" {
        return Ok(MoneyKind::ToDecide);
    }
    let words = Mark::ALL.map(Mark::as_str).join(", ");
    Mark::parse(word).map(MoneyKind::Is).ok_or_else(|| format!("use one of {words}, to_decide"))
}

/// Runs a `till transaction` command.
pub fn run(common: &Common, command: TransactionCommand) -> anyhow::Result<ExitCode> {
    let TransactionCommand::List { place, vendor, session, filter, limit } = command;
    block_on(async move {
        let context = Context::open(common).await?;
        let payments = context.store(place.env.into());
        let mut rows = RowPrinter::new(common.json, limit);
        match session {
            Some(session) => {
                let found = payments.transactions_of(session).await?;
                rows.add(found.iter().map(TransactionRow::from))?;
            }
            None => list(payments, vendor, &filter, &mut rows).await?,
        }
        rows.finish(text)?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Prints the newest transactions that match.
async fn list(
    payments: &Payments,
    vendor: Option<VendorId>,
    args: &FilterArgs,
    rows: &mut RowPrinter<TransactionRow>,
) -> anyhow::Result<()> {
    let span = span(args.since.as_deref(), args.until.as_deref(), payments.now())?;
    let (kind, method) = (args.kind, args.method);
    let mut turn = Turn::Newest;
    while let Some(count) = rows.next(AT_ONCE) {
        let page = match vendor {
            Some(vendor) => {
                let filter = TransactionFilter { vendor, kind, method, span };
                payments.transactions(&filter, turn, count).await?
            }
            None => payments.all_transactions(&AllTransactions { kind, method, span }, turn, count).await?,
        };
        let Some(last) = page.last() else { break };
        turn = Turn::Older(last.id);
        rows.add(page.iter().map(TransactionRow::from))?;
    }
    Ok(())
}

/// A movement of money as commands print it.
#[derive(Serialize)]
pub struct TransactionRow {
    pub transaction_id: String,
    pub session_id: String,
    pub vendor_id: String,
    pub state: &'static str,
    pub amount: String,
    pub received: String,
    pub method: &'static str,
    pub provider: String,
    pub reference: String,
    pub late: bool,
    pub partial: bool,
    pub over: bool,
    pub reversed: bool,
    pub at: String,
}

impl From<&Transaction> for TransactionRow {
    fn from(money: &Transaction) -> Self {
        Self {
            transaction_id: money.id.to_string(),
            session_id: money.session.to_string(),
            vendor_id: money.vendor.to_string(),
            state: money.state(),
            amount: money.moved().to_string(),
            received: money.received.to_string(),
            method: money.method.as_str(),
            provider: money.provider.clone(),
            reference: money.reference.clone(),
            late: money.marks.late,
            partial: money.marks.partial,
            over: money.marks.over,
            reversed: money.marks.reversed,
            at: money.at.to_string(),
        }
    }
}

fn text(lines: &[TransactionRow]) -> String {
    if lines.is_empty() {
        return "No transactions match.".to_owned();
    }
    let row = |line: &TransactionRow| {
        let marks = [(line.late, "late"), (line.partial, "partial"), (line.over, "over")];
        let marks = marks.into_iter().chain([(line.reversed, "reversed")]);
        let marks: Vec<&str> = marks.filter(|(set, _)| *set).map(|(_, word)| word).collect();
        vec![
            line.at.clone(),
            line.state.to_owned(),
            line.amount.clone(),
            line.received.clone(),
            line.method.to_owned(),
            format!("{} {}", line.provider, line.reference),
            line.session_id.clone(),
            marks.join(" "),
        ]
    };
    let head = ["at", "state", "worth", "received", "method", "reference", "session", ""];
    table(&head, &lines.iter().map(row).collect::<Vec<_>>())
}
