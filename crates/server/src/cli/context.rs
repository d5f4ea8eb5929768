//! Parts that commands on the store share: settings, the accounts, the vault, a runtime.

use super::{Common, vendor::EnvironmentArg};
use crate::app;
use anyhow::{Context as _, bail};
use clap::Args;
use std::{future::Future, path::PathBuf, sync::Arc};
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    delivery::Schedule,
    environment::EnvironmentName,
    id::VendorId,
    rules::RuleSettings,
    time::Timestamp,
};
use till_service::{
    admin::{self, Admin, adopt_key},
    environment::EnvironmentStore,
    settings::{self, Settings},
};
use till_store::{Accounts, Clock, Durability, EndpointChecks, Faults, Payments, Span, Stores};

/// The environment that a command reads or changes.
#[derive(Debug, Args)]
pub struct EnvironmentOption {
    /// The environment
    #[arg(long, value_enum, default_value = "live")]
    pub env: EnvironmentArg,
}

/// Loads the settings of a command.
pub fn load_settings(common: &Common) -> anyhow::Result<Settings> {
    let (config, variables) = variables(common)?;
    Ok(Settings::load(config.as_deref(), variables)?)
}

/// The configuration file, and the variables that override it.
#[allow(clippy::type_complexity, reason = "a pair of a path and a list")]
pub fn variables(common: &Common) -> anyhow::Result<(Option<PathBuf>, Vec<(String, String)>)> {
    let mut variables = Vec::new();
    for (name, value) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("TILL_")) else { continue };
        let value =
            value.into_string().map_err(|_| anyhow::anyhow!("{name} is not valid UTF-8: set it again"))?;
        variables.push((name.to_owned(), value));
    }
    let named = variables.iter().find(|(name, value)| name == "TILL_CONFIG" && !value.is_empty());
    let config = common.config.clone().or_else(|| named.map(|(_, path)| path.into()));
    if let Some(folder) = &common.data_dir {
        let folder = folder.to_str().context("--data-dir is not valid UTF-8")?.to_owned();
        variables.retain(|(name, _)| name != "TILL_DATA_DIR");
        variables.push(("TILL_DATA_DIR".to_owned(), folder));
    }
    Ok((config, variables))
}

/// The open stores of one command.
pub struct Context {
    pub accounts: Arc<Accounts>,
    /// The faults of the sandbox's callbacks.
    pub faults: Faults,
    /// The checks of vendors' endpoints.
    pub endpoint_checks: EndpointChecks,
    live: EnvironmentStore,
    sandbox: EnvironmentStore,
    /// What rules are made of.
    pub rules: RuleSettings,
    settings: Settings,
}

impl Context {
    /// Opens the accounts of an existing store.
    pub async fn open(common: &Common) -> anyhow::Result<Self> {
        let settings = load_settings(common)?;
        if !settings.place.has_store().await.with_context(|| settings.name_place())? {
            bail!(
                "there is no store: {}; point it at the service's store, or create one with `till vendor \
                 create`",
                settings.name_place()
            );
        }
        Self::of(settings).await
    }

    /// Opens the accounts, and creates the store if there is none. A store belongs to the master key, so
    /// without that none is created.
    pub async fn open_or_make(common: &Common) -> anyhow::Result<Self> {
        let settings = load_settings(common)?;
        settings.master_key()?;
        Self::of(settings).await
    }

    /// Opens the accounts of these settings, and creates the store if there is none.
    pub async fn of(settings: Settings) -> anyhow::Result<Self> {
        Self::with_clock(settings, None).await
    }

    /// Opens the accounts of these settings as [`Context::of`] does, with another clock than the store's own.
    pub async fn with_clock(settings: Settings, clock: Option<Clock>) -> anyhow::Result<Self> {
        let stores = Stores::open(&settings.place, Durability::Full, clock).await;
        let stores = stores.with_context(|| settings.name_place())?;
        let Stores { accounts, live, sandbox, faults, endpoint_checks } = stores;
        let accounts = Arc::new(accounts);
        let live = EnvironmentStore::new(live, app::live_rules(&settings));
        let sandbox = EnvironmentStore::new(sandbox, app::sandbox_rules(&settings));
        Ok(Self { accounts, live, sandbox, faults, endpoint_checks, rules: settings.rules.clone(), settings })
    }

    /// The sessions and callbacks of one environment.
    pub fn store(&self, environment: EnvironmentName) -> &EnvironmentStore {
        match environment {
            EnvironmentName::Live => &self.live,
            EnvironmentName::Sandbox => &self.sandbox,
        }
    }

    /// The live payments, for an adapter that keeps them.
    pub fn live(&self) -> Arc<Payments> {
        self.live.payments()
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The retry schedule of callbacks.
    pub fn schedule(&self) -> &Schedule {
        &self.settings.callbacks.schedule
    }

    /// A line of the audit log with the shell as actor: the command's user has access to the machine.
    pub fn entry(&self, event: AuditEvent) -> AuditEntry {
        admin::entry(&self.accounts, &Actor::shell(), event)
    }

    /// The admin, after checking that the master key is the store's.
    pub async fn admin(&self) -> anyhow::Result<Admin> {
        let vault = self.settings.vault()?;
        adopt_key(&self.accounts, &vault).await?;
        Ok(Admin { accounts: Arc::clone(&self.accounts), vault: Arc::new(vault) })
    }
}

/// Runs a command's work to its end.
pub fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Reads the value of an option that is a time, or a duration before now.
pub fn moment(option: &str, text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    if let Some(ago) = settings::parse_duration(text) {
        return Ok(now.minus(ago));
    }
    match Timestamp::parse(text) {
        Some(moment) => Ok(moment),
        None => {
            bail!("{option} is {text:?}: use a time such as 2026-11-15T09:30:00Z, or a period such as 2h")
        }
    }
}

/// Reads `--since` and `--until`.
pub fn span(since: Option<&str>, until: Option<&str>, now: Timestamp) -> anyhow::Result<Span> {
    let since = since.map(|text| moment("--since", text, now)).transpose()?;
    let until = until.map(|text| moment("--until", text, now)).transpose()?;
    if since.zip(until).is_some_and(|(since, until)| until <= since) {
        bail!("--until is not after --since");
    }
    Ok(Span { since, until })
}

/// Reads a vendor's id from the command line.
pub fn vendor_id(text: &str) -> Result<VendorId, String> {
    VendorId::parse(text).ok_or_else(|| "not a vendor id; `till vendor list` lists them".to_owned())
}

/// The error for an id that no vendor has.
pub fn no_such_vendor(id: VendorId) -> anyhow::Error {
    anyhow::anyhow!("there is no vendor {id}; `till vendor list` lists them")
}

/// Checks that a vendor exists.
pub async fn require_vendor(accounts: &Accounts, id: VendorId) -> anyhow::Result<()> {
    accounts.vendor(id).await?.map(drop).ok_or_else(|| no_such_vendor(id))
}
