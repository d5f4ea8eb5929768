//! Tests a setup against the real world: the chain, its nodes, the key, the tokens, the prices. For `till
//! doctor` and the console.

use super::{
    credible::FIRST_CONFIRMED_AFTER,
    endpoint::{AskError, Endpoint},
    key::{AccountKey, checksummed},
    node::Token,
    price_feed::{Clock, PriceFeed},
    rpc::block,
    setup::{Chain, Coin, EvmSetup},
    token, wire,
};
use crate::{
    check::{Check, CheckVerdict},
    web::Web,
};
use futures_util::future::join_all;
use serde_json::json;
use till_domain::chain::{Address, Atoms};

/// How many blocks a node may lag behind the others before there is a warning.
const LAG: u64 = 10;

/// How many of the first addresses are checked for money that is already there.
const FIRST: u32 = 20;

/// Checks a chain: its nodes, its key, its tokens.
pub async fn probe_chain(chain: &Chain, web: &Web) -> Vec<Check> {
    let endpoints: Vec<Endpoint> =
        chain.endpoints.iter().map(|address| Endpoint::new(address, chain.id, web.clone())).collect();
    let mut checks = nodes(chain, &endpoints).await;
    checks.push(key(chain));
    checks.extend(used(chain, &endpoints).await);
    let tokens = chain.coins.iter().filter_map(|coin| coin.contract.map(|contract| (coin, contract)));
    for found in join_all(tokens.map(|(coin, contract)| token(chain, &endpoints, coin, contract))).await {
        checks.extend(found);
    }
    checks
}

/// Checks the price sources of a setup, one result for each.
pub async fn probe_prices(setup: &EvmSetup, web: &Web, clock: Clock) -> Vec<Check> {
    let feed = PriceFeed::new(setup, web.clone(), clock.clone());
    feed.refresh(clock()).await;
    // A first price is accepted when it is repeated.
    feed.refresh(clock().plus(FIRST_CONFIRMED_AFTER)).await;
    let check = |state: super::SourceState| {
        let what = format!("price of {} in {}", state.coin, state.currency);
        match (state.price, state.error) {
            (_, Some(error)) => {
                let advice = "until then this coin is not offered unless another source has its price";
                Check::new(
                    what,
                    if state.unreachable { CheckVerdict::Unreachable } else { CheckVerdict::Fail },
                    format!("{} gives no price: {error}; {advice}.", state.source),
                )
            }
            (Some(price), None) if state.fresh => {
                let (coin, currency) = (&state.coin, &state.currency);
                Check::new(
                    what,
                    CheckVerdict::Ok,
                    format!("1 {coin} = {price} {currency} ({}).", state.source),
                )
            }
            (Some(_), None) => {
                let sentence = format!(
                    "the price of {} is older than `price_max_age` allows: use another source, or allow an \
                     older price.",
                    state.source
                );
                Check::new(what, CheckVerdict::Fail, sentence)
            }
            (None, None) => Check::new(what, CheckVerdict::Fail, format!("{} gives no price.", state.source)),
        }
    };
    feed.status().into_iter().map(check).collect()
}

async fn nodes(chain: &Chain, endpoints: &[Endpoint]) -> Vec<Check> {
    let heads = join_all(endpoints.iter().map(head)).await;
    let highest = heads.iter().flatten().copied().max().unwrap_or(0);
    let check = |(endpoint, head): (&Endpoint, Result<u64, AskError>)| {
        let what = format!("{}: {}", chain.name, endpoint.host);
        match head {
            Ok(head) if highest - head > LAG => {
                let behind = highest - head;
                let sentence = format!(
                    "it is at block {head}, {behind} behind another node: replace it if it stays behind."
                );
                Check::new(what, CheckVerdict::Warn, sentence)
            }
            Ok(head) => Check::new(what, CheckVerdict::Ok, format!("chain {}, block {head}.", chain.id)),
            Err(error @ AskError::OtherChain { .. }) => {
                Check::new(what, CheckVerdict::Contradicts, format!("{error}."))
            }
            Err(error) => Check::new(what, unanswered(&error), format!("{error}.")),
        }
    };
    let mut checks: Vec<Check> = endpoints.iter().zip(heads).map(check).collect();
    if endpoints.len() == 1 {
        let sentence = "only one node is set up: if it fails no payment is seen, and its word is not compared; add another.";
        checks.push(Check::new(chain.name.clone(), CheckVerdict::Warn, sentence));
    }
    checks
}

/// The verdict on a node that did not answer as it should.
fn unanswered(error: &AskError) -> CheckVerdict {
    if error.is_unreachable() { CheckVerdict::Unreachable } else { CheckVerdict::Fail }
}

