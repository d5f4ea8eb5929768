//! `till provider`: sets providers up, switches them on and off, and tests their set-up.

use super::{
    Common,
    context::{Context, block_on},
    output::{print, table},
    provider_activity::{self, ActivityArgs},
};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};
use till_domain::audit::Actor;
use till_providers::{
    Check, CheckVerdict,
    form::{SetupProblem, mask, unmask},
};
use till_service::{
    admin::Admin,
    registry::{self, Prober, ProviderKind, SetupFile, SetupPlan},
};
use till_store::{Clock, StoredSetup};

#[derive(Debug, Subcommand)]
pub enum ProviderCommand {
    /// List the providers in the order in which Till uses them
    List,
    /// Print a provider's stored setup; it may contain secrets
    Show(NameArgs),
    /// Set up a provider from a file, after testing it; a running service applies it within two seconds
    Set(SetArgs),
    /// Test a setup against the services it names; nothing is stored
    #[command(after_help = "Exits with 1 if any check fails, or a service is unreachable.")]
    Test(TestArgs),
    /// Turn on a provider
    On(NameArgs),
    /// Turn off a provider: it takes no new payments; payments in progress are completed
    Off(NameArgs),
    /// Set which provider comes first if two offer a method; the others keep their order
    Order(OrderArgs),
    /// Show the calls of the last 24 hours on all processes, the last notification and the last error; --json has each hour
    Activity(ActivityArgs),
}

#[derive(Debug, Args)]
pub struct NameArgs {
    /// The provider: yookassa, tbank, stripe or evm
    #[arg(value_parser = ProviderKind::NAMES, value_name = "NAME")]
    name: String,
}

impl NameArgs {
    fn kind(&self) -> ProviderKind {
        ProviderKind::parse(&self.name).unwrap_or_else(|| unreachable!("other names are not taken"))
    }
}

