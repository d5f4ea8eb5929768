//! `till hold` and `till release`: stop everything that leaves the service after a restore, and start it again.

use super::{
    Common,
    confirm::ConfirmOption,
    context::{Context, block_on},
    output::{complain, print, table},
};
use anyhow::bail;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{audit::Actor, environment::EnvironmentName};
use till_service::{
    admin::{ReleaseForecast, place_hold, release_hold},
    status::QueueState,
};
use till_store::HoldReason;

/// Runs `till hold`.
pub fn hold(common: &Common, confirm: &ConfirmOption) -> anyhow::Result<ExitCode> {
    block_on(async move {
        let context = Context::open(common).await?;
        confirm.ask(
            "Nothing will be sent, no session will expire and none can be created until `till release`. Hold?",
        )?;
        let stores = [context.store(EnvironmentName::Live), context.store(EnvironmentName::Sandbox)];
        let placed = place_hold(&context.accounts, stores, &Actor::shell(), HoldReason::Operator).await?;
        if let Some(hold) = context.accounts.hold().await?.filter(|_| !placed) {
            bail!("the service has been on hold since {}; `till release` releases it", hold.since);
        }
        print(common.json, &HoldRow { held: true }, |_| {
            "The service is on hold. Running processes notice within a second.".to_owned()
        })?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs `till release`.
pub fn release(common: &Common, confirm: &ConfirmOption) -> anyhow::Result<ExitCode> {
    block_on(async move {
        let context = Context::open(common).await?;
        let stores = [context.store(EnvironmentName::Live), context.store(EnvironmentName::Sandbox)];
        let Some(forecast) = ReleaseForecast::read(&context.accounts, stores).await? else {
            bail!("the service is not on hold");
        };
        if !common.json {
            print(false, &(), |()| text(&forecast))?;
        } else if !confirm.yes {
            complain(&text(&forecast));
        }
        confirm.ask("Release?")?;
        release_hold(&context.accounts, &Actor::shell(), &forecast).await?;
        let rows = forecast.queues.iter().map(ForecastRow::from).collect();
        print(common.json, &Released { held: false, queues: rows }, |_| {
            "The hold is released. Running processes notice within a second.".to_owned()
        })?;
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct HoldRow {
    held: bool,
}

#[derive(Serialize)]
struct Released {
    held: bool,
    /// What was kept back.
    queues: Vec<ForecastRow>,
}

#[derive(Serialize)]
struct ForecastRow {
    queue: &'static str,
    environment: Option<&'static str>,
    waiting: u64,
    /// The part that is due at once, where it is known.
    due: Option<u64>,
}

impl From<&QueueState> for ForecastRow {
    fn from(queue: &QueueState) -> Self {
        let environment = queue.environment.map(EnvironmentName::as_str);
        Self { queue: queue.word, environment, waiting: queue.kept_back(), due: queue.due }
    }
}

fn text(forecast: &ReleaseForecast) -> String {
    let hold = &forecast.hold;
    let head = format!("On hold since {} ({}, by {}).", hold.since, hold.reason.as_str(), hold.placed_by);
    if forecast.queues.is_empty() {
        return format!("{head} Nothing is waiting.");
    }
    let row = |queue: &QueueState| {
        let environment = queue.environment.map_or("", EnvironmentName::as_str);
        let due = queue.due.map_or_else(String::new, |due| due.to_string());
        vec![due, queue.kept_back().to_string(), environment.to_owned(), meaning(queue.word).to_owned()]
    };
    let rows: Vec<Vec<String>> = forecast.queues.iter().map(row).collect();
    let columns = ["due now", "in all", "environment", "what happens"];
    format!("{head} When it is released:\n\n{}\n", table(&columns, &rows))
}

/// What happens to the entries of a queue.
fn meaning(queue: &str) -> &'static str {
    match queue {
        "sessions" => "pending sessions; those that are due expire, with a callback each",
        "payments" => "payments are asked about at their providers",
        "callbacks" => "callbacks are sent to vendors",
        "refunds" => "refunds are sent to providers",
        "settlements" => "pending amounts become available to vendors",
        "seals" => "ledger entries are sealed",
        "mails" => "mails are sent to panel users",
        _ => "mails are sent to customers and vendors",
    }
}
