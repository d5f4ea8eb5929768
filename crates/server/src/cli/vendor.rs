//! `till vendor …`: vendors, their credentials and settings.

use super::{
    Common,
    context::{Context, block_on, no_such_vendor, vendor_id},
    output::{print, table},
};
use crate::{
    random, settings,
    vault::{self, SecretPlace, Vault},
};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, ValueEnum};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::{process::ExitCode, time::Duration};
use till_domain::{
    environment::Environment,
    id::VendorId,
    method::Method,
    text,
    time::Timestamp,
    vendor::{SettingsChange, Vendor},
    weburl::WebUrl,
};
use till_store::{Accounts, NewCredential, NewVendor, SealedCredential};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a vendor with its live and sandbox credentials, and print them
    Create {
        /// What people call it
        #[arg(long)]
        name: String,
        /// Switch its sandbox on
        #[arg(long)]
        sandbox: bool,
    },
    /// List all vendors
    List,
    /// Show a vendor's settings and client ids
    Show {
        /// The vendor; `till vendor list` shows them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
        /// Show the client secrets too
        #[arg(long)]
        secrets: bool,
    },
    /// Switch a vendor's sandbox on or off; nothing is deleted
    Sandbox {
        state: Switch,
        /// The vendor; `till vendor list` shows them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
    },
    /// Replace a vendor's credentials, and print the new pair
    #[command(
        after_help = "Without --overlap the old pair and its tokens stop at once. With it, both pairs work \
        until the overlap is over: deploy the new pair in that time."
    )]
    Rotate {
        /// The vendor; `till vendor list` shows them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
        /// Which environment's pair
        #[arg(long)]
        env: EnvironmentArg,
        /// How long the old pair keeps working, such as 24h
        #[arg(long, value_parser = overlap)]
        overlap: Option<Duration>,
    },
    /// Change a vendor's settings; an empty value clears one
    Set(SetArgs),
    /// Disable a vendor: no tokens, no session calls
    Disable {
        /// The vendor; `till vendor list` shows them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
    },
    /// Enable a disabled vendor again
    Enable {
        /// The vendor; `till vendor list` shows them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
    },
}

