//! The registry of providers that take live money: those that the settings switch on, and those that the
//! operator sets up, by a file or in the console. Every process follows a change in the console within two
//! seconds. `till-providers` parses the documents and tests them.

mod books;
mod chain_records;
mod document;
mod probe;
mod running;

pub use books::{chains_of_a_command, of_a_command};
pub use chain_records::{ChainRecord, ChainRecords};
pub use document::{ProviderKind, SetupFile, SetupPlan};
pub use probe::web;
pub use probe::{Prober, contradicted, contradictions, offerings, probe, refuse_contradicted};
pub use running::{Chains, Running};

use crate::{
    admin::{Admin, AdminError, OpenSetup},
    cashier::Cashier,
    telemetry::explain,
};
use secrecy::ExposeSecret as _;
use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use till_providers::{Provider, evm::Watcher, web::Web};
use till_store::StoreError;
use tokio::sync::watch;

/// The interval at which a process checks for changes.
const EVERY: Duration = Duration::from_secs(1);

/// The providers of live.
#[derive(Debug)]
pub struct Registry {
    admin: Admin,
    cashier: Arc<Cashier>,
    fixed: Vec<Arc<dyn Provider>>,
    files: Vec<SetupFile>,
    web: Web,
    current: RwLock<Arc<[Current]>>,
    records: Arc<ChainRecords>,
    watchers: watch::Sender<Vec<Arc<Watcher>>>,
}

/// The set-up of a provider on this process now.
#[derive(Debug, Clone)]
pub struct Current {
    pub kind: ProviderKind,
    /// The version of the stored set-up; 0 if none is stored, or a file is used.
    pub version: i64,
    /// Its position in the operator's order; set-ups from files come first.
    pub position: i64,
    /// True if it is offered to customers.
    pub enabled: bool,
    /// The parsed document, if it can be used.
    pub plan: Option<SetupPlan>,
    /// The running provider. It stays when switched off: payments already begun are still followed.
    pub running: Option<Running>,
    /// The reasons why nothing runs although a set-up is stored.
    pub problems: Vec<String>,
}

impl Current {
    /// The state before the set-up was read.
    fn unknown(kind: ProviderKind) -> Self {
        Self {
            kind,
            version: 0,
            position: 0,
            enabled: false,
            plan: None,
            running: None,
            problems: Vec::new(),
        }
    }

    /// The running chains, if this provider has any.
    #[must_use]
    pub fn chains(&self) -> Option<&Chains> {
        match &self.running {
            Some(Running::Chains(chains)) => Some(chains),
            _ => None,
        }
    }
}

impl Registry {
    /// The registry before the set-ups are loaded. `fixed` are the providers that the settings switch on.
    #[must_use]
    pub fn new(
        admin: Admin,
        cashier: Arc<Cashier>,
        (fixed, files): (Vec<Arc<dyn Provider>>, Vec<SetupFile>),
        web: Web,
    ) -> Self {
        let (records, watchers) = Default::default();
        let current = RwLock::new(ProviderKind::ALL.map(Current::unknown).into_iter().collect());
        Self { admin, cashier, fixed, files, web, current, records, watchers }
    }

    /// The set-up file of a provider, if there is one.
    #[must_use]
    pub fn file(&self, kind: ProviderKind) -> Option<&SetupFile> {
        self.files.iter().find(|file| file.kind == kind)
    }

    /// The set-ups of all providers on this process, in the operator's order.
    #[must_use]
    pub fn all(&self) -> Arc<[Current]> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The set-up of a provider on this process.
    #[must_use]
    pub fn current(&self, kind: ProviderKind) -> Current {
        let found = self.all().iter().find(|current| current.kind == kind).cloned();
        found.unwrap_or_else(|| Current::unknown(kind))
    }

    /// The prober that tests set-ups.
    #[must_use]
    pub fn prober(&self) -> Prober {
        let clock = probe::clock(self.cashier.environment());
        Prober { web: self.web.clone(), clock, base_url: None, vendors: None }
    }

    /// The progress of reading chains on this process.
    #[must_use]
    pub fn records(&self) -> &Arc<ChainRecords> {
        &self.records
    }

    /// The chains to read, now and after each change. They are read while switched off, too: payments already
    /// begun are still followed.
    #[must_use]
    pub fn watchers(&self) -> watch::Receiver<Vec<Arc<Watcher>>> {
        self.watchers.subscribe()
    }

    /// The cashier that these providers serve.
    #[must_use]
    pub fn cashier(&self) -> &Arc<Cashier> {
        &self.cashier
    }

    /// Loads all set-ups and starts their providers.
    pub async fn load(&self) -> Result<(), StoreError> {
        let mut all = Vec::new();
        for kind in ProviderKind::ALL {
            all.push(self.read(kind).await?);
        }
        self.apply(all);
        Ok(())
    }

