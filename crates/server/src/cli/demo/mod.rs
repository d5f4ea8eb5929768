//! `till demo`: the whole service on an embedded store, without configuration.

mod history;
mod people;
mod repeatable;

use super::{
    Common,
    context::{Context, block_on, variables},
    output, serve, vendor,
};
use crate::app::{App, AppOptions, CLOCK_PATH};
use anyhow::{Context as _, bail};
use clap::Args;
use people::{DemoLogin, DemoVendors, people};
use repeatable::Repeatable;
use serde::Serialize;
use std::{
    fs,
    io::{self, ErrorKind, Write as _},
    net::{SocketAddr, TcpListener},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};
use till_service::{random, settings::Settings};
use till_store::{Clock, StoreLocation};

/// The default data folder of a demo, which differs from that of a real service.
const FOLDER: &str = "./till-demo";

/// The file that marks a folder as a demo's, so that it may be removed.
const MARK: &str = "demo";

/// The content of that file if the secrets in the folder can be calculated.
const SEEDED_MARK: &str = "This folder belongs to `till demo --seed`: its secrets are no secrets.\n";

#[derive(Debug, Args)]
pub struct DemoOptions {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", conflicts_with = "port")]
    listen: Option<SocketAddr>,
    /// Port to listen on; 0 picks a free one
    #[arg(long)]
    port: Option<u16>,
    /// Delete the data of an earlier demo and start over
    #[arg(long)]
    reset: bool,
    /// Use a temporary data folder and delete it on exit: a disposable sandbox for automated tests, without
    /// the sample payments
    #[arg(long, conflicts_with_all = ["reset", "data_dir"])]
    ephemeral: bool,
    /// Start without the sample payments
    #[arg(long)]
    no_history: bool,
    #[command(flatten)]
    repeatable: Repeatable,
}

/// Runs a demo until it is stopped.
pub fn run(common: &Common, options: &DemoOptions) -> anyhow::Result<ExitCode> {
    let temporary = if options.ephemeral { Some(TemporaryFolder::new()?) } else { None };
    let (settings, _) = settings(common, options, temporary.as_ref())?;
    let folder = settings.data_dir.clone();
    let was_seeded = !options.reset && is_seeded(&folder);
    let listen = if options.listen.is_some() { "--listen" } else { "TILL_LISTEN" };
    options.repeatable.check_listeners(&settings, listen, was_seeded)?;
    check_free(settings.listen)?;
    if settings.place.is_locked() {
        bail!("a demo is already running on {}: stop it first", folder.display());
    }
    if options.reset {
        reset(&folder)?;
    }
    block_on(options.repeatable.check_store(&settings))?;
    let clock = options.repeatable.start();
    prepare(&folder, options.repeatable.is_seeded() || was_seeded)?;
    let (vendors, logins) = block_on(fill(settings, clock.clone(), options, &folder))?;
    let (settings, chosen) = self::settings(common, options, temporary.as_ref())?;
    let app_options = AppOptions { clock, chosen, ends_with_terminal: true, ..AppOptions::default() };
    serve::run_until_stopped(settings, app_options, |app| {
        let shop = if options.ephemeral { None } else { open_shop(app, &vendors, &folder)? };
        if options.repeatable.has_manual_clock() {
            app.host_clock();
        }
        let sample =
            if has_new_history(options, &vendors) { "   (with a month of sample payments)" } else { "" };
        let data = how_to_reset(options, &folder);
        let notes = StartNotes { sample, data: &data, repeatable: &options.repeatable };
        tell(app, (&vendors, logins), shop, &notes, common.json)
    })
}

/// Fills the store: the vendors and users that are missing, and the sample payments on the first start.
async fn fill(
    settings: Settings,
    clock: Option<Clock>,
    options: &DemoOptions,
    folder: &Path,
) -> anyhow::Result<(DemoVendors, Vec<DemoLogin>)> {
    let context = Context::with_clock(settings, clock).await?;
    let (vendors, logins) = people(&context, folder).await?;
    if has_new_history(options, &vendors) {
        history::write(&context, &vendors).await?;
    }
    Ok((vendors, logins))
}

/// True if the sample payments are written on this start.
fn has_new_history(options: &DemoOptions, vendors: &DemoVendors) -> bool {
    vendors.are_new && !options.ephemeral && !options.no_history
}

