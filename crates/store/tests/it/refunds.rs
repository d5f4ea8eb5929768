//! Refunds: they read back as written, never exceed the payment even with concurrent requests, and are
//! protected against a database shell.

use crate::fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, read, session_id, start};
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::{self, AttemptFacts as AttemptScene, Beginning, Instructions, Observation, Started},
    chain::TxHash,
    change::{Change, Guard},
    decision::Wallet,
    id::{AttemptId, RefundId},
    ledger::{self, Account, Fee},
    method::Method,
    money::{Currency, Money},
    receipt::ReceiptLink,
    refund::{
        self, Origin, Payment, Refund, RefundDecision, RefundFacts, RefundSeen, RefundState, RequestFacts,
        SilenceAction, TotalVersion,
    },
    rejection::Rejection,
    request::RefundRequest,
    session::{Session, State},
    time::Timestamp,
};
use till_store::{Committed, Payments};
use tokio::{sync::Barrier, task::JoinSet};

/// A transaction that the operator names.
const HASH: TxHash = TxHash::from_bytes([0xab; 32]);

pub fn shop() -> Shop {
    let shop = Shop::live();
    Shop { rules: shop.rules.with_refunds(vec!["bank"]), vendor: shop.vendor }
}

fn rub() -> Currency {
    Currency::parse("RUB").expect("a currency")
}

fn refund_id(number: u64) -> RefundId {
    RefundId::from_bytes(event_id(number).into())
}

/// A session of 49.90 that was paid at the bank.
pub async fn paid(payments: &Payments, shop: &Shop, number: u64) -> Session {
    let session = shop.store(payments, number, start()).await;
    let id = AttemptId::from_bytes(event_id(number).into());
    let beginning = Beginning {
        session: &session,
        method: Method::Card,
        provider: "bank",
        choice: None,
        email: None,
        language: None,
        id,
    };
    let (session, attempt, changes) = attempt::begin(beginning, &shop.rules, start()).expect("it may begin");
    commit(payments, &changes).await;
    let (reference, charge) = (format!("pay_{number}"), attempt.charge.clone());
    let scene = |session, attempt| AttemptScene {
        session,
        attempt,
        beside: attempt::OtherAttempts::Nothing,
        settings: &shop.vendor.settings,
        terms: &shop.vendor.terms,
        rules: &shop.rules,
        now: start().plus(Duration::from_secs(1)),
        event_id: event_id(number),
        link: ReceiptLink::new(event_id(number).into()),
        pace: attempt::Pace::Polling,
        doubt: attempt::UnreachableActions::default(),
        ends_now: false,
    };
    let started =
        Started { reference: reference.clone(), instructions: Instructions::Nothing, charge: charge.clone() };
    let observed = attempt::started(&scene(&session, &attempt), started);
    commit(payments, &observed.changes).await;
    let word = Observation::Paid { received: charge, reference };
    let observed = attempt::observe(&scene(&observed.session, &observed.attempt), word);
    commit(payments, &observed.changes).await;
    let session = read(payments, number).await.expect("a session");
    assert_eq!(session.state, State::Paid);
    session
}

/// Decides a refund request on the data that is stored now.
pub async fn ask(
    payments: &Payments,
    shop: &Shop,
    session: &Session,
    amount: &str,
    number: u64,
) -> Result<(Refund, Vec<Change>), Rejection> {
    ask_at(payments, shop, session, amount, number, start().plus(Duration::from_secs(2))).await
}

/// The same, at this moment.
pub async fn ask_at(
    payments: &Payments,
    shop: &Shop,
    session: &Session,
    amount: &str,
    number: u64,
    now: Timestamp,
) -> Result<(Refund, Vec<Change>), Rejection> {
    let (ledger, all) = (payments.ledger().expect("books"), payments.refunds());
    let currency = session.item.price.currency();
    let wallet = ledger.wallet(session.vendor, currency).await.expect("a wallet");
    let refunds = all.of_session(session.id).await.expect("refunds");
    let paid = all.paid_with(session.id, &refunds).await.expect("a read").expect("a payment");
    let situation = RequestFacts {
        rules: &shop.rules,
        session,
        payment: Some(Payment {
            money: &paid.money,
            accepted: paid.accepted,
            fee: paid.fee,
            pending: paid.pending.as_ref(),
            taken_back: paid.taken_back,
        }),
        refunds: &refunds,
        terms: &shop.vendor.terms,
        wallet: Some(Wallet { version: wallet.version, available: wallet.available }),
        fiscal: None,
        fiscal_settings: &shop.vendor.settings.fiscal,
        by: "api",
        now,
        id: refund_id(number),
    };
    refund::request(&RefundRequest::typed(amount, "wrong size"), &situation)
}

