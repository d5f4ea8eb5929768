//! A real chain, asked by JSON-RPC.

use crate::{node, web::Server};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use till_domain::chain::{Address, Atoms, TxHash};
use till_providers::evm::{AccountKey, Node as _};
use till_testing::anvil::{Anvil, ETHER, XPUB, word};

fn addresses(many: u32) -> Vec<Address> {
    let key = AccountKey::parse(XPUB).expect("a key");
    (0..many).map(|index| key.address(index).expect("an address")).collect()
}

#[tokio::test]
async fn needs_anvil_blocks_are_linked_and_end_at_the_head() {
    let anvil = Anvil::start().await;
    anvil.mine(5).await;
    let node = node(&[anvil.url()]);
    let head = node.head().await.expect("a head");
    assert_eq!(head.number, 5);
    let before = node.header(4).await.expect("an answer").expect("a block");
    assert_eq!(head.parent, before.hash);
    assert!(head.timestamp >= before.timestamp && head.timestamp > 1_700_000_000);
    assert_eq!(node.header(6).await.expect("an answer"), None);
    anvil.reorg(2).await;
    let replaced = node.header(5).await.expect("an answer").expect("a block");
    assert_ne!(replaced.hash, head.hash);
    assert_eq!(node.header(3).await.expect("an answer").expect("a block").hash, before.parent);
}

#[tokio::test]
async fn needs_anvil_transfers_of_tokens_are_found_by_contract_and_address() {
    let anvil = Anvil::start().await;
    let (usdc, other) = (anvil.deploy_token("USDC", 6).await, anvil.deploy_token("FAKE", 6).await);
    let to = addresses(2);
    let payer = anvil.accounts[0];
    anvil.mint(usdc, payer, 100_000_000).await;
    let first = anvil.head().await;
    let hash = anvil.transfer(usdc, payer, to[0], 12_500_000).await;
    anvil.mint(other, to[0], 7).await;
    anvil.transfer(usdc, payer, to[1], 0).await;
    anvil.transfer(usdc, payer, anvil.accounts[1], 3).await;
    anvil.mint(usdc, to[1], u128::MAX - 200_000_000).await;
    let last = anvil.head().await;
    let node = node(&[anvil.url()]);
    let contracts = [usdc];

    let ours = node.logs((first, last), &contracts, Some(&to)).await.expect("logs");
    let found: Vec<_> = ours.iter().map(|log| (log.to, log.atoms)).collect();
    assert_eq!(found, [(to[0], Atoms(12_500_000)), (to[1], Atoms(u128::MAX - 200_000_000))]);
    let log = &ours[0];
    assert_eq!((log.contract, log.transaction, log.block, log.index), (usdc, hash, first + 1, 0));
    assert_eq!(log.block_hash, node.header(first + 1).await.expect("an answer").expect("a block").hash);

    let all = node.logs((first + 1, last), &contracts, None).await.expect("logs");
    assert_eq!(all.len(), 3, "everybody's, without the transfer of nothing and the other token");
    let both = node.logs((0, last), &[usdc, other], Some(&to[..1])).await.expect("logs");
    assert_eq!(both.len(), 2);
    assert_eq!(node.logs((0, last), &[], None).await, Ok(Vec::new()));
    assert_eq!(node.logs((0, last), &contracts, Some(&[])).await, Ok(Vec::new()));
}

#[tokio::test]
async fn needs_anvil_a_node_that_wants_fewer_blocks_is_asked_for_fewer() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    let to = addresses(1);
    for atoms in 1..=9 {
        anvil.mint(token, to[0], atoms).await;
        anvil.mine(3).await;
    }
    let ranges = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ranges);
    let proxy = Server::altering(&anvil, move |question, answer| {
        if question["method"] != "eth_getLogs" {
            return answer;
        }
        let number = |key: &str| {
            let text = question["params"][0][key].as_str().expect("a number");
            u64::from_str_radix(&text[2..], 16).expect("a number")
        };
        let (from, to) = (number("fromBlock"), number("toBlock"));
        seen.lock().expect("a list").push((from, to));
        if to - from >= 10 {
            return json!({ "id": question["id"], "error": { "code": -32005, "message": "query returned more than 9 results" } });
        }
        answer
    })
    .await;
    let node = node(&[proxy.url]);
    let last = anvil.head().await;
    let found = node.logs((0, last), std::slice::from_ref(&token), Some(&to)).await.expect("logs");
    assert_eq!(found.iter().map(|log| log.atoms.0).collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
    let mut answered: Vec<_> =
        ranges.lock().expect("a list").iter().copied().filter(|(from, to)| to - from < 10).collect();
    answered.sort_unstable();
    assert!(answered.len() > 3 && answered[0].0 == 0 && answered[answered.len() - 1].1 == last);
    assert!(answered.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "no block is left out: {answered:?}");
}

