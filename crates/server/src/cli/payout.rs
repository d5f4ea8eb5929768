//! `till payout …`: lists the vendors' payout requests and records their progress.

use super::{
    Common,
    context::{Context, block_on, vendor_id},
    output::{print, table},
};
use anyhow::{Context as _, bail};
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::Actor,
    environment::EnvironmentName,
    id::{PayoutId, VendorId},
    payout::{Payout, PayoutState},
};
use till_service::admin::{self, PayoutStepOutcome};
use till_store::{PayoutFilter, StoredPayout};

#[derive(Debug, Subcommand)]
pub enum PayoutCommand {
    /// List payouts waiting for the operator, newest first
    List {
        /// Only payouts of this vendor, in any state
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: Option<VendorId>,
        /// Include finished payouts
        #[arg(long)]
        all: bool,
        /// Maximum number of lines
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Approve a payout; then pay it at your bank and mark it sent or failed
    Approve {
        /// The payout's id
        #[arg(value_parser = payout_id)]
        id: PayoutId,
    },
    /// Refuse a payout: the money returns to the vendor's available balance
    Refuse {
        /// The payout's id
        #[arg(value_parser = payout_id)]
        id: PayoutId,
        /// The reason; the vendor sees it
        #[arg(long)]
        reason: String,
    },
    /// Mark an approved payout as sent
    Sent {
        /// The payout's id
        #[arg(value_parser = payout_id)]
        id: PayoutId,
        /// The bank's reference; the vendor sees it
        #[arg(long)]
        reference: String,
    },
    /// Mark an approved payout as failed: the money returns to the vendor's available balance
    Failed {
        /// The payout's id
        #[arg(value_parser = payout_id)]
        id: PayoutId,
        /// The reason; the vendor sees it
        #[arg(long)]
        reason: String,
    },
}

fn payout_id(text: &str) -> Result<PayoutId, String> {
    PayoutId::parse(text).ok_or_else(|| "not a payout id; `till payout list` lists them".to_owned())
}

/// Runs a `till payout` command.
pub fn run(common: &Common, command: PayoutCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        let (id, state, note) = match command {
            PayoutCommand::List { vendor, all, limit } => {
                let filter = PayoutFilter { vendor, ended: all, before: None };
                list(&context, json, &filter, limit).await?;
                return Ok(ExitCode::SUCCESS);
            }
            PayoutCommand::Approve { id } => (id, PayoutState::Approved, None),
            PayoutCommand::Refuse { id, reason } => (id, PayoutState::Refused, Some(reason)),
            PayoutCommand::Sent { id, reference } => (id, PayoutState::Sent, Some(reference)),
            PayoutCommand::Failed { id, reason } => (id, PayoutState::Failed, Some(reason)),
        };
        step(&context, json, id, (state, note)).await?;
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct PayoutRow {
    payout_id: String,
    vendor_id: String,
    amount: String,
    currency: &'static str,
    destination: String,
    state: &'static str,
    asked_at: String,
    asked_by: String,
    note: Option<String>,
}

impl From<&StoredPayout> for PayoutRow {
    fn from(stored: &StoredPayout) -> Self {
        let payout = &stored.payout;
        Self {
            payout_id: payout.id.to_string(),
            vendor_id: payout.vendor.to_string(),
            amount: payout.amount.digits(),
            currency: payout.amount.currency.code(),
            destination: payout.destination.clone(),
            state: stored.state().as_str(),
            asked_at: payout.at.to_string(),
            asked_by: payout.by.clone(),
            note: stored.steps.last().and_then(|step| step.note.clone()),
        }
    }
}

async fn list(context: &Context, json: bool, filter: &PayoutFilter, limit: u32) -> anyhow::Result<()> {
    let ledger = context.store(EnvironmentName::Live).ledger().context("there is no ledger")?;
    let lines: Vec<PayoutRow> = ledger.payouts(filter, limit).await?.iter().map(PayoutRow::from).collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "No payouts match.".to_owned();
        }
        let row = |line: &PayoutRow| {
            vec![
                line.payout_id.clone(),
                line.asked_at.clone(),
                line.vendor_id.clone(),
                format!("{} {}", line.amount, line.currency),
                line.state.to_owned(),
                line.destination.replace('\n', ", "),
            ]
        };
        let head = ["payout", "requested", "vendor", "amount", "state", "destination"];
        table(&head, &lines.iter().map(row).collect::<Vec<_>>())
    })
}

async fn step(
    context: &Context,
    json: bool,
    id: PayoutId,
    (state, note): (PayoutState, Option<String>),
) -> anyhow::Result<()> {
    let note = match note {
        Some(text) => Some(Payout::read_note(&text).context("use 1 to 200 characters, on one line")?),
        None => None,
    };
    let live = context.store(EnvironmentName::Live);
    match admin::step_payout(&context.accounts, live, &Actor::shell(), id, (state, note)).await? {
        PayoutStepOutcome::Done(stored) => print(json, &PayoutRow::from(&stored), |line| {
            format!("Payout {} of {} {} is {}.", line.payout_id, line.amount, line.currency, line.state)
        }),
        PayoutStepOutcome::Unfit(stored) => {
            bail!("payout {id} is {}: it cannot become {}", stored.state().as_str(), state.as_str())
        }
        PayoutStepOutcome::Missing => bail!("there is no payout {id}; `till payout list --all` lists them"),
    }
}