async fn balance(payments: &Payments, shop: &Shop, account: &Account) -> i64 {
    let all = payments.ledger().expect("books").balances(shop.vendor.id).await.expect("balances");
    all.iter().find(|balance| balance.account == *account).map_or(0, |balance| balance.amount.minor)
}

pub async fn end(
    payments: &Payments,
    shop: &Shop,
    session: &Session,
    refund: &Refund,
    seen: RefundSeen,
) -> Refund {
    let number = 900 + u64::try_from(refund.number).expect("a number");
    let observed =
        end_at(payments, shop, session, refund, seen, (number, start().plus(Duration::from_secs(3)))).await;
    observed.refund
}

/// The input of a decision about a refund when nothing else has happened.
pub fn scene<'a>(
    refund: &'a Refund,
    session: &'a Session,
    shop: &'a Shop,
    told: Option<SilenceAction>,
    now: Timestamp,
) -> RefundFacts<'a> {
    let event_id = event_id(now.since(start()).as_secs() + 10_000);
    RefundFacts {
        refund,
        refunds: std::slice::from_ref(refund),
        session,
        settings: &shop.vendor.settings,
        action: None,
        silence_action: told,
        pending: None,
        version: TotalVersion::Wallet(0),
        receipt: None,
        returns_other_lines: false,
        rules: &shop.rules,
        now,
        event_id,
        link: ReceiptLink::new(event_id.into()),
    }
}

/// The same with the event of this number, at this moment.
pub async fn end_at(
    payments: &Payments,
    shop: &Shop,
    session: &Session,
    refund: &Refund,
    seen: RefundSeen,
    (number, now): (u64, Timestamp),
) -> RefundDecision {
    let (claimed, claim) = refund::claim(refund, now, Duration::from_secs(15));
    commit(payments, &[claim]).await;
    let ledger = payments.ledger().expect("books");
    let wallet = ledger.wallet(refund.vendor, refund.amount.currency).await.expect("a wallet");
    let all = payments.refunds();
    let refunds = all.of_session(session.id).await.expect("refunds");
    let paid = all.paid_with(session.id, &refunds).await.expect("a read");
    let action = match refund.origin {
        Origin::Suspense { action } => payments.action(action).await.expect("a read"),
        Origin::Payment { .. } => None,
    };
    let scene = RefundFacts {
        refund: &claimed,
        refunds: &refunds,
        session,
        settings: &shop.vendor.settings,
        action: action.as_ref().map(|stored| &stored.action),
        silence_action: None,
        pending: paid.as_ref().and_then(|paid| paid.pending.as_ref()),
        version: TotalVersion::Wallet(wallet.version),
        receipt: None,
        returns_other_lines: false,
        rules: &shop.rules,
        now,
        event_id: event_id(number),
        link: ReceiptLink::new(event_id(number).into()),
    };
    let observed = refund::observe(&scene, seen);
    commit(payments, &observed.changes).await;
    observed
}

