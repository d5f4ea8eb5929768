//! Reversals, money removed by a reorg: booked and reported together, borne once, and not refunded too.

use crate::{
    attempts::{observe, opened, paid},
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, start},
    ledger::seal,
    refunds,
    shell::bytes,
    verify::{take_all_rights, wrong},
};
use till_domain::{
    attempt::{self, Observation, StrayTransfer},
    chain::{Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer},
    change::{Change, Guard},
    id::{ActionId, EntryId},
    ledger::{self, Account, EntryKind},
    money::{Currency, Money},
    transaction::{Action, ActionKind, Resolution},
};
use till_store::{ActionFilter, Committed, Payments, StoredAction};

const CHAIN: ChainId = ChainId(1);

fn rub() -> Currency {
    Currency::parse("RUB").expect("a currency")
}

/// A paid session of 49.90, of which only this much is left.
async fn taken_back(payments: &Payments, shop: &Shop, number: u64, left: u128) -> Action {
    let session = refunds::paid(payments, shop, number).await;
    let attempt = payments.latest_attempt(session.id).await.expect("a read").expect("an attempt");
    let word = Observation::TakenBack { received: attempt.charge.with(left) };
    let observed = observe(shop, &session, &attempt, word, 500 + number);
    commit(payments, &observed.changes).await;
    let stored = payments.attempt(attempt.id).await.expect("a read");
    assert_eq!(stored, Some(observed.attempt));
    let all = payments.actions_of(session.id).await.expect("a read");
    let [StoredAction { action, decided: None, .. }] = &all[..] else { panic!("{all:?}") };
    assert_eq!(action.kind, ActionKind::Reversed);
    action.clone()
}

async fn balance(payments: &Payments, shop: &Shop, account: Account) -> i64 {
    let all = payments.ledger().expect("books").balances(shop.vendor.id).await.expect("balances");
    all.iter().find(|balance| balance.account == account).map_or(0, |balance| balance.amount.minor)
}

/// Decides who bears the loss, with the current version of the wallet or an older one.
async fn bear(
    payments: &Payments,
    action: &Action,
    resolution: Resolution,
    wallet: Option<i64>,
) -> Committed {
    let books = payments.ledger().expect("books");
    let transaction = action.transaction.expect("money");
    let held = books.entry_of(EntryKind::Reversal, transaction.into()).await.expect("a read");
    let held = held.expect("an entry").entry;
    let id = EntryId::from_bytes(event_id(700).into());
    let entry = ledger::decide(&held, (resolution, false), action.id, id, start()).expect("it moves money");
    let resolve = Change::ResolveAction { id: action.id, resolution, at: start(), by: "ann".to_owned() };
    let take = Change::TakeFromWallet {
        vendor: action.vendor.expect("a vendor"),
        currency: rub(),
        was: wallet.unwrap_or(0),
    };
    let take = wallet.map(|_| take);
    let changes: Vec<_> =
        [resolve].into_iter().chain(take).chain([Change::PostEntry(Box::new(entry))]).collect();
    payments.commit(&changes).await.expect("a commit")
}

async fn what_was_taken_back_is_borne_by_one_of_two(kind: Kind) {
    for (resolution, account) in
        [(Resolution::Charge, Account::Available), (Resolution::Absorb, Account::Losses)]
    {
        let backend = Backend::new(kind).await;
        let (live, shop) = (&backend.stores.live, refunds::shop());
        let action = taken_back(live, &shop, 1, 990).await;
        let money = live.transaction(action.transaction.expect("money")).await.expect("a read");
        let money = money.expect("a transaction");
        assert_eq!((money.amount.minor, money.state(), money.received.atoms), (4_000, "reversed", 4_000));
        assert_eq!(balance(live, &shop, Account::Clearing("bank".to_owned())).await, -990);
        assert_eq!(balance(live, &shop, Account::Suspense).await, -4_000);
        assert_eq!(balance(live, &shop, Account::Available).await, 4_990, "until somebody decides");
        assert_eq!(wrong(&backend.stores).await, [""; 0], "what nobody bears yet may be missing");
        seal(&backend.stores, 100).await;
        assert_eq!(wrong(&backend.stores).await, [""; 0], "sealed or not");
        let before = balance(live, &shop, account.clone()).await;
        assert_eq!(bear(live, &action, resolution, Some(0)).await, Committed::Done);
        assert_eq!(balance(live, &shop, Account::Suspense).await, 0);
        assert_eq!(balance(live, &shop, account).await, before - 4_000);
        assert_eq!(bear(live, &action, resolution, Some(1)).await, Committed::Lost(Guard::Resolved));
        let decided = ActionFilter { shown: till_store::ActionsShown::All, ..ActionFilter::default() };
        let all = live.actions(&decided, 9).await.expect("a read");
        assert_eq!(all[0].decided, Some((resolution, start(), "ann".to_owned())));
        assert_eq!(wrong(&backend.stores).await, [""; 0]);
        // A decision on a version of the wallet that has moved since is refused.
        let other = taken_back(live, &shop, 2, 0).await;
        assert_eq!(
            bear(live, &other, Resolution::Charge, Some(0)).await,
            Committed::Lost(Guard::WalletMoved)
        );
    }
}