async fn head(endpoint: &Endpoint) -> Result<u64, AskError> {
    let head = block(endpoint, json!("latest")).await?;
    head.map(|head| head.number).ok_or(AskError::Malformed("eth_getBlockByNumber"))
}

fn key(chain: &Chain) -> Check {
    let what = format!("{}: xpub", chain.name);
    match AccountKey::parse(&chain.xpub) {
        Err(problem) => Check::new(what, CheckVerdict::Fail, format!("`xpub` {problem}.")),
        Ok(key) => {
            let addresses: Vec<String> =
                (0..3).filter_map(|index| key.address(index)).map(checksummed).collect();
            let sentence =
                format!("your wallet must show the same first addresses: {}.", addresses.join(", "));
            Check::new(what, CheckVerdict::Ok, sentence)
        }
    }
}

/// A warning if some of the first addresses have money. What was there before they are handed out is no
/// payment, but an account that another wallet uses receives money that was not paid here.
async fn used(chain: &Chain, endpoints: &[Endpoint]) -> Option<Check> {
    let key = AccountKey::parse(&chain.xpub).ok()?;
    let addresses: Vec<Address> = (0..FIRST).filter_map(|index| key.address(index)).collect();
    for endpoint in endpoints {
        let questions = addresses.iter().map(|address| json!([address.to_string(), "latest"])).collect();
        let Ok(said) = endpoint.ask_many("eth_getBalance", questions).await else { continue };
        let has = |said: &serde_json::Value| {
            said.as_str().and_then(wire::amount).is_some_and(|atoms| atoms > Atoms::ZERO)
        };
        let count = said.iter().filter(|said| has(said)).count();
        let sentence = format!(
            "{count} of the first {FIRST} addresses have money already: if Till did not give them out another wallet uses \
             this account; give Till one of its own."
        );
        let what = format!("{}: xpub", chain.name);
        return (count > 0).then(|| Check::new(what, CheckVerdict::Warn, sentence));
    }
    None
}

async fn token(chain: &Chain, endpoints: &[Endpoint], coin: &Coin, contract: Address) -> Vec<Check> {
    let what = format!("{}: {}", chain.name, coin.symbol);
    let (mut problem, mut verdict) = ("no node is set up".to_owned(), CheckVerdict::Unreachable);
    for endpoint in endpoints {
        match token::read(endpoint, contract).await {
            Ok(Token { decimals, symbol }) => {
                return vec![judge_decimals(&what, coin, decimals), judge_symbol(&what, coin, symbol)];
            }
            Err(error) => {
                problem = format!("{}: {error}", endpoint.host);
                // One node that answers, and refuses, tells more than others that do not.
                if unanswered(&error) == CheckVerdict::Fail {
                    verdict = CheckVerdict::Fail;
                }
            }
        }
    }
    let advice = "the coin is not offered until a node has confirmed its decimals and symbol";
    vec![Check::new(what, verdict, format!("could not query the contract: {problem}; {advice}."))]
}

pub(super) fn judge_decimals(what: &str, coin: &Coin, decimals: Option<u128>) -> Check {
    match decimals {
        Some(decimals) if decimals == u128::from(coin.decimals) => {
            Check::new(what, CheckVerdict::Ok, format!("the contract has {decimals} decimals."))
        }
        Some(decimals) => {
            let written = coin.decimals;
            let sentence = format!(
                "the contract has {decimals} decimals, the setup says {written}: set decimals = {decimals}."
            );
            Check::new(what, CheckVerdict::Contradicts, sentence)
        }
        None => {
            let sentence = "there is no token at this address: compare `contract` with the token's official \
                page.";
            Check::new(what, CheckVerdict::Contradicts, sentence)
        }
    }
}

pub(super) fn judge_symbol(what: &str, coin: &Coin, symbol: Option<String>) -> Check {
    match symbol {
        Some(symbol) if symbol.eq_ignore_ascii_case(&coin.symbol) => {
            Check::new(what, CheckVerdict::Ok, format!("the contract is called {symbol}."))
        }
        Some(symbol) => {
            let written = &coin.symbol;
            let sentence = format!(
                "the contract is called {symbol:?}, the set-up says {written}: compare `contract` with the token's own \
                 page, another token is not worth the same."
            );
            // Some tokens have a symbol that a setup cannot have: `USD₮0`.
            Check::new(
                what,
                if symbol.is_ascii() { CheckVerdict::Contradicts } else { CheckVerdict::Warn },
                sentence,
            )
        }
        None => Check::new(
            what,
            CheckVerdict::Warn,
            "the contract does not return its symbol: compare its address.",
        ),
    }
}