#[tokio::test]
async fn needs_anvil_balances_are_the_same_by_one_question_and_one_by_one() {
    let anvil = Anvil::start().await;
    let to = addresses(1_100);
    anvil.send(to[0], 5).await;
    anvil.send(to[499], ETHER).await;
    anvil.send(to[500], 3 * ETHER + 1).await;
    let forwarder = anvil.deploy_forwarder(to[1_099]).await;
    anvil.send(forwarder, 7).await;
    let block = anvil.head().await;
    anvil.send(to[0], 100).await;

    let asked = Arc::new(Mutex::new(Vec::<String>::new()));
    let counted = Arc::clone(&asked);
    let willing = Server::altering(&anvil, move |question, answer| {
        counted.lock().expect("a list").push(question["method"].as_str().unwrap_or("batch").to_owned());
        answer
    })
    .await;
    let refusing = Server::altering(&anvil, |question, answer| match question["method"].as_str() {
        Some("eth_call") => {
            json!({ "id": question["id"], "error": { "code": -32601, "message": "not here" } })
        }
        _ => answer,
    })
    .await;
    let at_once = node(&[willing.url]).balances(&to, block).await.expect("balances");
    let one_by_one = node(&[refusing.url]).balances(&to, block).await.expect("balances");
    assert_eq!(at_once, one_by_one);
    let some: Vec<_> =
        at_once.iter().map(|atoms| atoms.0).enumerate().filter(|(_, atoms)| *atoms > 0).collect();
    assert_eq!(some, [(0, 5), (499, ETHER), (500, 3 * ETHER + 1), (1_099, 7)]);
    let asked = asked.lock().expect("a list");
    assert_eq!(asked.iter().filter(|method| *method == "eth_call").count(), 3, "{asked:?}");
    assert_eq!(asked.len(), 5, "and the chain's id, and the block: {asked:?}");
}

#[tokio::test]
async fn needs_anvil_a_receipt_says_what_a_transaction_did() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    let to = addresses(1);
    let node = node(&[anvil.url()]);
    let sent = anvil.send(to[0], ETHER).await;
    let receipt = node.receipt(sent).await.expect("an answer").expect("a receipt");
    assert!(receipt.succeeded);
    assert_eq!(receipt.value, Some((to[0], Atoms(ETHER))));
    assert_eq!((receipt.block, receipt.logs.len()), (anvil.head().await, 0));

    let minted = anvil.mint(token, to[0], 9).await;
    let receipt = node.receipt(minted).await.expect("an answer").expect("a receipt");
    assert_eq!((receipt.value, receipt.logs[0].atoms, receipt.logs[0].to), (None, Atoms(9), to[0]));

    let failing = json!({
        "from": anvil.accounts[1].to_string(), "to": token.to_string(), "gas": "0x30000",
        "data": format!("0xa9059cbb{}{:064x}", word(to[0]), 1),
    });
    let failed = anvil.transact(failing).await;
    let receipt = node.receipt(failed).await.expect("an answer").expect("a receipt");
    assert!(!receipt.succeeded && receipt.logs.is_empty());

    anvil.automine(false).await;
    let waiting = anvil.send(to[0], 1).await;
    assert_eq!(node.receipt(waiting).await, Ok(None), "no block has it");
    assert_eq!(node.receipt(TxHash::from_bytes([0; 32])).await, Ok(None));
}

#[tokio::test]
async fn needs_anvil_a_log_that_was_not_asked_for_is_not_believed() {
    let anvil = Anvil::start().await;
    let (token, other) = (anvil.deploy_token("USDC", 6).await, anvil.deploy_token("FAKE", 6).await);
    let to = addresses(2);
    anvil.mint(token, to[0], 5).await;
    let last = anvil.head().await;
    for (key, value) in [
        ("address", json!(other.to_string())),
        ("blockNumber", json!("0xff")),
        ("topics/2", json!(format!("0x{}", word(to[1])))),
    ] {
        let proxy = Server::altering(&anvil, move |question, mut answer| {
            if question["method"] == "eth_getLogs" {
                *answer.pointer_mut(&format!("/result/0/{key}")).unwrap_or(&mut Value::Null) = value.clone();
            }
            answer
        })
        .await;
        let found = node(&[proxy.url]).logs((0, last), std::slice::from_ref(&token), Some(&to[..1])).await;
        assert!(found.as_ref().is_err_and(|error| error.0.contains("is invalid")), "{key}: {found:?}");
    }
    let removed = Server::altering(&anvil, |question, mut answer| {
        if question["method"] == "eth_getLogs" {
            answer["result"][0]["removed"] = json!(true);
        }
        answer
    })
    .await;
    assert_eq!(node(&[removed.url]).logs((0, last), &[token], Some(&to)).await, Ok(Vec::new()));
}