#[derive(Debug, Args)]
pub struct SetArgs {
    /// The vendor; `till vendor list` shows them
    #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
    id: VendorId,
    /// Where callbacks go when a session names no address
    #[arg(long, value_name = "URL")]
    callback_url: Option<String>,
    /// Where customers go when a session names no address
    #[arg(long, value_name = "URL")]
    return_url: Option<String>,
    /// Who is told about trouble
    #[arg(long, value_name = "EMAIL")]
    contact_email: Option<String>,
    /// The only methods it may use, such as card,sbp; empty for all that are configured
    #[arg(long, value_name = "LIST")]
    methods: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum EnvironmentArg {
    Live,
    Sandbox,
}

impl From<EnvironmentArg> for Environment {
    fn from(argument: EnvironmentArg) -> Self {
        match argument {
            EnvironmentArg::Live => Self::Live,
            EnvironmentArg::Sandbox => Self::Sandbox,
        }
    }
}

fn overlap(text: &str) -> Result<Duration, String> {
    settings::parse_duration(text).ok_or_else(|| "write a duration such as 24h or 30m".to_owned())
}

/// Runs a `till vendor` command.
pub fn run(common: &Common, command: Command) -> anyhow::Result<ExitCode> {
    let makes_store = matches!(command, Command::Create { .. });
    let json = common.json;
    block_on(async move {
        let context =
            if makes_store { Context::open_or_make(common).await? } else { Context::open(common).await? };
        match command {
            Command::Create { name, sandbox } => create(context, json, &name, sandbox).await?,
            Command::List => list(&context.accounts, json).await?,
            Command::Show { id, secrets } => show(context, json, id, secrets).await?,
            Command::Sandbox { state, id } => {
                let on = matches!(state, Switch::On);
                let found = context.accounts.set_sandbox(id, on).await?;
                report(json, id, found, if on { "sandbox on" } else { "sandbox off; its data is kept" })?;
            }
            Command::Rotate { id, env, overlap } => {
                rotate(context, json, id, env.into(), overlap.unwrap_or_default()).await?;
            }
            Command::Set(args) => set(&context, json, args).await?,
            Command::Disable { id } => {
                report(json, id, context.accounts.set_disabled(id, true).await?, "disabled")?;
            }
            Command::Enable { id } => {
                report(json, id, context.accounts.set_disabled(id, false).await?, "enabled")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// A pair, with its secret where that is shown.
#[derive(Serialize)]
pub struct Pair {
    pub client_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

/// A vendor with both of its pairs.
#[derive(Serialize)]
pub struct Created {
    pub vendor_id: String,
    pub live: Pair,
    pub sandbox: Pair,
}

/// The current pairs of a vendor.
pub async fn pairs(context: Context, id: VendorId) -> anyhow::Result<Created> {
    let (accounts, vault) = context.vault().await?;
    let sealed = accounts.credentials(id).await?;
    let pair = |environment| current_pair(id, &sealed, environment, Some(&vault));
    let (live, sandbox) = (pair(Environment::Live)?, pair(Environment::Sandbox)?);
    Ok(Created { vendor_id: id.to_string(), live, sandbox })
}

/// Makes a vendor with a pair for each environment.
pub async fn make(context: Context, name: &str, sandbox: bool) -> anyhow::Result<Created> {
    let name = text::name(name).map_err(|problem| anyhow::anyhow!("--name {problem}"))?;
    let (accounts, vault) = context.vault().await?;
    let id = VendorId::new(accounts.now(), &random::entropy());
    let (live, live_secret) = new_pair(&vault, id, Environment::Live, 1);
    let (test, test_secret) = new_pair(&vault, id, Environment::Sandbox, 1);
    let created = Created {
        vendor_id: id.to_string(),
        live: Pair { client_id: live.client_id.clone(), client_secret: Some(reveal(&live_secret)) },
        sandbox: Pair { client_id: test.client_id.clone(), client_secret: Some(reveal(&test_secret)) },
    };
    accounts.add_vendor(NewVendor { id, name, sandbox, credentials: vec![live, test] }).await?;
    Ok(created)
}

async fn create(context: Context, json: bool, name: &str, sandbox: bool) -> anyhow::Result<()> {
    let created = make(context, name, sandbox).await?;
    print(json, &created, |created| {
        let sandbox = if sandbox { "on" } else { "off; switch it on with: till vendor sandbox on VENDOR_ID" };
        format!(
            "vendor   {}\nlive     {}\n         {}\nsandbox  {}\n         {}\nThe sandbox is {sandbox}.",
            created.vendor_id,
            created.live.client_id,
            created.live.client_secret.as_deref().unwrap_or(""),
            created.sandbox.client_id,
            created.sandbox.client_secret.as_deref().unwrap_or(""),
        )
    })
}

fn new_pair(
    vault: &Vault,
    vendor: VendorId,
    environment: Environment,
    number: u32,
) -> (NewCredential, SecretString) {
    let secret = vault::new_client_secret(environment);
    let credential = NewCredential {
        environment,
        number,
        client_id: vault::new_client_id(environment),
        secret_check: vault.secret_check(secret.expose_secret()),
        secret_sealed: vault.seal(SecretPlace { environment, vendor, number }, &secret),
    };
    (credential, secret)
}

fn reveal(secret: &SecretString) -> String {
    secret.expose_secret().to_owned()
}

#[derive(Serialize)]
struct Line {
    vendor_id: String,
    name: String,
    sandbox: bool,
    disabled: bool,
}

async fn list(accounts: &Accounts, json: bool) -> anyhow::Result<()> {
    let vendors = accounts.list_vendors().await?;
    let lines: Vec<Line> = vendors
        .into_iter()
        .map(|v| Line { vendor_id: v.id.to_string(), name: v.name, sandbox: v.sandbox, disabled: v.disabled })
        .collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "There is no vendor yet. Make one with: till vendor create --name NAME --sandbox"
                .to_owned();
        }
        let word = |yes: bool, word: &str| if yes { word.to_owned() } else { "-".to_owned() };
        let row = |l: &Line| {
            vec![l.vendor_id.clone(), word(l.sandbox, "on"), word(l.disabled, "disabled"), l.name.clone()]
        };
        table(&["vendor", "sandbox", "state", "name"], &lines.iter().map(row).collect::<Vec<_>>())
    })
}

#[derive(Serialize)]
struct Shown {
    vendor_id: String,
    name: String,
    sandbox_enabled: bool,
    disabled: bool,
    callback_url: Option<String>,
    return_url: Option<String>,
    contact_email: Option<String>,
    methods: Option<Vec<&'static str>>,
    live: Pair,
    sandbox: Pair,
}

async fn show(context: Context, json: bool, id: VendorId, secrets: bool) -> anyhow::Result<()> {
    let vendor = context.accounts.vendor(id).await?.ok_or_else(|| no_such_vendor(id))?;
    let sealed = context.accounts.credentials(id).await?;
    let vault = if secrets { Some(context.vault().await?.1) } else { None };
    let shown = Shown {
        vendor_id: id.to_string(),
        name: vendor.name.clone(),
        sandbox_enabled: vendor.sandbox,
        disabled: vendor.disabled,
        callback_url: vendor.settings.callback_url.as_ref().map(ToString::to_string),
        return_url: vendor.settings.return_url.as_ref().map(ToString::to_string),
        contact_email: vendor.settings.contact_email.clone(),
        methods: vendor.settings.methods.as_ref().map(|m| m.iter().map(|m| m.as_str()).collect()),
        live: current_pair(id, &sealed, Environment::Live, vault.as_ref())?,
        sandbox: current_pair(id, &sealed, Environment::Sandbox, vault.as_ref())?,
    };
    print(json, &shown, show_text)
}

fn show_text(shown: &Shown) -> String {
    let unset = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
    let secret =
        |pair: &Pair| pair.client_secret.clone().unwrap_or_else(|| "hidden; add --secrets".to_owned());
    let methods =
        shown.methods.as_ref().map_or_else(|| "all that are configured".to_owned(), |m| m.join(", "));
    let rows = [
        ("vendor", shown.vendor_id.clone()),
        ("name", shown.name.clone()),
        ("state", if shown.disabled { "disabled" } else { "enabled" }.to_owned()),
        ("sandbox", if shown.sandbox_enabled { "on" } else { "off" }.to_owned()),
        ("callback URL", unset(&shown.callback_url)),
        ("return URL", unset(&shown.return_url)),
        ("contact e-mail", unset(&shown.contact_email)),
        ("methods", methods),
        ("live client id", shown.live.client_id.clone()),
        ("live secret", secret(&shown.live)),
        ("sandbox client id", shown.sandbox.client_id.clone()),
        ("sandbox secret", secret(&shown.sandbox)),
    ];
    rows.iter().map(|(name, value)| format!("{name:18}{value}\n")).collect()
}

/// The newest pair of an environment, which is the one to use.
fn current_pair(
    vendor: VendorId,
    sealed: &[SealedCredential],
    environment: Environment,
    vault: Option<&Vault>,
) -> anyhow::Result<Pair> {
    let newest = sealed.iter().rfind(|s| s.credential.environment == environment);
    let newest = newest.context("this vendor has no credentials")?;
    let place = SecretPlace { environment, vendor, number: newest.credential.number };
    let secret = vault.map(|vault| vault.open(place, &newest.secret_sealed)).transpose()?;
    Ok(Pair {
        client_id: newest.credential.client_id.clone(),
        client_secret: secret.map(|secret| reveal(&secret)),
    })
}

async fn rotate(
    context: Context,
    json: bool,
    id: VendorId,
    environment: Environment,
    overlap: Duration,
) -> anyhow::Result<()> {
    let vendor: Vendor = context.accounts.vendor(id).await?.ok_or_else(|| no_such_vendor(id))?;
    let (accounts, vault) = context.vault().await?;
    let numbers = vendor.credentials.iter().filter(|c| c.environment == environment).map(|c| c.number);
    let number = numbers.max().unwrap_or(0) + 1;
    let (credential, secret) = new_pair(&vault, id, environment, number);
    let pair = Pair { client_id: credential.client_id.clone(), client_secret: Some(reveal(&secret)) };
    let old_ends_at: Timestamp = accounts.now().plus(overlap);
    if !accounts.rotate(id, credential, old_ends_at).await? {
        bail!(
            "these credentials were rotated by somebody else at the same moment; look with `till vendor show {id}`"
        );
    }
    print(json, &pair, |pair| {
        let secret = pair.client_secret.as_deref().unwrap_or("");
        format!("{}\n{secret}\nThe old pair stops working at {old_ends_at}.", pair.client_id)
    })
}

async fn set(context: &Context, json: bool, args: SetArgs) -> anyhow::Result<()> {
    let callback = |url: &str| WebUrl::parse_callback(url, context.rules.private_callbacks);
    let plain_http = args.callback_url.as_deref().is_some_and(|url| url.starts_with("http://"));
    let change = SettingsChange {
        callback_url: given("--callback-url", args.callback_url, callback)?,
        return_url: given("--return-url", args.return_url, WebUrl::parse)?,
        contact_email: given("--contact-email", args.contact_email, text::email)?,
        methods: given("--methods", args.methods, |list| match Method::parse_list(list) {
            Ok(methods) if !methods.is_empty() => Ok(methods),
            Ok(_) => Err("names no method: write some of card, sbp, crypto, or nothing at all for every one"
                .to_owned()),
            Err(word) => Err(format!("has {word:?}: write some of card, sbp, crypto")),
        })?,
    };
    if change == SettingsChange::default() {
        bail!(
            "nothing to set: name at least one of --callback-url, --return-url, --contact-email, --methods"
        );
    }
    let found = context.accounts.set_settings(args.id, &change).await?;
    let warning = if plain_http { "; warning: callbacks go without https" } else { "" };
    report(json, args.id, found, &format!("settings changed{warning}"))
}

/// An option that may be left out; an empty value clears the setting.
fn given<T, E: std::fmt::Display>(
    option: &str,
    given: Option<String>,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> anyhow::Result<Option<Option<T>>> {
    match given.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(text) => {
            let value = parse(text).map_err(|problem| anyhow::anyhow!("{option} {problem}"))?;
            Ok(Some(Some(value)))
        }
    }
}

#[derive(Serialize)]
struct Changed {
    vendor_id: String,
    changed: bool,
}

fn report(json: bool, id: VendorId, found: bool, what: &str) -> anyhow::Result<()> {
    if !found {
        return Err(no_such_vendor(id));
    }
    let changed = Changed { vendor_id: id.to_string(), changed: true };
    print(json, &changed, |changed| {
        format!("vendor {}: {what}\nA running service follows within 2 seconds.", changed.vendor_id)
    })
}
