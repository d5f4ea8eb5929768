//! `till callback …`: lists callbacks with their deliveries, and resends them.

use super::{
    Common,
    context::{Context, EnvironmentOption, block_on, moment, vendor_id},
    output::{print, table},
};
use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::Actor,
    delivery::DeliveryState,
    id::{EventId, VendorId},
};
use till_service::admin::{ResendOutcome, Resender};
use till_store::{
    DeliveryFilter, EventFilter, Payments, Span, StoredAttempt, StoredEvent, Turn, Undelivered,
};

#[derive(Debug, Subcommand)]
pub enum CallbackCommand {
    /// List callbacks, newest first
    List {
        #[command(flatten)]
        place: EnvironmentOption,
        /// Only callbacks in this state: queued, sending, delivered, undelivered or no_target
        #[arg(long, value_parser = state)]
        state: Option<DeliveryState>,
        /// Only callbacks of this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: Option<VendorId>,
        /// Only callbacks since this time, such as 2026-11-15T09:30:00Z, or within this period, such as 2h
        #[arg(long, value_name = "T")]
        since: Option<String>,
        /// Maximum number of lines
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show a callback with its body and its attempts
    Show {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The callback's eventId
        #[arg(value_parser = event_id)]
        id: EventId,
    },
    /// Resend a callback, or all undelivered ones; the body never changes
    Resend {
        #[command(flatten)]
        place: EnvironmentOption,
        /// The callback's eventId
        #[arg(value_parser = event_id, required_unless_present = "all", conflicts_with = "all")]
        id: Option<EventId>,
        /// Resend all undelivered callbacks
        #[arg(long)]
        all: bool,
        /// With --all: only callbacks of this vendor
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID", requires = "all")]
        vendor: Option<VendorId>,
        /// With --all: only callbacks since this time or within this period
        #[arg(long, value_name = "T", requires = "all")]
        since: Option<String>,
    },
}

fn state(word: &str) -> Result<DeliveryState, String> {
    let words = DeliveryState::ALL.map(DeliveryState::as_str).join(", ");
    DeliveryState::parse(word).ok_or_else(|| format!("use one of {words}"))
}

fn event_id(text: &str) -> Result<EventId, String> {
    EventId::parse(text).ok_or_else(|| "not an eventId; `till callback list` lists them".to_owned())
}

/// Runs a `till callback` command.
pub fn run(common: &Common, command: CallbackCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        match command {
            CallbackCommand::List { place, state, vendor, since, limit } => {
                let payments = context.store(place.env.into());
                let since = since.map(|text| moment("--since", &text, payments.now())).transpose()?;
                let span = Span { since, until: None };
                let standing = state.map(DeliveryFilter::Is);
                list(payments, json, &EventFilter { vendor, standing, method: None, span }, limit).await?;
            }
            CallbackCommand::Show { place, id } => show(context.store(place.env.into()), json, id).await?,
            CallbackCommand::Resend { place, id, vendor, since, .. } => {
                let payments = context.store(place.env.into());
                let since = since.map(|text| moment("--since", &text, payments.now())).transpose()?;
                let resender = Resender {
                    accounts: &context.accounts,
                    store: payments,
                    schedule: context.schedule(),
                    actor: &Actor::shell(),
                    by_operator: true,
                };
                resend(&resender, json, id, Undelivered { vendor, since }).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
pub(super) struct CallbackRow {
    event_id: String,
    pub(super) event: String,
    session_id: String,
    vendor_id: String,
    pub(super) state: &'static str,
    attempts: u32,
    pub(super) created_at: String,
    next_attempt_at: Option<String>,
    delivered_at: Option<String>,
    target: Option<String>,
}

impl From<&StoredEvent> for CallbackRow {
    fn from(event: &StoredEvent) -> Self {
        let queued = event.state == DeliveryState::Queued;
        Self {
            event_id: event.id.to_string(),
            event: event.event.clone(),
            session_id: event.session.to_string(),
            vendor_id: event.vendor.to_string(),
            state: event.state.as_str(),
            attempts: event.attempts,
            created_at: event.created_at.to_string(),
            next_attempt_at: event.due_at.filter(|_| queued).map(|at| at.to_string()),
            delivered_at: event.delivered_at.map(|at| at.to_string()),
            target: event.target.as_ref().map(|url| url.as_str().to_owned()),
        }
    }
}

async fn list(payments: &Payments, json: bool, filter: &EventFilter, limit: u32) -> anyhow::Result<()> {
    let lines: Vec<CallbackRow> =
        payments.events(filter, Turn::Newest, limit).await?.iter().map(CallbackRow::from).collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "No callbacks match.".to_owned();
        }
        let row = |line: &CallbackRow| {
            let target = line.target.clone().unwrap_or_else(|| "-".to_owned());
            let attempts = line.attempts.to_string();
            vec![
                line.event_id.clone(),
                line.created_at.clone(),
                line.event.clone(),
                line.state.to_owned(),
                attempts,
                target,
            ]
        };
        let head = ["event", "created", "what", "state", "attempts", "target"];
        table(&head, &lines.iter().map(row).collect::<Vec<_>>())
    })
}

#[derive(Serialize)]
struct CallbackDetails {
    #[serde(flatten)]
    line: CallbackRow,
    body: String,
    made: Vec<AttemptRow>,
}

#[derive(Serialize)]
struct AttemptRow {
    attempt: u32,
    started_at: String,
    took_ms: Option<u128>,
    result: String,
    status: Option<u16>,
    /// Who asked for it, if it is a manual one.
    requested_by: Option<String>,
}

impl From<StoredAttempt> for AttemptRow {
    fn from(attempt: StoredAttempt) -> Self {
        Self {
            attempt: attempt.number,
            started_at: attempt.started_at.to_string(),
            took_ms: attempt.took.map(|took| took.as_millis()),
            result: attempt.result,
            status: attempt.status,
            requested_by: attempt.requested_by.map(|by| by.name),
        }
    }
}

async fn show(payments: &Payments, json: bool, id: EventId) -> anyhow::Result<()> {
    let Some(event) = payments.event(id).await? else { return Err(no_such_event(id)) };
    let made = payments.attempts(id).await?.into_iter().map(AttemptRow::from).collect();
    let body = String::from_utf8_lossy(&event.body).into_owned();
    print(json, &CallbackDetails { line: CallbackRow::from(&event), body, made }, |details| {
        let line = &details.line;
        let mut text = format!("{} {} is {}\n", line.event, line.event_id, line.state);
        for (name, value) in [
            ("session", Some(&line.session_id)),
            ("vendor", Some(&line.vendor_id)),
            ("created", Some(&line.created_at)),
            ("target", line.target.as_ref()),
            ("next attempt", line.next_attempt_at.as_ref()),
            ("delivered", line.delivered_at.as_ref()),
            ("body", Some(&details.body)),
        ] {
            let value = value.map_or("-", String::as_str);
            text.push_str(&format!("{name:14}{value}\n"));
        }
        for made in &details.made {
            let status = made.status.map(|status| format!(" {status}")).unwrap_or_default();
            let took = made.took_ms.map(|ms| format!(" after {ms} ms")).unwrap_or_default();
            let by = made.requested_by.as_ref().map(|by| format!(", requested by {by}")).unwrap_or_default();
            text.push_str(&format!(
                "attempt {:<6}{} {}{status}{took}{by}\n",
                made.attempt, made.started_at, made.result
            ));
        }
        text
    })
}

fn no_such_event(id: EventId) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no callback {id} in this environment; `till callback list` lists them, --env selects the \
         environment"
    )
}

#[derive(Serialize)]
struct ResendReport {
    resent: u64,
}

async fn resend(
    resender: &Resender<'_>,
    json: bool,
    id: Option<EventId>,
    which: Undelivered,
) -> anyhow::Result<()> {
    let resent = match id {
        Some(id) => match resender.one(id).await? {
            ResendOutcome::Done(_) => 1,
            ResendOutcome::Missing => return Err(no_such_event(id)),
            ResendOutcome::NoTarget => {
                bail!("callback {id} has no callback URL: none was set when the session ended")
            }
            ResendOutcome::OnItsWay => {
                bail!("callback {id} is still being sent: Till retries it automatically")
            }
        },
        None => resender.all(which).await?,
    };
    print(json, &ResendReport { resent }, |done| match done.resent {
        0 => "No undelivered callbacks.".to_owned(),
        1 => "Resending 1 callback.".to_owned(),
        count => format!("Resending {count} callbacks."),
    })
}
