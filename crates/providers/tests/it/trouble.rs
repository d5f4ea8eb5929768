//! Nodes that are down, slow, behind or lying.

use crate::{chain, node, web::Server};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use till_domain::chain::{Address, Atoms};
use till_providers::{
    evm::{AccountKey, Node as _, RpcNode},
    web::Web,
};
use till_testing::anvil::{Anvil, XPUB};

/// A port without a listener.
const DEAD: &str = "http://127.0.0.1:1/a-long-secret";

fn number(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().expect("a number").trim_start_matches("0x"), 16).expect("a number")
}

/// A node whose blocks from this number on are invented, and which claims to be this many blocks ahead.
async fn liar(anvil: &Anvil, ahead: u64, invented_from: u64) -> Server {
    Server::altering(anvil, move |question, mut answer| {
        if question["method"] != "eth_getBlockByNumber" {
            return answer;
        }
        let asked = &question["params"][0];
        let block = &mut answer["result"];
        if block.is_null() {
            // It has every block that is asked for.
            *block =
                json!({ "number": asked, "timestamp": "0x6fffffff", "parentHash": format!("0x{:064x}", 1) });
        }
        if asked == "latest" {
            block["number"] = json!(format!("0x{:x}", number(&block["number"]) + ahead));
        }
        let number = number(&block["number"]);
        if number >= invented_from {
            block["hash"] = json!(format!("0x{:064x}", number + 0xbad));
        }
        answer
    })
    .await
}

#[tokio::test]
async fn needs_anvil_a_dead_node_is_passed_over_and_then_left_alone() {
    let anvil = Anvil::start().await;
    anvil.mine(4).await;
    let node = node(&[DEAD.to_owned(), anvil.url()]);
    for _ in 0..3 {
        assert_eq!(node.head().await.expect("a head").number, 4);
        assert!(node.header(2).await.expect("an answer").is_some());
    }
    let states = node.endpoints();
    assert_eq!((states[0].error.as_deref(), states[0].head), (Some("no connection"), None));
    assert_eq!((states[1].error.as_deref(), states[1].head), (None, Some(4)));
    drop(anvil);
    let error = node.head().await.expect_err("nobody is there").0;
    assert!(!error.contains("secret") && error.contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn needs_anvil_a_node_that_does_not_answer_costs_one_timeout() {
    let anvil = Anvil::start().await;
    anvil.mine(4).await;
    let silent = Server::silent().await;
    let node = node(&[silent.url.clone(), anvil.url()]);
    let begun = Instant::now();
    assert_eq!(node.head().await.expect("a head").number, 4);
    assert!((Duration::from_secs(4)..Duration::from_secs(9)).contains(&begun.elapsed()));
    let begun = Instant::now();
    assert!(node.header(2).await.expect("an answer").is_some());
    assert_eq!(node.head().await.expect("a head").number, 4);
    assert!(begun.elapsed() < Duration::from_secs(2), "it is left alone now");
    assert_eq!(silent.asked(), 1);
}

#[tokio::test]
async fn needs_anvil_f20_a_node_that_lies_about_the_head_makes_nothing_count() {
    let anvil = Anvil::start().await;
    anvil.mine(20).await;
    let (honest, real) = (anvil.url(), 20);

    // Far ahead: of two nodes it is unknown which is right; of three, the quorum of two decides.
    let far = liar(&anvil, 5_000, 18).await;
    let error = node(&[far.url.clone(), honest.clone()]).head().await.expect_err("no head").0;
    assert!(
        error.contains("5020") && error.contains("20") && error.contains("no two nodes agree"),
        "{error}"
    );
    let third = Server::altering(&anvil, |_, answer| answer).await;
    let three = node(&[far.url, honest.clone(), third.url]);
    assert_eq!(three.head().await.expect("a head").number, real);

    // A little ahead: only the block that two nodes have reached is believed.
    let near = liar(&anvil, 9, 21).await;
    let head = node(&[near.url, honest.clone()]).head().await.expect("a head");
    assert_eq!(head.number, real);
    assert_eq!(Some(head), node(std::slice::from_ref(&honest)).header(real).await.expect("an answer"));

    // Invented where it would count: block 18 is the last one with three confirmations.
    let inventing = liar(&anvil, 0, 18).await;
    for endpoints in [[inventing.url.clone(), honest.clone()], [honest.clone(), inventing.url.clone()]] {
        let error = node(&endpoints).head().await.expect_err("no head").0;
        assert!(error.contains("contradict"), "{error}");
        assert!(endpoints.iter().all(|url| error.contains(url.trim_start_matches("http://"))), "{error}");
    }
    // Only the newest blocks differ, as they do for a moment at every tip.
    let tip = liar(&anvil, 0, 19).await;
    assert_eq!(node(&[honest.clone(), tip.url.clone()]).head().await.expect("a head").number, real);
    let at_once = RpcNode::new(&chain(&[honest, tip.url], 1), &Web::trusting([]));
    assert!(at_once.head().await.is_err(), "where one block is enough, the newest must be the same");
}

#[tokio::test]
async fn needs_anvil_a_node_of_another_chain_is_never_asked() {
    let (ours, other) = (Anvil::start().await, Anvil::start_as(1).await);
    ours.mine(3).await;
    other.mine(9).await;
    let node = node(&[other.url(), ours.url()]);
    assert_eq!(node.head().await.expect("a head").number, 3);
    let said = node.endpoints()[0].error.clone().expect("an error");
    assert!(said.contains("chain 1, not of 31337"), "{said}");
}

#[tokio::test]
async fn needs_anvil_a_late_node_never_says_that_nothing_came() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    let to = vec![AccountKey::parse(XPUB).expect("a key").address(0).expect("an address")];
    anvil.mine(4).await;
    let behind = anvil.head().await;
    anvil.mint(token, to[0], 5).await;
    anvil.send(to[0], 7).await;
    // It stops at a block before the money, and answers as if nothing came after it.
    let late = Server::altering(&anvil, move |question, mut answer| {
        let past = |value: &Value| {
            value.as_str().is_some_and(|text| text.starts_with("0x")) && number(value) > behind
        };
        match question["method"].as_str() {
            Some("eth_getLogs") => answer["result"] = json!([]),
            Some("eth_call") => answer["result"] = json!(format!("0x{:064x}", 0)),
            Some("eth_getBlockByNumber") if past(&question["params"][0]) => answer["result"] = Value::Null,
            Some("eth_getTransactionReceipt") => answer["result"] = Value::Null,
            Some("eth_getBlockByNumber") if question["params"][0] == "latest" => {
                answer["result"]["number"] = json!(format!("0x{behind:x}"));
            }
            _ => {}
        }
        answer
    })
    .await;
    let third = Server::altering(&anvil, |_, answer| answer).await;
    let node = node(&[late.url, anvil.url(), third.url]);
    let head = node.head().await.expect("a head").number;
    assert_eq!(head, anvil.head().await);
    assert_eq!(node.logs((0, head), &[token], Some(&to)).await.expect("logs").len(), 1);
    assert_eq!(node.balances(&to, head).await, Ok(vec![Atoms(7)]));
    assert!(node.header(head).await.expect("an answer").is_some());
    let sent = anvil.send(to[0], 1).await;
    assert!(node.receipt(sent).await.expect("an answer").is_some());
}

#[tokio::test]
async fn needs_anvil_logs_of_another_branch_are_not_believed() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    anvil.mine(4).await;
    let node = node(&[anvil.url()]);
    let head = node.head().await.expect("a head").number;
    anvil.reorg(2).await;
    let contracts = [token];
    let error = node.logs((0, head), &contracts, None).await.expect_err("another branch").0;
    assert!(error.contains("another one"), "{error}");
    node.head().await.expect("a head");
    assert_eq!(node.logs((0, head), &contracts, None).await, Ok(Vec::new()));
}