/// A demo's settings, and the names of those that it chose itself. Variables and file count as for the
/// service, and the defaults are made for trying out.
fn settings(
    common: &Common,
    options: &DemoOptions,
    temporary: Option<&TemporaryFolder>,
) -> anyhow::Result<(Settings, Vec<&'static str>)> {
    let (config, mut variables) = variables(common)?;
    let mut chosen = Vec::new();
    let mut set = |name: &'static str, value: &str, always: bool| {
        if always {
            variables.retain(|(known, _)| known != name);
        }
        if !variables.iter().any(|(known, _)| known == name) {
            variables.push((name.to_owned(), value.to_owned()));
            chosen.push(name);
        }
    };
    set("TILL_SIMULATOR", "on", true);
    set("TILL_ALLOW_PRIVATE_CALLBACKS", "true", false);
    set("TILL_LOG", "warn", false);
    set("TILL_OPERATOR_TOTP", "off", false);
    if options.repeatable.has_manual_clock() {
        // They refill in real time, and their headers would differ from run to run.
        set("TILL_RATE_LIMITS", "off", false);
    }
    match temporary {
        Some(temporary) => set("TILL_DATA_DIR", &temporary.0.to_string_lossy(), true),
        None => set("TILL_DATA_DIR", FOLDER, false),
    }
    let port = options.port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    if let Some(listen) = options.listen.or(port) {
        set("TILL_LISTEN", &listen.to_string(), true);
    }
    variables.retain(|(name, _)| name != "TILL_DATABASE_URL");
    let mut settings = Settings::load(config.as_deref(), variables)?;
    // A demo calls private addresses. Their responses are kept while only users of this machine can log in.
    settings.callbacks.keep_responses |= settings.listen.ip().is_loopback();
    options.repeatable.send_in_order(&mut settings.callbacks);
    if matches!(settings.place, StoreLocation::Server(_)) {
        bail!(
            "the configuration file sets database_url, but a demo keeps its data in a folder: use another \
             file"
        );
    }
    // Nothing leaves the machine, so nothing can be read in transit.
    if settings.base_url.is_none() && settings.listen.ip().is_loopback() {
        chosen.push("TILL_BASE_URL");
        chosen.extend(settings.checkout_url.is_none().then_some("TILL_CHECKOUT_URL"));
    }
    Ok((settings, chosen))
}

/// Removes the data of an earlier demo, and refuses to remove any other folder.
fn reset(folder: &Path) -> anyhow::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    if !folder.join(MARK).exists() {
        bail!(
            "{} was not created by a demo, so it is kept: delete it yourself, or choose another folder with \
             --data-dir",
            folder.display()
        );
    }
    fs::remove_dir_all(folder).with_context(|| format!("cannot delete {}", folder.display()))
}

/// Refuses to serve a seeded demo's folder under addresses that other machines can reach, whichever command serves it.
pub fn check_folder(settings: &Settings) -> anyhow::Result<()> {
    if is_seeded(&settings.data_dir) { repeatable::check_seeded_folder(settings) } else { Ok(()) }
}

/// True if the secrets in a folder follow from a number.
fn is_seeded(folder: &Path) -> bool {
    fs::read_to_string(folder.join(MARK)).is_ok_and(|mark| mark == SEEDED_MARK)
}

/// Creates the folder, the mark and the master key, if they are missing.
fn prepare(folder: &Path, seeded: bool) -> anyhow::Result<()> {
    let cannot = || format!("cannot create {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    let is_empty = fs::read_dir(folder).with_context(cannot)?.next().is_none();
    if !is_empty && !folder.join(MARK).exists() {
        bail!(
            "{} does not belong to a demo: choose an empty or new folder with --data-dir",
            folder.display()
        );
    }
    let mark = if seeded { SEEDED_MARK } else { "This folder belongs to `till demo`.\n" };
    fs::write(folder.join(MARK), mark).with_context(cannot)?;
    let key = hex::encode(random::draw::<32>("master key"));
    write_once(&folder.join("master.key"), key.as_bytes()).with_context(cannot)
}

/// Writes a file that only its owner can read, if it does not exist; atomically.
fn write_once(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    match fs::hard_link(&new, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => fs::remove_file(&new),
    }
}

/// The line about the data folder in the start text.
fn how_to_reset(options: &DemoOptions, folder: &Path) -> String {
    let folder = folder.display().to_string();
    match (options.ephemeral, folder == FOLDER) {
        (true, _) => format!("{folder}   (deleted on exit)"),
        (false, true) => format!("{folder}   (start over with: till demo --reset)"),
        (false, false) => format!("{folder}   (start over with: till demo --reset --data-dir {folder})"),
    }
}

/// Fails with a suggestion if another process listens on the address.
fn check_free(address: SocketAddr) -> anyhow::Result<()> {
    let Err(error) = TcpListener::bind(address) else { return Ok(()) };
    if error.kind() != ErrorKind::AddrInUse {
        return Ok(());
    }
    let free = TcpListener::bind(SocketAddr::new(address.ip(), 0)).and_then(|listener| listener.local_addr());
    let offer = free.map_or_else(|_| "another address".to_owned(), |free| free.to_string());
    bail!(
        "{address} is already in use, perhaps by another demo: stop it, or run `till demo --listen {offer}`"
    )
}

/// Opens the vendor's shop, which gets no more information than any vendor. Returns its address; there is
/// none if the shop's client, which speaks only http, cannot reach the API.
fn open_shop(app: &mut App, vendors: &DemoVendors, folder: &Path) -> anyhow::Result<Option<String>> {
    let base_url = app.base_url().to_owned();
    if !base_url.starts_with("http://") {
        return Ok(None);
    }
    let pair = |pair: &vendor::PairReport| till_shop::Credentials {
        client_id: pair.client_id.clone(),
        client_secret: pair.client_secret.clone().unwrap_or_default(),
    };
    let shop = till_shop::router(till_shop::Config {
        checkout_url: app.live.checkout_url.clone(),
        data_dir: folder.to_owned(),
        live: pair(&vendors.live.live),
        sandbox: pair(&vendors.sandbox.sandbox),
        base_url: base_url.clone(),
        random: || random::draw("order"),
    })?;
    app.host(shop, "/shop");
    Ok(Some(format!("{base_url}/shop")))
}

/// The result for programs, on the last line.
#[derive(Serialize)]
struct DemoReport<'a> {
    base_url: &'a str,
    checkout_url: &'a str,
    panel_url: Option<String>,
    shop_url: Option<String>,
    /// Where a tester moves the time of a manual clock.
    clock_url: Option<String>,
    /// The vendor in sandbox mode.
    vendor: &'a vendor::Created,
    /// The vendor whose panel shows live payments.
    live_vendor: &'a vendor::Created,
    logins: Vec<DemoLogin>,
}

