//! Which providers take live money: those that the settings switch on, and those that the operator sets up, by a file or
//! in the console. Every process follows a change of the console within two seconds. What a document may say and how it
//! is tried out is `till-providers`' business.

mod books;
mod chain_records;
mod document;
mod probe;
mod running;

pub use books::{chains_of_a_command, of_a_command};
pub use chain_records::{ChainRecord, ChainRecords};
pub use document::{Kind, Plan, SetupFile};
pub(crate) use probe::web;
pub use probe::{Prober, contradicted, contradictions, offerings, probe, refuse_contradicted};
pub use running::{Chains, Running};

use crate::{
    cashier::Cashier,
    office::{Office, OfficeError, OpenSetup},
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

/// How often a process looks whether something was changed.
const EVERY: Duration = Duration::from_secs(1);

/// The providers of live.
#[derive(Debug)]
pub struct Registry {
    office: Office,
    cashier: Arc<Cashier>,
    fixed: Vec<Arc<dyn Provider>>,
    files: Vec<SetupFile>,
    web: Web,
    current: RwLock<Arc<[Current]>>,
    records: Arc<ChainRecords>,
    watchers: watch::Sender<Vec<Arc<Watcher>>>,
}

/// How a provider is set up on this process now.
#[derive(Debug, Clone)]
pub struct Current {
    pub kind: Kind,
    /// The version of what is stored; 0 if nothing is, or a file says it.
    pub version: i64,
    /// Its place in the operator's order; what a file says comes first.
    pub position: i64,
    /// Whether customers are sent there.
    pub enabled: bool,
    /// What the document says, if it can be used.
    pub plan: Option<Plan>,
    /// What runs. It stays when it is switched off: what was begun is still waited for.
    pub running: Option<Running>,
    /// Why nothing runs although something is stored.
    pub problems: Vec<String>,
}

impl Current {
    /// Before anything is known.
    fn unknown(kind: Kind) -> Self {
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

    /// The chains, if it is about those and they run.
    #[must_use]
    pub fn chains(&self) -> Option<&Chains> {
        match &self.running {
            Some(Running::Chains(chains)) => Some(chains),
            _ => None,
        }
    }
}

impl Registry {
    /// The registry, before anything that is set up takes money. `fixed` are the providers that the settings switch on.
    #[must_use]
    pub fn new(
        office: Office,
        cashier: Arc<Cashier>,
        (fixed, files): (Vec<Arc<dyn Provider>>, Vec<SetupFile>),
        web: Web,
    ) -> Self {
        let (records, watchers) = Default::default();
        let current = RwLock::new(Kind::ALL.map(Current::unknown).into_iter().collect());
        Self { office, cashier, fixed, files, web, current, records, watchers }
    }

    /// The file that says how a provider is set up, if one does.
    #[must_use]
    pub fn file(&self, kind: Kind) -> Option<&SetupFile> {
        self.files.iter().find(|file| file.kind == kind)
    }

    /// How the providers are set up on this process now, in the operator's order.
    #[must_use]
    pub fn all(&self) -> Arc<[Current]> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How a provider is set up on this process now.
    #[must_use]
    pub fn current(&self, kind: Kind) -> Current {
        let found = self.all().iter().find(|current| current.kind == kind).cloned();
        found.unwrap_or_else(|| Current::unknown(kind))
    }

    /// What tries out how something would be set up.
    #[must_use]
    pub fn prober(&self) -> Prober {
        Prober { web: self.web.clone(), clock: probe::clock(self.cashier.environment()) }
    }

    /// How the chains are read on this process.
    #[must_use]
    pub fn records(&self) -> &Arc<ChainRecords> {
        &self.records
    }

    /// The chains that are to be read, now and whenever they change. They are read while they are off, too: what was
    /// begun is still waited for.
    #[must_use]
    pub fn watchers(&self) -> watch::Receiver<Vec<Arc<Watcher>>> {
        self.watchers.subscribe()
    }

    /// What takes the money of what is set up.
    #[must_use]
    pub fn cashier(&self) -> &Arc<Cashier> {
        &self.cashier
    }

    /// Lets what is set up take money.
    pub async fn load(&self) -> Result<(), StoreError> {
        let mut all = Vec::new();
        for kind in Kind::ALL {
            all.push(self.read(kind).await?);
        }
        self.apply(all);
        Ok(())
    }

    /// Looks whether something was changed, and follows it.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let versions = self.office.accounts.setup_versions().await?;
        let stored =
            |kind: Kind| versions.iter().find(|(name, _)| name == kind.name()).map_or(0, |(_, v)| *v);
        let known = self.all();
        let moved =
            |current: &&Current| self.file(current.kind).is_none() && stored(current.kind) != current.version;
        let moved: Vec<Kind> = known.iter().filter(moved).map(|current| current.kind).collect();
        if moved.is_empty() {
            return Ok(EVERY);
        }
        // What has not changed goes on as it is.
        let mut all = known.to_vec();
        for current in all.iter_mut().filter(|current| moved.contains(&current.kind)) {
            *current = self.read(current.kind).await?;
        }
        self.apply(all);
        Ok(EVERY)
    }

    /// Asks for the prices that are due, and looks which chains somebody reads.
    pub async fn refresh_prices(&self) -> Result<Duration, StoreError> {
        if let Some(chains) = self.current(Kind::Evm).chains() {
            let failing = self.records.failing();
            let prices = chains.prices.refresh(self.cashier.environment().calendar());
            // A price source that does not answer must not keep a coin on offer whose chain is not read.
            let (looked, ()) = tokio::join!(chains.provider.look_around(&failing), prices);
            if let Err(error) = looked {
                tracing::warn!(%error, "nobody knows which chains are read");
            }
        }
        Ok(EVERY)
    }

    /// How a provider is to be set up, as its file or the store says.
    async fn read(&self, kind: Kind) -> Result<Current, StoreError> {
        let unknown = Current::unknown(kind);
        if let Some(file) = self.file(kind) {
            let (running, problems) = self.run(&file.plan);
            let plan = Some(file.plan.clone()).filter(|_| running.is_some());
            return Ok(Current { enabled: true, plan, running, problems, ..unknown });
        }
        match self.office.setup(kind.name()).await {
            Ok(Some(open)) => Ok(self.read_stored(kind, &open)),
            Ok(None) => Ok(unknown),
            Err(OfficeError::Store(error)) => Err(error),
            // It is not read again before somebody changes it.
            Err(error) => {
                let name = kind.name();
                let versions = self.office.accounts.setup_versions().await?;
                let version = versions.iter().find(|(other, _)| other == name).map_or(0, |(_, v)| *v);
                tracing::error!(error = explain(&error), "the set-up of {name} cannot be read");
                Ok(Current { version, problems: vec![error.to_string()], ..unknown })
            }
        }
    }

    fn read_stored(&self, kind: Kind, open: &OpenSetup) -> Current {
        let plan = kind.read(open.document.expose_secret());
        let (running, problems) = match &plan {
            Ok(plan) => self.keep_or_run(kind, plan),
            Err(problems) => (None, problems.clone()),
        };
        if !problems.is_empty() {
            tracing::error!("the stored set-up of {} cannot be used; see the console", kind.name());
        }
        let stored = &open.stored;
        let (version, position, enabled) = (stored.version, stored.position, stored.enabled);
        let plan = plan.ok().filter(|_| running.is_some());
        Current { kind, version, position, enabled, plan, running, problems }
    }

    /// What runs already, if the document is the same: a switch or another order takes no known prices away.
    fn keep_or_run(&self, kind: Kind, plan: &Plan) -> (Option<Running>, Vec<String>) {
        match self.current(kind) {
            Current { plan: Some(known), running: Some(running), .. } if known == *plan => {
                (Some(running), Vec::new())
            }
            _ => self.run(plan),
        }
    }

    /// Everything that a set-up needs to run, or why it cannot.
    fn run(&self, plan: &Plan) -> (Option<Running>, Vec<String>) {
        match Running::start(plan, self.cashier.environment(), &self.web) {
            Ok(running) => (Some(running), Vec::new()),
            Err(problem) => (None, vec![problem]),
        }
    }

    /// Lets these take money from now on, in the operator's order; the settings' own come last.
    fn apply(&self, mut all: Vec<Current>) {
        // Of two at one place the store's order counts, which is that of names.
        all.sort_by_key(|current| {
            let stored = current.version > 0;
            let name = if stored { current.kind.name() } else { "" };
            let own = Kind::ALL.iter().position(|kind| *kind == current.kind);
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
            tracing::info!(version = current.version, "the set-up of {name} was read; it is {word}");
            let plays = current.running.as_ref().is_some_and(|running| running.provider().is_simulated());
            if current.enabled && plays {
                tracing::warn!("{name} is set up with test keys: live payments there move no money");
            }
        }
        let chains = all.iter().find_map(Current::chains);
        let watchers = chains.map(|chains| chains.watchers.clone()).unwrap_or_default();
        // Chains that stay as they are are read on.
        self.watchers.send_if_modified(|known| {
            let same =
                known.len() == watchers.len() && known.iter().zip(&watchers).all(|(a, b)| Arc::ptr_eq(a, b));
            *known = watchers;
            !same
        });
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = all.into();
    }
}
