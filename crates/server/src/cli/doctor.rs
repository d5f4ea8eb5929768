//! `till doctor`: checks settings, store and providers, and says what is wrong and how to fix it.
//!
//! It opens an existing store as the service would, and changes nothing else: a store that does not exist yet
//! is not created.

use super::{
    Common,
    context::{block_on, load_settings},
    output::print,
};
use crate::app;
use clap::Args;
use secrecy::ExposeSecret as _;
use serde::Serialize;
use std::{net::TcpListener, os::unix::fs::PermissionsExt, path::Path, process::ExitCode, time::Duration};
use till_domain::{
    environment::EnvironmentName, method::Method, rules::Offering, time::Timestamp, vendor::Vendor,
};
use till_providers::CheckVerdict;
use till_service::{
    admin::{self, KeyRotation, adopt_key},
    listener::{open_files, tls::Validity},
    mail::{KEPT_FOR, MailTransport},
    registry::{self, Prober, ProviderKind, SetupFile, SetupPlan},
    settings::{Settings, is_open_to_others},
    telemetry::explain,
    vault::Vault,
};
use till_store::{Accounts, Clock, LARGE_LOG, StoreError, StoreLocation, Stores, Unreadable};

#[derive(Debug, Args)]
pub struct DoctorOptions {
    /// Minimum free disk space for the data folder, in MiB
    #[arg(long, default_value_t = 512, value_name = "MIB")]
    min_free: u64,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warning,
    Failed,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    verdict: Verdict,
    message: String,
}

#[derive(Debug, Default, Serialize)]
struct Diagnosis {
    ok: bool,
    checks: Vec<Check>,
}

impl Diagnosis {
    fn add(&mut self, name: &'static str, verdict: Verdict, message: impl Into<String>) {
        self.checks.push(Check { name, verdict, message: message.into() });
    }

    /// Adds a check with its result.
    fn judge(&mut self, name: &'static str, fine: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.add(name, Verdict::Ok, fine),
            Err(message) => self.add(name, Verdict::Failed, message),
        }
    }
}

