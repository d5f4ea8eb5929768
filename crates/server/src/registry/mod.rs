//! Which providers take live money: those that the settings switch on, and the chains that the operator sets up, by a
//! file or in the console. Every process follows a change of the console within two seconds. What a document may say
//! and how it is tried out is `till-providers`' business.

mod document;
mod probe;

pub use document::{SetupFile, parse, template};
pub(crate) use probe::web;
pub use probe::{Prober, probe};

use crate::{
    cashier::Cashier,
    environment::Environment,
    office::{Office, OfficeError},
    telemetry::explain,
};
use secrecy::ExposeSecret as _;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};
use till_domain::time::Timestamp;
use till_providers::{
    Provider,
    evm::{PriceBoard, Setup, Web},
};
use till_store::StoreError;

/// The name of the provider that takes coins on chains.
pub const EVM: &str = "evm";

/// How often a process looks whether something was changed.
const EVERY: Duration = Duration::from_secs(1);

/// The providers of live.
#[derive(Debug)]
pub struct Registry {
    office: Office,
    cashier: Arc<Cashier>,
    fixed: Vec<Arc<dyn Provider>>,
    file: Option<SetupFile>,
    web: Web,
    current: RwLock<Arc<Current>>,
    errors: Mutex<BTreeMap<u64, (Timestamp, String)>>,
}

/// How the chains are set up on this process now.
#[derive(Debug, Clone, Default)]
pub struct Current {
    /// The version of what is stored; 0 if nothing is, or a file says it.
    pub version: i64,
    /// Whether customers are sent there.
    pub enabled: bool,
    /// What runs. It stays when it is switched off: what was begun is still waited for.
    pub running: Option<Running>,
    /// Why nothing runs although something is stored.
    pub problems: Vec<String>,
}

/// A set-up, and what knows its prices.
#[derive(Debug, Clone)]
pub struct Running {
    /// The set-up.
    pub setup: Arc<Setup>,
    /// Today's prices.
    pub prices: Arc<PriceBoard>,
}

impl Registry {
    /// The registry, before anything that is set up takes money. `fixed` are the providers that the settings switch on.
    #[must_use]
    pub fn new(
        office: Office,
        cashier: Arc<Cashier>,
        (fixed, file): (Vec<Arc<dyn Provider>>, Option<SetupFile>),
        web: Web,
    ) -> Self {
        Self { office, cashier, fixed, file, web, current: RwLock::default(), errors: Mutex::default() }
    }

    /// The file that says how the chains are set up, if one does.
    #[must_use]
    pub fn file(&self) -> Option<&SetupFile> {
        self.file.as_ref()
    }

    /// How the chains are set up on this process now.
    #[must_use]
    pub fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What tries out how something would be set up.
    #[must_use]
    pub fn prober(&self) -> Prober {
        Prober { web: self.web.clone(), clock: probe::clock(self.cashier.environment()) }
    }

    /// Notes why a chain could not be read. Who reads it calls this; it must hold no secret.
    pub fn note_error(&self, chain: u64, at: Timestamp, error: String) {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).insert(chain, (at, error));
    }

    /// Why a chain could not be read the last time that was so, on this process.
    #[must_use]
    pub fn last_error(&self, chain: u64) -> Option<(Timestamp, String)> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).get(&chain).cloned()
    }

    /// Lets what is set up take money.
    pub async fn load(&self) -> Result<(), StoreError> {
        if let Some(file) = &self.file {
            let running = Some(self.run(Arc::clone(&file.setup)));
            self.apply(Current { enabled: true, running, ..Current::default() });
            return Ok(());
        }
        let found = match self.office.setup(EVM).await {
            Ok(Some(open)) => open,
            Ok(None) => return Ok(()),
            Err(OfficeError::Store(error)) => return Err(error),
            // It is not read again before somebody changes it.
            Err(error) => {
                let version = self.stored_version().await?;
                tracing::error!(error = explain(&error), "the set-up of the chains cannot be read");
                self.apply(Current { version, problems: vec![error.to_string()], ..Current::default() });
                return Ok(());
            }
        };
        let (version, enabled) = (found.stored.version, found.stored.enabled);
        let (running, problems) = match parse(found.document.expose_secret()) {
            Ok(setup) => (Some(self.run(Arc::new(setup))), Vec::new()),
            Err(problems) => (None, problems),
        };
        if !problems.is_empty() {
            tracing::error!("the stored set-up of the chains cannot be used; see the console");
        }
        self.apply(Current { version, enabled, running, problems });
        Ok(())
    }

    /// Looks whether something was changed, and follows it.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        if self.file.is_none() && self.stored_version().await? != self.current().version {
            self.load().await?;
        }
        Ok(EVERY)
    }

    /// Asks for the prices that are due.
    pub async fn refresh_prices(&self) -> Result<Duration, StoreError> {
        if let Some(running) = &self.current().running {
            running.prices.refresh(self.cashier.environment().now()).await;
        }
        Ok(EVERY)
    }

    async fn stored_version(&self) -> Result<i64, StoreError> {
        let versions = self.office.accounts.setup_versions().await?;
        Ok(versions.iter().find(|(name, _)| name == EVM).map_or(0, |(_, version)| *version))
    }

    fn run(&self, setup: Arc<Setup>) -> Running {
        let clock = probe::clock(self.cashier.environment());
        let prices = Arc::new(PriceBoard::new(&setup, self.web.clone(), clock));
        Running { setup, prices }
    }

    fn apply(&self, current: Current) {
        let environment = self.cashier.environment();
        let running = current.running.as_ref();
        let chains = running.map(|running| evm_providers(running, environment)).unwrap_or_default();
        let (mut offered, withdrawn) =
            if current.enabled { (chains, Vec::new()) } else { (Vec::new(), chains) };
        offered.extend(self.fixed.iter().cloned());
        self.cashier.replace(offered, withdrawn);
        let word = if current.enabled { "on" } else { "off" };
        tracing::info!(version = current.version, "the set-up of the chains was read; they are {word}");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(current);
    }
}

/// The provider of a set-up. TO BE FILLED: makes the provider `evm` of what runs and of the book of the store of
/// `environment`.
fn evm_providers(_running: &Running, _environment: &Arc<Environment>) -> Vec<Arc<dyn Provider>> {
    Vec::new()
}
