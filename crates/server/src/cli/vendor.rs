//! `till vendor …`: vendors, their credentials and settings.

use super::{
    Common,
    context::{Context, block_on, no_such_vendor, vendor_id},
    fiscal_settings::{self, FiscalArgs, FiscalReport},
    output::{print, table},
    terms::{self, DelayArgs, FeeArgs},
    user,
    wallet::{self, WalletArgs},
};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, ValueEnum};
use secrecy::ExposeSecret as _;
use serde::Serialize;
use std::{process::ExitCode, time::Duration};
use till_domain::{
    audit::{Actor, AuditEvent, SandboxRequest, SandboxRequestProblem},
    callback::EventFamilies,
    environment::EnvironmentName,
    id::VendorId,
    method::Method,
    text,
    vendor::{SettingsChange, Vendor},
    weburl::WebUrl,
};
use till_service::{
    admin::{self, Admin, AdminError, VendorDraft},
    mail, settings,
};
use till_store::Accounts;

#[derive(Debug, Subcommand)]
pub enum VendorCommand {
    /// Create a vendor, and print its live and sandbox credentials
    Create {
        /// The vendor's name
        #[arg(long)]
        name: String,
        /// Turn on sandbox mode
        #[arg(long)]
        sandbox: bool,
        /// Name of the person who requested sandbox mode [default: the operator]
        #[arg(long, value_name = "WHO", requires = "sandbox")]
        asked_by: Option<String>,
        /// The reason for turning on sandbox mode
        #[arg(long, value_name = "REASON", requires = "sandbox")]
        why: Option<String>,
    },
    /// List all vendors
    List,
    /// Show a vendor's settings and client ids
    Show {
        /// The vendor's id; `till vendor list` lists them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
        /// Also show the client secrets
        #[arg(long)]
        secrets: bool,
    },
    /// Turn a vendor's sandbox mode on or off; nothing is deleted
    Sandbox {
        state: Switch,
        /// The vendor's id; `till vendor list` lists them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
        /// Name of the person who requested it; required to turn it on, and kept in the audit log
        #[arg(long, value_name = "WHO", required_if_eq("state", "on"))]
        asked_by: Option<String>,
        /// The reason; required to turn it on, and kept in the audit log
        #[arg(long, value_name = "REASON", required_if_eq("state", "on"))]
        why: Option<String>,
    },
    /// Replace a vendor's credentials, and print the new pair
    #[command(
        after_help = "Without --overlap, the old pair and its tokens stop working at once. With it, both \
        pairs work until the overlap ends: deploy the new pair in that time."
    )]
    Rotate {
        /// The vendor's id; `till vendor list` lists them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
        /// The environment of the credentials
        #[arg(long)]
        env: EnvironmentArg,
        /// How long the old pair keeps working, such as 24h
        #[arg(long, value_parser = overlap)]
        overlap: Option<Duration>,
    },
    /// Change a vendor's settings; an empty value clears one
    Set(SetArgs),
    /// Assign a vendor to a super vendor, who can then see its sandbox credentials
    Parent {
        /// The vendor's id; `till vendor list` lists them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
        /// The super vendor's user id or email address, or none
        #[arg(long = "super", value_name = "USER")]
        parent: String,
    },
    /// Set the operator's fee on a vendor's payments, or list the fees
    Fee(FeeArgs),
    /// Set the settlement delay: how long a vendor's payments stay pending before they can be paid out
    Delay(DelayArgs),
    /// Show a vendor's balances, or with --month the statement of a month
    Wallet(WalletArgs),
    /// Disable a vendor: it cannot get tokens or call the API
    Disable {
        /// The vendor's id; `till vendor list` lists them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
    },
    /// Enable a disabled vendor
    Enable {
        /// The vendor's id; `till vendor list` lists them
        #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
        id: VendorId,
    },
}

