//! A running provider, made from a set-up; for chains also their readers and prices.

use super::{
    SetupPlan,
    probe::{clock, now},
};
use crate::{cashier::StoreChainBook, environment::Environment};
use std::sync::Arc;
use till_providers::{
    Provider,
    evm::{self, Book, Chain, Clock, CoinStates, Evm, Node, PriceFeed, Prices, RpcNode, Watcher},
    stripe::Stripe,
    tbank::Tbank,
    web::Web,
    yookassa::Yookassa,
};
use till_store::Payments;

/// The running provider of a set-up.
#[derive(Debug, Clone)]
pub enum Running {
    Chains(Chains),
    /// A payment service, called on demand.
    Service(Arc<dyn Provider>),
}

/// The chains of a set-up, with their prices.
#[derive(Debug, Clone)]
pub struct Chains {
    pub setup: Arc<evm::EvmSetup>,
    pub prices: Arc<PriceFeed>,
    /// The coins that the chains have confirmed.
    pub coins: Arc<CoinStates>,
    /// The readers of the chains.
    pub watchers: Vec<Arc<Watcher>>,
    /// The provider that takes the coins.
    pub provider: Arc<Evm>,
}

impl Running {
    /// Makes everything that a set-up needs, or returns the reason why it cannot.
    pub(super) fn start(plan: &SetupPlan, environment: &Arc<Environment>, web: &Web) -> Result<Self, String> {
        Ok(match plan {
            SetupPlan::Evm(setup) => Self::Chains(Chains::start(setup, environment, web)?),
            SetupPlan::Yookassa(setup) => {
                Self::Service(Arc::new(Yookassa::new(setup.as_ref().clone(), web.clone())))
            }
            SetupPlan::Tbank(setup) => {
                Self::Service(Arc::new(Tbank::new(setup.as_ref().clone(), web.clone(), now(environment))?))
            }
            SetupPlan::Stripe(setup) => {
                Self::Service(Arc::new(Stripe::new(setup.as_ref().clone(), web.clone(), clock(environment))))
            }
        })
    }

    /// The provider that takes the payments.
    #[must_use]
    pub fn provider(&self) -> Arc<dyn Provider> {
        match self {
            Self::Chains(chains) => Arc::clone(&chains.provider) as Arc<dyn Provider>,
            Self::Service(provider) => Arc::clone(provider),
        }
    }
}

impl Chains {
    fn start(setup: &Arc<evm::EvmSetup>, environment: &Arc<Environment>, web: &Web) -> Result<Self, String> {
        Self::over(setup, &environment.store.payments(), clock(environment), web)
    }

    /// Builds the chains of a set-up on a live store, with this clock.
    pub fn over(
        setup: &Arc<evm::EvmSetup>,
        store: &Arc<Payments>,
        clock: Clock,
        web: &Web,
    ) -> Result<Self, String> {
        let prices = Arc::new(PriceFeed::new(setup, web.clone(), clock));
        let book: Arc<dyn Book> = Arc::new(StoreChainBook(Arc::clone(store)));
        let coins = Arc::new(CoinStates::new(setup));
        let read = |chain: &Chain| {
            let node: Arc<dyn Node> = Arc::new(RpcNode::new(chain, web));
            Arc::new(Watcher::new(chain.clone(), node, Arc::clone(&book), Arc::clone(&coins)))
        };
        let watchers: Vec<_> = setup.chains.iter().map(read).collect();
        let nodes = watchers.iter().map(|watcher| (watcher.chain.id, Arc::clone(&watcher.node))).collect();
        let provider = Evm::new(setup, Arc::clone(&prices) as Arc<dyn Prices>, book, Arc::clone(&coins));
        let provider = Arc::new(provider.map_err(|problem| problem.to_string())?.with_nodes(nodes));
        Ok(Self { setup: Arc::clone(setup), prices, coins, watchers, provider })
    }
}
