//! `till provider activity`: the calls and notifications of providers in the last 24 hours, on all processes.

use super::{
    context::Context,
    output::{print, table},
    vendor::EnvironmentArg,
};
use anyhow::bail;
use clap::Args;
use serde::Serialize;
use std::time::Duration;
use till_domain::{
    activity::{Activity, CallCounts},
    environment::EnvironmentName,
    time::Timestamp,
};
use till_service::cashier::activity;

#[derive(Debug, Args)]
pub struct ActivityArgs {
    /// Only this provider, such as stripe or simulator
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The environment
    #[arg(long, value_enum, default_value = "live")]
    env: EnvironmentArg,
}

#[derive(Debug, Serialize)]
struct ActivityRow {
    provider: String,
    environment: &'static str,
    #[serde(flatten)]
    day: CallsRow,
    last_notification_accepted_at: Option<String>,
    last_notification_rejected: Option<EventRow>,
    last_error: Option<EventRow>,
    hours: Vec<HourRow>,
}

#[derive(Debug, Serialize)]
struct CallsRow {
    calls: u64,
    failed: u64,
    p50_ms: Option<u64>,
    p95_ms: Option<u64>,
}

#[derive(Debug, Serialize)]
struct HourRow {
    from: String,
    #[serde(flatten)]
    calls: CallsRow,
}

/// When something happened last: the text of an error, or the reason of a rejection.
#[derive(Debug, Serialize)]
struct EventRow {
    at: String,
    text: String,
}

impl From<&CallCounts> for CallsRow {
    fn from(counts: &CallCounts) -> Self {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            calls: counts.calls,
            failed: counts.failures(),
            p50_ms: counts.percentile(50).map(ms),
            p95_ms: counts.percentile(95).map(ms),
        }
    }
}

fn row(environment: EnvironmentName, provider: String, activity: &Activity) -> ActivityRow {
    let event = |at: Timestamp, text: &str| EventRow { at: at.to_string(), text: text.to_owned() };
    let hour =
        |(from, counts): &(Timestamp, CallCounts)| HourRow { from: from.to_string(), calls: counts.into() };
    ActivityRow {
        provider,
        environment: environment.as_str(),
        day: CallsRow::from(&activity.day.sum()),
        last_notification_accepted_at: activity.notice_accepted.map(|at| at.to_string()),
        last_notification_rejected: activity.notice_refused.map(|(at, reason)| event(at, reason.as_str())),
        last_error: activity.last_error.as_ref().map(|error| event(error.at, &error.note)),
        hours: activity.day.hours().iter().map(hour).collect(),
    }
}

/// Prints the activity of all providers of an environment, or of one.
pub(super) async fn show(context: &Context, json: bool, args: ActivityArgs) -> anyhow::Result<()> {
    let environment = args.env.into();
    let store = context.store(environment);
    let mut activities = activity::stored(store, store.now()).await?;
    if let Some(name) = &args.name {
        activities.retain(|provider, _| provider == name);
        if activities.is_empty() {
            bail!("{name} was never called in this environment; --env selects the environment");
        }
    }
    let rows: Vec<_> =
        activities.into_iter().map(|(provider, activity)| row(environment, provider, &activity)).collect();
    print(json, &rows, |rows| text(rows))
}

fn text(rows: &[ActivityRow]) -> String {
    let none = || "-".to_owned();
    let ms = |time: Option<u64>| time.map_or_else(none, |ms| format!("{ms} ms"));
    let event = |event: &Option<EventRow>| {
        event.as_ref().map_or_else(none, |event| format!("{} {}", event.at, event.text))
    };
    let cells = |row: &ActivityRow| {
        vec![
            row.provider.clone(),
            row.day.calls.to_string(),
            row.day.failed.to_string(),
            ms(row.day.p50_ms),
            ms(row.day.p95_ms),
            row.last_notification_accepted_at.clone().unwrap_or_else(none),
            event(&row.last_notification_rejected),
            event(&row.last_error),
        ]
    };
    let head =
        ["provider", "calls", "failed", "p50", "p95", "notified", "notification rejected", "last error"];
    table(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}