#[tokio::test]
async fn needs_anvil_a_node_that_is_busy_once_is_asked_at_once_again() {
    let anvil = Anvil::start().await;
    let to = addresses(3);
    anvil.send(to[1], 5).await;
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    let busy = Server::altering(&anvil, move |question, answer| {
        let mut calls = counted.lock().expect("a number");
        *calls += u32::from(question["method"] == "eth_call");
        if question["method"] == "eth_call" && *calls == 1 {
            return json!({ "id": question["id"], "error": { "code": -32005, "message": "rate limit exceeded" } });
        }
        answer
    })
    .await;
    let node = node(&[busy.url]);
    assert!(node.balances(&to, 1).await.is_err());
    assert_eq!(node.balances(&to, 1).await, Ok(vec![Atoms(0), Atoms(5), Atoms(0)]));
    assert_eq!(node.balances(&to, 1).await, Ok(vec![Atoms(0), Atoms(5), Atoms(0)]));
    assert_eq!(*asked.lock().expect("a number"), 3);
}

#[tokio::test]
async fn needs_anvil_a_node_that_has_forgotten_a_block_is_asked_at_once_about_others() {
    let anvil = Anvil::start().await;
    let to = addresses(3);
    anvil.send(to[1], 5).await;
    let batches = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&batches);
    let forgetful = Server::altering(&anvil, move |question, answer| {
        let refusal = |question: &Value| {
            let forgotten = question["method"] != "eth_getBlockByNumber" && question["params"][1] == "0x0";
            let error = json!({ "code": -32000, "message": "missing trie node" });
            forgotten.then(|| json!({ "id": question["id"], "error": error }))
        };
        let Some(many) = question.as_array() else { return refusal(question).unwrap_or(answer) };
        *counted.lock().expect("a number") += 1;
        many.iter().filter_map(refusal).collect()
    })
    .await;
    let node = node(&[forgetful.url]);
    assert!(node.balances(&to, 0).await.is_err());
    assert_eq!(node.balances(&to, 1).await, Ok(vec![Atoms(0), Atoms(5), Atoms(0)]));
    assert_eq!(*batches.lock().expect("a number"), 1, "only about the block that it has forgotten");
}

#[tokio::test]
async fn needs_anvil_a_node_that_is_slow_about_many_blocks_is_asked_about_fewer() {
    let anvil = Anvil::start().await;
    let token = anvil.deploy_token("USDC", 6).await;
    let to = addresses(1);
    anvil.mint(token, to[0], 5).await;
    anvil.mine(6).await;
    assert_eq!(anvil.head().await, 8);
    let slow = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&slow);
    let server = Server::altering(&anvil, move |question, answer| {
        let hex = |key: &str| question["params"][0][key].as_str().and_then(|text| text.strip_prefix("0x"));
        let number = |key: &str| hex(key).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0);
        if question["method"] != "eth_getLogs" || number("toBlock") - number("fromBlock") < 5 {
            return answer;
        }
        *counted.lock().expect("a number") += 1;
        Value::Null
    })
    .await;
    let node = node(&[server.url]);
    for _ in 0..2 {
        let found = node.logs((0, 8), std::slice::from_ref(&token), Some(&to)).await.expect("logs");
        assert_eq!(found.iter().map(|log| log.atoms).collect::<Vec<_>>(), [Atoms(5)]);
    }
    assert_eq!(*slow.lock().expect("a number"), 1, "what was too much is remembered");
}

#[tokio::test]
async fn needs_anvil_what_is_reverted_never_was() {
    let anvil = Anvil::start().await;
    let to = addresses(1);
    anvil.mine(2).await;
    let node = node(&[anvil.url()]);
    let snapshot = anvil.snapshot().await;
    let sent = anvil.send(to[0], 5).await;
    anvil.mine(3).await;
    let (before, third) = (node.head().await.expect("a head"), node.header(3).await.expect("an answer"));
    assert_eq!((before.number, node.balances(&to, 6).await), (6, Ok(vec![Atoms(5)])));
    anvil.revert(snapshot).await;
    assert_eq!(node.head().await.expect("a head").number, 2);
    assert_eq!(node.receipt(sent).await, Ok(None));
    anvil.mine(4).await;
    let after = node.head().await.expect("a head");
    assert_eq!((after.number, node.balances(&to, 6).await), (6, Ok(vec![Atoms(0)])));
    assert_ne!(after.hash, before.hash);
    assert_ne!(node.header(3).await.expect("an answer"), third);
    assert_eq!(anvil.balance(to[0]).await, 0);
}
