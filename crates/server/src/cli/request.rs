//! `till request …`: vendors' requests for sandbox mode.

use super::{
    Common,
    context::{Context, block_on},
    output::{print, table},
};
use anyhow::{Context as _, bail};
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    id::RequestId,
};
use till_store::StoredSandboxRequest;

/// The longest note for the vendor, in characters.
const MAX_NOTE: usize = 500;

#[derive(Debug, Subcommand)]
pub enum RequestCommand {
    /// List the requests that wait for a decision
    List,
    /// Grant a request: turn on the vendor's sandbox mode
    Grant {
        /// The request's id; `till request list` lists them
        #[arg(value_parser = request_id, value_name = "REQUEST_ID")]
        id: RequestId,
    },
    /// Dismiss a request
    Dismiss {
        /// The request's id; `till request list` lists them
        #[arg(value_parser = request_id, value_name = "REQUEST_ID")]
        id: RequestId,
        /// A note that the vendor sees; at most 500 characters
        #[arg(long, value_parser = note, value_name = "TEXT")]
        note: Option<String>,
    },
}

fn request_id(text: &str) -> Result<RequestId, String> {
    RequestId::parse(text).ok_or_else(|| "not a request id; `till request list` lists them".to_owned())
}

fn note(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_NOTE {
        return Err(format!("use 1 to {MAX_NOTE} characters"));
    }
    Ok(text.to_owned())
}

/// Runs a `till request` command.
pub fn run(common: &Common, command: RequestCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let context = Context::open(common).await?;
        match command {
            RequestCommand::List => list(&context, json).await?,
            RequestCommand::Grant { id } => grant(&context, json, id).await?,
            RequestCommand::Dismiss { id, note } => dismiss(&context, json, id, note).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct RequestRow {
    request_id: String,
    vendor_id: String,
    vendor: String,
    requested_by: String,
    reason: String,
    created_at: String,
}

impl From<StoredSandboxRequest> for RequestRow {
    fn from(request: StoredSandboxRequest) -> Self {
        Self {
            request_id: request.id.to_string(),
            vendor_id: request.vendor.to_string(),
            vendor: request.vendor_name,
            requested_by: request.email,
            reason: request.reason,
            created_at: request.created_at.to_string(),
        }
    }
}

async fn list(context: &Context, json: bool) -> anyhow::Result<()> {
    let requests = context.accounts.sandbox_requests(None).await?;
    let lines: Vec<RequestRow> = requests.into_iter().map(RequestRow::from).collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "No requests wait for a decision.".to_owned();
        }
        let row = |line: &RequestRow| {
            let RequestRow { request_id, vendor, requested_by, reason, created_at, .. } = line;
            [request_id, created_at, vendor, requested_by, reason].map(Clone::clone).to_vec()
        };
        let head = ["request", "since", "vendor", "requested by", "reason"];
        table(&head, &lines.iter().map(row).collect::<Vec<_>>())
    })
}

async fn find(context: &Context, id: RequestId) -> anyhow::Result<StoredSandboxRequest> {
    let requests = context.accounts.sandbox_requests(None).await?;
    let found = requests.into_iter().find(|request| request.id == id);
    found.with_context(|| format!("no request {id} waits for a decision; `till request list` lists them"))
}

#[derive(Serialize)]
struct DecidedRequest {
    request_id: String,
    vendor_id: String,
    granted: bool,
}

fn report(json: bool, request: (RequestId, String, String), granted: bool) -> anyhow::Result<()> {
    let (id, vendor_id, vendor) = request;
    print(json, &DecidedRequest { request_id: id.to_string(), vendor_id, granted }, |_| {
        let word = if granted { "on" } else { "off, as before" };
        format!("Sandbox mode of {vendor} is {word}.")
    })
}

async fn grant(context: &Context, json: bool, id: RequestId) -> anyhow::Result<()> {
    let request = find(context, id).await?;
    let detail = SandboxRequest { by: request.email, why: request.reason }.detail();
    let entry = context.entry(AuditEvent::SandboxOn).about(request.vendor).saying(detail);
    if !context.accounts.grant_sandbox(id, request.vendor, &entry).await? {
        bail!("request {id} was decided by another operator meanwhile");
    }
    report(json, (id, request.vendor.to_string(), request.vendor_name), true)
}

async fn dismiss(context: &Context, json: bool, id: RequestId, note: Option<String>) -> anyhow::Result<()> {
    let request = find(context, id).await?;
    let entry = context.entry(AuditEvent::SandboxRefused).about(request.vendor);
    let entry = note.iter().fold(entry, |entry, note| entry.saying(note));
    if !context.accounts.dismiss_sandbox_request(id, note.as_deref(), &entry).await? {
        bail!("request {id} was decided by another operator meanwhile");
    }
    report(json, (id, request.vendor.to_string(), request.vendor_name), false)
}
