//! Crypto on chains: the status of each chain and of each price source.

pub mod view;

use crate::{
    Panel,
    console::{
        chains::view::{ChainLine, ChainRead, Chains, PriceLine},
        setups::view::SetupHead,
    },
    pages::View,
    visit::Refused,
};
use till_domain::{environment::EnvironmentName, time::Timestamp};
use till_providers::evm::{AccountKey, Chain, Coin, CoinState, CoinStates, SourceState};
use till_service::registry::Current;

/// The page of the crypto provider.
pub(super) async fn body(
    panel: &Panel,
    head: SetupHead,
    current: &Current,
) -> Result<Box<dyn View>, Refused> {
    let running = current.chains();
    let mut chains = Vec::new();
    for chain in running.iter().flat_map(|running| &running.setup.chains) {
        chains.push(chain_line(panel, chain, running.map(|running| running.coins.as_ref())).await?);
    }
    let now = panel.now();
    let prices = running.map(|running| running.prices.status());
    let prices = prices.into_iter().flatten().map(|state| price_line(state, now)).collect();
    Ok(Box::new(Chains { head, chains, prices }))
}

/// A chain's configuration and status.
async fn chain_line(panel: &Panel, chain: &Chain, coins: Option<&CoinStates>) -> Result<ChainLine, Refused> {
    let book = panel.environment(EnvironmentName::Live).store.chains().ok_or(Refused::NotFound)?;
    let cursor = book.cursor(chain.id).await?;
    // A set-up with an unreadable key is rejected before it gets here.
    let next = match AccountKey::parse(&chain.xpub) {
        Ok(key) => book.next_index(&key.fingerprint()).await?,
        Err(_) => 0,
    };
    Ok(ChainLine {
        name: chain.name.clone(),
        id: chain.id,
        coins: chain.coins.iter().map(|coin| coin.symbol.clone()).collect(),
        not_offered: coins.map(|coins| not_offered(chain, coins)).unwrap_or_default(),
        confirmations: chain.confirmations.into(),
        read: cursor.map(|cursor| ChainRead { block: cursor.block, head: cursor.head, at: cursor.at }),
        last_error: panel.registry.records().error(chain.id),
        highest: next.checked_sub(1),
    })
}

/// The coins that no node has confirmed, with the reason.
fn not_offered(chain: &Chain, coins: &CoinStates) -> Vec<(String, Option<String>)> {
    let why = |coin: &Coin| match coins.state(chain, coin) {
        CoinState::Confirmed => None,
        CoinState::Unconfirmed(why) => Some((coin.symbol.clone(), why)),
        CoinState::Contradicted(why) => Some((coin.symbol.clone(), Some(why))),
    };
    chain.coins.iter().filter_map(why).collect()
}

fn price_line(state: SourceState, now: Timestamp) -> PriceLine {
    let last = state.price.zip(state.at).map(|(price, at)| (price.to_string(), now.since(at)));
    let SourceState { coin, currency, source, fresh, error, .. } = state;
    PriceLine { coin, currency, source, last, fresh, error }
}