async fn i8_what_was_taken_back_is_not_refunded_too(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let asked_before = {
        let session = refunds::paid(live, &shop, 1).await;
        refunds::ask(live, &shop, &session, "49.90", 50).await.expect("it is covered").1
    };
    let session = crate::fixture::read(live, 1).await.expect("a session");
    let attempt = live.latest_attempt(session.id).await.expect("a read").expect("an attempt");
    let word = Observation::TakenBack { received: attempt.charge.with(1_000) };
    commit(live, &observe(&shop, &session, &attempt, word, 501).changes).await;
    // The database refuses a refund that was decided before the reversal.
    let refused = live.commit(&asked_before).await.expect_err("more than is left");
    assert!(
        refused.to_string().contains("within what was paid") || format!("{refused:?}").contains("within")
    );
    let refused = refunds::ask(live, &shop, &session, "10.01", 51).await.expect_err("more than is left");
    assert_eq!(refused.code(), "amount_too_large");
    let (_, changes) = refunds::ask(live, &shop, &session, "", 52).await.expect("what is left");
    commit(live, &changes).await;
    assert_eq!(balance(live, &shop, Account::Refunds).await, 1_000);
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

/// A reversal that another node is about to commit, written by hand so that its transaction can be kept open.
#[tokio::test]
async fn needs_postgres_l10_i8_a_refund_waits_for_a_reversal_that_another_node_is_committing() {
    let backend = Backend::new(Kind::Postgres).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let asked = refunds::ask(live, &shop, &session, "49.90", 50).await.expect("it is covered").1;
    let other = backend.shell("live").await;
    other.run("BEGIN").await.expect("a transaction");
    let reversal = format!(
        "INSERT INTO transactions (id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor,
            currency, received_atoms, received_decimals, received_unit, late, partial, over, created_at, reversed)
         SELECT {}, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, FALSE, FALSE, FALSE, created_at, TRUE
         FROM transactions WHERE session_id = {}",
        bytes(&[9; 16]),
        bytes(session.id.as_bytes())
    );
    other.run(&reversal).await.expect("a reversal that is not committed");
    let stores = std::sync::Arc::clone(&backend.stores);
    let refund = tokio::spawn(async move { stores.live.commit(&asked).await });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!refund.is_finished(), "it waits");
    other.run("COMMIT").await.expect("a commit");
    let refused = refund.await.expect("no panic").expect_err("nothing is left to refund");
    assert!(format!("{refused:?}").contains("within what was paid"), "{refused:?}");
}

async fn i8_a_reversal_that_was_edited_is_found(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let action = taken_back(live, &shop, 1, 0).await;
    assert_eq!(bear(live, &action, Resolution::Absorb, None).await, Committed::Done);
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
    let shell = backend.shell("live").await;
    take_all_rights(&shell).await;
    let nowhere = bytes(&[0xfe; 16]);
    for (edit, back, check) in [
        (
            "UPDATE transactions SET amount_minor = amount_minor - 1 WHERE reversed".to_owned(),
            "UPDATE transactions SET amount_minor = amount_minor + 1 WHERE reversed".to_owned(),
            "every reversal is booked once and reported (I8)",
        ),
        (
            "UPDATE actions SET kind = 'late' WHERE kind = 'reversed'".to_owned(),
            "UPDATE actions SET kind = 'reversed' WHERE kind = 'late'".to_owned(),
            "every reversal is booked once and reported (I8)",
        ),
        (
            format!("UPDATE entries SET cause = {nowhere} WHERE kind = 'absorbed'"),
            format!("UPDATE entries SET cause = {} WHERE kind = 'absorbed'", bytes(action.id.as_bytes())),
            "every decision moved its money once (I8)",
        ),
        (
            "UPDATE actions SET resolution = 'charge' WHERE kind = 'reversed'".to_owned(),
            "UPDATE actions SET resolution = 'absorb' WHERE kind = 'reversed'".to_owned(),
            "every decision moved its money once (I8)",
        ),
    ] {
        assert_eq!(shell.run(&edit).await, Ok(1), "{edit}");
        assert_eq!(wrong(&backend.stores).await, [check], "{edit}");
        assert_eq!(shell.run(&back).await, Ok(1), "{back}");
        assert_eq!(wrong(&backend.stores).await, [""; 0], "{back}");
    }
}

