//! `till listen`: brings the sandbox's callbacks to a developer's machine.

use super::{
    Common,
    context::block_on,
    output::{complain, print},
    vendor_api::{ApiError, VendorApi, VendorOptions},
};
use anyhow::{Context as _, bail};
use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue},
};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, process::ExitCode, time::Duration};
use till_domain::{id::VendorId, weburl::WebUrl};
use till_service::outbound::{CallFailure, CallResult, Delivery, Outbound, OutboundOptions, Resolver};
use till_store::Clock;
use tokio::time::{Instant, sleep};

/// How long the local server has to answer, as with real callbacks.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// An empty page that comes sooner than this did not wait for events.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

/// The longest pause that the service can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Pauses between tries while the service or the local server is down.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(3)];

#[derive(Debug, Args)]
pub struct ListenOptions {
    /// Address of your server on this machine, such as http://127.0.0.1:3000/callbacks
    #[arg(long, value_name = "URL")]
    forward: String,
    #[command(flatten)]
    vendor: VendorOptions,
    /// Begin with your oldest event instead of the next one
    #[arg(long)]
    from_start: bool,
    /// Print the body of each event
    #[arg(long)]
    print: bool,
    /// End after the first event; exits with 1 unless your server accepted it
    #[arg(long)]
    once: bool,
}

/// A page of the feed.
#[derive(Deserialize)]
struct FeedPage {
    callbacks: Vec<FeedEvent>,
    next: String,
    has_more: bool,
}

#[derive(Deserialize)]
struct FeedEvent {
    event_id: String,
    headers: BTreeMap<String, String>,
    body: String,
}

/// What is printed of an event.
#[derive(Serialize)]
struct ForwardedRow {
    at: String,
    event: String,
    event_id: String,
    order_id: Option<String>,
    /// The status of your server's answer.
    status: Option<u16>,
    /// Why there was no answer.
    failure: Option<String>,
    duration_ms: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// Runs `till listen`.
pub fn run(common: &Common, options: &ListenOptions) -> anyhow::Result<ExitCode> {
    WebUrl::parse(&options.forward).map_err(|problem| anyhow::anyhow!("--forward {problem}"))?;
    let mut listener = Listener {
        api: VendorApi::new(&options.vendor)?,
        outbound: outbound()?,
        options,
        is_json: common.json,
    };
    block_on(async {
        tokio::select! {
            listened = listener.listen() => listened,
            _ = tokio::signal::ctrl_c() => Ok(ExitCode::SUCCESS),
        }
    })
}

/// Sends as the service does, to any address: the developer chose it.
fn outbound() -> anyhow::Result<Outbound> {
    Ok(Outbound::new(OutboundOptions {
        allow_private: true,
        roots: None,
        own: Vec::new(),
        own_hosts: Vec::new(),
        timeout: ANSWER_WITHIN,
        resolver: Resolver::System,
        keep_responses: false,
    })?)
}

/// What became of an event.
enum ForwardResult {
    Accepted,
    /// The server got the event, or part of it, and did not accept it.
    Refused,
    /// Nothing accepted the connection.
    NoServer(CallFailure),
}

struct Listener<'a> {
    api: VendorApi,
    outbound: Outbound,
    options: &'a ListenOptions,
    is_json: bool,
}