async fn a_refund_goes_all_the_way_and_its_money_with_it(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, shop());
    let session = paid(live, &shop, 1).await;
    let refunds = live.refunds();
    let (first, changes) = ask(live, &shop, &session, "10.00", 50).await.expect("it is covered");
    commit(live, &changes).await;
    assert_eq!(refunds.refund(first.id).await.expect("a read"), Some(first.clone()));
    assert_eq!(balance(live, &shop, &Account::Available).await, 3_990);
    assert_eq!(balance(live, &shop, &Account::Refunds).await, 1_000);
    assert_eq!(refunds.next_due().await.expect("a read"), first.check_at);
    let (due, broken) = refunds.due("bank", start().plus(Duration::from_secs(9)), 9).await.expect("a read");
    assert_eq!((due, broken.count), (vec![first.clone()], 0));
    assert_eq!(refunds.providers().await.expect("a read"), ["bank"]);
    let reference = "re_1".to_owned();
    let first = end(live, &shop, &session, &first, RefundSeen::Succeeded { reference }).await;
    assert_eq!(balance(live, &shop, &Account::Clearing("bank".to_owned())).await, -3_990);
    let event = live.refund_callback(session.id, first.id).await.expect("a read").expect("an event");
    assert_eq!(event.event, "refund.succeeded");
    let own = live.callback(session.id).await.expect("a read").expect("an event");
    assert_eq!(own.event, "session.paid", "the session's own is another");
    let (second, changes) = ask(live, &shop, &session, "", 51).await.expect("the rest");
    assert_eq!((second.amount.minor, second.number), (3_990, 2));
    commit(live, &changes).await;
    let second = end(live, &shop, &session, &second, RefundSeen::Failed { reason: "no".to_owned() }).await;
    assert_eq!(second.state, RefundState::Failed("no".to_owned()));
    let left = [Account::Available, Account::Refunds].map(|account| balance_of(live, &shop, account));
    let [available, on_the_way] = left;
    assert_eq!((available.await, on_the_way.await), (3_990, 0), "what failed is back");
    let stored = refunds.of_session(session.id).await.expect("a read");
    assert_eq!(stored, [first, second]);
    assert_eq!(refunds.list(&till_store::RefundFilter::default(), 9).await.expect("a read").len(), 2);
    let (_, changes) = ask(live, &shop, &session, "", 52).await.expect("what failed can be asked for again");
    commit(live, &changes).await;
}

async fn balance_of(payments: &Payments, shop: &Shop, account: Account) -> i64 {
    balance(payments, shop, &account).await
}

/// Eight concurrent requests of 20.00 out of 49.90, on two nodes where the engine allows two: two of them
/// succeed.
async fn never_more_than_was_paid_whoever_asks_at_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let shop = Arc::new(shop());
    let session = paid(&backend.stores.live, &shop, 1).await;
    // Another payment's money must not help.
    let other = paid(&backend.stores.live, &shop, 2).await;
    let nodes = match kind {
        Kind::Embedded => vec![Arc::clone(&backend.stores)],
        Kind::Postgres => vec![Arc::clone(&backend.stores), Arc::new(backend.again().await)],
    };
    let barrier = Arc::new(Barrier::new(8));
    let mut tasks = JoinSet::new();
    for number in 0..8_u64 {
        let node = usize::try_from(number).expect("small") % nodes.len();
        let stores = Arc::clone(&nodes[node]);
        let (shop, session, barrier) = (Arc::clone(&shop), session.clone(), Arc::clone(&barrier));
        tasks.spawn(async move {
            barrier.wait().await;
            let mut lost = 0;
            loop {
                match ask(&stores.live, &shop, &session, "20.00", 100 + number).await {
                    Err(rejection) => break (rejection.code() == "amount_too_large", false, lost),
                    Ok((_, changes)) => match stores.live.commit(&changes).await.expect("a commit") {
                        Committed::Done => break (true, true, lost),
                        Committed::Lost(guard) => {
                            assert!(matches!(guard, Guard::WalletMoved | Guard::RefundMoved), "{guard:?}");
                            lost += 1;
                        }
                    },
                }
            }
        });
    }
    let mut got = 0;
    while let Some(ended) = tasks.join_next().await {
        let (right, refunded, _) = ended.expect("no panic");
        assert!(right);
        got += u32::from(refunded);
    }
    assert_eq!(got, 2, "two of 20.00 are in 49.90");
    let live = &backend.stores.live;
    assert_eq!(balance(live, &shop, &Account::Refunds).await, 4_000);
    assert_eq!(balance(live, &shop, &Account::Available).await, 2 * 4_990 - 4_000);
    assert_eq!(live.refunds().of_session(other.id).await.expect("a read"), []);
}

