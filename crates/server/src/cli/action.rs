//! `till action …`: lists and resolves actions: money that came late, short or unexpectedly or is otherwise
//! at a provider.

use super::{
    Common, action_work,
    context::{Context, EnvironmentOption, block_on, vendor_id},
    output::{print, table},
    transaction,
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
use till_store::{ActionFilter, ActionsShown, AssigneeFilter, Payments, StoredAction};

#[derive(Debug, Subcommand)]
pub enum ActionCommand {
    /// List actions that need a decision, newest first
    List {
        #[command(flatten)]
        place: EnvironmentOption,
        #[command(flatten)]
        filter: FilterArgs,
        /// Maximum number of lines
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show how long actions wait: the open ones, and those that were decided in the last 30 days
    Figures {
        #[command(flatten)]
        place: EnvironmentOption,
    },
    /// Assign an open action to an operator, or to none
    Assign {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The action's id
        #[arg(value_parser = action_id)]
        id: ActionId,
        #[command(flatten)]
        whom: WhomArgs,
    },
    /// Add a note to an open action
    Note {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The action's id
        #[arg(value_parser = action_id)]
        id: ActionId,
        /// The note: plain text, at most 1000 characters
        text: String,
        /// Name of the author
        #[arg(long, default_value = "operator", value_name = "NAME")]
        by: String,
    },
    /// Show an action with its session, transaction and notes
    Show {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The action's id
        #[arg(value_parser = action_id)]
        id: ActionId,
    },
    /// Resolve an action; the decision is final
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
        /// With refund: you have already sent the money back manually, so the provider must not
        #[arg(long)]
        by_hand: bool,
    },
}

/// The filters of a list.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Only actions of this vendor
    #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
    vendor: Option<VendorId>,
    /// Only actions of this kind, such as late or disputed
    #[arg(long, value_parser = action_kind)]
    kind: Option<ActionKind>,
    /// Only actions assigned to this operator
    #[arg(long, value_name = "EMAIL", conflicts_with = "unassigned")]
    assignee: Option<String>,
    /// Only actions assigned to no operator
    #[arg(long)]
    unassigned: bool,
    /// Include resolved actions
    #[arg(long)]
    all: bool,
    /// Only resolved actions
    #[arg(long, conflicts_with = "all")]
    decided: bool,
    /// Only open actions with a due time, the earliest first
    #[arg(long, conflicts_with_all = ["all", "decided"])]
    due: bool,
}

impl From<FilterArgs> for ActionFilter {
    fn from(args: FilterArgs) -> Self {
        let assignee = match args.assignee {
            Some(email) => AssigneeFilter::Is(email.trim().to_lowercase()),
            None if args.unassigned => AssigneeFilter::Nobody,
            None => AssigneeFilter::Anyone,
        };
        let shown = match (args.all, args.decided, args.due) {
            (true, ..) => ActionsShown::All,
            (_, true, _) => ActionsShown::Decided,
            (.., true) => ActionsShown::Due,
            _ => ActionsShown::Open,
        };
        Self { vendor: args.vendor, kind: args.kind, assignee, shown, before: None }
    }
}

/// The operator to which an action is assigned.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct WhomArgs {
    /// Email address of the operator
    #[arg(long, value_name = "EMAIL")]
    to: Option<String>,
    /// Release the action
    #[arg(long)]
    nobody: bool,
}

fn action_kind(text: &str) -> Result<ActionKind, String> {
    ActionKind::parse(text).ok_or_else(|| {
        let words: Vec<_> = ActionKind::ALL.into_iter().map(ActionKind::as_str).collect();
        format!("not a kind; the kinds are {}", words.join(", "))
    })
}

/// The possible decisions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DecisionArg {
    /// Return the money: through the provider if it can send it, otherwise manually
    Refund,
    /// Credit the money to the vendor
    Accept,
    /// Close without moving money: none was taken, the dispute was won, or the difference is settled
    Dismiss,
    /// Charge the reversed or disputed amount to the vendor's available balance
    Charge,
    /// Absorb the reversed or disputed amount as the operator's loss
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
            ActionCommand::List { place, filter, limit } => {
                list(context.store(place.env.into()), json, &filter.into(), limit).await?;
            }
            ActionCommand::Figures { place } => {
                action_work::figures(context.store(place.env.into()), json).await?;
            }
            ActionCommand::Assign { place, id, whom } => {
                action_work::assign(&context, json, place.env.into(), (id, whom.to.as_deref())).await?;
            }
            ActionCommand::Note { place, id, text, by } => {
                action_work::note(&context, json, place.env.into(), (id, &text, by)).await?;
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
pub(super) struct ActionRow {
    action_id: String,
    pub(super) kind: &'static str,
    session_id: Option<String>,
    vendor_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    pub(super) created_at: String,
    due_at: Option<String>,
    assignee: Option<String>,
    pub(super) decision: Option<&'static str>,
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
            due_at: action.due_at().map(|at| at.to_string()),
            assignee: stored.assignee.clone(),
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
            return "No actions match.".to_owned();
        }
        let row = |line: &ActionRow| {
            vec![
                line.action_id.clone(),
                line.created_at.clone(),
                line.kind.to_owned(),
                line.session_id.clone().unwrap_or_else(|| "-".to_owned()),
                line.due_at.clone().unwrap_or_else(|| "-".to_owned()),
                line.assignee.clone().unwrap_or_else(|| "-".to_owned()),
                line.decision.unwrap_or("-").to_owned(),
            ]
        };
        let head = ["action", "since", "what", "session", "respond by", "assignee", "decided"];
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
    /// The notes of operators, oldest first.
    notes: Vec<action_work::NoteRow>,
}

