//! Reversals: who bears the loss, by command and in the books; and the book of chains on a service's store.

use crate::{
    money::decisions::Operator,
    support::{Server, Vendor, until},
};
use serde_json::{Value, json};
use till_domain::{
    attempt::{self, AttemptFacts, Observation, OtherAttempts},
    chain::{
        Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, DepositSelection, Transfer, TxHash,
    },
    ledger::Account,
    money::Currency,
    receipt::ReceiptLink,
    session::State,
};
use till_providers::evm::Book;
use till_service::cashier::StoreChainBook;
use till_store::Committed;

/// A live session of 4990.00 RUB that was paid by card.
async fn paid(server: &Server, vendor: &Vendor, order: &str) -> String {
    let id = server.shop("live", vendor).await.order(order).await;
    assert_eq!(server.customer().pay(&id, "card").await.status, 303);
    let attempt = server.attempts(&id).await.remove(0).id.to_string();
    server.customer().decide(&attempt, "approve").await;
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    id
}

/// A provider reports that only this much is left of a payment.
async fn take_back(server: &Server, id: &str, left: u128) {
    let environment = &server.live;
    let (session, attempt) = (server.session(id).await, server.attempts(id).await.remove(0));
    let vendor = environment.directory.vendor(session.vendor).await.expect("a read").expect("a vendor");
    let scene = AttemptFacts {
        session: &session,
        attempt: &attempt,
        beside: OtherAttempts::Nothing,
        settings: &vendor.settings,
        terms: &vendor.terms,
        rules: &environment.rules(),
        now: environment.now(),
        event_id: environment.next_event_id(session.id),
        link: ReceiptLink::new([1; 16]),
        pace: attempt::Pace::Polling,
        doubt: attempt::UnreachableActions::default(),
        ends_now: false,
    };
    let word = Observation::TakenBack { received: attempt.charge.with(left) };
    let observed = attempt::observe(&scene, word);
    assert_eq!(environment.commit(&observed.changes).await.expect("a commit"), Committed::Done);
}

async fn balance(server: &Server, vendor: &Vendor, account: Account) -> i64 {
    let all = server.live.store.ledger().expect("books").balances(vendor.id).await.expect("balances");
    all.iter().find(|balance| balance.account == account).map_or(0, |balance| balance.amount.minor)
}

