//! The check of a set-up against a real chain.

use crate::{chain, web::Server};
use serde_json::json;
use std::sync::Arc;
use till_domain::{
    chain::{Address, ChainId},
    time::Timestamp,
};
use till_providers::{
    Check, CheckVerdict,
    evm::{Coin, EvmSetup, PriceLimits, PriceRules, PriceSource, probe_chain, probe_prices},
    web::Web,
};
use till_testing::anvil::Anvil;

fn coin(symbol: &str, contract: Address, decimals: u8) -> Coin {
    Coin { symbol: symbol.to_owned(), contract: Some(contract), decimals }
}

/// The results about one subject.
fn found<'a>(checks: &'a [Check], what: &str) -> Vec<(CheckVerdict, &'a str)> {
    checks
        .iter()
        .filter(|check| check.what == what)
        .map(|check| (check.outcome, check.sentence.as_str()))
        .collect()
}

#[tokio::test]
async fn needs_anvil_a_true_setup_is_found_true() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    anvil.mine(3).await;
    let second = Server::altering(&anvil, |_, answer| answer).await;
    let mut chain = chain(&[anvil.url(), second.url], 3);
    chain.coins.push(coin("USDC", token, 6));
    let checks = probe_chain(&chain, &Web::trusting([])).await;
    assert!(checks.iter().all(|check| check.outcome == CheckVerdict::Ok), "{checks:#?}");
    assert_eq!(checks.len(), 5, "two nodes, the key, decimals and symbol: {checks:#?}");
    let (_, key) = found(&checks, "Anvil: xpub")[0];
    assert!(
        key.contains(
            "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, 0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
        )
    );
}

#[tokio::test]
async fn needs_anvil_what_is_wrong_says_what_to_change() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC.e", 6).await;
    let strange = anvil.deploy_token("USD\u{20ae}0", 6).await;
    let mut chain = chain(&[anvil.url()], 3);
    chain.coins.extend([
        coin("USDC", token, 18),
        coin("USDT", strange, 6),
        coin("NONE", Address::from_bytes([0x11; 20]), 6),
        coin("PASS", anvil.deploy_forwarder(anvil.accounts[0]).await, 6),
    ]);
    let checks = probe_chain(&chain, &Web::trusting([])).await;
    assert_eq!(found(&checks, "Anvil")[0].0, CheckVerdict::Warn, "one node alone");
    let usdc = found(&checks, "Anvil: USDC");
    assert_eq!((usdc[0].0, usdc[1].0), (CheckVerdict::Contradicts, CheckVerdict::Contradicts));
    assert!(usdc[0].1.contains("set decimals = 6") && usdc[1].1.contains("USDC.e"), "{usdc:?}");
    assert_eq!(found(&checks, "Anvil: USDT")[1].0, CheckVerdict::Warn, "a symbol that cannot be written");
    for missing in ["Anvil: NONE", "Anvil: PASS"] {
        let said = found(&checks, missing);
        assert!(
            said[0].0 == CheckVerdict::Contradicts && said[0].1.contains("no token at this address"),
            "{said:?}"
        );
    }

    chain.id = ChainId(1);
    chain.endpoints.push("http://127.0.0.1:1/secret".to_owned());
    chain.coins.truncate(1);
    let checks = probe_chain(&chain, &Web::trusting([])).await;
    let (outcome, sentence) =
        found(&checks, &format!("Anvil: {}", anvil.url().trim_start_matches("http://")))[0];
    assert!(outcome == CheckVerdict::Contradicts && sentence.contains("chain 31337, not of 1"), "{sentence}");
    assert_eq!(found(&checks, "Anvil: 127.0.0.1:1"), [(CheckVerdict::Unreachable, "no connection.")]);
}

#[tokio::test]
async fn needs_anvil_a_node_that_lags_is_pointed_out() {
    let anvil = Anvil::start().await;
    anvil.mine(40).await;
    let late = Server::altering(&anvil, |question, mut answer| {
        if question["params"][0] == "latest" {
            answer["result"]["number"] = json!("0x10");
        }
        answer
    })
    .await;
    let name = late.url.replace("http://", "Anvil: ");
    let checks = probe_chain(&chain(&[anvil.url(), late.url], 3), &Web::trusting([])).await;
    let (outcome, sentence) = found(&checks, &name)[0];
    assert!(outcome == CheckVerdict::Warn && sentence.contains("24 behind"), "{sentence}");
}

#[tokio::test]
async fn every_price_source_is_looked_at() {
    let good = Server::saying(|| (200, r#"{"price":"2500.5","time":1}"#.to_owned())).await;
    let broken = Server::saying(|| (503, String::new())).await;
    let json = |url: &str, time: Option<&str>| PriceSource::Json {
        coin: "ETH".to_owned(),
        currency: "USD".to_owned(),
        url: url.to_owned(),
        pointer: "/price".to_owned(),
        time_pointer: time.map(str::to_owned),
        limits: PriceLimits::default(),
    };
    let fixed =
        PriceSource::Fixed { coin: "USDC".to_owned(), currency: "USD".to_owned(), price: "1".to_owned() };
    let prices = vec![fixed, json(&good.url, None), json(&good.url, Some("/time")), json(&broken.url, None)];
    let setup = EvmSetup { chains: Vec::new(), prices, price_rules: PriceRules::default() };
    let now = Timestamp::from_ms(1_794_697_200_000);
    let checks = probe_prices(&setup, &Web::trusting([]), Arc::new(move || now)).await;
    let outcomes: Vec<_> = checks.iter().map(|check| check.outcome).collect();
    assert_eq!(
        outcomes,
        [CheckVerdict::Ok, CheckVerdict::Ok, CheckVerdict::Fail, CheckVerdict::Unreachable],
        "{checks:#?}"
    );
    assert!(checks[1].sentence.contains("1 ETH = 2500.5 USD"));
    assert!(checks[2].sentence.contains("older than `price_max_age`"));
    assert!(checks[3].sentence.contains("status 503"));
}