/// A transfer of an unexpected coin to the address of a payment.
async fn strayed(payments: &Payments, number: u64) -> Transfer {
    let chains = payments.chains().expect("chains");
    let session = crate::fixture::session_id(number);
    let attempt = payments.latest_attempt(session).await.expect("a read").expect("an attempt");
    let deposit = Deposit {
        attempt: attempt.id,
        session,
        key: "key".to_owned(),
        index: 0,
        address: Address::from_bytes([10; 20]),
        chain: CHAIN,
        coin: "ETH".to_owned(),
        contract: None,
        decimals: 18,
        charge: Atoms(5),
        rate: "1 RUB".to_owned(),
        rate_source: "a table".to_owned(),
        opened_at: start(),
        since_block: 0,
        before: None,
        swept: Atoms::ZERO,
    };
    chains.open(&deposit).await.expect("a write").expect("a place");
    let transfer = Transfer {
        chain: CHAIN,
        reference: "0x1:0".to_owned(),
        transaction: None,
        address: Address::from_bytes([10; 20]),
        contract: Some(Address::from_bytes([11; 20])),
        atoms: Atoms(7),
        block: 10,
        block_hash: BlockHash::from_bytes([12; 32]),
        seen_at: start(),
        gone_at: None,
        reported: false,
    };
    let cursor = Cursor { chain: CHAIN, block: 10, head: 10, at: start(), recent: Vec::new(), version: 0 };
    let found = vec![transfer.clone()];
    let (swept, before, touched) = (Vec::new(), Vec::new(), Vec::new());
    let pass = Advance { cursor, replaced_from: None, found, swept, before, touched };
    assert!(chains.advance(&pass).await.expect("a write"));
    transfer
}

async fn an_operator_is_notified_of_a_strange_coin_in_one_commit_and_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let (session, attempt) = opened(live, &shop, 1).await;
    let transfer = strayed(live, 1).await;
    let received = Money { minor: 7, currency: rub() }.into();
    let told = |number| {
        let stray = StrayTransfer {
            session: &session,
            attempt: &attempt,
            chain: transfer.chain,
            reference: &transfer.reference,
            address: transfer.address,
            received: &received,
        };
        attempt::stray(&stray, start(), event_id(number))
    };
    assert_eq!(live.chains().expect("chains").strays(CHAIN, 10).await.expect("a read").0.len(), 1);
    commit(live, &told(600)).await;
    assert_eq!(live.chains().expect("chains").strays(CHAIN, 10).await.expect("a read").0, []);
    let again = live.commit(&told(601)).await.expect("a commit");
    assert_eq!(again, Committed::Lost(Guard::AlreadyReported));
    let money = live.transactions_of(session.id).await.expect("a read");
    assert_eq!(
        money.iter().map(|money| (money.state(), money.amount.minor)).collect::<Vec<_>>(),
        [("claimed", 0)]
    );
    let all = live.actions_of(session.id).await.expect("a read");
    assert_eq!(
        all.iter().map(|all| (all.action.id, all.action.kind)).collect::<Vec<_>>(),
        [(ActionId::from(event_id(600)), ActionKind::Mismatch)]
    );
    let now = crate::fixture::read(live, 1).await.expect("a session");
    assert_eq!(now, session, "the session is as it was");
    assert_eq!(live.attempt(attempt.id).await.expect("a read"), Some(attempt.clone()), "so is the payment");
    // It can still be paid with the right coin.
    commit(live, &observe(&shop, &session, &attempt, paid(&attempt), 602).changes).await;
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

on_both_engines!(
    what_was_taken_back_is_borne_by_one_of_two,
    i8_what_was_taken_back_is_not_refunded_too,
    i8_a_reversal_that_was_edited_is_found,
    an_operator_is_notified_of_a_strange_coin_in_one_commit_and_once,
);
