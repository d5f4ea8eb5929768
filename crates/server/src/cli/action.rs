//! `till action …`: lists and resolves actions: money that came late, short or unexpectedly or is otherwise
//! at a provider.

use super::{
    Common,
    context::{Context, block_on, vendor_id},
    output::{print, table},
    transaction,
    vendor::EnvironmentArg,
};
use anyhow::bail;
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::Actor,
    decision::Obstacle,
    environment::EnvironmentName,
    id::{ActionId, VendorId},
    transaction::{ActionKind, Resolution},
};
use till_service::admin::{self, DecisionOutcome};
use till_store::{ActionFilter, Payments, StoredAction};

#[derive(Debug, Subcommand)]
pub enum ActionCommand {
    /// List actions that need a decision, newest first
    List {
        #[command(flatten)]
        place: EnvironmentOption,
        /// Only actions of this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: Option<VendorId>,
        /// Include actions that were decided
        #[arg(long)]
        all: bool,
        /// Maximum number of lines
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show an action with its session and its money
    Show {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The action's id
        #[arg(value_parser = action_id)]
        id: ActionId,
    },
    /// Record the decision; it cannot be changed later
    Resolve {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The action's id
        #[arg(value_parser = action_id)]
        id: ActionId,
        /// The decision
        #[arg(value_enum)]
        decision: DecisionArg,
        /// Name of the person who decided
        #[arg(long, default_value = "operator", value_name = "NAME")]
        by: String,
        /// With refund: the money has been sent back already, no provider shall send it
        #[arg(long)]
        by_hand: bool,
    },
}

/// The environment of the action.
#[derive(Debug, Args)]
pub struct EnvironmentOption {
    /// The environment
    #[arg(long, value_enum, default_value = "live")]
    env: EnvironmentArg,
}

/// The possible decisions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DecisionArg {
    /// The money goes back: a provider sends it if it can, else it was sent by hand
    Refund,
    /// The money belongs to the vendor
    Accept,
    /// There is no money, a dispute was won, or a difference is settled: nothing moves
    Dismiss,
    /// The amount taken or demanded back is charged to the vendor's available balance
    Charge,
    /// The amount taken or demanded back is the operator's loss
    Absorb,
}

impl From<DecisionArg> for Resolution {
    fn from(decision: DecisionArg) -> Self {
        match decision {
            DecisionArg::Refund => Self::Refund,
            DecisionArg::Accept => Self::Accept,
            DecisionArg::Dismiss => Self::Dismiss,
            DecisionArg::Charge => Self::Charge,
            DecisionArg::Absorb => Self::Absorb,
        }
    }
}

fn action_id(text: &str) -> Result<ActionId, String> {
    ActionId::parse(text).ok_or_else(|| "not an id; `till action list` shows them".to_owned())
}

/// Runs a `till action` command.
pub fn run(common: &Common, command: ActionCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        match command {
            ActionCommand::List { place, vendor, all, limit } => {
                let filter = ActionFilter { vendor, decided: all, before: None };
                list(context.store(place.env.into()), json, &filter, limit).await?;
            }
            ActionCommand::Show { place, id } => show(context.store(place.env.into()), json, id).await?,
            ActionCommand::Resolve { place, id, decision, by, by_hand } => {
                let environment = place.env.into();
                let resolution = decision.into();
                // What providers the service has is not known at a shell.
                let sent_by = if by_hand { admin::SentBy::Operator } else { admin::SentBy::Service };
                let decision = admin::Decision { action: id, resolution, by: &by, sent_by };
                resolve(&context, json, environment, decision).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct ActionRow {
    action_id: String,
    kind: &'static str,
    session_id: Option<String>,
    vendor_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    created_at: String,
    decision: Option<&'static str>,
    decided_at: Option<String>,
    decided_by: Option<String>,
}

impl From<&StoredAction> for ActionRow {
    fn from(stored: &StoredAction) -> Self {
        let action = &stored.action;
        let decided = stored.decided.as_ref();
        Self {
            action_id: action.id.to_string(),
            kind: action.kind.as_str(),
            session_id: action.session.map(|id| id.to_string()),
            vendor_id: action.vendor.map(|id| id.to_string()),
            note: action.finding.as_ref().map(|finding| finding.note.clone()),
            created_at: action.at.to_string(),
            decision: decided.map(|(resolution, ..)| resolution.as_str()),
            decided_at: decided.map(|(_, at, _)| at.to_string()),
            decided_by: decided.map(|(.., by)| by.clone()),
        }
    }
}

async fn list(payments: &Payments, json: bool, filter: &ActionFilter, limit: u32) -> anyhow::Result<()> {
    let lines: Vec<ActionRow> = payments.actions(filter, limit).await?.iter().map(ActionRow::from).collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "Nothing needs a decision.".to_owned();
        }
        let row = |line: &ActionRow| {
            vec![
                line.action_id.clone(),
                line.created_at.clone(),
                line.kind.to_owned(),
                line.session_id.clone().unwrap_or_else(|| "-".to_owned()),
                line.decision.unwrap_or("-").to_owned(),
            ]
        };
        let head = ["action", "since", "what", "session", "decided"];
        table(&head, &lines.iter().map(row).collect::<Vec<_>>())
    })
}

