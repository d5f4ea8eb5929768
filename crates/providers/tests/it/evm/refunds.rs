//! Refunds that the operator sends by hand: the amount to send, and which transactions are accepted as the
//! refund.

use super::{CHAIN, GENESIS, Scene, USDC, USDT, Waiting, dollars};
use crate::doubles::Payment;
use futures_util::FutureExt as _;
use std::{slice::from_ref, sync::Arc, time::Duration};
use till_domain::{
    chain::{Address, TxHash},
    id::{RefundId, TransactionId},
    refund::{ManualTransfer, Origin, Refund, RefundSeen, RefundState},
    time::Timestamp,
};
use till_providers::{
    Provider as _, ProviderError,
    evm::{Book as _, Evm},
};

const CUSTOMER: Address = Address::from_bytes([0x90; 20]);
const CONFIRMATIONS: u32 = 3;

fn refund(waiting: &Waiting, minor: i64, transaction: Option<TxHash>, now: Timestamp) -> Refund {
    let attempt = &waiting.attempt;
    let hand = ManualTransfer { what: String::new(), note: None, sent_at: Some(now) };
    Refund {
        id: RefundId::from_bytes([1; 16]),
        session: attempt.session,
        vendor: attempt.vendor,
        transaction: TransactionId::from_bytes([1; 16]),
        number: 1,
        method: attempt.method,
        provider: "evm".to_owned(),
        payment: attempt.reference.clone().expect("a reference"),
        amount: dollars(minor),
        origin: Origin::Payment { fee: 0 },
        pending: None,
        reason: None,
        requested_by: "api".to_owned(),
        state: RefundState::Sent,
        reference: transaction.map(|hash| hash.to_string()),
        moved: None,
        manual: transaction.map(|_| hand),
        attempts: 1,
        check_at: None,
        silent_since: None,
        version: 2,
        created_at: Timestamp::from_ms(GENESIS),
        updated_at: Timestamp::from_ms(GENESIS),
    }
}

/// A payment of 49.90 dollars in a coin, part of which is refunded.
struct CoinRefund {
    scene: Scene,
    evm: Evm,
    waiting: Waiting,
}

impl CoinRefund {
    fn new(symbol: &str) -> Self {
        let scene = Scene::new(CONFIRMATIONS);
        let setup = super::setup(CONFIRMATIONS);
        let evm = super::evm(&setup, &scene.book, &scene.watcher.coins);
        let evm = evm.with_nodes(vec![(CHAIN, Arc::clone(&scene.chain) as _)]);
        let waiting = scene.open(1, symbol);
        scene.mine(&[]);
        Self { scene, evm, waiting }
    }

    fn asked_for(&self, minor: i64) -> RefundSeen {
        let refund = refund(&self.waiting, minor, None, Timestamp::from_ms(0));
        let refunds = self.evm.refunds().expect("refunds");
        assert_eq!(refunds.check(&refund).now_or_never().expect("at once"), Ok(RefundSeen::Unheard));
        refunds.refund(&refund).now_or_never().expect("at once").expect("an answer")
    }

    fn ask(&self, minor: i64, transaction: TxHash, ago: Duration) -> Result<RefundSeen, ProviderError> {
        let now = self.scene.book.now();
        let refund = refund(&self.waiting, minor, Some(transaction), now.minus(ago));
        check(&self.evm, &refund)
    }

    /// The answer about payments in one block, once it is final.
    fn say(&self, minor: i64, payments: &[Payment]) -> RefundSeen {
        self.scene.mine(payments);
        self.scene.chain.mine_empty(u64::from(CONFIRMATIONS));
        self.ask(minor, payments[0].transaction, Duration::ZERO).expect("an answer")
    }

    fn pay(&self, contract: Option<Address>, to: Address, atoms: i128) -> Payment {
        self.scene.chain.payment(contract, to, atoms)
    }

    fn refused(&self, minor: i64, payments: &[Payment], word: &str) {
        match self.say(minor, payments) {
            RefundSeen::NotThis { reason } if reason.contains(word) => {}
            other => panic!("{word}: {other:?}"),
        }
    }
}

/// Checks a refund; the chain in memory answers at once.
fn check(evm: &Evm, refund: &Refund) -> Result<RefundSeen, ProviderError> {
    evm.refunds().expect("refunds").check(refund).now_or_never().expect("at once")
}

fn succeeded(payment: &Payment) -> RefundSeen {
    RefundSeen::Succeeded { reference: payment.transaction.to_string() }
}