/// The guard of the refund number alone: a request decided on old data inserts nothing.
async fn a_number_is_given_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, shop());
    let session = paid(live, &shop, 1).await;
    let (one, first) = ask(live, &shop, &session, "49.90", 50).await.expect("it is covered");
    let (other, _) = ask(live, &shop, &session, "49.90", 51).await.expect("it is covered");
    commit(live, &first).await;
    assert_eq!((one.number, other.number), (1, 1));
    let insert = [Change::InsertRefund(Box::new(other))];
    assert_eq!(live.commit(&insert).await.expect("a commit"), Committed::Lost(Guard::RefundMoved));
    let (_, again) = refund::claim(&one, start(), Duration::from_secs(1));
    commit(live, std::slice::from_ref(&again)).await;
    assert_eq!(live.commit(&[again]).await.expect("a commit"), Committed::Lost(Guard::RefundMoved));
}

/// Pending money shrinks with a refund; a settlement with the amount read before is refused.
async fn what_is_pending_settles_without_what_was_refunded(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let mut shop = shop();
    shop.vendor.terms.settlement_delay = Some(Duration::from_secs(60));
    let session = paid(live, &shop, 1).await;
    let ledger = live.ledger().expect("books");
    let late = start().plus(Duration::from_secs(600));
    let before = ledger.due_settlements(late, 9).await.expect("a read").0;
    for number in 0..2 {
        let (_, changes) = ask(live, &shop, &session, "10.00", 50 + number).await.expect("it is covered");
        commit(live, &changes).await;
    }
    let settle = |due| ledger::settle(due, event_id(77).into(), late);
    let stale = live.commit(&settle(&before[0])).await.expect("a commit");
    assert_eq!(stale, Committed::Lost(Guard::Settled));
    let now = ledger.due_settlements(late, 9).await.expect("a read").0;
    assert_eq!(now.iter().map(|due| due.amount.minor).collect::<Vec<_>>(), [2_990]);
    commit(live, &settle(&now[0])).await;
    assert_eq!(balance(live, &shop, &Account::Available).await, 2_990);
    assert_eq!(balance(live, &shop, &Account::Pending).await, 0);
    let (_, changes) = ask(live, &shop, &session, "", 60).await.expect("from what is available");
    commit(live, &changes).await;
    assert_eq!(balance(live, &shop, &Account::Available).await, 0);
}

/// Refunds of two payments that together take more than the vendor has: the second has to read the balance
/// again.
async fn what_is_available_never_goes_below_zero(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let mut shop = shop();
    let fee = Fee { method: Method::Card, currency: None, millionths: 100_000, fixed: 0, returned: false };
    shop.vendor.terms.fees.push(fee);
    let (one, other) = (paid(live, &shop, 1).await, paid(live, &shop, 2).await);
    assert_eq!(balance(live, &shop, &Account::Available).await, 8_982);
    let (_, first) = ask(live, &shop, &one, "", 50).await.expect("it is covered");
    let (_, second) = ask(live, &shop, &other, "", 51).await.expect("it is covered as well");
    commit(live, &first).await;
    let late = live.commit(&second).await.expect("a commit");
    assert_eq!(late, Committed::Lost(Guard::WalletMoved));
    let refused = ask(live, &shop, &other, "", 52).await.expect_err("it is no longer covered");
    assert_eq!(refused.code(), "insufficient_balance");
    assert_eq!(balance(live, &shop, &Account::Available).await, 3_992);
}

/// Two refunds of a session that end at once: the sum in the second one's callback includes the first.
async fn each_end_tells_a_sum_of_its_own(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, shop());
    let session = paid(live, &shop, 1).await;
    let mut claimed = Vec::new();
    for number in 0..2 {
        let (refund, changes) =
            ask(live, &shop, &session, "10.00", 50 + number).await.expect("it is covered");
        commit(live, &changes).await;
        let (refund, claim) = refund::claim(&refund, start(), Duration::from_secs(15));
        commit(live, &[claim]).await;
        claimed.push(refund);
    }
    let wallet = live.ledger().expect("books").wallet(shop.vendor.id, rub()).await.expect("a wallet");
    let refunds = live.refunds().of_session(session.id).await.expect("refunds");
    let ends = claimed.iter().zip(900..).map(|(refund, event)| {
        let scene = RefundFacts {
            refund,
            refunds: &refunds,
            session: &session,
            settings: &shop.vendor.settings,
            action: None,
            silence_action: None,
            pending: None,
            version: TotalVersion::Wallet(wallet.version),
            receipt: None,
            returns_other_lines: false,
            rules: &shop.rules,
            now: start().plus(Duration::from_secs(3)),
            event_id: event_id(event),
            link: ReceiptLink::new([4; 16]),
        };
        refund::observe(&scene, RefundSeen::Succeeded { reference: format!("re_{event}") }).changes
    });
    let ends: Vec<_> = ends.collect();
    commit(live, &ends[0]).await;
    let second = live.commit(&ends[1]).await.expect("a commit");
    assert_eq!(second, Committed::Lost(Guard::WalletMoved));
}

