//! `till session …`: lists payment sessions, and shows one with all that is known of it.

use super::{
    Common,
    action::ActionRow,
    callback::CallbackRow,
    context::{Context, EnvironmentOption, block_on, span, vendor_id},
    output::{RowPrinter, print, table},
    refund::RefundRow,
    transaction::TransactionRow,
};
use crate::app;
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value};
use std::process::ExitCode;
use till_domain::{
    attempt::Attempt,
    audit::AuditEvent,
    environment::EnvironmentName,
    fiscal::FiscalReceipt,
    id::{SessionId, VendorId},
    metadata::Metadata,
    method::Method,
    session::{Session, State, Status},
};
use till_service::{admin, cashier::ExpireRefusal, traces::trace_of};
use till_store::{AllSessions, Faults, Payments, PlayedFault, SessionFilter, Span, StoreError, Turn};

/// Sessions that are read at once.
const AT_ONCE: u32 = 500;

#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// List sessions of all vendors or of one, newest first
    List {
        #[command(flatten)]
        place: EnvironmentOption,
        #[command(flatten)]
        filter: FilterArgs,
        /// Maximum number of lines; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show a session: its history, attempts, transactions, callbacks, refunds, fiscal receipts and actions
    Show {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The session's id
        #[arg(value_parser = session_id, value_name = "SESSION_ID")]
        id: SessionId,
    },
    /// End a pending session now: its payment is closed at the provider first
    Expire {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The session's id
        #[arg(value_parser = session_id, value_name = "SESSION_ID")]
        id: SessionId,
    },
}

#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Only sessions of this vendor
    #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
    vendor: Option<VendorId>,
    /// Only sessions of this order of the vendor
    #[arg(long, value_name = "ORDER_ID", requires = "vendor")]
    order: Option<String>,
    /// Only sessions with this status: pending, paid, failed or expired
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    /// Only sessions with this method: card, sbp or crypto
    #[arg(long, value_parser = method)]
    method: Option<Method>,
    /// Only sessions created since this time, such as 2026-11-15T09:30:00Z, or within this period, such as 2h
    #[arg(long, value_name = "T")]
    since: Option<String>,
    /// Only sessions created before this time, or before this period
    #[arg(long, value_name = "T")]
    until: Option<String>,
}

fn status(word: &str) -> Result<Status, String> {
    Status::parse(word).ok_or_else(|| "use one of pending, paid, failed, expired".to_owned())
}

pub(super) fn method(word: &str) -> Result<Method, String> {
    Method::parse(word).ok_or_else(|| "use one of card, sbp, crypto".to_owned())
}

pub(super) fn session_id(text: &str) -> Result<SessionId, String> {
    SessionId::parse(text).ok_or_else(|| "not a session id; `till session list` lists them".to_owned())
}

