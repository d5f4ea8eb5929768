//! `till reconciliations`: the runs of the reconciliation, newest first.

use super::{
    Common,
    context::{Context, block_on},
    output::{print, table},
};
use anyhow::bail;
use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use std::process::ExitCode;
use till_domain::{environment::EnvironmentName, id::ReconciliationId, time::Timestamp};
use till_service::registry::ProviderKind;
use till_store::ReconciliationRun;

#[derive(Debug, Args)]
pub struct RunListOptions {
    /// Only those of this provider: yookassa, tbank, stripe or evm
    #[arg(long, value_parser = ProviderKind::NAMES, value_name = "NAME")]
    provider: Option<String>,
    /// Only those before this one, to read the next page
    #[arg(long, value_parser = run_id, value_name = "ID")]
    before: Option<ReconciliationId>,
    /// The most to list
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

fn run_id(text: &str) -> Result<ReconciliationId, String> {
    ReconciliationId::parse(text).ok_or_else(|| "not the id of a reconciliation".to_owned())
}

/// Runs `till reconciliations`.
pub fn run(common: &Common, options: &RunListOptions) -> anyhow::Result<ExitCode> {
    let found = block_on(async {
        let context = Context::open(common).await?;
        let store = context.store(EnvironmentName::Live);
        let Some(runs) = store.reconciliations() else { bail!("only live payments are reconciled") };
        Ok(runs.page(options.provider.as_deref(), options.before, options.limit).await?)
    })?;
    let lines: Vec<RunLine> = found.iter().map(RunLine::new).collect();
    print(common.json, &lines, |lines| text(lines))?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct RunLine {
    reconciliation_id: String,
    provider: String,
    chain: Option<String>,
    from: String,
    to: String,
    origin: &'static str,
    requested_by: Option<String>,
    requested_at: String,
    started_at: Option<String>,
    finished_at: Option<String>,
    state: &'static str,
    compared: u64,
    under_way: u64,
    without_till: u64,
    differences: u64,
    entered: u64,
    sums: Box<RawValue>,
    error: Option<String>,
}

impl RunLine {
    fn new(run: &ReconciliationRun) -> Self {
        let (from, to) = run.period.days();
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let (result, counts) = (&run.result, run.result.counts);
        Self {
            reconciliation_id: run.id.to_string(),
            provider: run.provider.clone(),
            chain: run.chain.clone(),
            from,
            to,
            origin: run.origin.as_str(),
            requested_by: run.requested_by.clone(),
            requested_at: run.requested_at.to_string(),
            started_at: time(run.started_at),
            finished_at: time(run.finished_at),
            state: result.state.as_str(),
            compared: counts.compared,
            under_way: counts.under_way,
            without_till: counts.without_till,
            differences: counts.differences,
            entered: counts.entered,
            sums: RawValue::from_string(result.sums.clone()).unwrap_or_else(|_| RawValue::NULL.to_owned()),
            error: result.error.clone(),
        }
    }
}

fn text(lines: &[RunLine]) -> String {
    if lines.is_empty() {
        return "Nothing has been reconciled yet.".to_owned();
    }
    let row = |line: &RunLine| {
        let provider = match &line.chain {
            Some(chain) => format!("{} ({chain})", line.provider),
            None => line.provider.clone(),
        };
        let by = line.requested_by.clone().unwrap_or_else(|| line.origin.to_owned());
        let days = format!("{} to {}", line.from, line.to);
        let counts = format!("{} compared, {} differences", line.compared, line.differences);
        let error = line.error.clone().unwrap_or_default();
        vec![line.requested_at.clone(), provider, days, by, line.state.to_owned(), counts, error]
    };
    let head = ["requested", "provider", "days", "by", "state", "result", "error"];
    table(&head, &lines.iter().map(row).collect::<Vec<_>>())
}