fn open_action(operator: &Operator<'_>) -> Value {
    let open = operator.list(&["action", "list"]);
    assert_eq!((open.len(), &open[0]["kind"]), (1, &json!("reversed")), "{open:?}");
    open[0].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f20_what_was_taken_back_is_borne_by_the_vendor_or_by_the_operator() {
    let server = Server::start().await;
    let (vendor, operator) = (server.vendor().await, Operator(&server));
    let id = paid(&server, &vendor, "A-1").await;
    take_back(&server, &id, 99_000).await;
    assert_eq!(server.session(&id).await.state, State::Paid, "what was said stays said");
    let action = open_action(&operator);
    let action = action["action_id"].as_str().expect("an id");
    let shown = operator.run(&["action", "show", action]).expect("shown");
    assert_eq!((&shown["held"], &shown["money"]["state"]), (&json!("4000.00 RUB"), &json!("reversed")));
    assert_eq!(
        (&shown["money"]["amount"], &shown["money"]["reversed"]),
        (&json!("-4000.00 RUB"), &json!(true))
    );
    let unfit = operator.run(&["action", "resolve", action, "accept"]).expect_err("nothing to accept");
    assert!(unfit.contains("charge or absorb"), "{unfit}");

    // Only what is left of the payment can be refunded.
    let wallet = server.live.store.ledger().expect("books");
    let rub = Currency::parse("RUB").expect("a currency");
    let before = wallet.wallet(vendor.id, rub).await.expect("a wallet").available;
    assert_eq!(before.minor, 499_000);
    let asked =
        operator.run(&["refund", "create", &id, "--amount", "990.01"]).expect_err("more than is left");
    assert!(asked.contains("990"), "{asked}");
    operator.run(&["action", "resolve", action, "charge", "--by", "Ada"]).expect("decided");
    assert_eq!(balance(&server, &vendor, Account::Available).await, 99_000);
    assert_eq!(balance(&server, &vendor, Account::Suspense).await, 0);

    // The next payment is taken back in full after 4900.00 of it was refunded: the vendor has 99 000 + 499
    // 000 - 490 000 minor units, less than the loss.
    let next = paid(&server, &vendor, "A-2").await;
    operator.run(&["refund", "create", &next, "--amount", "4900.00"]).expect("a refund");
    take_back(&server, &next, 0).await;
    let action = open_action(&operator);
    let action = action["action_id"].as_str().expect("an id");
    let refused = operator.run(&["action", "resolve", action, "charge"]).expect_err("it has less");
    assert!(refused.contains("1080.00 RUB") && refused.contains("4990.00 RUB"), "{refused}");
    assert_eq!(open_action(&operator)["action_id"], action, "it is still to be decided");
    operator.run(&["action", "resolve", action, "absorb"]).expect("decided");
    assert_eq!(balance(&server, &vendor, Account::Losses).await, -499_000);
    assert_eq!(balance(&server, &vendor, Account::Available).await, 108_000);
    let verified = server.live.store.verify(&mut |_, _| ()).await.expect("it can be read");
    assert!(verified.iter().all(|check| check.wrong == 0), "{verified:?}");
}

/// A provider reads back what it wrote through the book, to the last digit, and the store has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_book_of_chains_is_in_the_live_store() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
    let (session, attempt) = (server.session(&id).await, server.attempts(&id).await.remove(0));
    let book = StoreChainBook(server.live.store.payments());
    let now = book.now();
    let (chain, token) = (ChainId(31_337), Address::from_bytes([0xa0; 20]));
    let deposit = Deposit {
        attempt: attempt.id,
        session: session.id,
        key: "fingerprint".to_owned(),
        index: book.next_index("fingerprint").await.expect("a place"),
        address: Address::from_bytes([0xf3; 20]),
        chain,
        coin: "USDC".to_owned(),
        contract: Some(token),
        decimals: 6,
        charge: Atoms(u128::MAX),
        rate: "91.93 RUB".to_owned(),
        rate_source: "a table".to_owned(),
        opened_at: now,
        since_block: 9,
        before: None,
        swept: Atoms(u128::MAX - 1),
    };
    assert_eq!(book.open(&deposit).await, Ok(Some(deposit.clone())));
    assert_eq!(book.next_index("fingerprint").await, Ok(1));
    let hash = |byte| BlockHash::from_bytes([byte; 32]);
    let transfer = |reference: &str, contract| Transfer {
        chain,
        reference: reference.to_owned(),
        transaction: Some(TxHash::from_bytes([0xfe; 32])),
        address: deposit.address,
        contract,
        atoms: Atoms(u128::MAX - 7),
        block: 10,
        block_hash: hash(10),
        seen_at: now,
        gone_at: None,
        reported: false,
    };
    let (right, stray) = (transfer("0x1:0", Some(token)), transfer("balance:0xb10", None));
    let recent = vec![(9, hash(9)), (10, hash(10))];
    let cursor = Cursor { chain, block: 10, head: 12, at: now, recent, version: 0 };
    let advance = Advance {
        cursor: cursor.clone(),
        replaced_from: Some(10),
        found: vec![right.clone(), stray.clone()],
        swept: vec![(deposit.address, Atoms(5))],
        before: vec![(deposit.address, Atoms(u128::MAX - 2))],
        touched: vec![attempt.id],
    };
    assert_eq!((book.advance(&advance).await, book.advance(&advance).await), (Ok(true), Ok(false)));
    assert_eq!(book.cursor(chain).await, Ok(Some(Cursor { version: 1, ..cursor })));
    let swept = Deposit { swept: Atoms(5), before: Some(Atoms(u128::MAX - 2)), ..deposit };
    let all = vec![right, stray.clone()];
    assert_eq!(book.deposit(attempt.id).await, Ok(Some((swept.clone(), all))));
    for which in [DepositSelection::Since(now), DepositSelection::WaitedForSince(now)] {
        assert_eq!(book.watched(chain, which).await, Ok(vec![(swept.clone(), Atoms(u128::MAX - 7))]));
    }
    assert_eq!(book.touched(chain).await, Ok(vec![(attempt.id, 1)]));
    assert_eq!((book.looked(attempt.id, 1).await, book.touched(chain).await), (Ok(()), Ok(vec![])));
    assert_eq!(book.strays(chain, 10).await, Ok(vec![(swept, stray.clone())]));
    assert_eq!((book.mark_reported(&stray).await, book.strays(chain, 10).await), (Ok(()), Ok(vec![])));
    let sandbox = StoreChainBook(server.sandbox.store.payments());
    assert!(sandbox.cursor(chain).await.is_err(), "nobody plays with real coins");
}