/// Runs a `till session` command.
pub fn run(common: &Common, command: SessionCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        match command {
            SessionCommand::List { place, filter, limit } => {
                list(context.store(place.env.into()), json, &filter, limit).await?;
            }
            SessionCommand::Show { place, id } => {
                let environment = place.env.into();
                let faults = (environment == EnvironmentName::Sandbox).then_some(&context.faults);
                show(context.store(environment), faults, json, id).await?;
            }
            SessionCommand::Expire { place, id } => {
                let expired = expire(&context, place.env.into(), id).await?;
                print(json, &SessionRow::from(&expired), |row| {
                    format!("{} is {}.", row.session_id, row.status)
                })?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// A session as commands print it.
#[derive(Serialize)]
struct SessionRow {
    session_id: String,
    vendor_id: String,
    order_id: String,
    status: &'static str,
    reason: Option<&'static str>,
    amount: String,
    item: String,
    method: &'static str,
    created_at: String,
    updated_at: String,
    request_id: String,
}

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        Self {
            session_id: session.id.to_string(),
            vendor_id: session.vendor.to_string(),
            order_id: session.order_id.clone(),
            status: session.state.status().as_str(),
            reason: match session.state {
                State::Failed(reason) => Some(reason.as_str()),
                _ => None,
            },
            amount: session.item.price.money().to_string(),
            item: session.item.name.clone(),
            method: session.methods.chosen.as_str(),
            created_at: session.created_at.to_string(),
            updated_at: session.updated_at.to_string(),
            request_id: session.request_id.clone(),
        }
    }
}

async fn list(payments: &Payments, json: bool, filter: &FilterArgs, limit: u32) -> anyhow::Result<()> {
    let span = span(filter.since.as_deref(), filter.until.as_deref(), payments.now())?;
    let (mut turn, mut rows) = (Turn::Newest, RowPrinter::new(json, limit));
    while let Some(count) = rows.next(AT_ONCE) {
        let page = read(payments, filter, span, (turn, count)).await?;
        let Some(last) = page.last() else { break };
        turn = Turn::Older(last.id);
        rows.add(page.iter().map(SessionRow::from))?;
    }
    rows.finish(text)
}

/// A page of the sessions that match.
async fn read(
    payments: &Payments,
    filter: &FilterArgs,
    span: Span,
    (turn, count): (Turn<SessionId>, u32),
) -> Result<Vec<Session>, StoreError> {
    let (status, method) = (filter.status, filter.method);
    match filter.vendor {
        Some(vendor) => {
            let of_vendor = SessionFilter { vendor, status, method, span };
            match &filter.order {
                Some(order) => payments.order_sessions(order, &of_vendor, turn, count).await,
                None => payments.sessions(&of_vendor, turn, count).await,
            }
        }
        None => payments.all_sessions(&AllSessions { status, method, span }, turn, count).await,
    }
}

fn text(lines: &[SessionRow]) -> String {
    if lines.is_empty() {
        return "No sessions match.".to_owned();
    }
    let row = |line: &SessionRow| {
        vec![
            line.session_id.clone(),
            line.created_at.clone(),
            line.status.to_owned(),
            line.amount.clone(),
            line.method.to_owned(),
            line.vendor_id.clone(),
            line.order_id.clone(),
        ]
    };
    let head = ["session", "created", "status", "amount", "method", "vendor", "order"];
    table(&head, &lines.iter().map(row).collect::<Vec<_>>())
}

/// Ends a pending session through its provider, and records who did it.
async fn expire(context: &Context, environment: EnvironmentName, id: SessionId) -> anyhow::Result<Session> {
    let [live, sandbox] = app::cashiers_of_a_command(context.settings()).await?;
    let cashier = match environment {
        EnvironmentName::Live => live,
        EnvironmentName::Sandbox => sandbox,
    };
    let session = cashier.environment().page_session(id).await?.with_context(|| unknown(id))?;
    let was = session.state;
    let vendor = cashier.environment().directory.vendor(session.vendor).await?;
    let vendor = vendor.with_context(|| format!("there is no vendor {}", session.vendor))?;
    let expired = match cashier.expire(id, &vendor).await {
        Err(ExpireRefusal::Rejected(rejection)) => bail!("{rejection}"),
        ended => ended?,
    };
    if was == State::Pending {
        let line = context.entry(AuditEvent::SessionExpired).about(vendor.id);
        let line = line.saying(format!("{environment} session {id}"));
        context.accounts.record(&line).await?;
    }
    Ok(expired)
}

fn unknown(id: SessionId) -> String {
    format!("there is no session {id} in this environment; --env selects the environment")
}

#[derive(Serialize)]
struct SessionDetails {
    #[serde(flatten)]
    line: SessionRow,
    callback_url: Option<String>,
    return_url: Option<String>,
    customer_email: Option<String>,
    locale: Option<String>,
    metadata: Metadata,
    /// Its trace, if traces are exported.
    trace_id: String,
    /// Until when it can be paid, while it is pending.
    ends_at: Option<String>,
    history: Vec<HistoryRow>,
    attempts: Vec<PaymentAttemptRow>,
    transactions: Vec<TransactionRow>,
    callbacks: Vec<CallbackRow>,
    /// Callbacks that were delivered wrongly on purpose; only in the sandbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultRow>,
    refunds: Vec<RefundRow>,
    receipts: Vec<ReceiptRow>,
    actions: Vec<ActionRow>,
}

/// A fiscal receipt, with all that a correction receipt needs.
#[derive(Serialize)]
struct ReceiptRow {
    receipt_id: String,
    created_at: String,
    kind: &'static str,
    status: &'static str,
    total: String,
    provider: Option<String>,
    /// The numbers of the fiscal drive and of the document.
    document: Option<String>,
    /// Why it is not registered.
    failure: Option<String>,
    /// The customer, the tax system and the lines.
    #[serde(flatten)]
    body: Map<String, Value>,
}

impl From<&FiscalReceipt> for ReceiptRow {
    fn from(receipt: &FiscalReceipt) -> Self {
        Self {
            receipt_id: receipt.id.to_string(),
            created_at: receipt.created_at.to_string(),
            kind: receipt.kind.as_str(),
            status: receipt.status.as_str(),
            total: receipt.total.to_string(),
            provider: receipt.provider.clone(),
            document: receipt.document.clone(),
            failure: receipt.failure.clone(),
            body: admin::receipt_body(receipt),
        }
    }
}

impl ReceiptRow {
    /// In one line: what became of it, and what it says.
    fn line(&self) -> String {
        let Self { kind, status, total, .. } = self;
        let provider = self.provider.as_ref().map(|provider| format!(" at {provider}"));
        let document = self.document.as_ref().map(|document| format!(", document {document}"));
        let failure = self.failure.as_ref().map(|failure| format!(", {failure}"));
        let more = [provider, document, failure].map(Option::unwrap_or_default).concat();
        format!("fiscal receipt ({kind}) {status}: {total}{more}: {}", Value::Object(self.body.clone()))
    }
}

#[derive(Serialize)]
struct FaultRow {
    at: String,
    event_id: String,
    fault: &'static str,
    /// What came of the request that had the fault.
    result: Option<String>,
    status: Option<u16>,
}

impl From<PlayedFault> for FaultRow {
    fn from(played: PlayedFault) -> Self {
        Self {
            at: played.at.to_string(),
            event_id: played.event.to_string(),
            fault: played.planned.fault.as_str(),
            result: played.result,
            status: played.status,
        }
    }
}

#[derive(Serialize)]
struct HistoryRow {
    at: String,
    event: String,
    detail: Option<String>,
}

#[derive(Serialize)]
struct PaymentAttemptRow {
    attempt_id: String,
    started_at: String,
    method: &'static str,
    provider: String,
    reference: Option<String>,
    state: &'static str,
    reason: Option<&'static str>,
}

impl From<Attempt> for PaymentAttemptRow {
    fn from(attempt: Attempt) -> Self {
        Self {
            attempt_id: attempt.id.to_string(),
            started_at: attempt.started_at.to_string(),
            method: attempt.method.as_str(),
            state: attempt.state.as_str(),
            reason: attempt.state.reason().map(|reason| reason.as_str()),
            provider: attempt.provider,
            reference: attempt.reference,
        }
    }
}

async fn show(payments: &Payments, faults: Option<&Faults>, json: bool, id: SessionId) -> anyhow::Result<()> {
    let session = payments.page_session(id).await?;
    let session = session.with_context(|| unknown(id))?;
    let history = payments.history(id).await?;
    let refunds = payments.refunds().of_session(id).await?;
    let pending = session.state == State::Pending;
    let faults = match faults {
        Some(faults) => faults.played(id).await?,
        None => Vec::new(),
    };
    let details = SessionDetails {
        line: SessionRow::from(&session),
        callback_url: session.callback_url.as_ref().map(ToString::to_string),
        return_url: session.return_url.as_ref().map(ToString::to_string),
        customer_email: session.customer.email.clone(),
        locale: session.customer.locale.clone(),
        metadata: session.metadata.clone(),
        trace_id: hex::encode(trace_of(id)),
        ends_at: pending.then(|| session.ends_at().to_string()),
        history: history
            .into_iter()
            .map(|(at, event, detail)| HistoryRow { at: at.to_string(), event, detail })
            .collect(),
        attempts: payments.attempts_of(id).await?.into_iter().map(PaymentAttemptRow::from).collect(),
        transactions: payments.transactions_of(id).await?.iter().map(TransactionRow::from).collect(),
        callbacks: payments.session_events(id).await?.iter().map(CallbackRow::from).collect(),
        faults: faults.into_iter().map(FaultRow::from).collect(),
        refunds: refunds.iter().map(RefundRow::from).collect(),
        receipts: payments.fiscal_receipts_of(id).await?.iter().map(ReceiptRow::from).collect(),
        actions: payments.actions_of(id).await?.iter().map(ActionRow::from).collect(),
    };
    print(json, &details, describe)
}

/// The session as text: its facts, then a line for each thing that belongs to it, by time.
fn describe(details: &SessionDetails) -> String {
    let line = &details.line;
    let reason = line.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let mut text = format!("{} is {}{reason}\n", line.session_id, line.status);
    let facts = [
        ("order", Some(&line.order_id)),
        ("item", Some(&line.item)),
        ("amount", Some(&line.amount)),
        ("vendor", Some(&line.vendor_id)),
        ("request", Some(&line.request_id)),
        ("created", Some(&line.created_at)),
        ("pay by", details.ends_at.as_ref()),
        ("callback", details.callback_url.as_ref()),
        ("return", details.return_url.as_ref()),
        ("customer", details.customer_email.as_ref()),
        ("language", details.locale.as_ref()),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            text.push_str(&format!("{name:14}{value}\n"));
        }
    }
    for (key, value) in details.metadata.iter() {
        text.push_str(&format!("{:14}{key} = {}\n", "metadata", value.escape_debug()));
    }
    let mut events = details.events();
    events.sort();
    for (at, what) in events {
        text.push_str(&format!("{at}  {what}\n"));
    }
    text
}