#[tokio::test]
async fn nonsense_is_an_error_and_never_a_panic() {
    for (status, body) in [
        (200, ""),
        (200, "null"),
        (200, "[]"),
        (200, "{}"),
        (200, r#"{"id":1,"result":"0x7a69"}"#),
        (200, r#"{"id":999,"result":"0x7a69"}"#),
        (200, r#"{"id":1,"error":{"code":-1,"message":"no"}}"#),
        (200, r#"{"id":1,"error":"no"}"#),
        (500, "oh no"),
        (401, r#"{"error":{"message":"wrong key"}}"#),
    ] {
        let server = Server::saying(move || (status, body.to_owned())).await;
        let node = node(&[server.url]);
        assert!(node.head().await.is_err(), "{body}");
        assert!(node.header(1).await.is_err(), "{body}");
        assert!(node.balances(&[Address::from_bytes([0x11; 20])], 1).await.is_err(), "{body}");
    }
}

#[tokio::test]
async fn needs_anvil_money_that_only_one_node_sees_does_not_count() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    let to = vec![AccountKey::parse(XPUB).expect("a key").address(0).expect("an address")];
    anvil.mint(token, to[0], 5).await;
    anvil.send(to[0], 7).await;
    let head = anvil.head().await;
    let contracts = [token];
    let more = |value: &Value| json!(format!("0x{:064x}", number(value) + 1));
    let liar = Server::altering(&anvil, move |question, mut answer| {
        match question["method"].as_str() {
            Some("eth_getLogs") => answer["result"][0]["data"] = more(&answer["result"][0]["data"]),
            Some("eth_call") => answer["result"] = more(&answer["result"]),
            _ => {}
        }
        answer
    })
    .await;
    let broken = Server::saying(|| (500, String::new())).await;
    for endpoints in [[liar.url.clone(), anvil.url()], [anvil.url(), liar.url.clone()]] {
        let node = node(&endpoints);
        let said = [
            node.logs((0, head), &contracts, Some(&to)).await.expect_err("a contradiction").0,
            node.balances(&to, head).await.expect_err("a contradiction").0,
        ];
        for said in said {
            assert!(endpoints.iter().all(|url| said.contains(url.trim_start_matches("http://"))), "{said}");
        }
    }
    let node = node(&[anvil.url(), broken.url]);
    assert_eq!(
        node.logs((0, head), &contracts, Some(&to)).await.expect("logs").len(),
        1,
        "one word is enough"
    );
    assert_eq!(node.balances(&to, head).await, Ok(vec![Atoms(7)]));
}

#[tokio::test]
async fn needs_anvil_the_answer_to_another_question_is_not_believed() {
    let anvil = Anvil::start().await;
    let mixed_up = Server::altering(&anvil, |question, mut answer| {
        if question["method"] == "eth_getBlockByNumber" {
            answer["id"] = json!(0);
        }
        answer
    })
    .await;
    let error = node(&[mixed_up.url]).head().await.expect_err("not the answer").0;
    assert!(error.contains("is invalid"), "{error}");
}
