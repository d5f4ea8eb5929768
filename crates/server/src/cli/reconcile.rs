//! `till reconcile`: compares a provider's books with ours, and records differences as actions for a person. Its
//! runs are listed with those of the service by `till reconciliations`.

use super::{
    Common,
    context::{Context, block_on},
    output::{complain, print, table},
    provider,
    recorded_run::RecordedRun,
};
use anyhow::{anyhow, bail};
use clap::Args;
use serde::Serialize;
use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};
use till_domain::{
    environment::EnvironmentName,
    reconciliation::{MAX_DAYS, Period, PeriodProblem},
    time::TimeZone,
};
use till_service::{
    environment::EnvironmentStore,
    reconcile::{self, Difference, DifferenceState, Reconciliation, SumLine, Task},
    registry::{self, Prober, ProviderKind, Running},
};
use till_store::{Accounts, Clock};

#[derive(Debug, Args)]
pub struct ReconcileOptions {
    /// The provider: yookassa, tbank, stripe or evm
    #[arg(long, value_parser = ProviderKind::NAMES, value_name = "NAME")]
    provider: String,
    /// The first day in UTC, such as 2026-11-01
    #[arg(long, value_parser = day, value_name = "DAY")]
    from: String,
    /// The last day in UTC
    #[arg(long, value_parser = day, value_name = "DAY")]
    to: String,
    /// Report differences without adding them to Needs action
    #[arg(long)]
    dry_run: bool,
}

fn day(text: &str) -> Result<String, String> {
    let known = TimeZone::utc().day_start(text).map(|_| text.to_owned());
    known.ok_or_else(|| "not a date; use a format such as 2026-11-01".to_owned())
}

