//! `till verify`: checks the invariants of the stored data. It only reads, and may run beside the service.

use super::{
    Common,
    context::{block_on, load_settings},
    output::{complain, print, table},
};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
    time::{Duration, Instant},
};
use till_domain::time::Timestamp;
use till_service::telemetry::explain;
use till_store::{CheckResult, StoreError, Stores};

#[derive(Serialize)]
struct VerifyReport {
    ok: bool,
    checks: Vec<VerifyRow>,
}

#[derive(Serialize)]
struct VerifyRow {
    database: &'static str,
    check: String,
    rows: u64,
    violations: u64,
    first: Vec<String>,
    before_the_books: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_with: Option<String>,
}

impl VerifyRow {
    fn new(database: &'static str, checked: CheckResult) -> Self {
        Self {
            database,
            check: checked.name.to_owned(),
            rows: checked.rows,
            violations: checked.wrong,
            first: checked.first,
            before_the_books: checked.before,
            ends_with: checked.ends_with,
        }
    }
}

/// The progress, in one line that is overwritten. Shown only on a terminal.
struct Bar {
    total: usize,
    begun: usize,
    name: String,
    last: Option<Instant>,
    terminal: bool,
}

impl Bar {
    const WIDTH: usize = 20;

    fn new(total: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { total, begun: 0, name: String::new(), last: None, terminal }
    }

    fn tell(&mut self, name: &str, rows: u64) {
        if name != self.name {
            name.clone_into(&mut self.name);
            self.begun += 1;
        } else if self.last.is_some_and(|last| last.elapsed() < Duration::from_millis(100)) {
            return;
        }
        self.last = Some(Instant::now());
        if self.terminal {
            let full = Self::WIDTH * (self.begun - 1).min(self.total) / self.total.max(1);
            let (done, rest) = ("█".repeat(full), "░".repeat(Self::WIDTH - full));
            let _ = write!(std::io::stderr(), "\r\x1b[2K{done}{rest} {name}: {rows} rows");
            let _ = std::io::stderr().flush();
        }
    }

    fn end(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

/// Runs `till verify`; the exit code is 1 if any check failed.
pub fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let report = block_on(async {
        let settings = load_settings(common)?;
        if !settings.place.has_store().await.with_context(|| settings.name_place())? {
            bail!("there is no store: {}; point it at the service's store", settings.name_place());
        }
        match Stores::examine(&settings.place).await {
            Ok(stores) => Ok(look(&stores).await?),
            // A file that cannot be opened is itself a finding.
            Err(error @ (StoreError::Open { .. } | StoreError::Damaged(_))) => Ok(unopened(&error)),
            Err(error) => Err(error).with_context(|| settings.name_place()),
        }
    })?;
    for line in report.checks.iter().filter(|line| line.before_the_books > 0) {
        complain(&format!(
            "note: {} {} of {} are older than the ledger: {}",
            line.before_the_books, "rows", line.database, line.check
        ));
    }
    print(common.json, &report, text)?;
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks that every mail to users can be read.
async fn look_at_mails(stores: &Stores) -> Result<VerifyRow, StoreError> {
    let (rows, violations, first) =
        match stores.accounts.inspect_mails(Timestamp::from_ms(i64::MAX), u32::MAX).await {
            Err(StoreError::Damaged(what)) => (0, 1, vec![format!("unreadable: {what}")]),
            mails => {
                let mails = mails?;
                let named = mails.unreadable.first.iter();
                let named = named.map(|row| format!("mails {}: {}", row.id, row.problem));
                (mails.readable + mails.unreadable.count, mails.unreadable.count, named.collect())
            }
        };
    let check = "all queue rows are readable".to_owned();
    Ok(VerifyRow {
        database: "accounts",
        check,
        rows,
        violations,
        first,
        before_the_books: 0,
        ends_with: None,
    })
}

async fn look(stores: &Stores) -> Result<VerifyReport, StoreError> {
    let mut bar = Bar::new(stores.live.checks() + stores.sandbox.checks() + 3);
    let mut checks = Vec::new();
    for (database, payments) in [("live", &stores.live), ("sandbox", &stores.sandbox)] {
        // The next database has checks of the same names.
        bar.name.clear();
        let checked = payments.verify(&mut |name, rows| bar.tell(name, rows)).await?;
        checks.extend(checked.into_iter().map(|checked| VerifyRow::new(database, checked)));
    }
    bar.name.clear();
    let audit = stores.accounts.verify_audit(&mut |name, rows| bar.tell(name, rows)).await?;
    checks.push(VerifyRow::new("accounts", audit));
    checks.push(look_at_mails(stores).await?);
    let damage = match stores.accounts.find_damage().await {
        Err(StoreError::Damaged(what)) => vec![format!("unreadable: {what}")],
        damage => damage?,
    };
    checks.push(VerifyRow {
        database: "accounts",
        check: "the database reports no damage".to_owned(),
        rows: 0,
        violations: u64::try_from(damage.len()).unwrap_or(u64::MAX),
        first: damage,
        before_the_books: 0,
        ends_with: None,
    });
    bar.end();
    Ok(VerifyReport { ok: checks.iter().all(|line| line.violations == 0), checks })
}

fn unopened(error: &StoreError) -> VerifyReport {
    let line = VerifyRow {
        database: "store",
        check: "the files can be opened".to_owned(),
        rows: 0,
        violations: 1,
        first: vec![explain(error)],
        before_the_books: 0,
        ends_with: None,
    };
    VerifyReport { ok: false, checks: vec![line] }
}

fn text(report: &VerifyReport) -> String {
    let row = |line: &VerifyRow| {
        let verdict =
            if line.violations == 0 { "ok".to_owned() } else { format!("{} WRONG", line.violations) };
        let ends_with = line.ends_with.as_ref().map(|place| format!("last entry: {place}"));
        let first = if line.first.is_empty() { ends_with.unwrap_or_default() } else { line.first.join("; ") };
        vec![line.database.to_owned(), line.check.clone(), line.rows.to_string(), verdict, first]
    };
    let lines = table(
        &["database", "check", "rows", "result", "first violations"],
        &report.checks.iter().map(row).collect::<Vec<_>>(),
    );
    let wrong: u64 = report.checks.iter().map(|line| line.violations).sum();
    match wrong {
        0 => format!("{lines}\nAll checks passed."),
        wrong => {
            format!("{lines}\n{wrong} violations: leave the store unchanged, and compare it with a backup.")
        }
    }
}