    /// Checks for changed set-ups, and applies them.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let versions = self.admin.accounts.setup_versions().await?;
        let stored =
            |kind: ProviderKind| versions.iter().find(|(name, _)| name == kind.name()).map_or(0, |(_, v)| *v);
        let known = self.all();
        let moved =
            |current: &&Current| self.file(current.kind).is_none() && stored(current.kind) != current.version;
        let moved: Vec<ProviderKind> = known.iter().filter(moved).map(|current| current.kind).collect();
        if moved.is_empty() {
            return Ok(EVERY);
        }
        // Unchanged providers keep running as they are.
        let mut all = known.to_vec();
        for current in all.iter_mut().filter(|current| moved.contains(&current.kind)) {
            *current = self.read(current.kind).await?;
        }
        self.apply(all);
        Ok(EVERY)
    }

    /// Refreshes the prices that are due, and checks which chains are being read.
    pub async fn refresh_prices(&self) -> Result<Duration, StoreError> {
        if let Some(chains) = self.current(ProviderKind::Evm).chains() {
            let failing = self.records.failing();
            let prices = chains.prices.refresh(self.cashier.environment().calendar());
            // A price source that does not answer must not keep a coin on offer whose chain is not read.
            let (looked, ()) = tokio::join!(chains.provider.look_around(&failing), prices);
            if let Err(error) = looked {
                tracing::warn!(%error, "cannot tell which chains are being read");
            }
        }
        Ok(EVERY)
    }

    /// Reads the set-up of a provider from its file or the store.
    async fn read(&self, kind: ProviderKind) -> Result<Current, StoreError> {
        let unknown = Current::unknown(kind);
        if let Some(file) = self.file(kind) {
            let (running, problems) = self.run(&file.plan);
            let plan = Some(file.plan.clone()).filter(|_| running.is_some());
            return Ok(Current { enabled: true, plan, running, problems, ..unknown });
        }
        match self.admin.setup(kind.name()).await {
            Ok(Some(open)) => Ok(self.read_stored(kind, &open)),
            Ok(None) => Ok(unknown),
            Err(AdminError::Store(error)) => Err(error),
            // It is read again only after a change.
            Err(error) => {
                let name = kind.name();
                let versions = self.admin.accounts.setup_versions().await?;
                let version = versions.iter().find(|(other, _)| other == name).map_or(0, |(_, v)| *v);
                tracing::error!(error = explain(&error), "cannot read the setup of {name}");
                Ok(Current { version, problems: vec![error.to_string()], ..unknown })
            }
        }
    }

    fn read_stored(&self, kind: ProviderKind, open: &OpenSetup) -> Current {
        let plan = kind.read(open.document.expose_secret());
        let (running, problems) = match &plan {
            Ok(plan) => self.keep_or_run(kind, plan),
            Err(problems) => (None, problems.clone()),
        };
        if !problems.is_empty() {
            tracing::error!("the stored setup of {} is invalid; see the console", kind.name());
        }
        let stored = &open.stored;
        let (version, position, enabled) = (stored.version, stored.position, stored.enabled);
        let plan = plan.ok().filter(|_| running.is_some());
        Current { kind, version, position, enabled, plan, running, problems }
    }

    /// Keeps the running provider if the document is the same: switching or reordering loses no known prices.
    fn keep_or_run(&self, kind: ProviderKind, plan: &SetupPlan) -> (Option<Running>, Vec<String>) {
        match self.current(kind) {
            Current { plan: Some(known), running: Some(running), .. } if known == *plan => {
                (Some(running), Vec::new())
            }
            _ => self.run(plan),
        }
    }

    /// Starts the provider of a set-up, or returns the reason why it cannot run.
    fn run(&self, plan: &SetupPlan) -> (Option<Running>, Vec<String>) {
        match Running::start(plan, self.cashier.environment(), &self.web) {
            Ok(running) => (Some(running), Vec::new()),
            Err(problem) => (None, vec![problem]),
        }
    }

    /// Lets these providers take payments from now on, in the operator's order; those of the settings come
    /// last.
    fn apply(&self, mut all: Vec<Current>) {
        // At the same position the store's order counts, which is by name.
        all.sort_by_key(|current| {
            let stored = current.version > 0;
            let name = if stored { current.kind.name() } else { "" };
            let own = ProviderKind::ALL.iter().position(|kind| *kind == current.kind);
            (stored, current.position, name, own)
        });
        let of = |enabled: bool| {
            let running = all.iter().filter(move |current| current.enabled == enabled);
            running.filter_map(|current| current.running.as_ref()).map(Running::provider)
        };
        let (mut offered, withdrawn): (Vec<_>, Vec<_>) = (of(true).collect(), of(false).collect());
        offered.extend(self.fixed.iter().cloned());
        self.cashier.replace(offered, withdrawn);
        for current in all.iter().filter(|current| current.running.is_some()) {
            let (name, word) = (current.kind.name(), if current.enabled { "on" } else { "off" });
            tracing::info!(version = current.version, "loaded the setup of {name}; it is {word}");
            let plays = current.running.as_ref().is_some_and(|running| running.provider().is_simulated());
            if current.enabled && plays {
                tracing::warn!("{name} is set up with test keys: its live payments move no money");
            }
        }
        let chains = all.iter().find_map(Current::chains);
        let watchers = chains.map(|chains| chains.watchers.clone()).unwrap_or_default();
        // Unchanged chains are read on without interruption.
        self.watchers.send_if_modified(|known| {
            let same =
                known.len() == watchers.len() && known.iter().zip(&watchers).all(|(a, b)| Arc::ptr_eq(a, b));
            *known = watchers;
            !same
        });
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = all.into();
    }
}
