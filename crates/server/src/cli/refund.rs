//! `till refund …`: money of paid sessions that goes back to customers.

use super::{
    Common,
    context::{Context, block_on, vendor_id},
    output::{print, table},
};
use crate::{
    app,
    office::{Asking, RefundError, Refunder},
};
use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::Deed,
    environment::Environment,
    id::{RefundId, SessionId, VendorId},
    refund::{self, Refund},
    request::RefundRequest,
};
use till_store::{Committed, RefundFilter};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send all or a part of a paid session's money back to its customer
    Create {
        /// The session
        #[arg(value_parser = session_id)]
        session: SessionId,
        /// How much, in the session's currency; all that is left unless said
        #[arg(long, default_value = "", hide_default_value = true)]
        amount: String,
        /// Why, for people
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
        /// Who asks
        #[arg(long, default_value = "operator", value_name = "NAME")]
        by: String,
    },
    /// Ask the provider how a refund stands now, instead of when its time has come
    Check {
        /// The refund
        #[arg(value_parser = refund_id)]
        refund: RefundId,
    },
    /// List refunds, newest first
    List {
        /// Only of this session
        #[arg(long, value_parser = session_id)]
        session: Option<SessionId>,
        /// Only this vendor's
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID", conflicts_with = "session")]
        vendor: Option<VendorId>,
        /// How many at most
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
}

fn refund_id(text: &str) -> Result<RefundId, String> {
    RefundId::parse(text).ok_or_else(|| "not an id; `till refund list` shows them".to_owned())
}

fn session_id(text: &str) -> Result<SessionId, String> {
    SessionId::parse(text).ok_or_else(|| "not a session id".to_owned())
}

/// Runs a `till refund` command.
pub fn run(common: &Common, command: Command) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        match command {
            Command::Create { session, amount, reason, by } => {
                let refund = create(&context, session, &RefundRequest::typed(&amount, &reason), &by).await?;
                print(json, &Line::from(&refund), |line| {
                    format!("Refund {} of {} is on its way.", line.refund_id, line.amount)
                })?;
            }
            Command::Check { refund } => {
                let refund = check(&context, refund).await?;
                print(json, &Line::from(&refund), |line| match line.status {
                    "pending" => format!("The provider is asked about refund {} now.", line.refund_id),
                    status => format!("Refund {} has {status} already.", line.refund_id),
                })?;
            }
            Command::List { session, vendor, limit } => list(&context, json, session, vendor, limit).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn create(
    context: &Context,
    id: SessionId,
    request: &RefundRequest,
    by: &str,
) -> anyhow::Result<Refund> {
    let payments = context.payments(Environment::Live);
    let Some(session) = payments.page_session(id).await? else { bail!("there is no live session {id}") };
    let vendor = context.accounts.vendor(session.vendor).await?;
    let terms = vendor.map(|vendor| vendor.terms).unwrap_or_default();
    let rules = app::live_rules(context.settings());
    let asking = Asking { session: &session, terms: &terms, request, by, key: None };
    let refund = match (Refunder { payments, rules: &rules }).request(&asking).await {
        Ok(refund) => refund,
        Err(RefundError::Rejected(rejection)) => bail!("{rejection}"),
        Err(error) => return Err(error.into()),
    };
    // The refund names who and when by itself, so the log, which is in another database, may come after it.
    let detail = format!("{} of session {id}", refund.amount);
    let line = context.entry(Deed::RefundRequested).about(session.vendor).saying(detail);
    context.accounts.record(&line).await?;
    Ok(refund)
}

/// Makes a refund due. Who asks about it this very moment is as good.
async fn check(context: &Context, id: RefundId) -> anyhow::Result<Refund> {
    let payments = context.payments(Environment::Live);
    let found = match payments.refunds() {
        Some(refunds) => refunds.refund(id).await?,
        None => None,
    };
    let Some(found) = found else { bail!("there is no refund {id}; `till refund list` shows them") };
    if let Some(change) = refund::hasten(&found, payments.now()) {
        let _: Committed = payments.commit(&[change]).await?;
    }
    Ok(found)
}

#[derive(Serialize)]
struct Line {
    refund_id: String,
    session_id: String,
    vendor_id: String,
    amount: String,
    status: &'static str,
    reason: Option<String>,
    failure_reason: Option<String>,
    requested_by: String,
    provider: String,
    reference: Option<String>,
    created_at: String,
    updated_at: String,
}

impl From<&Refund> for Line {
    fn from(refund: &Refund) -> Self {
        Self {
            refund_id: refund.id.to_string(),
            session_id: refund.session.to_string(),
            vendor_id: refund.vendor.to_string(),
            amount: refund.amount.to_string(),
            status: refund.state.status(),
            reason: refund.reason.clone(),
            failure_reason: refund.state.failure().map(str::to_owned),
            requested_by: refund.requested_by.clone(),
            provider: refund.provider.clone(),
            reference: refund.reference.clone(),
            created_at: refund.created_at.to_string(),
            updated_at: refund.updated_at.to_string(),
        }
    }
}

async fn list(
    context: &Context,
    json: bool,
    session: Option<SessionId>,
    vendor: Option<VendorId>,
    limit: u32,
) -> anyhow::Result<()> {
    let Some(refunds) = context.payments(Environment::Live).refunds() else { return Ok(()) };
    let found = match session {
        Some(session) => {
            let mut all = refunds.of_session(session).await?;
            all.reverse();
            all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            all
        }
        None => refunds.list(&RefundFilter { vendor, before: None }, limit).await?,
    };
    let lines: Vec<Line> = found.iter().map(Line::from).collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "There are no refunds.".to_owned();
        }
        let row = |line: &Line| {
            vec![
                line.refund_id.clone(),
                line.created_at.clone(),
                line.amount.clone(),
                line.status.to_owned(),
                line.session_id.clone(),
            ]
        };
        table(&["refund", "since", "amount", "status", "session"], &lines.iter().map(row).collect::<Vec<_>>())
    })
}
