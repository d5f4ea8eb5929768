//! `till signature`: what a vendor's developer does with signatures, without the service.

use super::{Common, client_secret::client_secret, output::print};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::Serialize;
use std::{io::Read as _, path::PathBuf, process::ExitCode};
use till_service::{
    callbacks::signature_check::{KnownSecret, SecretUse, SignatureCheck},
    web::{language::Language, words::Words},
};
use till_store::Clock;

#[derive(Debug, Subcommand)]
pub enum SignatureCommand {
    /// Find the mistake in a signature that your code computed
    #[command(
        after_help = "Needs the client secret in TILL_CLIENT_SECRET, or asks for it. Works without the service and \
        sends nothing. Exits with 1 if the signature is wrong.\n\n\
        Example:\n  till signature check --signature 0de11b3a… --body callback.json"
    )]
    Check(CheckOptions),
}

#[derive(Debug, Args)]
pub struct CheckOptions {
    /// The signature that your code computed
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    signature: String,
    /// File with the raw body of the callback; standard input if omitted
    #[arg(long, value_name = "FILE")]
    body: Option<PathBuf>,
    /// Client id of the pair, which may have been used as the key by mistake [env: TILL_CLIENT_ID]
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
}

#[derive(Serialize)]
struct SignatureRow {
    right: bool,
    diagnosis: Vec<DiagnosisRow>,
}

#[derive(Serialize)]
struct DiagnosisRow {
    code: &'static str,
    says: String,
}

/// Runs a `till signature` command.
pub fn run(common: &Common, command: &SignatureCommand) -> anyhow::Result<ExitCode> {
    let SignatureCommand::Check(options) = command;
    let client_id = options.client_id.clone().or_else(|| std::env::var("TILL_CLIENT_ID").ok());
    let secret = client_secret()?;
    let secrets =
        [KnownSecret { secret, client_id: client_id.unwrap_or_default(), used_for: SecretUse::Signature }];
    let body = read_body(options)?;
    let check = SignatureCheck {
        signature: &options.signature,
        body: &body,
        secrets: &secrets,
        token: None,
        sent: None,
        now: Clock::System.now(),
    };
    let report = check.run();
    let english = Words { language: Language::English };
    let found = report.diagnoses.iter();
    let diagnosis =
        found.map(|found| DiagnosisRow { code: found.mistake.code(), says: found.says(&english) });
    let row = SignatureRow { right: report.right, diagnosis: diagnosis.collect() };
    print(common.json, &row, text)?;
    Ok(if report.right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_body(options: &CheckOptions) -> anyhow::Result<Vec<u8>> {
    let Some(file) = &options.body else {
        let mut body = Vec::new();
        std::io::stdin().lock().read_to_end(&mut body).context("cannot read the body from standard input")?;
        return Ok(body);
    };
    std::fs::read(file).with_context(|| format!("cannot read the body from {}", file.display()))
}

fn text(row: &SignatureRow) -> String {
    let lines: Vec<&str> = row.diagnosis.iter().map(|found| found.says.as_str()).collect();
    lines.join("\n")
}