#[test]
fn a_person_is_told_what_to_send_at_the_price_that_was_locked() {
    let by_hand = |what: &str| RefundSeen::Manual { what: what.to_owned() };
    let refund_case = CoinRefund::new("usdc");
    assert_eq!(refund_case.asked_for(4_990), by_hand("49.90 USDC (Ethereum)"));
    assert_eq!(refund_case.asked_for(1), by_hand("0.01 USDC (Ethereum)"));
    assert_eq!(CoinRefund::new("eth").asked_for(4_990), by_hand("0.02495 ETH (Ethereum)"));
}

#[test]
fn what_was_sent_succeeds_when_it_is_final() {
    for (symbol, contract, atoms) in [("usdc", Some(USDC), 10_000_000), ("eth", None, 5_000_000_000_000_000)]
    {
        let refund_case = CoinRefund::new(symbol);
        let sent = refund_case.pay(contract, CUSTOMER, atoms);
        let ask = || refund_case.ask(1_000, sent.transaction, Duration::ZERO).expect("an answer");
        assert_eq!(ask(), RefundSeen::Pending, "no block has it");
        refund_case.scene.mine(from_ref(&sent));
        for _ in 1..CONFIRMATIONS {
            assert_eq!(ask(), RefundSeen::Pending, "it confirms");
            refund_case.scene.mine(&[]);
        }
        assert_eq!(ask(), succeeded(&sent), "{symbol}");
    }
}

#[test]
fn what_is_not_it_is_refused_with_the_reason() {
    let refund_case = CoinRefund::new("usdc");
    let enough = 10_000_000;
    refund_case.refused(
        1_000,
        &[refund_case.pay(Some(USDC), CUSTOMER, enough - 1)],
        "9.999999 USDC, and 10.00 USDC",
    );
    refund_case.refused(1_000, &[refund_case.pay(Some(USDT), CUSTOMER, enough)], "no USDC on Ethereum");
    refund_case.refused(1_000, &[refund_case.pay(None, CUSTOMER, enough)], "no USDC on Ethereum");
    refund_case.refused(
        1_000,
        &[refund_case.pay(Some(USDC), refund_case.waiting.address, enough)],
        "our own addresses",
    );
    let failed = Payment { failed: true, ..refund_case.pay(Some(USDC), CUSTOMER, enough) };
    refund_case.refused(1_000, &[failed], "failed");
    let more = refund_case.pay(Some(USDC), CUSTOMER, enough + 1);
    assert_eq!(refund_case.say(1_000, from_ref(&more)), succeeded(&more), "nobody minds");
    let coin = CoinRefund::new("eth");
    coin.refused(1_000, &[coin.pay(Some(USDC), CUSTOMER, enough)], "no ETH on Ethereum");
}

#[test]
fn a_transaction_counts_by_what_one_customer_gets() {
    let refund_case = CoinRefund::new("usdc");
    let half = refund_case.pay(Some(USDC), CUSTOMER, 5_000_000);
    let other = Payment { address: Address::from_bytes([0x15; 20]), ..half.clone() };
    refund_case.refused(1_000, &[half.clone(), other], "5.00 USDC");
    let half = refund_case.pay(Some(USDC), CUSTOMER, 5_000_000);
    assert_eq!(refund_case.say(1_000, &[half.clone(), half.clone()]), succeeded(&half));
}

