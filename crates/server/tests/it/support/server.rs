//! A service in this process, on a real listener, with a clock that the test moves.

use super::{Credentials, Shop, process::MASTER_KEY};
use secrecy::ExposeSecret;
use std::{path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;
use till::app::{App, AppOptions};
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    environment::EnvironmentName,
    fiscal::FiscalSettings,
    id::{AuditId, VendorId},
    time::Timestamp,
    vendor::SettingsChange,
};
use till_service::{
    cashier::Cashier,
    environment::Environment,
    random,
    registry::Registry,
    settings::Settings,
    vault::{MasterKey, SecretPlace, Vault, new_client_id, new_client_secret},
};
use till_store::{Accounts, Clock, Durability, NewCredential, NewVendor, OnFault, Stores};
use tokio::{sync::watch, task::JoinHandle};

/// A running service. It stops when this is dropped, because the sender of the stop signal is gone.
pub struct Server {
    pub url: String,
    /// The address it listens on, which may differ from its public URL.
    pub local: String,
    pub live: Arc<Environment>,
    pub sandbox: Arc<Environment>,
    /// The part that calls the providers of live.
    pub cashier: Arc<Cashier>,
    /// The providers that are set up.
    pub registry: Arc<Registry>,
    pub clock: Clock,
    /// A second connection to the accounts, as a command of the operator has.
    pub accounts: Accounts,
    folder: Arc<TempDir>,
    stop: watch::Sender<bool>,
    running: JoinHandle<()>,
}

/// A vendor that the test created.
pub struct Vendor {
    pub id: VendorId,
    pub live: Credentials,
    pub sandbox: Credentials,
}

/// 2026-11-15T09:30:00.000Z
pub const START_MS: i64 = 1_794_735_000_000;

impl Server {
    /// A service with the simulator on and no rate limits.
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// The same, with more settings.
    pub async fn with(settings: &[(&str, &str)]) -> Self {
        Self::at(Timestamp::from_ms(START_MS), settings).await
    }

    /// The same, with a clock that starts at this time.
    pub async fn at(start: Timestamp, settings: &[(&str, &str)]) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        Self::open(folder, Clock::manual(start), settings, |_| {}).await
    }

    /// A service that keeps receivers' responses although private addresses may be called, as a demo does.
    pub async fn keeping_responses(settings: &[(&str, &str)]) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let clock = Clock::manual(Timestamp::from_ms(START_MS));
        Self::open(folder, clock, settings, |settings| settings.callbacks.keep_responses = true).await
    }

    /// The same, with this clock.
    pub async fn clocked(clock: Clock, settings: &[(&str, &str)]) -> Self {
        Self::open(Arc::new(tempfile::tempdir().expect("a folder")), clock, settings, |_| {}).await
    }

    async fn open(
        folder: Arc<TempDir>,
        clock: Clock,
        settings: &[(&str, &str)],
        adjust: fn(&mut Settings),
    ) -> Self {
        let path = folder.path().to_str().expect("a path of text");
        let base = [
            ("TILL_DATA_DIR", path),
            ("TILL_LISTEN", "127.0.0.1:0"),
            ("TILL_MASTER_KEY", MASTER_KEY),
            ("TILL_SIMULATOR", "on"),
            ("TILL_RATE_LIMITS", "off"),
        ];
        let base = base.iter().filter(|(name, _)| !settings.iter().any(|(other, _)| other == name));
        let variables = base.chain(settings).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut settings = Settings::load(None, variables).expect("good settings");
        adjust(&mut settings);
        let place = settings.place.clone();
        let options =
            AppOptions { clock: Some(clock.clone()), on_fault: OnFault::Report, ..AppOptions::default() };
        let app = App::start(settings, options).await.expect("the service starts");
        let stores = Stores::open(&place, Durability::Full, Some(clock.clone())).await;
        let stores = stores.expect("the store opens");
        let accounts = stores.accounts;
        let (url, live, sandbox) =
            (app.base_url().to_owned(), Arc::clone(&app.live), Arc::clone(&app.sandbox));
        let (cashier, registry) = (Arc::clone(&app.cashiers[0]), Arc::clone(&app.registry));
        let local = format!("http://{}", app.address);
        let (stop, stopped) = watch::channel(false);
        let running = tokio::spawn(app.run(stopped));
        Self { url, local, live, sandbox, cashier, registry, clock, accounts, folder, stop, running }
    }

    /// Stops the service and starts it again on the same store, with the same clock.
    pub async fn restart(self) -> Self {
        self.restart_with(&[]).await
    }

    /// The same, with more settings.
    pub async fn restart_with(self, settings: &[(&str, &str)]) -> Self {
        let Self { folder, clock, stop, running, live, sandbox, cashier, registry, accounts, .. } = self;
        stop.send(true).expect("it runs");
        running.await.expect("it ends");
        drop((live, sandbox, cashier, registry, accounts));
        Self::open(folder, clock, settings, |_| {}).await
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The environment of this name.
    pub fn environment(&self, name: &str) -> &Arc<Environment> {
        if name == "live" { &self.live } else { &self.sandbox }
    }

    /// Advances the clock.
    pub fn later(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Creates a vendor with its sandbox on.
    pub async fn vendor(&self) -> Vendor {
        let vault = Vault::new(&MasterKey::parse(MASTER_KEY).expect("a key"));
        let id = random::id::<VendorId>(self.clock.now());
        let pair = |environment: EnvironmentName| {
            let secret = new_client_secret(environment);
            let sealed = vault.seal(SecretPlace { environment, vendor: id, number: 1 }, &secret);
            let credential = NewCredential {
                environment,
                number: 1,
                client_id: new_client_id(environment),
                secret_check: sealed.check,
                secret_sealed: sealed.sealed,
            };
            let credentials = Credentials {
                client_id: credential.client_id.clone(),
                client_secret: secret.expose_secret().to_owned(),
            };
            (credential, credentials)
        };
        let ((live, live_pair), (sandbox, sandbox_pair)) =
            (pair(EnvironmentName::Live), pair(EnvironmentName::Sandbox));
        let new = NewVendor {
            id,
            name: "Halden Press".to_owned(),
            sandbox: true,
            contact_email: None,
            credentials: vec![live, sandbox],
        };
        self.accounts.add_vendor(new, &[entry()]).await.expect("the vendor is stored");
        Vendor { id, live: live_pair, sandbox: sandbox_pair }
    }

    /// Changes a vendor's settings for fiscal receipts.
    pub async fn set_fiscal(&self, vendor: &Vendor, fiscal: FiscalSettings) {
        let change = SettingsChange { fiscal: Some(fiscal), ..SettingsChange::default() };
        assert!(self.accounts.set_settings(vendor.id, &change, &entry()).await.expect("a write"));
        self.live.directory.forget(vendor.id);
        self.sandbox.directory.forget(vendor.id);
    }

    /// A vendor's client of one environment, with a token.
    pub async fn shop(&self, environment: &str, vendor: &Vendor) -> Shop {
        let pair = if environment == "live" { &vendor.live } else { &vendor.sandbox };
        let mut shop = Shop::new(&self.url, environment, pair.clone());
        shop.log_in().await;
        shop
    }
}

/// A line of the audit log, where its words do not matter.
pub fn entry() -> AuditEntry {
    let now = Timestamp::from_ms(1_763_164_800_000);
    AuditEntry::new(random::id::<AuditId>(now), now, Actor::shell(), AuditEvent::SettingsChanged)
}