impl SessionDetails {
    /// What happened, each with its time.
    fn events(&self) -> Vec<(String, String)> {
        let history = self.history.iter().map(|one| {
            let detail = one.detail.as_deref().unwrap_or_default();
            (one.at.clone(), format!("{} {detail}", one.event).trim_end().to_owned())
        });
        let attempts = self.attempts.iter().map(|one| {
            let reference = one.reference.as_deref().unwrap_or("-");
            let what = format!("attempt {}: {} {} {reference}", one.state, one.method, one.provider);
            (one.started_at.clone(), what)
        });
        let money = self.transactions.iter().map(|one| {
            (one.at.clone(), format!("transaction {}: {} at {}", one.state, one.received, one.provider))
        });
        let callbacks = self
            .callbacks
            .iter()
            .map(|one| (one.created_at.clone(), format!("callback {}: {}", one.event, one.state)));
        let faults = self.faults.iter().map(|one| {
            let status = one.status.map(|status| format!(" {status}")).unwrap_or_default();
            let answer = one.result.as_ref().map(|result| format!(", answered with {result}{status}"));
            (one.at.clone(), format!("misdelivered: {}{}", one.fault, answer.unwrap_or_default()))
        });
        let refunds = self
            .refunds
            .iter()
            .map(|one| (one.created_at.clone(), format!("refund {}: {}", one.status, one.amount)));
        let receipts = self.receipts.iter().map(|one| (one.created_at.clone(), one.line()));
        let actions = self.actions.iter().map(|one| {
            let decision = one.decision.unwrap_or("open");
            (one.created_at.clone(), format!("action {}: {decision}", one.kind))
        });
        history
            .chain(attempts)
            .chain(money)
            .chain(callbacks)
            .chain(faults)
            .chain(refunds)
            .chain(receipts)
            .chain(actions)
            .collect()
    }
}
