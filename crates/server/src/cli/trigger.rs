//! `till trigger`: makes a sandbox session and what happens to it.

use super::{
    Common,
    context::block_on,
    output::print,
    vendor_api::{ApiError, VendorApi, VendorOptions},
};
use clap::{Args, builder::PossibleValuesParser};
use serde::Serialize;
use serde_json::{Value, json};
use std::process::ExitCode;
use till_domain::callback::EventKind;

#[derive(Debug, Args)]
pub struct TriggerOptions {
    /// The event that your server will be sent
    #[arg(value_name = "EVENT", value_parser = PossibleValuesParser::new(EventKind::ALL.iter().map(|kind| kind.as_str())))]
    event: String,
    #[command(flatten)]
    vendor: VendorOptions,
    /// Your id of the order [default: trigger- and the event]
    #[arg(long, value_name = "ID")]
    order_id: Option<String>,
    /// Where the callbacks of this session go, instead of the address in your settings
    #[arg(long, value_name = "URL")]
    callback_url: Option<String>,
    /// Price of the session
    #[arg(long, default_value = "10.00")]
    price: String,
    /// Currency of the price
    #[arg(long, default_value = "USD", value_name = "CODE")]
    currency: String,
}

#[derive(Serialize)]
struct TriggeredRow {
    event: String,
    session_id: String,
    order_id: String,
    status: String,
}

/// A step after the session was created.
enum Step {
    /// `simulate` with this body.
    Simulate(Value),
    /// A refund of everything, with this reason.
    Refund(&'static str),
}

/// Runs `till trigger`.
pub fn run(common: &Common, options: &TriggerOptions) -> anyhow::Result<ExitCode> {
    let mut api = VendorApi::new(&options.vendor)?;
    let row = block_on(trigger(&mut api, options))?;
    print(common.json, &row, |row| {
        format!("{}  session {}  order {}  {}", row.event, row.session_id, row.order_id, row.status)
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn trigger(api: &mut VendorApi, options: &TriggerOptions) -> anyhow::Result<TriggeredRow> {
    // The same in every run, as all else is under `till demo --seed`. An order may have many sessions.
    let order_id = options.order_id.clone().unwrap_or_else(|| format!("trigger-{}", options.event));
    let mut order = json!({
        "product_name": "Test order",
        "price": options.price,
        "currency": options.currency,
        "order_id": order_id,
    });
    if let Some(url) = &options.callback_url {
        order["callback_url"] = json!(url);
    }
    let created = api.post("checkout-session", &order).await?;
    let id = created["session_id"].as_str().unwrap_or_default().to_owned();
    for step in steps(&options.event) {
        take(api, &id, step).await?;
    }
    let status = api.get(&format!("checkout-session/{id}")).await?;
    Ok(TriggeredRow {
        event: options.event.clone(),
        session_id: id,
        order_id,
        status: status["status"].as_str().unwrap_or_default().to_owned(),
    })
}

async fn take(api: &mut VendorApi, id: &str, step: Step) -> Result<Value, ApiError> {
    match step {
        Step::Simulate(body) => api.post(&format!("checkout-session/{id}/simulate"), &body).await,
        Step::Refund(reason) => {
            api.post(&format!("checkout-session/{id}/refunds"), &json!({ "reason": reason })).await
        }
    }
}

/// What has to happen to a new session before its event.
fn steps(event: &str) -> Vec<Step> {
    let outcome = |word: &str| Step::Simulate(json!({ "outcome": word }));
    let happens = |kind: EventKind| Step::Simulate(json!({ "event": kind.as_str() }));
    let Some(kind) = EventKind::parse(event) else { return Vec::new() };
    match kind {
        EventKind::SessionPaid => vec![outcome("paid")],
        EventKind::SessionFailed => vec![outcome("failed")],
        EventKind::SessionExpired => vec![outcome("expired")],
        EventKind::RefundSucceeded => vec![outcome("paid"), Step::Refund("a test")],
        EventKind::RefundFailed => vec![outcome("paid"), Step::Refund("simulate fail")],
        EventKind::PaymentLate | EventKind::PaymentPartial => vec![outcome("expired"), happens(kind)],
        EventKind::PaymentOver | EventKind::DisputeOpened => vec![outcome("paid"), happens(kind)],
        EventKind::PaymentResolved => {
            let accepted = json!({ "event": kind.as_str(), "resolution": "accepted" });
            vec![outcome("expired"), happens(EventKind::PaymentLate), Step::Simulate(accepted)]
        }
        EventKind::DisputeWon | EventKind::DisputeLost => {
            vec![outcome("paid"), happens(EventKind::DisputeOpened), happens(kind)]
        }
    }
}
