//! `till refund …`: creates, follows and lists refunds of paid sessions.

use super::{
    Common,
    context::{Context, EnvironmentOption, block_on, vendor_id},
    output::{print, table},
    provider,
    session::session_id,
};
use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;
use std::{process::ExitCode, sync::Arc};
use till_domain::{
    audit::Actor,
    chain::TxHash,
    environment::EnvironmentName,
    id::{RefundId, SessionId, VendorId},
    refund::{self, Refund, RefundState},
    rejection::Rejection,
    request::RefundRequest,
    text,
};
use till_providers::Provider;
use till_service::{
    admin::{self, ManualRefundOutcome, RefundError, RefundOrder, Refunder},
    environment::EnvironmentStore,
    registry::{self, Prober, ProviderKind},
};
use till_store::{Clock, Committed, RefundFilter};

#[derive(Debug, Subcommand)]
pub enum RefundCommand {
    /// Refund a paid session, in full or in part
    Create {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The session's id
        #[arg(value_parser = session_id)]
        session: SessionId,
        /// The amount in the session's currency [default: the full remaining amount]
        #[arg(long, default_value = "", hide_default_value = true)]
        amount: String,
        /// The reason
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
        /// Name of the person who requested the refund
        #[arg(long, default_value = "operator", value_name = "NAME")]
        by: String,
    },
    /// Check a refund with the provider now, instead of at its scheduled time
    Check {
        /// The refund's id
        #[arg(value_parser = refund_id)]
        refund: RefundId,
    },
    /// Record the transaction of a manual refund; Till then checks it
    Sent {
        /// The refund's id
        #[arg(value_parser = refund_id)]
        refund: RefundId,
        /// The transaction hash: 0x and 64 hex digits
        #[arg(long, value_parser = transaction_hash)]
        transaction: TxHash,
    },
    /// Confirm a refund that its provider has left open for long and whose account shows that the money went back
    Confirm {
        /// The refund's id
        #[arg(value_parser = refund_id)]
        refund: RefundId,
    },
    /// Give up a manual refund that was not sent, or one that its provider has left open for long and did not make: it
    /// fails, and its money returns to where it came from
    GiveUp {
        /// The refund's id
        #[arg(value_parser = refund_id)]
        refund: RefundId,
        /// The reason; the vendor sees it
        #[arg(long, value_parser = reason)]
        reason: String,
    },
    /// List refunds, newest first
    List {
        #[command(flatten)]
        place: EnvironmentOption,
        /// Only refunds of this session
        #[arg(long, value_parser = session_id)]
        session: Option<SessionId>,
        /// Only refunds of this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID", conflicts_with = "session")]
        vendor: Option<VendorId>,
        /// Only manual refunds waiting to be sent
        #[arg(long, conflicts_with_all = ["session", "vendor"])]
        by_hand: bool,
        /// Maximum number of lines
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
}

fn refund_id(text: &str) -> Result<RefundId, String> {
    RefundId::parse(text).ok_or_else(|| "not a refund id; `till refund list` lists them".to_owned())
}

fn transaction_hash(text: &str) -> Result<TxHash, String> {
    refund::read_transaction(text)
        .ok_or_else(|| "not a transaction hash: use 0x and 64 hex digits".to_owned())
}

fn reason(input: &str) -> Result<String, String> {
    text::name(input.trim()).map_err(|_| "use 1 to 255 characters, without line breaks".to_owned())
}

/// Runs a `till refund` command.
pub fn run(common: &Common, command: RefundCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        match command {
            RefundCommand::Create { place, session, amount, reason, by } => {
                let store = context.store(place.env.into());
                let refund =
                    create(&context, store, session, &RefundRequest::typed(&amount, &reason), &by).await?;
                print(json, &RefundRow::from(&refund), |line| {
                    format!("Refund {} of {} is in progress.", line.refund_id, line.amount)
                })?;
            }
            RefundCommand::Check { refund } => {
                let refund = check(&context, refund).await?;
                print(json, &RefundRow::from(&refund), |line| match line.status {
                    "pending" if line.by_hand.as_ref().is_some_and(|hand| hand.waits) => {
                        format!("Refund {} is a manual refund waiting to be sent.", line.refund_id)
                    }
                    "pending" => format!("Checking refund {} with the provider now.", line.refund_id),
                    status => format!("Refund {} has already {status}.", line.refund_id),
                })?;
            }
            RefundCommand::Sent { refund, transaction } => {
                let live = context.store(EnvironmentName::Live);
                let actor = Actor::shell();
                let said = admin::sent_by_hand(&context.accounts, live, &actor, refund, transaction).await?;
                print(json, &RefundRow::from(&handed(said, refund)?), |line| {
                    format!(
                        "Transaction of refund {} recorded; Till checks it next: {transaction}",
                        line.refund_id
                    )
                })?;
            }
            RefundCommand::Confirm { refund } => {
                let (accounts, live) = (&context.accounts, context.store(EnvironmentName::Live));
                let said = admin::confirm_refund(accounts, live, &Actor::shell(), refund).await?;
                print(json, &RefundRow::from(&handed(said, refund)?), |line| {
                    format!("Refund {} of {} has succeeded.", line.refund_id, line.amount)
                })?;
            }
            RefundCommand::GiveUp { refund, reason } => {
                let (accounts, live) = (&context.accounts, context.store(EnvironmentName::Live));
                let actor = Actor::shell();
                let provider = refunder(common, &context, refund).await?;
                let provider = provider.as_ref().and_then(|provider| provider.refunds());
                let word = (refund, reason.as_str());
                let said = admin::give_up_refund(accounts, live, &actor, word, provider).await?;
                print(json, &RefundRow::from(&handed(said, refund)?), |line| {
                    format!(
                        "Refund {} has failed, and its money has returned to where it came from.",
                        line.refund_id
                    )
                })?;
            }
            RefundCommand::List { place, session, vendor, by_hand, limit } => {
                list(context.store(place.env.into()), json, (session, vendor, by_hand), limit).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn create(
    context: &Context,
    store: &EnvironmentStore,
    id: SessionId,
    request: &RefundRequest,
    by: &str,
) -> anyhow::Result<Refund> {
    let Some(session) = store.page_session(id).await? else {
        bail!("there is no session {id} in this environment; --env selects the environment")
    };
    let vendor = context.accounts.vendor(session.vendor).await?;
    let (terms, settings) = vendor.map(|vendor| (vendor.terms, vendor.settings)).unwrap_or_default();
    let (terms, fiscal) = (&terms, &settings.fiscal);
    let asking = RefundOrder { session: &session, terms, fiscal, request, lines: None, by, key: None };
    match (Refunder { store }).request_by(&context.accounts, &Actor::shell(), &asking).await {
        Ok(refund) => Ok(refund),
        Err(RefundError::Rejected(rejection)) if needs_items(&rejection) => bail!(
            "the payment has a fiscal receipt, so a part of it is refunded by its items: in the panel, or by the API with \
             receipt.items; without --amount, all of it is refunded"
        ),
        Err(RefundError::Rejected(rejection)) => bail!("{rejection}"),
        Err(error) => Err(error.into()),
    }
}

/// Whether a refund is refused because it has to name the items that are returned.
fn needs_items(rejection: &Rejection) -> bool {
    matches!(rejection, Rejection::Invalid(fields) if fields.iter().any(|error| error.field == "receipt"))
}

/// Makes a refund due. If the commit is lost, another node has just changed the refund, which serves as well.
async fn check(context: &Context, id: RefundId) -> anyhow::Result<Refund> {
    let store = context.store(EnvironmentName::Live);
    let found = store.refunds().refund(id).await?;
    let Some(found) = found else { bail!("there is no refund {id}; `till refund list` lists them") };
    if let Some(change) = refund::hasten(&found, store.now()) {
        let _: Committed = store.commit(&[change]).await?;
    }
    Ok(found)
}

/// The provider that is asked whether a refund may still arrive, if one was sent and the provider is set up.
async fn refunder(
    common: &Common,
    context: &Context,
    id: RefundId,
) -> anyhow::Result<Option<Arc<dyn Provider>>> {
    let refund = context.store(EnvironmentName::Live).refunds().refund(id).await?;
    let sent = refund.filter(|refund| refund.state == RefundState::Sent);
    let Some(kind) = sent.and_then(|refund| ProviderKind::parse(&refund.provider)) else { return Ok(None) };
    let Some(plan) = provider::used(Context::open(common).await?, kind).await? else { return Ok(None) };
    let prober = Prober::of_a_command(|| Clock::System.now())?;
    Ok(Some(registry::of_a_command(&plan, &prober, &context.live())?))
}

/// The refund after the change, or the reason why it was not changed.
fn handed(said: ManualRefundOutcome, id: RefundId) -> anyhow::Result<Refund> {
    match said {
        ManualRefundOutcome::Done(refund) => Ok(refund),
        ManualRefundOutcome::Taken(_) => {
            bail!(
                "that transaction already belongs to another refund; send each refund in its own transaction"
            )
        }
        ManualRefundOutcome::MayArrive(refund) if refund.manual.is_none() => {
            bail!(
                "{} has refund {id} now, and its money may still arrive: Till records the result",
                refund.provider
            )
        }
        ManualRefundOutcome::MayArrive(refund) => {
            let transaction = refund.reference.unwrap_or_default();
            bail!(
                "refund {id} may still arrive: transaction {transaction} is on the network; wait until it is \
                 final"
            )
        }
        ManualRefundOutcome::Silent(_) => {
            bail!(
                "no node could tell whether the transaction of refund {id} may still arrive; try again later"
            )
        }
        ManualRefundOutcome::Unfit(refund) if refund.state.is_final() => {
            bail!("refund {id} has already {}", refund.state.status())
        }
        ManualRefundOutcome::Unfit(refund) if refund.manual.is_some() => {
            bail!("refund {id} is already being checked")
        }
        ManualRefundOutcome::Unfit(_) => bail!(
            "refund {id} is with its provider, which Till asks; you can decide about it once it is under Needs action, or if \
             it is a manual refund"
        ),
        ManualRefundOutcome::Missing => bail!("there is no refund {id}; `till refund list` lists them"),
    }
}

/// A refund that a person sends.
#[derive(Serialize)]
struct ManualRow {
    what: String,
    /// True if it still waits to be sent.
    waits: bool,
    note: Option<String>,
    sent_at: Option<String>,
}

#[derive(Serialize)]
pub(super) struct RefundRow {
    refund_id: String,
    session_id: String,
    vendor_id: String,
    pub(super) amount: String,
    pub(super) status: &'static str,
    reason: Option<String>,
    failure_reason: Option<String>,
    by_hand: Option<ManualRow>,
    requested_by: String,
    provider: String,
    reference: Option<String>,
    pub(super) created_at: String,
    updated_at: String,
}

impl From<&Refund> for RefundRow {
    fn from(refund: &Refund) -> Self {
        Self {
            refund_id: refund.id.to_string(),
            session_id: refund.session.to_string(),
            vendor_id: refund.vendor.to_string(),
            amount: refund.amount.to_string(),
            status: refund.state.status(),
            reason: refund.reason.clone(),
            failure_reason: refund.state.failure().map(str::to_owned),
            by_hand: refund.manual.as_ref().map(|hand| ManualRow {
                what: hand.what.clone(),
                waits: refund.state == RefundState::Manual,
                note: hand.note.clone(),
                sent_at: hand.sent_at.map(|at| at.to_string()),
            }),
            requested_by: refund.requested_by.clone(),
            provider: refund.provider.clone(),
            reference: refund.reference.clone(),
            created_at: refund.created_at.to_string(),
            updated_at: refund.updated_at.to_string(),
        }
    }
}

impl RefundRow {
    /// The transfer that a person has to make, and the problem with the transaction they recorded.
    fn to_send(&self) -> String {
        let hand = self.by_hand.as_ref().filter(|hand| hand.waits);
        hand.map_or_else(
            || "-".to_owned(),
            |hand| match &hand.note {
                Some(note) => format!("{} ({note})", hand.what),
                None => hand.what.clone(),
            },
        )
    }
}

async fn list(
    store: &EnvironmentStore,
    json: bool,
    (session, vendor, by_hand): (Option<SessionId>, Option<VendorId>, bool),
    limit: u32,
) -> anyhow::Result<()> {
    let refunds = store.refunds();
    let found = match session {
        Some(session) => {
            let mut all = refunds.of_session(session).await?;
            all.reverse();
            all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            all
        }
        None if by_hand => refunds.by_hand(None, limit).await?,
        None => refunds.list(&RefundFilter { vendor, before: None }, limit).await?,
    };
    let lines: Vec<RefundRow> = found.iter().map(RefundRow::from).collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "No refunds match.".to_owned();
        }
        let row = |line: &RefundRow| {
            vec![
                line.refund_id.clone(),
                line.created_at.clone(),
                line.amount.clone(),
                line.status.to_owned(),
                line.session_id.clone(),
                line.to_send(),
            ]
        };
        let head = ["refund", "since", "amount", "status", "session", "send manually"];
        table(&head, &lines.iter().map(row).collect::<Vec<_>>())
    })
}