/// A refund sent by hand: it waits in a list, is checked, returns to it if the transaction is not the right
/// one, and one transaction counts for one refund.
async fn what_a_person_sends_waits_for_them_and_counts_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, shop());
    let session = paid(live, &shop, 1).await;
    let refunds = live.refunds();
    let later = start().plus(Duration::from_secs(5));
    let mut waiting = Vec::new();
    for number in [50, 51] {
        let (refund, changes) = ask(live, &shop, &session, "10.00", number).await.expect("it is covered");
        commit(live, &changes).await;
        let what = "10.00 USDC (Ethereum)".to_owned();
        waiting.push(end(live, &shop, &session, &refund, RefundSeen::Manual { what }).await);
    }
    let list = async |before, limit| refunds.by_hand(before, limit).await.expect("a read");
    assert_eq!(list(None, 9).await, [waiting[1].clone(), waiting[0].clone()], "as they were given");
    assert_eq!(list(Some(waiting[1].id), 9).await, [waiting[0].clone()]);
    assert_eq!(refunds.next_due().await.expect("a read"), None, "nobody is asked");
    let (first, change) = refund::sent(&waiting[0], HASH, later).expect("it waits");
    commit(live, std::slice::from_ref(&change)).await;
    assert_eq!(live.commit(&[change]).await.expect("a commit"), Committed::Lost(Guard::RefundMoved));
    assert_eq!(refunds.called("bank", &HASH.to_string()).await.expect("a read"), Some(first.clone()));
    assert_eq!(refunds.called("other", &HASH.to_string()).await.expect("a read"), None);
    assert_eq!(list(None, 9).await, [waiting[1].clone()]);
    assert_eq!(refunds.next_due().await.expect("a read"), Some(later));
    let (_, same) = refund::sent(&waiting[1], HASH, later).expect("it waits");
    live.commit(std::slice::from_ref(&same)).await.expect_err("one transaction sends one refund");
    let reason = "it failed".to_owned();
    let again = end(live, &shop, &session, &first, RefundSeen::NotThis { reason }).await;
    assert_eq!(refunds.refund(again.id).await.expect("a read"), Some(again));
    commit(live, &[same]).await;
    let second = refunds.refund(waiting[1].id).await.expect("a read").expect("a refund");
    let succeeded = RefundSeen::Succeeded { reference: HASH.to_string() };
    let second = end(live, &shop, &session, &second, succeeded).await;
    assert_eq!(second.manual.as_ref().and_then(|hand| hand.sent_at), Some(later));
    assert_eq!(refunds.refund(second.id).await.expect("a read"), Some(second));
    assert_eq!(balance(live, &shop, &Account::Refunds).await, 1_000);
}

