//! `till transaction …`: lists movements of money.

use super::{
    Common,
    context::{Context, block_on, vendor_id},
    output::{print, table},
    vendor::EnvironmentArg,
};
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    id::{SessionId, VendorId},
    transaction::Transaction,
};
use till_store::{AllTransactions, Span, TransactionFilter, Turn};

#[derive(Debug, Subcommand)]
pub enum TransactionCommand {
    /// List transactions, newest first
    List {
        /// The environment
        #[arg(long, value_enum, default_value = "live")]
        env: EnvironmentArg,
        /// Only transactions of this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID", conflicts_with = "session")]
        vendor: Option<VendorId>,
        /// Only transactions of this session
        #[arg(long, value_parser = session_id, value_name = "SESSION_ID")]
        session: Option<SessionId>,
        /// Maximum number of lines
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
}

fn session_id(text: &str) -> Result<SessionId, String> {
    SessionId::parse(text).ok_or_else(|| "not a session id".to_owned())
}

/// Runs a `till transaction` command.
pub fn run(common: &Common, command: TransactionCommand) -> anyhow::Result<ExitCode> {
    let TransactionCommand::List { env, vendor, session, limit } = command;
    block_on(async move {
        let context = Context::open(common).await?;
        let payments = context.store(env.into());
        let found = match (session, vendor) {
            (Some(session), _) => payments.transactions_of(session).await?,
            (None, Some(vendor)) => {
                let filter = TransactionFilter { vendor, kind: None, method: None, span: Span::default() };
                payments.transactions(&filter, Turn::Newest, limit).await?
            }
            (None, None) => {
                payments.all_transactions(&AllTransactions::default(), Turn::Newest, limit).await?
            }
        };
        let lines: Vec<TransactionRow> = found.iter().map(TransactionRow::from).collect();
        print(common.json, &lines, |lines| text(lines))?;
        Ok(ExitCode::SUCCESS)
    })
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