/// Runs `till doctor`; the exit code is 1 if any check failed.
pub fn run(common: &Common, options: &DoctorOptions) -> anyhow::Result<ExitCode> {
    let mut diagnosis = Diagnosis::default();
    match load_settings(common) {
        Ok(settings) => {
            for warning in &settings.warnings {
                diagnosis.add("settings", Verdict::Warning, warning);
            }
            diagnosis.add("settings", Verdict::Ok, "all settings are valid");
            block_on(examine(settings, options, &mut diagnosis))?;
        }
        Err(error) => diagnosis.add("settings", Verdict::Failed, format!("{error:#}")),
    }
    diagnosis.ok = diagnosis.checks.iter().all(|check| check.verdict != Verdict::Failed);
    print(common.json, &diagnosis, text)?;
    Ok(if diagnosis.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(diagnosis: &Diagnosis) -> String {
    let mark = |verdict| match verdict {
        Verdict::Ok => "ok     ",
        Verdict::Warning => "warning",
        Verdict::Failed => "FAILED ",
    };
    let line = |check: &Check| format!("{}  {:14}{}\n", mark(check.verdict), check.name, check.message);
    diagnosis.checks.iter().map(line).collect()
}

async fn examine(
    settings: Settings,
    options: &DoctorOptions,
    diagnosis: &mut Diagnosis,
) -> anyhow::Result<()> {
    if let StoreLocation::Folder(folder) = &settings.place {
        diagnosis.judge("data folder", "writable", check_folder(folder));
        diagnosis.judge("disk space", "sufficient", check_space(folder, options.min_free));
    }
    let environments = 2;
    match open_files::check(settings.max_connections, environments * settings.callbacks.limits.all) {
        Ok(()) => diagnosis.add("open files", Verdict::Ok, "the limit is sufficient"),
        Err(message) => diagnosis.add("open files", Verdict::Warning, message),
    }
    check_addresses(&settings, diagnosis);
    check_tls(&settings, diagnosis);
    check_dangers(&settings, diagnosis);
    let mut offerings: Vec<Offering> = app::offerings(&settings);
    let vault = settings.vault();
    let found = vault.as_ref().map(drop).map_err(ToString::to_string);
    diagnosis.judge("master key", "present and well formed", found);
    check_permissions(&settings.data_dir, diagnosis);
    check_mail(&settings, diagnosis).await;
    let there = match settings.place.has_store().await {
        Ok(there) => there,
        Err(error) => {
            diagnosis.add("store", Verdict::Failed, explain(&error));
            return Ok(());
        }
    };
    if !there {
        diagnosis.add("store", Verdict::Ok, "none yet; `till serve` or `till vendor create` creates it");
        check_providers(&[], &offerings, diagnosis);
        return Ok(());
    }
    match Stores::examine(&settings.place).await {
        Err(error @ StoreError::Damaged(_)) => {
            let message = format!("{}; stop the service and restore a backup", explain(&error));
            diagnosis.add("store", Verdict::Failed, message);
        }
        Err(error) => diagnosis.add("store", Verdict::Failed, explain(&error)),
        Ok(stores) => {
            check_stores(&settings.place, &stores, diagnosis).await;
            if let StoreLocation::Folder(folder) = &settings.place {
                check_logs(folder, diagnosis);
            }
            match stores.warnings().await {
                Ok(warnings) => warnings.iter().for_each(|w| diagnosis.add("store", Verdict::Warning, w)),
                Err(error) => diagnosis.add("store", Verdict::Failed, explain(&error)),
            }
            if let Ok(vault) = &vault {
                let result = check_key(&stores.accounts, vault).await;
                let usable = result.is_ok();
                diagnosis.judge("master key", "it matches the store", result);
                if usable {
                    check_rotation(&settings, &stores, vault, diagnosis).await;
                }
            }
            if let Some(warning) = stores.live.clock().status().warning() {
                diagnosis.add("clock", Verdict::Warning, warning);
            }
            let fine = "not behind the newest session";
            diagnosis.judge("clock", fine, check_clock(&settings.place, &stores).await);
            check_queues(&settings.place, &stores, diagnosis).await;
            let since = stores.live.now().minus(KEPT_FOR);
            if let (Ok(mails), Ok(receipts)) =
                (stores.accounts.count_mails().await, stores.live.count_dispatches(since).await)
                && mails.failed + receipts.failed > 0
            {
                let count = mails.failed + receipts.failed;
                let message = format!(
                    "{count} emails could not be delivered in the last 30 days; the log has the reasons"
                );
                diagnosis.add("mail", Verdict::Warning, message);
            }
            if let Ok(vault) = &vault {
                check_setups(&settings, &stores.accounts, vault, &mut offerings, diagnosis).await;
            }
            match all_vendors(&stores.accounts).await {
                Ok(vendors) => check_providers(&vendors, &offerings, diagnosis),
                Err(error) => {
                    let message = format!("cannot read a vendor: {}", explain(&error));
                    diagnosis.add("vendors", Verdict::Failed, message);
                }
            }
        }
    }
    Ok(())
}

fn check_folder(folder: &Path) -> Result<(), String> {
    let place = existing(folder);
    let probe = place.join(format!(".till-doctor-{}", std::process::id()));
    std::fs::write(&probe, b"probe").map_err(|reason| {
        format!("cannot write to {}: {reason}; grant the service's user write access", place.display())
    })?;
    std::fs::remove_file(&probe).map_err(|reason| format!("{}: {reason}", probe.display()))
}

/// The folder, or the nearest one above it that exists.
fn existing(folder: &Path) -> &Path {
    let named = folder.ancestors().find(|path| path.exists());
    named.unwrap_or(Path::new("."))
}

/// Warns if other users can read the data: orders, encrypted secrets and the master key.
fn check_permissions(folder: &Path, diagnosis: &mut Diagnosis) {
    let open = |name: &&&str| {
        let mode = std::fs::metadata(folder.join(name)).map(|file| file.permissions().mode());
        mode.is_ok_and(|mode| mode & 0o077 != 0)
    };
    let files = ["accounts.db", "live.db", "sandbox.db", "master.key"];
    let open: Vec<&str> = files.iter().filter(open).copied().collect();
    if is_open_to_others(folder) {
        let folder = folder.display();
        let message =
            format!("other users can write to {folder} and replace its files; run: chmod go= {folder}");
        diagnosis.add("permissions", Verdict::Warning, message);
    } else if open.is_empty() {
        diagnosis.add("permissions", Verdict::Ok, "no other user can read the store's files");
    } else {
        let message =
            format!("other users can read {}; run: chmod go= {}/*", open.join(", "), folder.display());
        diagnosis.add("permissions", Verdict::Warning, message);
    }
}

async fn check_mail(settings: &Settings, diagnosis: &mut Diagnosis) {
    const WITHIN: Duration = Duration::from_secs(20);
    let Some(mail) = &settings.mail else {
        let message = "off: set TILL_SMTP_URL to email invitations and password resets";
        return diagnosis.add("mail", Verdict::Ok, message);
    };
    let (host, port) = (&mail.server.host, mail.server.port);
    let postman = match MailTransport::new(mail) {
        Ok(postman) => postman,
        Err(error) => return diagnosis.add("mail", Verdict::Failed, error.to_string()),
    };
    let answer = tokio::time::timeout(WITHIN, postman.probe()).await;
    let answer = answer.unwrap_or_else(|_| Err("no response (timeout)".to_owned()));
    let failed = |problem| {
        format!(
            "{host}:{port} does not accept email: {problem}; check TILL_SMTP_URL, and TILL_SMTP_ROOTS for \
             its certificate"
        )
    };
    diagnosis.judge("mail", &format!("{host}:{port} accepts email"), answer.map_err(failed));
}

fn check_space(folder: &Path, min_free: u64) -> Result<(), String> {
    let stat = rustix::fs::statvfs(existing(folder)).map_err(|reason| reason.to_string())?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize) / (1024 * 1024);
    if free >= min_free {
        return Ok(());
    }
    Err(format!(
        "only {free} MiB are free, less than {min_free}: Till cannot store anything on a full disk; free up \
         space"
    ))
}

fn check_addresses(settings: &Settings, diagnosis: &mut Diagnosis) {
    let listen = settings.listen;
    let running = settings.place.is_locked();
    match TcpListener::bind(listen) {
        Ok(_) => diagnosis.add("listen", Verdict::Ok, format!("{listen} is free")),
        Err(_) if running => diagnosis.add("listen", Verdict::Ok, "till serve is running on this folder"),
        Err(reason) if matches!(settings.place, StoreLocation::Server(_)) && is_in_use(&reason) => {
            let message = format!("{listen} is in use, by a running till serve or by another program");
            diagnosis.add("listen", Verdict::Warning, message);
        }
        Err(reason) => {
            let message = format!("cannot listen on {listen}: {reason}; set TILL_LISTEN to a free address");
            diagnosis.add("listen", Verdict::Failed, message);
        }
    }
    if let Some(url) = settings.checkout_url.as_ref().filter(|url| !url.starts_with("https://")) {
        let message = format!("{url} is not https: payments can be read in transit");
        diagnosis.add("checkout URL", Verdict::Warning, message);
    }
    match &settings.base_url {
        Some(url)
            if url.starts_with("https://")
                && settings.tls.is_none()
                && settings.trusted_proxies.is_empty() =>
        {
            let message = "TILL_TRUSTED_PROXIES is not set: behind a proxy, all clients share one IP address";
            diagnosis.add("base URL", Verdict::Warning, message);
        }
        Some(url) if url.starts_with("https://") => diagnosis.add("base URL", Verdict::Ok, url),
        Some(url) => {
            let message = format!("{url} is not https: tokens and payments can be read in transit");
            diagnosis.add("base URL", Verdict::Warning, message);
        }
        None => {
            let message =
                "TILL_BASE_URL is not set: set it to the public https address before you take payments";
            diagnosis.add("base URL", Verdict::Warning, message);
        }
    }
}

fn check_tls(settings: &Settings, diagnosis: &mut Diagnosis) {
    let Some(files) = &settings.tls else {
        let message = "off: the service speaks plain HTTP, for use behind a proxy";
        return diagnosis.add("TLS", Verdict::Ok, message);
    };
    match files.read() {
        Err(error) => diagnosis.add("TLS", Verdict::Failed, error.to_string()),
        Ok(identity) => {
            let (verdict, message) = judge_validity(identity.validity(), Clock::System.now());
            diagnosis.add("TLS", verdict, message);
        }
    }
    let mode = std::fs::metadata(&files.key).map(|file| file.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o007 != 0) {
        let key = files.key.display();
        let message = format!("every user can read the key in {key}; run: chmod o= {key}");
        diagnosis.add("TLS", Verdict::Warning, message);
    }
}

fn judge_validity(validity: Option<Validity>, now: Timestamp) -> (Verdict, String) {
    const RENEWED_BY: Duration = Duration::from_secs(14 * 86_400);
    let Some(Validity { from, until }) = validity else {
        return (Verdict::Warning, "cannot tell when the certificate expires".to_owned());
    };
    if until < now {
        return (Verdict::Failed, format!("the certificate expired at {until}: renew it"));
    }
    if now < from {
        let message = format!("the certificate is not valid before {from}: check the machine's clock");
        return (Verdict::Failed, message);
    }
    if until < now.plus(RENEWED_BY) {
        let message = format!("the certificate expires at {until}: check why it has not been renewed");
        return (Verdict::Warning, message);
    }
    (Verdict::Ok, format!("the key matches the certificate, which is valid until {until}"))
}

fn is_in_use(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::AddrInUse
}

fn check_dangers(settings: &Settings, diagnosis: &mut Diagnosis) {
    let dangers = [
        (settings.simulator, "TILL_SIMULATOR is on: live payments are simulated and no money moves"),
        (!settings.rate_limits, "TILL_RATE_LIMITS is off: requests are not limited"),
        (!settings.operator_totp, "TILL_OPERATOR_TOTP is off: operators can log in with a password alone"),
        (settings.rules.private_callbacks, "TILL_ALLOW_PRIVATE_CALLBACKS is on: for development only"),
    ];
    for (_, message) in dangers.iter().filter(|(on, _)| *on) {
        diagnosis.add("dangers", Verdict::Warning, *message);
    }
    if !dangers.iter().any(|(on, _)| *on) {
        diagnosis.add("dangers", Verdict::Ok, "no development setting is on");
    }
}

/// The name of a database for its administrator.
fn name_of(place: &StoreLocation, database: &str) -> String {
    match place {
        StoreLocation::Folder(_) => format!("{database}.db"),
        StoreLocation::Server(_) => format!("the schema {database}"),
    }
}

async fn check_stores(place: &StoreLocation, stores: &Stores, diagnosis: &mut Diagnosis) {
    let durable = stores.assert_durable().await.map_err(|error| explain(&error));
    diagnosis.judge("durability", "acknowledged writes are synced to disk", durable);
    let damage = [
        ("accounts", stores.accounts.find_damage().await),
        ("live", stores.live.find_damage().await),
        ("sandbox", stores.sandbox.find_damage().await),
    ];
    for (database, damage) in damage {
        let name = name_of(place, database);
        let message = match damage {
            Ok(lines) if lines.is_empty() => continue,
            Ok(lines) => {
                format!("{name} is damaged: {}; stop the service and restore a backup", lines.join("; "))
            }
            Err(error) => {
                format!("cannot read {name}: {}; stop the service and restore a backup", explain(&error))
            }
        };
        diagnosis.add("store", Verdict::Failed, message);
    }
    if !diagnosis.checks.iter().any(|check| check.name == "store") {
        diagnosis.add("store", Verdict::Ok, "accounts, live and sandbox can be opened and are not damaged");
    }
}

/// Warns about a large write-ahead log: without checkpoints it grows without limit.
fn check_logs(folder: &Path, diagnosis: &mut Diagnosis) {
    for file in ["accounts.db-wal", "live.db-wal", "sandbox.db-wal"] {
        let bytes = std::fs::metadata(folder.join(file)).map_or(0, |log| log.len());
        if bytes >= LARGE_LOG {
            let message = format!(
                "{file} has grown to {} MiB: a long-running read blocks its reuse; end the read, or check \
                 the service's log",
                bytes >> 20
            );
            diagnosis.add("store", Verdict::Warning, message);
        }
    }
}

async fn check_key(accounts: &Accounts, vault: &Vault) -> Result<(), String> {
    if accounts.stored_key_check().await.map_err(|error| explain(&error))?.is_none() {
        return Ok(());
    }
    adopt_key(accounts, vault).await.map_err(|error| error.to_string())
}

/// Says whether the previous master key is still needed.
async fn check_rotation(settings: &Settings, stores: &Stores, vault: &Vault, diagnosis: &mut Diagnosis) {
    if vault.previous_key().is_none() {
        return;
    }
    match previous_key(settings, stores, vault).await {
        Ok((verdict, message)) => diagnosis.add("previous master key", verdict, message),
        Err(error) => diagnosis.add("previous master key", Verdict::Failed, explain(&error)),
    }
}

async fn previous_key(
    settings: &Settings,
    stores: &Stores,
    vault: &Vault,
) -> Result<(Verdict, String), StoreError> {
    let payments = [(EnvironmentName::Live, &stores.live), (EnvironmentName::Sandbox, &stores.sandbox)];
    let rotation = KeyRotation { accounts: &stores.accounts, payments, vault };
    let warning = |message: &str| Ok((Verdict::Warning, message.to_owned()));
    let Some(started) = rotation.started().await? else {
        if vault.uses_current() {
            return warning(
                "not needed: the store is sealed with TILL_MASTER_KEY; remove TILL_MASTER_KEY_PREVIOUS",
            );
        }
        return warning(
            "still in use: run `till key rotate` once every node was restarted with both keys, or remove \
             TILL_MASTER_KEY_PREVIOUS and restore TILL_MASTER_KEY",
        );
    };
    let Some(completed) = started.completed_at else {
        return warning("needed: the rotation is not complete; run `till key rotate` again");
    };
    if !rotation.nodes_behind().await?.is_empty() {
        return warning("needed: a running process still uses it; restart it with both keys");
    }
    if rotation.left(&started).await? > 0 {
        return warning("needed: some texts are still sealed with it; run `till key rotate` again");
    }
    let until = completed.plus(settings.rules.token_lifetime);
    if stores.accounts.now() < until {
        return Ok((Verdict::Ok, format!("needed until {until}, when the last token that it signed ends")));
    }
    warning("no longer needed: remove TILL_MASTER_KEY_PREVIOUS from every node")
}

/// Checks that the clock is not behind stored times: that would keep expired sessions and tokens alive.
async fn check_clock(place: &StoreLocation, stores: &Stores) -> Result<(), String> {
    const TOLERATED: Duration = Duration::from_secs(60);
    for store in [&stores.live, &stores.sandbox] {
        let newest = store.newest().await.map_err(|error| explain(&error))?;
        let (now, Some(newest)) = (store.now(), newest) else { continue };
        if newest.since(now) > TOLERATED {
            let whose = match place {
                StoreLocation::Folder(_) => "the machine's",
                StoreLocation::Server(_) => "the database server's",
            };
            return Err(format!(
                "the clock shows {now}, but a session was created at {newest}: correct {whose} clock"
            ));
        }
    }
    Ok(())
}

/// Checks the queues for rows that cannot be read: workers skip them.
async fn check_queues(place: &StoreLocation, stores: &Stores, diagnosis: &mut Diagnosis) {
    let found = match inspect(stores).await {
        Ok(found) => found,
        Err(error) => return diagnosis.add("queues", Verdict::Failed, explain(&error)),
    };
    let mut fine = true;
    for (database, unreadable) in found.into_iter().filter(|(_, unreadable)| !unreadable.is_empty()) {
        fine = false;
        let (count, queue, name) = (unreadable.count, unreadable.queue, name_of(place, database));
        let message = format!(
            "{count} rows of {queue} in {name} are unreadable and are skipped ({unreadable}); \
             compare them with a backup"
        );
        diagnosis.add("queues", Verdict::Failed, message);
    }
    if fine {
        diagnosis.add("queues", Verdict::Ok, "all rows are readable");
    }
}

/// The unreadable rows of every queue, with their database.
async fn inspect(stores: &Stores) -> Result<Vec<(&'static str, Unreadable)>, StoreError> {
    let everything = Timestamp::from_ms(i64::MAX);
    let mut found = Vec::new();
    for (database, store) in [("live", &stores.live), ("sandbox", &stores.sandbox)] {
        let queues = store.inspect_queues(everything, u32::MAX).await?;
        found.extend(queues.into_iter().map(|queue| (database, queue.unreadable)));
    }
    found.push(("accounts", stores.accounts.inspect_mails(everything, u32::MAX).await?.unreadable));
    Ok(found)
}

/// Checks the set-ups of providers against the providers and nodes that they name.
async fn check_setups(
    settings: &Settings,
    accounts: &Accounts,
    vault: &Vault,
    offerings: &mut Vec<Offering>,
    diagnosis: &mut Diagnosis,
) {
    let prober = match Prober::of_a_command(|| Clock::System.now()) {
        Ok(prober) => prober,
        Err(error) => return diagnosis.add("providers", Verdict::Failed, error.to_string()),
    };
    for kind in ProviderKind::ALL {
        let name = kind.name();
        let plan = match plan(kind, settings, accounts, vault).await {
            Ok(Some(plan)) => plan,
            Ok(None) => {
                diagnosis.add(name, Verdict::Ok, "not set up, or off");
                continue;
            }
            Err(message) => {
                diagnosis.add(name, Verdict::Failed, message);
                continue;
            }
        };
        check_file(kind, settings, diagnosis);
        offerings.extend(registry::offerings(&plan, &prober));
        let prober = match prober.clone().for_vendors(accounts).await {
            Ok(prober) => prober,
            Err(error) => return diagnosis.add("providers", Verdict::Failed, explain(&error)),
        };
        for check in registry::probe(&plan, &prober).await {
            let verdict = match check.outcome {
                CheckVerdict::Ok => Verdict::Ok,
                CheckVerdict::Warn => Verdict::Warning,
                CheckVerdict::Unreachable | CheckVerdict::Fail | CheckVerdict::Contradicts => Verdict::Failed,
            };
            diagnosis.add(name, verdict, format!("{}: {}", check.what, check.sentence));
        }
    }
}

/// Warns if every user of the machine can read a set-up file, which may hold secrets.
fn check_file(kind: ProviderKind, settings: &Settings, diagnosis: &mut Diagnosis) {
    let Some(path) = settings.setup_file(kind) else { return };
    let mode = std::fs::metadata(path).map(|file| file.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o007 != 0) {
        let path = path.display();
        let message = format!("every user can read the keys in {path}; run: chmod o= {path}");
        diagnosis.add(kind.name(), Verdict::Warning, message);
    }
}

/// The set-up of a provider, if it is on.
async fn plan(
    kind: ProviderKind,
    settings: &Settings,
    accounts: &Accounts,
    vault: &Vault,
) -> Result<Option<SetupPlan>, String> {
    if let Some(path) = settings.setup_file(kind) {
        let file = SetupFile::read(kind, path).map_err(|error| format!("{error:#}"))?;
        return Ok(Some(file.plan));
    }
    let stored = accounts.setups().await.map_err(|error| explain(&error))?;
    let stored = stored.into_iter().find(|stored| stored.name == kind.name() && stored.enabled);
    let Some(stored) = stored else { return Ok(None) };
    let document = admin::open_setup(vault, &stored).map_err(|error| error.to_string())?;
    let plan = kind.read(document.expose_secret());
    plan.map(Some).map_err(|problems| format!("the stored setup is invalid: {}", problems.join("; ")))
}

async fn all_vendors(accounts: &Accounts) -> Result<Vec<Vendor>, StoreError> {
    let mut vendors = Vec::new();
    for line in accounts.list_vendors().await? {
        vendors.extend(accounts.vendor(line.id).await?);
    }
    Ok(vendors)
}

fn check_providers(vendors: &[Vendor], offerings: &[Offering], diagnosis: &mut Diagnosis) {
    if offerings.is_empty() {
        let message =
            "no provider is set up: every live session is rejected with no_payment_method; the sandbox works";
        diagnosis.add("providers", Verdict::Warning, message);
        return;
    }
    let served: Vec<Method> =
        Method::ALL.into_iter().filter(|m| offerings.iter().any(|o| o.method == *m)).collect();
    let stuck = |vendor: &&Vendor| {
        let methods = vendor.settings.methods.as_ref();
        !vendor.disabled && methods.is_some_and(|list| !list.iter().any(|m| served.contains(m)))
    };
    let names: Vec<&str> = vendors.iter().filter(stuck).map(|vendor| vendor.name.as_str()).collect();
    if names.is_empty() {
        let message = format!("available for live payments: {}", Method::join(&served));
        diagnosis.add("providers", Verdict::Ok, message);
    } else {
        let message = format!(
            "{} cannot take live payments: no provider offers their methods; see till vendor set --methods",
            names.join(", ")
        );
        diagnosis.add("providers", Verdict::Failed, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_store::Durability;

    #[tokio::test]
    async fn a_store_that_does_not_sync_fails_the_durability_check() {
        // Durability is a property of a connection, so a test of the binary cannot show a weak one.
        let folder = tempfile::tempdir().expect("a folder");
        for (durability, verdict) in [(Durability::Full, Verdict::Ok), (Durability::Off, Verdict::Failed)] {
            let place = StoreLocation::Folder(folder.path().to_owned());
            let stores = Stores::open(&place, durability, None).await.expect("it opens");
            let mut diagnosis = Diagnosis::default();
            check_stores(&place, &stores, &mut diagnosis).await;
            let check = diagnosis.checks.iter().find(|check| check.name == "durability").expect("the check");
            assert_eq!(check.verdict, verdict, "{}", check.message);
        }
    }
}