fn tell(
    app: &App,
    (vendors, logins): (&DemoVendors, Vec<DemoLogin>),
    shop_url: Option<String>,
    notes: &StartNotes<'_>,
    json: bool,
) -> anyhow::Result<()> {
    let facts = DemoReport {
        base_url: app.base_url(),
        checkout_url: &app.live.checkout_url,
        panel_url: Some(format!("{}/panel", app.base_url())),
        shop_url,
        clock_url: notes.repeatable.has_manual_clock().then(|| format!("{}{CLOCK_PATH}", app.base_url())),
        vendor: &vendors.sandbox,
        live_vendor: &vendors.live,
        logins,
    };
    // Programs read the one line on standard output; people read the text wherever they redirect it.
    if json {
        output::complain(&text(&facts, notes));
    }
    output::print(json, &facts, |facts| text(facts, notes))
}

/// What only the start text says.
struct StartNotes<'a> {
    /// Whether the panel has sample payments.
    sample: &'a str,
    /// The data folder.
    data: &'a str,
    repeatable: &'a Repeatable,
}

/// The start text.
fn text(facts: &DemoReport<'_>, notes: &StartNotes<'_>) -> String {
    let (StartNotes { sample, data, .. }, clock_url) = (notes, facts.clock_url.as_deref());
    let repeatable = notes.repeatable.note(clock_url);
    let (base, vendor) = (facts.base_url, facts.vendor);
    let secret = |pair: &vendor::PairReport| pair.client_secret.clone().unwrap_or_default();
    let shop = facts.shop_url.as_ref().map_or_else(String::new, |url| {
        format!("Open the shop, buy something, and see every call it makes to Till:\n\n  {url}\n\n")
    });
    let panel = facts.panel_url.clone().unwrap_or_default();
    let login = |l: &DemoLogin| format!("  {:26}  {}  {}\n", l.email, l.password, l.shows());
    let people: String = facts.logins.iter().map(login).collect();
    format!(
        "Till is running at {base}. No money moves: live payments go to a simulated bank.

{shop}  Panel            {panel}{sample}
  Guide            {base}/docs/integration
  API reference    {base}/docs
  Data             {data}
{repeatable}
  Sandbox          {}
                   {}
  Live, simulated  {}
                   {}

Panel logins:

{people}
To create a sandbox payment from the command line:

  TOKEN=$(curl -s {base}/api/sandbox/vendor/tokens -H 'Content-Type: application/json' \\
    -d '{{\"client_id\":\"{}\",\"client_secret\":\"{}\"}}' | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')
  curl -s {base}/api/sandbox/vendor/checkout-session -H \"Authorization: Bearer $TOKEN\" \\
    -H 'Content-Type: application/json' \\
    -d '{{\"product_name\":\"Atlas\",\"price\":\"49.90\",\"currency\":\"EUR\",\"order_id\":\"A-1\"}}'

Open the session_url from the response in a browser and choose the outcome. Press Ctrl-C to stop the demo.",
        vendor.sandbox.client_id,
        secret(&vendor.sandbox),
        facts.live_vendor.live.client_id,
        secret(&facts.live_vendor.live),
        vendor.sandbox.client_id,
        secret(&vendor.sandbox),
    )
}

/// A folder that is removed when this value is dropped.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> anyhow::Result<Self> {
        let name = format!("till-demo-{}", hex::encode(random::bytes::<8>()));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            output::complain(&format!("till: could not delete {}: {error}", self.0.display()));
        }
    }
}