#[derive(Debug, Args)]
pub struct SetArgs {
    /// The vendor's id; `till vendor list` lists them
    #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
    id: VendorId,
    /// The default callback URL, for sessions that name none
    #[arg(long, value_name = "URL")]
    callback_url: Option<String>,
    /// The default return URL, for sessions that name none
    #[arg(long, value_name = "URL")]
    return_url: Option<String>,
    /// The email address for notifications about failed callbacks
    #[arg(long, value_name = "EMAIL")]
    contact_email: Option<String>,
    /// Send a copy of every receipt to the contact email address
    #[arg(long, value_name = "on|off")]
    receipt_copy: Option<Switch>,
    /// The families of callback events to send besides those of a session's status: any of refund,payment,dispute;
    /// empty for none
    #[arg(long, value_name = "LIST", value_parser = event_families)]
    events: Option<EventFamilies>,
    #[command(flatten)]
    fiscal: FiscalArgs,
    /// The allowed payment methods, such as card,sbp; empty for all available ones
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

impl From<EnvironmentArg> for EnvironmentName {
    fn from(argument: EnvironmentArg) -> Self {
        match argument {
            EnvironmentArg::Live => Self::Live,
            EnvironmentArg::Sandbox => Self::Sandbox,
        }
    }
}

fn overlap(text: &str) -> Result<Duration, String> {
    settings::parse_duration(text).ok_or_else(|| "use a duration such as 24h or 30m".to_owned())
}

/// The person who asked and the reason; by default the operator.
fn sandbox_request(by: Option<&str>, why: Option<&str>, otherwise: &str) -> anyhow::Result<SandboxRequest> {
    let request = SandboxRequest::new(by.unwrap_or("the operator"), why.unwrap_or(otherwise));
    request.map_err(|problems| {
        let messages = problems.iter().map(|problem| match problem {
            SandboxRequestProblem::ByMissing => {
                "--asked-by is empty: name the person who requested it".to_owned()
            }
            SandboxRequestProblem::ByTooLong => {
                format!("--asked-by is longer than {} characters", SandboxRequest::MAX_BY)
            }
            SandboxRequestProblem::WhyMissing => "--why is empty: state the reason".to_owned(),
            SandboxRequestProblem::WhyTooLong => {
                format!("--why is longer than {} characters", SandboxRequest::MAX_WHY)
            }
        });
        anyhow::anyhow!(messages.collect::<Vec<_>>().join("; "))
    })
}

/// Runs a `till vendor` command.
pub fn run(common: &Common, command: VendorCommand) -> anyhow::Result<ExitCode> {
    let makes_store = matches!(command, VendorCommand::Create { .. });
    let json = common.json;
    block_on(async move {
        let context =
            if makes_store { Context::open_or_make(common).await? } else { Context::open(common).await? };
        match command {
            VendorCommand::Create { name, sandbox, asked_by, why } => {
                let request =
                    || sandbox_request(asked_by.as_deref(), why.as_deref(), SandboxRequest::FROM_THE_START);
                let sandbox = sandbox.then(request).transpose()?;
                create(context, json, &name, sandbox).await?;
            }
            VendorCommand::List => list(&context.accounts, json).await?,
            VendorCommand::Show { id, secrets } => show(context, json, id, secrets).await?,
            VendorCommand::Sandbox { state, id, asked_by, why } => {
                let on = matches!(state, Switch::On);
                let request = sandbox_request(asked_by.as_deref(), why.as_deref(), "no reason given")?;
                let entry = context.entry(if on { AuditEvent::SandboxOn } else { AuditEvent::SandboxOff });
                let entry = entry.about(id).saying(request.detail());
                let found = context.accounts.set_sandbox(id, on, &entry).await?;
                report(
                    json,
                    id,
                    found,
                    if on { "sandbox mode on" } else { "sandbox mode off; its data is kept" },
                )?;
            }
            VendorCommand::Rotate { id, env, overlap } => {
                rotate(context, json, id, env.into(), overlap.unwrap_or_default()).await?;
            }
            VendorCommand::Set(args) => set(&context, json, args).await?,
            VendorCommand::Parent { id, parent } => set_parent(&context, json, id, &parent).await?,
            VendorCommand::Fee(args) => terms::fee(&context, json, args).await?,
            VendorCommand::Delay(args) => terms::set_delay(&context, json, args).await?,
            VendorCommand::Wallet(args) => wallet::show(&context, json, &args).await?,
            VendorCommand::Disable { id } => {
                let entry = context.entry(AuditEvent::VendorDisabled).about(id);
                report(json, id, context.accounts.set_disabled(id, true, &entry).await?, "disabled")?;
            }
            VendorCommand::Enable { id } => {
                let entry = context.entry(AuditEvent::VendorEnabled).about(id);
                report(json, id, context.accounts.set_disabled(id, false, &entry).await?, "enabled")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// A credential pair; the secret only where it is shown.
#[derive(Serialize)]
pub struct PairReport {
    pub client_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

/// A vendor with both of its pairs.
#[derive(Serialize)]
pub struct Created {
    pub vendor_id: String,
    pub live: PairReport,
    pub sandbox: PairReport,
}

impl From<admin::CredentialPair> for PairReport {
    fn from(pair: admin::CredentialPair) -> Self {
        let client_secret = Some(pair.client_secret.expose_secret().to_owned());
        Self { client_id: pair.client_id, client_secret }
    }
}

impl From<admin::VendorPairs> for Created {
    fn from(pairs: admin::VendorPairs) -> Self {
        Self { vendor_id: pairs.id.to_string(), live: pairs.live.into(), sandbox: pairs.sandbox.into() }
    }
}

/// Creates a vendor with a pair for each environment.
pub async fn make(admin: &Admin, name: &str, sandbox: Option<SandboxRequest>) -> anyhow::Result<Created> {
    let name = text::name(name).map_err(|problem| anyhow::anyhow!("--name {problem}"))?;
    let vendor = VendorDraft { name, contact_email: None, sandbox };
    Ok(admin.create_vendor(&Actor::shell(), vendor).await?.into())
}

async fn create(
    context: Context,
    json: bool,
    name: &str,
    sandbox: Option<SandboxRequest>,
) -> anyhow::Result<()> {
    let on = sandbox.is_some();
    let created = make(&context.admin().await?, name, sandbox).await?;
    print(json, &created, |created| {
        let sandbox = if on {
            "on"
        } else {
            "off; turn it on with: till vendor sandbox on VENDOR_ID --asked-by WHO --why REASON"
        };
        format!(
            "vendor   {}\nlive     {}\n         {}\nsandbox  {}\n         {}\nSandbox mode is {sandbox}.",
            created.vendor_id,
            created.live.client_id,
            created.live.client_secret.as_deref().unwrap_or(""),
            created.sandbox.client_id,
            created.sandbox.client_secret.as_deref().unwrap_or(""),
        )
    })
}

#[derive(Serialize)]
struct VendorRow {
    vendor_id: String,
    name: String,
    sandbox: bool,
    disabled: bool,
}

async fn list(accounts: &Accounts, json: bool) -> anyhow::Result<()> {
    let vendors = accounts.list_vendors().await?;
    let lines: Vec<VendorRow> = vendors
        .into_iter()
        .map(|v| VendorRow {
            vendor_id: v.id.to_string(),
            name: v.name,
            sandbox: v.sandbox,
            disabled: v.disabled,
        })
        .collect();
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "No vendors yet. Create one with: till vendor create --name NAME --sandbox".to_owned();
        }
        let word = |yes: bool, word: &str| if yes { word.to_owned() } else { "-".to_owned() };
        let row = |l: &VendorRow| {
            vec![l.vendor_id.clone(), word(l.sandbox, "on"), word(l.disabled, "disabled"), l.name.clone()]
        };
        table(&["vendor", "sandbox", "state", "name"], &lines.iter().map(row).collect::<Vec<_>>())
    })
}

#[derive(Serialize)]
struct VendorDetails {
    vendor_id: String,
    name: String,
    sandbox_enabled: bool,
    disabled: bool,
    callback_url: Option<String>,
    return_url: Option<String>,
    contact_email: Option<String>,
    receipt_copy: bool,
    events: String,
    fiscal: FiscalReport,
    methods: Option<Vec<&'static str>>,
    live: PairReport,
    sandbox: PairReport,
    /// Its last endpoint check.
    endpoint_check: Option<CheckRow>,
}

#[derive(Serialize)]
struct CheckRow {
    check_id: String,
    verdict: &'static str,
    callback_url: String,
    started_at: String,
}

async fn last_check(context: &Context, vendor: VendorId) -> anyhow::Result<Option<CheckRow>> {
    let now = context.accounts.now();
    let last = context.endpoint_checks.last_ended(vendor, now).await?;
    Ok(last.map(|check| CheckRow {
        check_id: check.id.to_string(),
        verdict: check.verdict(now).map_or("running", |verdict| verdict.as_str()),
        callback_url: check.target.to_string(),
        started_at: check.started_at.to_string(),
    }))
}

async fn show(context: Context, json: bool, id: VendorId, secrets: bool) -> anyhow::Result<()> {
    let vendor = context.accounts.vendor(id).await?.ok_or_else(|| no_such_vendor(id))?;
    let endpoint_check = last_check(&context, id).await?;
    let (live, sandbox) = if secrets {
        let (admin, shell) = (context.admin().await?, Actor::shell());
        let live = admin.reveal(&shell, id, EnvironmentName::Live).await?;
        (live.into(), admin.reveal(&shell, id, EnvironmentName::Sandbox).await?.into())
    } else {
        (public(&vendor, EnvironmentName::Live)?, public(&vendor, EnvironmentName::Sandbox)?)
    };
    let details = VendorDetails {
        vendor_id: id.to_string(),
        name: vendor.name.clone(),
        sandbox_enabled: vendor.sandbox,
        disabled: vendor.disabled,
        callback_url: vendor.settings.callback_url.as_ref().map(ToString::to_string),
        return_url: vendor.settings.return_url.as_ref().map(ToString::to_string),
        contact_email: vendor.settings.contact_email.clone(),
        receipt_copy: vendor.settings.receipt_copy,
        events: vendor.settings.events.list(),
        fiscal: FiscalReport::from(&vendor.settings.fiscal),
        methods: vendor.settings.methods.as_ref().map(|m| m.iter().map(|m| m.as_str()).collect()),
        live,
        sandbox,
        endpoint_check,
    };
    print(json, &details, show_text)
}

fn show_text(details: &VendorDetails) -> String {
    let unset = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
    let secret =
        |pair: &PairReport| pair.client_secret.clone().unwrap_or_else(|| "hidden; add --secrets".to_owned());
    let methods = details.methods.as_ref().map_or_else(|| "all available".to_owned(), |m| m.join(", "));
    let rows = [
        ("vendor", details.vendor_id.clone()),
        ("name", details.name.clone()),
        ("state", if details.disabled { "disabled" } else { "enabled" }.to_owned()),
        ("sandbox", if details.sandbox_enabled { "on" } else { "off" }.to_owned()),
        ("callback URL", unset(&details.callback_url)),
        ("return URL", unset(&details.return_url)),
        ("contact email", unset(&details.contact_email)),
        ("receipt copies", if details.receipt_copy { "on" } else { "off" }.to_owned()),
        ("events", ["session", &details.events].join(",").trim_end_matches(',').to_owned()),
        ("fiscal receipts", details.fiscal.text()),
        ("methods", methods),
        ("live client id", details.live.client_id.clone()),
        ("live secret", secret(&details.live)),
        ("sandbox client id", details.sandbox.client_id.clone()),
        ("sandbox secret", secret(&details.sandbox)),
        (
            "endpoint check",
            details.endpoint_check.as_ref().map_or_else(
                || "never".to_owned(),
                |check| format!("{} at {} ({})", check.verdict, check.started_at, check.callback_url),
            ),
        ),
    ];
    rows.iter().map(|(name, value)| format!("{name:18}{value}\n")).collect()
}

/// The newest pair of an environment, which is the one to use, without its secret.
fn public(vendor: &Vendor, environment: EnvironmentName) -> anyhow::Result<PairReport> {
    let newest = vendor.credentials.iter().rfind(|credential| credential.environment == environment);
    let newest = newest.context("this vendor has no credentials")?;
    Ok(PairReport { client_id: newest.client_id.clone(), client_secret: None })
}

async fn rotate(
    context: Context,
    json: bool,
    id: VendorId,
    environment: EnvironmentName,
    overlap: Duration,
) -> anyhow::Result<()> {
    let admin = context.admin().await?;
    let new = admin.rotate(&Actor::shell(), id, environment, overlap).await.map_err(|error| match error {
        AdminError::NoVendor => no_such_vendor(id),
        AdminError::Overtaken => anyhow::anyhow!("{error}; check with `till vendor show {id}`"),
        error => error.into(),
    })?;
    print(json, &PairReport::from(new.pair), |pair| {
        let secret = pair.client_secret.as_deref().unwrap_or("");
        format!("{}\n{secret}\nThe old pair stops working at {}.", pair.client_id, new.old_ends_at)
    })
}

async fn set_parent(context: &Context, json: bool, id: VendorId, parent: &str) -> anyhow::Result<()> {
    let vendor = context.accounts.vendor(id).await?.ok_or_else(|| no_such_vendor(id))?;
    let parent = if parent == "none" { None } else { Some(user::find(context, parent).await?) };
    let entry = context.entry(AuditEvent::ParentChanged).about(vendor.id);
    let entry = parent.iter().fold(entry, |entry, user| entry.with(user.id));
    if !context.accounts.set_parent(id, parent.as_ref().map(|user| user.id), &entry).await? {
        bail!(
            "only an enabled user with the role super_vendor can be assigned; `till user list` lists the \
             users"
        );
    }
    let word =
        parent.map_or_else(|| "no super vendor".to_owned(), |user| format!("assigned to {}", user.email));
    report(json, id, true, &word)
}

fn event_families(list: &str) -> Result<EventFamilies, String> {
    EventFamilies::parse(list)
        .ok_or_else(|| "list any of refund, payment, dispute, or leave it empty for none".to_owned())
}

async fn set(context: &Context, json: bool, args: SetArgs) -> anyhow::Result<()> {
    let callback = |url: &str| WebUrl::parse_callback(url, context.rules.private_callbacks);
    let plain_http = args.callback_url.as_deref().is_some_and(|url| url.starts_with("http://"));
    let change = SettingsChange {
        callback_url: parse_option("--callback-url", args.callback_url, callback)?,
        return_url: parse_option("--return-url", args.return_url, WebUrl::parse)?,
        contact_email: parse_option("--contact-email", args.contact_email, mail::address)?,
        receipt_copy: args.receipt_copy.map(|switch| matches!(switch, Switch::On)),
        events: args.events,
        methods: parse_option("--methods", args.methods, |list| match Method::parse_list(list) {
            Ok(methods) if !methods.is_empty() => Ok(methods),
            Ok(_) => {
                Err("names no method: list any of card, sbp, crypto, or leave it empty for all".to_owned())
            }
            Err(word) => Err(format!("has {word:?}: list any of card, sbp, crypto")),
        })?,
        fiscal: fiscal_settings::change(context, args.id, &args.fiscal).await?,
        ..SettingsChange::default()
    };
    if change == SettingsChange::default() {
        bail!(
            "nothing to set: add at least one of --callback-url, --return-url, --contact-email, \
             --receipt-copy, --events, --methods, --fiscal"
        );
    }
    let entry = context.entry(AuditEvent::SettingsChanged).about(args.id);
    let entry = match &change.fiscal {
        Some(fiscal) => entry.saying(format!("fiscal receipts: {}", FiscalReport::from(fiscal).text())),
        None => entry,
    };
    let found = context.accounts.set_settings(args.id, &change, &entry).await?;
    let mut warning = if plain_http { "; warning: callbacks are sent without https" } else { "" }.to_owned();
    warning
        .extend(change.fiscal.and_then(|fiscal| fiscal_settings::warning(&fiscal, context.accounts.now())));
    report(json, args.id, found, &format!("settings changed{warning}"))
}

/// Parses an option that may be missing; an empty value clears the setting.
fn parse_option<T, E: std::fmt::Display>(
    option: &str,
    value: Option<String>,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> anyhow::Result<Option<Option<T>>> {
    match value.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(text) => {
            let value = parse(text).map_err(|problem| anyhow::anyhow!("{option} {problem}"))?;
            Ok(Some(Some(value)))
        }
    }
}

#[derive(Serialize)]
struct VendorChangeReport {
    vendor_id: String,
    changed: bool,
}

/// Reports the change, or that there is no such vendor.
pub fn report(json: bool, id: VendorId, found: bool, what: &str) -> anyhow::Result<()> {
    if !found {
        return Err(no_such_vendor(id));
    }
    let changed = VendorChangeReport { vendor_id: id.to_string(), changed: true };
    print(json, &changed, |changed| {
        format!("vendor {}: {what}\nA running service applies this within 2 seconds.", changed.vendor_id)
    })
}