/// The explanation of an action, with the possible decisions.
fn meaning(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Late => {
            "The payment arrived after the session had ended. Refund the customer, or accept it for the \
             vendor."
        }
        ActionKind::Partial => {
            "The customer paid too little. Refund the customer, or accept the payment for the vendor."
        }
        ActionKind::Unreachable => {
            "The session ended while the provider was not responding. Check with the provider whether it \
             took a payment."
        }
        ActionKind::Mismatch => {
            "The provider's payment does not match the one Till requested. Check with the provider."
        }
        ActionKind::Surplus => {
            "The customer paid too much. Refund the excess to the customer, or accept it for the vendor."
        }
        ActionKind::Reversed => {
            "A credited payment was reversed: the chain dropped its block. The session keeps its status. \
             Charge the vendor, or absorb the loss."
        }
        ActionKind::Disputed => {
            "The customer disputed the payment at their bank. Respond at the provider before the deadline. \
             When the dispute closes, dismiss this if you won; otherwise charge the vendor or absorb the \
             loss. The session keeps its status."
        }
        ActionKind::RefundLost => {
            "A completed refund was returned to the provider. Refund again, or accept the money for the \
             vendor."
        }
        ActionKind::Difference => {
            "The provider's records differ from Till's, or it leaves open for long whether a refund was made. \
             Compare both, correct what is wrong, then dismiss this."
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
        notes: payments.notes_on(id).await?.iter().map(action_work::NoteRow::from).collect(),
    };
    print(json, &details, |details| {
        let line = &details.line;
        let mut text = format!("{}\n", details.meaning);
        let mut add = |name: &str, value: &str| text.push_str(&format!("{name:14}{value}\n"));
        add("action", &line.action_id);
        for (name, value) in [
            ("session", &line.session_id),
            ("vendor", &line.vendor_id),
            ("found", &line.note),
            ("respond by", &line.due_at),
            ("assignee", &line.assignee),
        ] {
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
        for note in &details.notes {
            add("note", &note.line());
        }
        text
    })
}

pub(super) fn no_such_action(id: ActionId) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no action {id} in this environment; `till action list` lists them, --env selects the \
         environment"
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
            bail!("action {id} is already resolved; `till action show {id}` shows how")
        }
        DecisionOutcome::Refused(_, Obstacle::NotCovered { needed, available }) => bail!(
            "the vendor's available balance is {available}, and this needs {needed}: choose absorb, or wait \
             for more funds"
        ),
        DecisionOutcome::Refused(_, Obstacle::Gone) => bail!(
            "the payment of action {id} was reversed, so there is nothing to refund: choose accept here, and \
             charge for the action about the reversal"
        ),
        DecisionOutcome::Refused(stored, Obstacle::Unfit) if stored.action.kind == ActionKind::Reversed => {
            bail!("action {id} is about a reversed payment: choose charge or absorb")
        }
        DecisionOutcome::Refused(stored, Obstacle::Unfit) if stored.action.finding.is_some() => {
            let words: Vec<_> = stored.action.choices().iter().map(|choice| choice.as_str()).collect();
            bail!("this decision does not fit action {id}: choose {}", words.join(" or "))
        }
        DecisionOutcome::Refused(stored, Obstacle::Unfit) if stored.action.transaction.is_some() => {
            bail!("action {id} is about money that was received: choose refund or accept")
        }
        DecisionOutcome::Refused(_, Obstacle::Unfit) => bail!(
            "action {id} has no payment to refund or accept: choose dismiss once the provider confirms that \
             it took nothing"
        ),
    };
    print(json, &ActionRow::from(&stored), |line| {
        format!("Action {} is resolved: {}.", line.action_id, resolution.as_str())
    })
}
