//! Which providers take live money: those that the settings switch on, and the chains that the operator sets up, by a
//! file or in the console. Every process follows a change of the console within two seconds. What a document may say
//! and how it is tried out is `till-providers`' business.

mod document;
mod probe;

pub use document::{SetupFile, parse, template};
pub(crate) use probe::web;
pub use probe::{Prober, contradictions, contradicts, probe};

use crate::{
    cashier::{Cashier, StoreChainBook},
    office::{Office, OfficeError},
    telemetry::explain,
    workers::chains::ChainRecords,
};
use secrecy::ExposeSecret as _;
use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use till_providers::{
    Provider,
    evm::{Book, Chain, Evm, Node, PriceBoard, Prices, RpcNode, Setup, Watcher},
    web::Web,
};
use till_store::StoreError;
use tokio::sync::watch;

/// The name of the provider that takes coins on chains.
pub const EVM: &str = Evm::NAME;

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
    records: Arc<ChainRecords>,
    watchers: watch::Sender<Vec<Arc<Watcher>>>,
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
    /// What reads the chains.
    pub watchers: Vec<Arc<Watcher>>,
    /// What takes the coins.
    pub provider: Arc<Evm>,
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
        let (current, records, watchers) = Default::default();
        Self { office, cashier, fixed, file, web, current, records, watchers }
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
        if let Some(file) = &self.file {
            let (running, problems) = self.run(Arc::clone(&file.setup));
            self.apply(Current { enabled: true, running, problems, ..Current::default() });
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
            Ok(setup) => self.run(Arc::new(setup)),
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

    /// Everything that a set-up needs to run, or why it cannot.
    fn run(&self, setup: Arc<Setup>) -> (Option<Running>, Vec<String>) {
        let environment = self.cashier.environment();
        let prices = Arc::new(PriceBoard::new(&setup, self.web.clone(), probe::clock(environment)));
        let book: Arc<dyn Book> = Arc::new(StoreChainBook(Arc::clone(&environment.store)));
        let read = |chain: &Chain| {
            let node: Arc<dyn Node> = Arc::new(RpcNode::new(chain, &self.web));
            Arc::new(Watcher { chain: chain.clone(), node, book: Arc::clone(&book) })
        };
        let watchers: Vec<_> = setup.chains.iter().map(read).collect();
        let nodes = watchers.iter().map(|watcher| (watcher.chain.id, Arc::clone(&watcher.node))).collect();
        match Evm::new(&setup, Arc::clone(&prices) as Arc<dyn Prices>, book) {
            Ok(provider) => {
                let provider = Arc::new(provider.with_nodes(nodes));
                (Some(Running { setup, prices, watchers, provider }), Vec::new())
            }
            Err(problem) => (None, vec![problem.to_string()]),
        }
    }

    fn apply(&self, current: Current) {
        let running = current.running.as_ref();
        let chains: Vec<Arc<dyn Provider>> =
            running.map(|running| Arc::clone(&running.provider) as Arc<dyn Provider>).into_iter().collect();
        let (mut offered, withdrawn) =
            if current.enabled { (chains, Vec::new()) } else { (Vec::new(), chains) };
        offered.extend(self.fixed.iter().cloned());
        self.cashier.replace(offered, withdrawn);
        let word = if current.enabled { "on" } else { "off" };
        tracing::info!(version = current.version, "the set-up of the chains was read; they are {word}");
        let watchers = running.map(|running| running.watchers.clone()).unwrap_or_default();
        self.watchers.send_replace(watchers);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(current);
    }
}