/// Runs `till reconcile`; the exit code is 1 if the books differ, 2 if they could not be compared.
pub fn run(common: &Common, options: &ReconcileOptions) -> ExitCode {
    match block_on(compare(common, options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("till: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// The days as times.
fn span(options: &ReconcileOptions) -> anyhow::Result<Period> {
    Period::of_days(&options.from, &options.to, Clock::System.now()).map_err(|problem| match problem {
        PeriodProblem::First | PeriodProblem::Last => anyhow!("--from and --to must be dates"),
        PeriodProblem::Order => anyhow!("--to is before --from"),
        PeriodProblem::Future => anyhow!("--to is after today: days are in UTC, and today is the last one"),
        PeriodProblem::TooLong => {
            anyhow!("the range is longer than {MAX_DAYS} days: compare fewer days at once")
        }
    })
}

async fn compare(common: &Common, options: &ReconcileOptions) -> anyhow::Result<bool> {
    let period = span(options)?;
    let name = options.provider.as_str();
    let Some(kind) = ProviderKind::parse(name) else { bail!("there is no provider {name}") };
    let Some(plan) = provider::used(Context::open(common).await?, kind).await? else {
        bail!("{name} is not set up; use till provider set {name} --file FILE");
    };
    let prober = Prober::of_a_command(|| Clock::System.now())?;
    let context = Context::open(common).await?;
    let store = context.store(EnvironmentName::Live);
    let running = match registry::chains_of_a_command(&plan, &prober, &context.live())? {
        Some(chains) => Running::Chains(chains),
        None => Running::Service(registry::of_a_command(&plan, &prober, &context.live())?),
    };
    let (report, entered) = if options.dry_run {
        (read(&context.accounts, store, &running, period).await?, 0)
    } else {
        let run = RecordedRun::start(&context.accounts, store, (kind, period)).await?;
        run.make(enter(&context.accounts, store, &running, period)).await?
    };
    if report.until < period.to {
        complain(&format!(
            "note: payments after {} may still be in progress and were left out",
            report.until
        ));
    }
    if let Running::Service(provider) = &running
        && provider.books().is_some_and(|books| !books.has_list())
    {
        complain(&format!(
            "note: {name} has no list of payments: Till's own were compared one by one, and a payment without Till is \
             not seen"
        ));
    }
    let output = ReconcileOutput::new(options, &report, entered);
    print(common.json, &output, text)?;
    if !report.unanswered.is_empty() {
        bail!("could not be compared: {}", report.unanswered.join("; "));
    }
    Ok(output.ok)
}

/// Compares the books, and adds the differences to Needs action; returns how many were added, too.
async fn enter(
    accounts: &Accounts,
    store: &EnvironmentStore,
    running: &Running,
    period: Period,
) -> anyhow::Result<(Reconciliation, usize)> {
    let report = read(accounts, store, running, period).await?;
    let entered = reconcile::enter(store, &report).await?;
    Ok((report, entered))
}

async fn read(
    accounts: &Accounts,
    store: &EnvironmentStore,
    running: &Running,
    period: Period,
) -> anyhow::Result<Reconciliation> {
    let Period { from, to } = period;
    match running {
        Running::Chains(chains) => Ok(reconcile::compare_chains(store, &chains.watchers, (from, to)).await?),
        Running::Service(provider) => {
            let task = Task { accounts, store, provider: provider.as_ref(), from, to, now: store.now() };
            let report = reconcile::compare(task, &mut progress()).await;
            clear();
            Ok(report?)
        }
    }
}

/// Shows the progress on a terminal, in one line that is overwritten.
fn progress() -> impl FnMut(u64, u64, u64) {
    let terminal = std::io::stderr().is_terminal();
    move |done, days, payments| {
        if terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[2Kday {} of {days}: {payments} payments", done + 1);
            let _ = std::io::stderr().flush();
        }
    }
}

fn clear() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
}

#[derive(Serialize)]
struct ReconcileOutput {
    ok: bool,
    provider: String,
    from: String,
    until: String,
    compared: u64,
    under_way: u64,
    without_till: u64,
    sums: Vec<SumLine>,
    differences: Vec<ReconcileRow>,
    unanswered: Vec<String>,
    entered: usize,
    dry_run: bool,
}

#[derive(Serialize)]
struct ReconcileRow {
    what: &'static str,
    payment: String,
    session_id: Option<String>,
    note: String,
    state: &'static str,
}

impl ReconcileOutput {
    fn new(options: &ReconcileOptions, report: &Reconciliation, entered: usize) -> Self {
        Self {
            ok: report.unsettled() == 0 && report.unanswered.is_empty(),
            provider: options.provider.clone(),
            from: options.from.clone(),
            until: report.until.to_string(),
            compared: report.compared,
            under_way: report.under_way,
            without_till: report.foreign,
            sums: SumLine::all(report),
            differences: report.differences.iter().map(|one| line(one, options.dry_run)).collect(),
            unanswered: report.unanswered.clone(),
            entered,
            dry_run: options.dry_run,
        }
    }
}

fn line(difference: &Difference, dry_run: bool) -> ReconcileRow {
    ReconcileRow {
        what: difference.what.as_str(),
        payment: difference.payment.clone(),
        session_id: difference.session.map(|id| id.to_string()),
        note: difference.note.clone(),
        state: match difference.known {
            DifferenceState::New if dry_run => "not entered",
            DifferenceState::New => "entered",
            DifferenceState::Open => "waits for a decision",
            DifferenceState::Settled => "settled",
        },
    }
}

fn text(output: &ReconcileOutput) -> String {
    let row = |line: &SumLine| {
        let SumLine { currency, taken_there, taken_here, returned_there, returned_here } = line;
        [currency, taken_there, taken_here, returned_there, returned_here].map(Clone::clone).to_vec()
    };
    let head = ["currency", "paid (provider)", "paid (Till)", "refunded (provider)", "refunded (Till)"];
    let mut parts = vec![table(&head, &output.sums.iter().map(row).collect::<Vec<_>>())];
    if !output.differences.is_empty() {
        let row = |line: &ReconcileRow| {
            let session = line.session_id.clone().unwrap_or_else(|| "-".to_owned());
            vec![line.what.to_owned(), line.state.to_owned(), session, line.note.clone()]
        };
        let rows: Vec<_> = output.differences.iter().map(row).collect();
        parts.push(table(&["difference", "state", "session", "details"], &rows));
    }
    let ReconcileOutput { compared, under_way, without_till, .. } = output;
    parts.push(format!(
        "{compared} payments compared, {under_way} still in progress, {without_till} taken without Till."
    ));
    let differs = output.differences.iter().any(|line| line.state != "settled");
    parts.push(match (output.ok, output.entered) {
        (true, _) => "The records match.".to_owned(),
        (false, _) if !differs => {
            "The records that could be compared match; the rest could not be compared.".to_owned()
        }
        (false, 0) => "The records differ; nothing was added to Needs action.".to_owned(),
        (false, entered) => {
            format!("The records differ: {entered} added to Needs action, see till action list.")
        }
    });
    parts.join("\n\n")
}