async fn a_database_shell_cannot_change_a_refund(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, shop());
    let session = paid(live, &shop, 1).await;
    let (refund, changes) = ask(live, &shop, &session, "10.00", 50).await.expect("it is covered");
    commit(live, &changes).await;
    let shell = backend.shell("live").await;
    let columns =
        "id, version, vendor_id, session_id, transaction_id, number, method, provider, payment, amount,
        currency, fee, requested_by, created_at, state, attempts, check_at, updated_at";
    let copy = |id: u8, number: i64, amount: i64| {
        let id = crate::shell::bytes(&[id; 16]);
        format!(
            "INSERT INTO refunds ({columns}) SELECT {id}, 1, vendor_id, session_id, transaction_id, {number}, method,
                provider, payment, {amount}, currency, 0, requested_by, created_at, 'requested', 0, 1, updated_at
             FROM refunds"
        )
    };
    let mut wrong = vec![
        "UPDATE refunds SET amount = 1, version = 2".to_owned(),
        "UPDATE refunds SET provider = 'other', version = 2".to_owned(),
        "UPDATE refunds SET version = 1".to_owned(),
        "UPDATE refunds SET state = 'by_hand', check_at = NULL, version = 2".to_owned(),
        "UPDATE refunds SET state = 'by_hand', hand_what = 'all', version = 2".to_owned(),
        "UPDATE refunds SET state = 'elsewhere', hand_what = 'all', check_at = NULL, version = 2".to_owned(),
        "UPDATE refunds SET hand_note = 'no', version = 2".to_owned(),
        "DELETE FROM refunds".to_owned(),
        copy(1, 3, 1),
        copy(1, 2, 3_991),
        copy(1, 2, 0),
    ];
    for statement in &wrong {
        assert!(shell.run(statement).await.is_err(), "{statement}");
    }
    let reference = "re_1".to_owned();
    end(live, &shop, &session, &refund, RefundSeen::Succeeded { reference }).await;
    wrong.push("UPDATE refunds SET state = 'failed', failure = 'why', version = version + 1".to_owned());
    for statement in &wrong {
        assert!(shell.run(statement).await.is_err(), "{statement}");
    }
    assert_eq!(Money { minor: 1_000, currency: rub() }, refund.amount);
    assert_eq!(session.id, session_id(1));
}

/// A failed refund of pending money returns it to pending; the rest settles once, as a whole.
async fn what_a_refund_took_while_it_was_pending_comes_back_there(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let mut shop = shop();
    shop.vendor.terms.settlement_delay = Some(Duration::from_secs(60));
    let session = paid(live, &shop, 1).await;
    let ledger = live.ledger().expect("books");
    let late = start().plus(Duration::from_secs(600));
    let due = async || ledger.due_settlements(late, 9).await.expect("a read").0;
    let failed = || RefundSeen::Failed { reason: "no".to_owned() };
    let amounts = ["10.00", "", "20.00"];
    let mut under_way = Vec::new();
    for (number, amount) in (0..).zip(amounts) {
        let (refund, changes) = ask(live, &shop, &session, amount, 50 + number).await.expect("it is covered");
        commit(live, &changes).await;
        let stored = live.refunds().refund(refund.id).await.expect("a read");
        assert_eq!(stored, Some(refund.clone()));
        under_way.push(refund);
        // The second takes the rest, and fails at once, so that there is money for the third.
        if number == 1 {
            assert_eq!(due().await, [], "nothing is left to settle");
            end(live, &shop, &session, &under_way[1], failed()).await;
        }
    }
    end(live, &shop, &session, &under_way[0], failed()).await;
    let end_third = (990, start().plus(Duration::from_secs(5)));
    end_at(live, &shop, &session, &under_way[2], failed(), end_third).await;
    let settles = due().await;
    assert_eq!(settles.iter().map(|due| due.amount.minor).collect::<Vec<_>>(), [4_990], "in one row");
    assert_eq!(settles[0].due_at, start().plus(Duration::from_secs(61)), "when it would have");
    assert_eq!(balance(live, &shop, &Account::Available).await, 0);
    assert_eq!(balance(live, &shop, &Account::Pending).await, 4_990);
    commit(live, &ledger::settle(&settles[0], event_id(77).into(), late)).await;
    assert_eq!(balance(live, &shop, &Account::Available).await, 4_990);
    let shell = backend.shell("live").await;
    let moved = "UPDATE refunds SET pending = 1, version = version + 1";
    assert!(shell.run(moved).await.is_err());
}

on_both_engines!(
    what_a_refund_took_while_it_was_pending_comes_back_there,
    a_refund_goes_all_the_way_and_its_money_with_it,
    never_more_than_was_paid_whoever_asks_at_once,
    a_number_is_given_once,
    what_is_pending_settles_without_what_was_refunded,
    what_is_available_never_goes_below_zero,
    each_end_tells_a_sum_of_its_own,
    what_a_person_sends_waits_for_them_and_counts_once,
    a_database_shell_cannot_change_a_refund,
);