#[derive(Serialize)]
struct ActionDetails {
    #[serde(flatten)]
    line: ActionRow,
    meaning: &'static str,
    money: Option<transaction::TransactionRow>,
    /// The amount in suspense, where a ledger is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<String>,
}

/// The explanation of an action, with the possible decisions.
fn meaning(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Late => {
            "Money came after the session was final. Send it back at the provider, or accept it for the vendor."
        }
        ActionKind::Partial => {
            "Less money came than was asked for. Send it back at the provider, or accept it for the vendor."
        }
        ActionKind::Unreachable => {
            "The session ended while the provider did not answer. Look there whether money was taken."
        }
        ActionKind::Mismatch => {
            "The provider's payment is not the one that was asked for. Look there what it is."
        }
        ActionKind::Surplus => {
            "More money came than was asked for. Send the rest back at the provider, or accept it for the vendor."
        }
        ActionKind::Reversed => {
            "Money that had been counted was taken back: a chain dropped the block it was in. The session keeps its \
             status. Charge the vendor, or let the operator bear it."
        }
        ActionKind::Disputed => {
            "The customer's bank demands money back. Answer at the provider in time. When it is over, dismiss it if it \
             was won; else charge the vendor, or let the operator bear it. The session keeps its status."
        }
        ActionKind::RefundLost => {
            "A refund that had arrived came back to the provider. Send it again, or accept it for the vendor."
        }
        ActionKind::Difference => {
            "The provider's records differ from ours, or it has not answered about a refund for 24 hours. Look at both, \
             put right what is wrong, then dismiss it."
        }
    }
}

async fn show(payments: &Payments, json: bool, id: ActionId) -> anyhow::Result<()> {
    let Some(stored) = payments.action(id).await? else { return Err(no_such_action(id)) };
    let money = match stored.action.transaction {
        Some(id) => payments.transaction(id).await?,
        None => None,
    };
    let held = admin::held(payments, &stored.action).await?.map(|held| held.to_string());
    let details = ActionDetails {
        line: ActionRow::from(&stored),
        meaning: meaning(stored.action.kind),
        money: money.as_ref().map(transaction::TransactionRow::from),
        held,
    };
    print(json, &details, |details| {
        let line = &details.line;
        let mut text = format!("{}\n", details.meaning);
        let mut add = |name: &str, value: &str| text.push_str(&format!("{name:14}{value}\n"));
        add("action", &line.action_id);
        for (name, value) in
            [("session", &line.session_id), ("vendor", &line.vendor_id), ("found", &line.note)]
        {
            if let Some(value) = value {
                add(name, value);
            }
        }
        add("since", &line.created_at);
        if let Some(money) = &details.money {
            add("received", &money.received);
            add("worth", &money.amount);
            add("by", &format!("{} at {}, {}", money.method, money.provider, money.reference));
        }
        if let Some(held) = &details.held {
            add("to decide", held);
        }
        let decided = line.decision.map(|decision| {
            let by = line.decided_by.as_deref().unwrap_or_default();
            format!("{decision} by {by} at {}", line.decided_at.as_deref().unwrap_or_default())
        });
        add("decided", decided.as_deref().unwrap_or("not yet"));
        text
    })
}

fn no_such_action(id: ActionId) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no action {id} in this environment; `till action list` shows them, --env picks the environment"
    )
}

async fn resolve(
    context: &Context,
    json: bool,
    environment: EnvironmentName,
    decision: admin::Decision<'_>,
) -> anyhow::Result<()> {
    let (id, resolution) = (decision.action, decision.resolution);
    let payments = context.store(environment);
    let stored = match admin::resolve(&context.accounts, payments, &Actor::shell(), decision).await? {
        DecisionOutcome::Done(stored) => stored,
        DecisionOutcome::Missing => return Err(no_such_action(id)),
        DecisionOutcome::Before(_) => {
            bail!("action {id} was decided before; `till action show {id}` says how")
        }
        DecisionOutcome::Refused(_, Obstacle::NotCovered { needed, available }) => bail!(
            "the vendor has {available} available and this takes {needed}: decide absorb, or wait until it has more"
        ),
        DecisionOutcome::Refused(_, Obstacle::Gone) => bail!(
            "the money of action {id} was taken back, so there is nothing to send: decide accept, and charge for the \
             action about what was taken back"
        ),
        DecisionOutcome::Refused(stored, Obstacle::Unfit) if stored.action.kind == ActionKind::Reversed => {
            bail!("action {id} is about money that was taken back: decide charge or absorb")
        }
        DecisionOutcome::Refused(stored, Obstacle::Unfit) if stored.action.finding.is_some() => {
            let words: Vec<_> = stored.action.choices().iter().map(|choice| choice.as_str()).collect();
            bail!("action {id} cannot be decided like this: decide {}", words.join(" or "))
        }
        DecisionOutcome::Refused(stored, Obstacle::Unfit) if stored.action.transaction.is_some() => {
            bail!("action {id} is about money that is there: decide refund or accept")
        }
        DecisionOutcome::Refused(_, Obstacle::Unfit) => bail!(
            "action {id} has no money to send back or accept: decide dismiss once the provider says that nothing \
             was taken"
        ),
    };
    print(json, &ActionRow::from(&stored), |line| {
        format!("Action {} is decided: {}.", line.action_id, resolution.as_str())
    })
}
