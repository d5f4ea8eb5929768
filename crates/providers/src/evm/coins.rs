//! Tracks which coins of a setup the chain has confirmed: the chain's id, and a token's decimals and symbol.
//! A coin is offered only after that, because a token with other decimals would be sold for next to nothing.
//! The state is kept in memory, for as long as this setup is used.

use super::{Chain, Coin, EvmSetup, NodeError, Token, Watcher, probe};
use crate::check::CheckVerdict;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use till_domain::chain::ChainId;

/// The state of a coin, which decides whether it is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoinState {
    /// No node has answered yet; with the error if one was asked.
    Unconfirmed(Option<String>),
    /// A node has confirmed it.
    Confirmed,
    /// The chain contradicts the setup, in this way.
    Contradicted(String),
}

/// The states of a setup's coins, by chain and symbol.
#[derive(Debug)]
pub struct CoinStates(Mutex<BTreeMap<(ChainId, String), CoinState>>);

fn name(chain: &Chain, coin: &Coin) -> (ChainId, String) {
    (chain.id, coin.symbol.clone())
}

impl CoinStates {
    /// All coins of this setup, none confirmed yet.
    #[must_use]
    pub fn new(setup: &EvmSetup) -> Self {
        let coins = |chain: &Chain| {
            let names = chain.coins.iter().map(|coin| name(chain, coin));
            names.map(|name| (name, CoinState::Unconfirmed(None))).collect::<Vec<_>>()
        };
        Self(Mutex::new(setup.chains.iter().flat_map(coins).collect()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(ChainId, String), CoinState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub fn state(&self, chain: &Chain, coin: &Coin) -> CoinState {
        self.lock().get(&name(chain, coin)).cloned().unwrap_or(CoinState::Unconfirmed(None))
    }

    /// True if the coin may be offered.
    #[must_use]
    pub fn is_confirmed(&self, chain: &Chain, coin: &Coin) -> bool {
        self.state(chain, coin) == CoinState::Confirmed
    }

    fn set(&self, chain: &Chain, coin: &Coin, state: CoinState) {
        self.lock().insert(name(chain, coin), state);
    }
}

impl Watcher {
    /// Asks the chain about the coins that it has not confirmed yet. Returns true if all are confirmed now.
    pub async fn confirm_coins(&self) -> bool {
        let open = |coin: &&Coin| !self.coins.is_confirmed(&self.chain, coin);
        let open: Vec<&Coin> = self.chain.coins.iter().filter(open).collect();
        for coin in &open {
            let state = match self.ask_about(coin).await {
                Ok(state) => state,
                // A contradicted coin stays so until a node says otherwise.
                Err(_) if matches!(self.coins.state(&self.chain, coin), CoinState::Contradicted(_)) => {
                    continue;
                }
                Err(error) => CoinState::Unconfirmed(Some(error.to_string())),
            };
            if let CoinState::Contradicted(why) = &state
                && self.coins.state(&self.chain, coin) != state
            {
                let (chain, coin) = (self.chain.id.0, &coin.symbol);
                tracing::error!(chain, coin, "a coin is not offered: {why}");
            }
            self.coins.set(&self.chain, coin, state);
        }
        open.iter().all(|coin| self.coins.is_confirmed(&self.chain, coin))
    }

    /// Asks a node about a coin. For the native coin any answer will do: a node answers only after it has
    /// proved to serve the right chain.
    async fn ask_about(&self, coin: &Coin) -> Result<CoinState, NodeError> {
        Ok(match coin.contract {
            None => self.node.head().await.map(|_| CoinState::Confirmed)?,
            Some(contract) => judge(coin, self.node.token(contract).await?),
        })
    }
}

/// Judges a contract's metadata by the same rules as when a setup is saved.
fn judge(coin: &Coin, token: Token) -> CoinState {
    let checks =
        [probe::judge_decimals("", coin, token.decimals), probe::judge_symbol("", coin, token.symbol)];
    let wrong = checks.into_iter().find(|check| check.outcome == CheckVerdict::Contradicts);
    wrong.map_or(CoinState::Confirmed, |check| CoinState::Contradicted(check.sentence))
}