#[test]
fn a_transaction_of_before_the_payment_is_not_it() {
    let scene = Scene::new(CONFIRMATIONS);
    let old = scene.chain.payment(Some(USDC), CUSTOMER, 10_000_000);
    scene.mine(from_ref(&old));
    scene.chain.mine_empty(200);
    scene.later(Duration::from_secs(12 * 200));
    let setup = super::setup(CONFIRMATIONS);
    let evm = super::evm(&setup, &scene.book, &scene.watcher.coins);
    let evm = evm.with_nodes(vec![(CHAIN, Arc::clone(&scene.chain) as _)]);
    let waiting = scene.open(1, "usdc");
    let refund_case = CoinRefund { scene, evm, waiting };
    match refund_case.ask(1_000, old.transaction, Duration::ZERO) {
        Ok(RefundSeen::NotThis { reason }) if reason.contains("older") => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_no_block_has_is_waited_for_and_then_refused() {
    let refund_case = CoinRefund::new("usdc");
    let hash = TxHash::from_bytes([0xab; 32]);
    let minutes = |minutes: u64| refund_case.ask(1_000, hash, Duration::from_secs(60 * minutes));
    assert_eq!(minutes(14), Ok(RefundSeen::Pending));
    match minutes(15) {
        Ok(RefundSeen::NotThis { reason }) if reason.contains("no such transaction") => {}
        other => panic!("{other:?}"),
    }
}

/// A reference that is not a hash is one that no block has.
#[test]
fn what_is_not_a_hash_is_waited_for_and_then_refused() {
    let refund_case = CoinRefund::new("usdc");
    let now = refund_case.scene.book.now();
    let refund = refund(&refund_case.waiting, 1_000, Some(TxHash::from_bytes([0xab; 32])), now);
    for text in ["", "0x12", "the one of today"] {
        let named = Refund { reference: Some(text.to_owned()), ..refund.clone() };
        assert_eq!(check(&refund_case.evm, &named), Ok(RefundSeen::Pending), "{text}");
        let refunds = refund_case.evm.refunds().expect("refunds");
        assert_eq!(refunds.may_arrive(&named).now_or_never().expect("at once"), Ok(false), "{text}");
    }
    refund_case.scene.later(Duration::from_secs(15 * 60));
    let named = Refund { reference: Some("0x12".to_owned()), ..refund };
    assert!(matches!(check(&refund_case.evm, &named), Ok(RefundSeen::NotThis { .. })));
}

#[test]
fn who_gives_no_answer_says_nothing() {
    let refund_case = CoinRefund::new("usdc");
    let sent = refund_case.pay(Some(USDC), CUSTOMER, 10_000_000);
    assert_eq!(refund_case.say(1_000, from_ref(&sent)), succeeded(&sent));
    for question in 1..=3 {
        refund_case.scene.chain.fail_at(question);
        let said = refund_case.ask(1_000, sent.transaction, Duration::from_secs(86_400));
        assert!(matches!(said, Err(ProviderError::Unknown(_))), "{question}: {said:?}");
    }
    for question in 1..=2 {
        refund_case.scene.book.fail_at(question);
        let said = refund_case.ask(1_000, sent.transaction, Duration::from_secs(86_400));
        assert!(matches!(said, Err(ProviderError::Unknown(_))), "{question}: {said:?}");
    }
    let unasked = refund(&refund_case.waiting, 1_000, Some(sent.transaction), Timestamp::from_ms(0));
    let said = check(&refund_case.scene.evm, &unasked);
    assert!(matches!(said, Err(ProviderError::Unknown(_))), "there is no node: {said:?}");
}

#[test]
fn a_reorg_takes_a_refund_back_before_it_is_final() {
    let refund_case = CoinRefund::new("usdc");
    let sent = refund_case.pay(Some(USDC), CUSTOMER, 10_000_000);
    refund_case.scene.mine(from_ref(&sent));
    refund_case.scene.mine(&[]);
    refund_case.scene.chain.fork(2);
    refund_case.scene.chain.mine_empty(9);
    assert_eq!(
        refund_case.ask(1_000, sent.transaction, Duration::ZERO),
        Ok(RefundSeen::Pending),
        "no block has it"
    );
    assert_eq!(refund_case.say(1_000, from_ref(&sent)), succeeded(&sent), "in another block");
}

#[test]
fn l5_a_refund_whose_transaction_may_arrive_is_not_given_up() {
    let refund_case = CoinRefund::new("usdc");
    let may_arrive = |evm: &Evm, transaction: TxHash| {
        let refund = refund(&refund_case.waiting, 4_990, Some(transaction), refund_case.scene.book.now());
        evm.refunds().expect("refunds").may_arrive(&refund).now_or_never().expect("at once")
    };
    let sent = refund_case.pay(Some(USDC), CUSTOMER, 49_900_000);
    assert_eq!(may_arrive(&refund_case.evm, sent.transaction), Ok(false), "no node has heard of it");
    refund_case.scene.chain.submit(sent.transaction);
    assert_eq!(may_arrive(&refund_case.evm, sent.transaction), Ok(true), "it waits for a block");
    refund_case.scene.mine(from_ref(&sent));
    assert_eq!(may_arrive(&refund_case.evm, sent.transaction), Ok(true), "it is not final yet");
    let failed = Payment { failed: true, ..refund_case.pay(Some(USDC), CUSTOMER, 49_900_000) };
    refund_case.scene.mine(from_ref(&failed));
    assert_eq!(may_arrive(&refund_case.evm, failed.transaction), Ok(false), "it moved nothing");
    refund_case.scene.chain.silence(true);
    assert!(matches!(may_arrive(&refund_case.evm, sent.transaction), Err(ProviderError::Unknown(_))));
    let elsewhere =
        super::evm(&super::setup(CONFIRMATIONS), &refund_case.scene.book, &refund_case.scene.watcher.coins);
    assert_eq!(may_arrive(&elsewhere, sent.transaction), Ok(false), "nobody can be asked any more");
}