impl Listener<'_> {
    async fn listen(&mut self) -> anyhow::Result<ExitCode> {
        let mut cursor = self.start().await?;
        complain(&format!(
            "Listening for sandbox events at {}, forwarding to {}. Press Ctrl-C to stop.",
            self.api.base_url(),
            self.options.forward
        ));
        let mut tries = 0;
        loop {
            let asked = Instant::now();
            let page = self.page(&cursor, "limit=1&wait=30s").await?;
            let Some(event) = page.callbacks.into_iter().next() else {
                if asked.elapsed() < SHORTEST_WAIT {
                    // The service does not let this call wait, because it stops or too many others wait.
                    sleep(SHORTEST_WAIT).await;
                }
                continue;
            };
            match self.forward(event).await? {
                ForwardResult::NoServer(failure) => {
                    if tries == 0 {
                        complain(&format!("{}: {failure}. Trying again.", self.options.forward));
                    }
                    sleep(pause(tries)).await;
                    tries += 1;
                    // The event is fetched again, because its signature covers the time.
                    continue;
                }
                ForwardResult::Accepted if self.options.once => return Ok(ExitCode::SUCCESS),
                ForwardResult::Refused if self.options.once => return Ok(ExitCode::FAILURE),
                ForwardResult::Accepted | ForwardResult::Refused => {}
            }
            tries = 0;
            cursor = page.next;
        }
    }

    /// The cursor to begin with: after everything that is in the feed now, or at its start.
    async fn start(&mut self) -> anyhow::Result<String> {
        let mut cursor = "0".to_owned();
        while !self.options.from_start {
            let page = self.page(&cursor, "limit=100").await?;
            cursor = page.next;
            if !page.has_more {
                break;
            }
        }
        Ok(cursor)
    }

    /// The page after a cursor. While the service is down, it waits.
    async fn page(&mut self, cursor: &str, query: &str) -> anyhow::Result<FeedPage> {
        let path = format!("callbacks?after={cursor}&{query}");
        let mut tries = 0;
        loop {
            match self.api.get(&path).await {
                Ok(page) => {
                    if tries > 0 {
                        complain("The service answers again.");
                    }
                    return serde_json::from_value(page).with_context(|| {
                        let url = self.api.base_url();
                        format!(
                            "{url} does not answer like Till: check the address in --base-url or TILL_URL"
                        )
                    });
                }
                Err(ApiError::Temporary { says, wait }) => {
                    if tries == 0 {
                        complain(&format!("{says}. Trying again."));
                    }
                    sleep(wait.unwrap_or_default().clamp(pause(tries), LONGEST_PAUSE)).await;
                    tries += 1;
                }
                Err(refused) => bail!(refused),
            }
        }
    }

    /// Sends an event to the local server, and says what it answered.
    async fn forward(&self, event: FeedEvent) -> anyhow::Result<ForwardResult> {
        let body = Bytes::from(event.body.clone());
        let headers = headers(&event.headers)?;
        let delivery = Delivery {
            vendor: VendorId::from_bytes([0; 16]),
            url: &self.options.forward,
            headers: &headers,
            body: &body,
        };
        let sent = self.outbound.post(delivery, Instant::now() + ANSWER_WITHIN).await;
        if let Err(failure @ (CallFailure::Connect | CallFailure::Dns)) = sent.result {
            return Ok(ForwardResult::NoServer(failure));
        }
        print(self.is_json, &row(event, &sent, self.options.print), text)?;
        Ok(if sent.result.is_ok() { ForwardResult::Accepted } else { ForwardResult::Refused })
    }
}

fn pause(tries: usize) -> Duration {
    PAUSES[tries.min(PAUSES.len() - 1)]
}

/// The headers of the callback; those of the connection are added when it is sent.
fn headers(named: &BTreeMap<String, String>) -> anyhow::Result<Vec<(HeaderName, HeaderValue)>> {
    let header = |(name, value): (&String, &String)| {
        Ok((HeaderName::try_from(name.as_str())?, HeaderValue::try_from(value.as_str())?))
    };
    named.iter().map(header).collect()
}

fn row(event: FeedEvent, sent: &CallResult, with_body: bool) -> ForwardedRow {
    let document: Value = serde_json::from_str(&event.body).unwrap_or_default();
    let text = |name: &str| document[name].as_str().map(str::to_owned);
    let (status, failure) = match sent.result {
        Ok(status) | Err(CallFailure::Status(status)) => (Some(status), None),
        Err(failure) => (None, Some(failure.to_string())),
    };
    ForwardedRow {
        at: Clock::System.now().to_string(),
        event: text("event").unwrap_or_default(),
        order_id: text("orderId"),
        event_id: event.event_id,
        status,
        failure,
        duration_ms: sent.duration.as_millis(),
        body: with_body.then_some(event.body),
    }
}

fn text(row: &ForwardedRow) -> String {
    let answer = match (row.status, &row.failure) {
        (Some(status), _) => status.to_string(),
        (None, failure) => failure.clone().unwrap_or_default(),
    };
    let order = row.order_id.as_deref().unwrap_or("-");
    let line =
        format!("{}  {:<17}  {order}  {}  {answer}  {} ms", row.at, row.event, row.event_id, row.duration_ms);
    match &row.body {
        Some(body) => format!("{line}\n{body}"),
        None => line,
    }
}