#[derive(Debug, Args)]
pub struct OrderArgs {
    /// The providers, in order
    #[arg(value_parser = ProviderKind::NAMES, value_name = "NAME", required = true)]
    names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct SetArgs {
    #[command(flatten)]
    provider: NameArgs,
    /// The setup as a TOML file; see /docs of a running service
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
pub struct TestArgs {
    #[command(flatten)]
    provider: NameArgs,
    /// A TOML file to test instead of the current setup
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Runs `till provider`.
pub fn run(common: &Common, command: ProviderCommand) -> anyhow::Result<ExitCode> {
    let good = block_on(async {
        let context = Context::open(common).await?;
        match command {
            ProviderCommand::Test(args) => return test(context, common.json, args).await,
            ProviderCommand::List => list(&context, common.json).await,
            ProviderCommand::Show(args) => show(context, common.json, args.kind()).await,
            ProviderCommand::Set(args) => {
                refuse_beside(&context, args.provider.kind())?;
                set(context, common.json, &args).await
            }
            ProviderCommand::On(args) => {
                refuse_beside(&context, args.kind())?;
                switch(context, common.json, &args.name, true).await
            }
            ProviderCommand::Off(args) => {
                refuse_beside(&context, args.kind())?;
                switch(context, common.json, &args.name, false).await
            }
            ProviderCommand::Activity(args) => provider_activity::show(&context, common.json, args).await,
            ProviderCommand::Order(args) => order(context, common.json, &args.names).await,
        }?;
        Ok(true)
    })?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Refuses to change the stored set-up where a file overrides it: the change would have no effect.
fn refuse_beside(context: &Context, kind: ProviderKind) -> anyhow::Result<()> {
    match context.settings().setup_file(kind) {
        None => Ok(()),
        Some(path) => {
            let (setting, path) = (kind.setting(), path.display());
            bail!("{setting} is set: edit {path} and restart the service, or unset {setting}")
        }
    }
}

#[derive(Debug, Serialize)]
struct ProviderRow {
    name: &'static str,
    state: &'static str,
    from: Option<String>,
    version: i64,
    updated_at: Option<String>,
    updated_by: Option<String>,
}

fn line(context: &Context, kind: ProviderKind, stored: &[StoredSetup]) -> ProviderRow {
    let name = kind.name();
    let bare =
        ProviderRow { name, state: "not set up", from: None, version: 0, updated_at: None, updated_by: None };
    if let Some(path) = context.settings().setup_file(kind) {
        return ProviderRow { state: "on", from: Some(path.display().to_string()), ..bare };
    }
    stored.iter().find(|stored| stored.name == name).map_or(bare, |stored| ProviderRow {
        name,
        state: if stored.enabled { "on" } else { "off" },
        from: Some("the store".to_owned()),
        version: stored.version,
        updated_at: Some(stored.updated_at.to_string()),
        updated_by: Some(stored.updated_by.clone()),
    })
}

async fn list(context: &Context, json: bool) -> anyhow::Result<()> {
    let stored = context.accounts.setups().await?;
    let place = |kind: &ProviderKind| match context.settings().setup_file(*kind) {
        // Set-ups from files come first, providers without a set-up last.
        Some(_) => Some(0),
        None => stored.iter().zip(1..).find(|(stored, _)| stored.name == kind.name()).map(|(_, place)| place),
    };
    let mut kinds = ProviderKind::ALL;
    kinds.sort_by_key(|kind| place(kind).unwrap_or(usize::MAX));
    let lines: Vec<_> = kinds.into_iter().map(|kind| line(context, kind, &stored)).collect();
    print(json, &lines, |lines| {
        let row = |line: &ProviderRow| {
            let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
            let version = if line.version == 0 { "-".to_owned() } else { line.version.to_string() };
            vec![
                line.name.to_owned(),
                line.state.to_owned(),
                text(&line.from),
                version,
                text(&line.updated_at),
                text(&line.updated_by),
            ]
        };
        let rows: Vec<_> = lines.iter().map(row).collect();
        table(&["provider", "state", "from", "version", "changed", "by"], &rows)
    })
}

#[derive(Debug, Serialize)]
struct ProviderDetails {
    name: String,
    enabled: bool,
    version: i64,
    document: String,
}

async fn show(context: Context, json: bool, kind: ProviderKind) -> anyhow::Result<()> {
    let name = kind.name();
    if let Some(path) = context.settings().setup_file(kind) {
        bail!("{} is set: the setup is in {}", kind.setting(), path.display());
    }
    let admin = context.admin().await?;
    let Some(open) = admin.show_setup(&Actor::shell(), name).await? else { return Err(not_set_up(name)) };
    let details = ProviderDetails {
        name: name.to_owned(),
        enabled: open.stored.enabled,
        version: open.stored.version,
        document: open.document.expose_secret().to_owned(),
    };
    print(json, &details, |details| details.document.clone())
}

/// The set-up in use: the file if there is one, else the stored document.
pub(super) async fn used(context: Context, kind: ProviderKind) -> anyhow::Result<Option<SetupPlan>> {
    if let Some(path) = context.settings().setup_file(kind) {
        return Ok(Some(SetupFile::read(kind, path)?.plan));
    }
    let Some(open) = context.admin().await?.setup(kind.name()).await? else { return Ok(None) };
    let plan = kind.read(open.document.expose_secret());
    plan.map(Some).map_err(|problems| unusable("the stored setup", &problems))
}

fn unusable(what: &str, problems: &[String]) -> anyhow::Error {
    anyhow::anyhow!("{what} is not a usable setup:\n  {}", problems.join("\n  "))
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[derive(Debug, Serialize)]
struct TestReport {
    ok: bool,
    checks: Vec<CheckLine>,
}

#[derive(Debug, Serialize)]
struct CheckLine {
    what: String,
    outcome: &'static str,
    sentence: String,
}

async fn test(context: Context, json: bool, args: TestArgs) -> anyhow::Result<bool> {
    let kind = args.provider.kind();
    let base_url = context.settings().base_url.clone();
    let plan = match &args.file {
        Some(path) => {
            let found = kind.read(&read(path)?);
            found.map_err(|problems| unusable(&path.display().to_string(), &problems))?
        }
        None => used(context, kind).await?.ok_or_else(|| not_set_up(&args.provider.name))?,
    };
    let prober = Prober { base_url, ..Prober::of_a_command(|| Clock::System.now())? };
    let checks = registry::probe(&plan, &prober).await;
    let ok = checks.iter().all(|check| !check.outcome.is_bad());
    let line = |check: Check| CheckLine {
        outcome: match check.outcome {
            CheckVerdict::Ok => "ok",
            CheckVerdict::Warn => "warning",
            CheckVerdict::Unreachable => "unreachable",
            CheckVerdict::Fail | CheckVerdict::Contradicts => "failed",
        },
        what: check.what,
        sentence: check.sentence,
    };
    let tested = TestReport { ok, checks: checks.into_iter().map(line).collect() };
    print(json, &tested, |tested| {
        let row = |line: &CheckLine| vec![line.outcome.to_owned(), line.what.clone(), line.sentence.clone()];
        let rows: Vec<_> = tested.checks.iter().map(row).collect();
        table(&["", "check", "result"], &rows)
    })?;
    Ok(ok)
}

fn not_set_up(name: &str) -> anyhow::Error {
    anyhow::anyhow!("{name} is not set up; use till provider set {name} --file FILE")
}

#[derive(Debug, Serialize)]
struct ProviderReport<'a> {
    name: &'a str,
    enabled: bool,
    version: i64,
}

async fn report(admin: &Admin, json: bool, name: &str, words: &str) -> anyhow::Result<()> {
    let stored = admin.accounts.setups().await?.into_iter().find(|stored| stored.name == name);
    let stored = stored.ok_or_else(|| not_set_up(name))?;
    print(json, &ProviderReport { name, enabled: stored.enabled, version: stored.version }, |done| {
        let state = if done.enabled { "on" } else { "off" };
        format!("{name} {words}; now {state}, version {}", done.version)
    })
}

async fn set(context: Context, json: bool, args: &SetArgs) -> anyhow::Result<()> {
    let (kind, path) = (args.provider.kind(), args.file.display().to_string());
    let (admin, name) = (context.admin().await?, args.provider.name.as_str());
    let stored = admin.setup(name).await?;
    let seen = stored.as_ref().map_or(0, |open| open.stored.version);
    let secrets = stored.map(|open| mask(kind.fields(), open.document.expose_secret(), "stored", 1).secrets);
    // A document that was copied from the console has placeholders for what is stored.
    let document = unmask(kind.fields(), &read(&args.file)?, &secrets.unwrap_or_default(), &[]);
    let sentences =
        |problems: Vec<SetupProblem>| problems.iter().map(SetupProblem::to_string).collect::<Vec<_>>();
    let document = document.map_err(|problems| unusable(&path, &sentences(problems)))?;
    let plan = kind.read(&document).map_err(|problems| unusable(&path, &problems))?;
    let prober = Prober::of_a_command(|| Clock::System.now())?;
    if let Some(checks) = registry::contradictions(&plan, &prober).await {
        return Err(unusable(&path, &registry::contradicted(&checks)));
    }
    admin.set_up(&Actor::shell(), (name, seen), &document.into()).await?;
    report(&admin, json, name, "set up").await
}

async fn switch(context: Context, json: bool, name: &str, on: bool) -> anyhow::Result<()> {
    let admin = context.admin().await?;
    let words = if on { "turned on" } else { "turned off" };
    if admin.setup(name).await?.is_none() {
        return Err(not_set_up(name));
    }
    let moved = admin.switch_provider(&Actor::shell(), name, on).await?;
    report(&admin, json, name, if moved { words } else { "unchanged" }).await
}

#[derive(Debug, Serialize)]
struct OrderReport {
    order: Vec<String>,
}

async fn order(context: Context, json: bool, names: &[String]) -> anyhow::Result<()> {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    if let Some(twice) = (1..names.len()).find(|place| names[..*place].contains(&names[*place])) {
        bail!("{} is listed twice", names[twice]);
    }
    for name in &names {
        if let Some(kind) = ProviderKind::parse(name) {
            refuse_beside(&context, kind)?;
        }
    }
    let admin = context.admin().await?;
    let stored = admin.accounts.setups().await?;
    if let Some(name) = names.iter().find(|name| stored.iter().all(|stored| stored.name != **name)) {
        return Err(not_set_up(name));
    }
    admin.order_providers(&Actor::shell(), &names).await?;
    let order = admin.accounts.setups().await?.into_iter().map(|stored| stored.name).collect();
    print(json, &OrderReport { order }, |ordered| format!("The order is {}.", ordered.order.join(", ")))
}
