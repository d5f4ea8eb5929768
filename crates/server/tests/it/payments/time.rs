//! Payments and their deadlines: open ones are closed first, transfers in progress are waited for, and later
//! money is never lost.

use crate::support::{Server, until};
use std::time::Duration;
use till_domain::{
    attempt::AttemptState,
    ledger::{Account, EntryKind},
    session::State,
    transaction::{ActionKind, Transaction},
};
use till_store::ActionFilter;

const MINUTE: Duration = Duration::from_secs(60);

/// A session that is being paid by this method, and its attempt's id.
async fn paying(server: &Server, method: &str) -> (String, String) {
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    assert_eq!(server.customer().pay(&id, method).await.status, 303);
    let attempt = server.attempts(&id).await.remove(0);
    assert_eq!(attempt.state, AttemptState::Open);
    (id, attempt.id.to_string())
}

async fn money(server: &Server, id: &str) -> Vec<Transaction> {
    let id = server.session(id).await.id;
    server.live.store.transactions_of(id).await.expect("a read")
}

async fn actions(server: &Server) -> Vec<ActionKind> {
    let actions = server.live.store.actions(&ActionFilter::default(), 10).await.expect("a read");
    actions.iter().map(|stored| stored.action.kind).collect()
}

async fn is_closed_at_the_bank(server: &Server, id: &str) -> bool {
    let attempt = server.attempts(id).await.remove(0);
    let entry = server.live.store.simulated(attempt.id).await.expect("a read");
    entry.expect("a payment").closed_at.is_some()
}

/// Time for the workers to do what is due.
async fn a_while() {
    tokio::time::sleep(Duration::from_millis(1_500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_an_open_payment_is_closed_at_the_bank_before_its_session_expires() {
    for (method, lifetime) in [("card", 15), ("sbp", 10)] {
        let server = Server::start().await;
        let (id, attempt) = paying(&server, method).await;
        let deadline = server.session(&id).await.deadline();
        assert_eq!(deadline, server.session(&id).await.created_at.plus(lifetime * MINUTE));
        server.later(lifetime * MINUTE - Duration::from_millis(1));
        a_while().await;
        assert_eq!(server.session(&id).await.state, State::Pending);
        assert!(!is_closed_at_the_bank(&server, &id).await);
        server.later(Duration::from_millis(1) + Duration::from_secs(3));
        until("it expires", async || server.session(&id).await.state == State::Expired).await;
        assert_eq!(server.session(&id).await.updated_at, deadline, "however late it was noticed");
        assert!(is_closed_at_the_bank(&server, &id).await);
        server.customer().decide(&attempt, if method == "sbp" { "pay" } else { "approve" }).await;
        assert_eq!((money(&server, &id).await.len(), actions(&server).await.len()), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_a_challenge_is_waited_for_but_not_longer_than_five_minutes() {
    let server = Server::start().await;
    let (id, attempt) = paying(&server, "card").await;
    let deadline = server.session(&id).await.deadline();
    server.later(15 * MINUTE - Duration::from_secs(5));
    server.customer().decide(&attempt, "three_ds").await;
    assert_eq!(server.attempts(&id).await[0].state, AttemptState::InFlight);
    for _ in 0..2 {
        server.later(2 * MINUTE);
        a_while().await;
        assert_eq!(server.session(&id).await.state, State::Pending, "past its deadline");
    }
    server.later(MINUTE - Duration::from_secs(10));
    until("it expires", async || server.session(&id).await.state == State::Expired).await;
    let end = server.session(&id).await.updated_at;
    assert!(end > deadline && end <= deadline.plus(5 * MINUTE), "{end}");
    assert!(is_closed_at_the_bank(&server, &id).await);
    server.customer().decide(&attempt, "confirm").await;
    assert_eq!((money(&server, &id).await.len(), actions(&server).await.len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_a_challenge_that_is_passed_after_the_deadline_pays() {
    let server = Server::start().await;
    let (id, attempt) = paying(&server, "card").await;
    server.later(15 * MINUTE - Duration::from_secs(5));
    server.customer().decide(&attempt, "three_ds").await;
    server.later(3 * MINUTE);
    server.customer().decide(&attempt, "confirm").await;
    assert_eq!(server.session(&id).await.state, State::Paid);
    assert_eq!((money(&server, &id).await.len(), actions(&server).await.len()), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p14_coins_that_come_after_the_end_are_late_money() {
    let server = Server::start().await;
    let (id, attempt) = paying(&server, "crypto").await;
    server.later(60 * MINUTE);
    until("it expires", async || server.session(&id).await.state == State::Expired).await;
    let expired = server.session(&id).await;
    server.later(MINUTE);
    server.customer().decide(&attempt, "pay_exact").await;
    // The session has ended, so the attempt is checked only now and then.
    for _ in 0..3 {
        server.later(10 * MINUTE);
        a_while().await;
    }
    until("it is seen", async || money(&server, &id).await.len() == 1).await;
    let late = money(&server, &id).await.remove(0);
    assert!(late.marks.late && !late.marks.partial && !late.marks.over);
    assert_eq!(late.amount, expired.item.price.money());
    assert_eq!(actions(&server).await, [ActionKind::Late]);
    assert_eq!(server.session(&id).await, expired, "the session stays as it is");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p14_too_few_coins_wait_for_the_rest_and_end_as_partial_money() {
    let server = Server::start().await;
    let (id, attempt) = paying(&server, "crypto").await;
    let deadline = server.session(&id).await.deadline();
    server.customer().decide(&attempt, "pay_short").await;
    server.later(Duration::from_secs(30));
    until("it is seen", async || server.attempts(&id).await[0].received > 0).await;
    assert_eq!((server.session(&id).await.state, money(&server, &id).await.len()), (State::Pending, 0));
    let page = server.customer().get(&format!("/session/{id}"), &[]).await;
    assert!(page.body.contains("5.429"), "what is missing is shown");
    server.later(60 * MINUTE);
    until("it expires", async || server.session(&id).await.state == State::Expired).await;
    assert_eq!(server.session(&id).await.updated_at, deadline);
    let part = money(&server, &id).await.remove(0);
    assert!(part.marks.partial && !part.marks.late, "{part:?}");
    assert_eq!(part.amount.minor, 449_100);
    assert_eq!(actions(&server).await, [ActionKind::Partial]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p14_too_many_coins_pay_and_the_rest_waits_for_a_decision() {
    let server = Server::start().await;
    let (id, attempt) = paying(&server, "crypto").await;
    server.customer().decide(&attempt, "pay_over").await;
    server.later(Duration::from_secs(30));
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    let over = money(&server, &id).await.remove(0);
    assert!(over.marks.over && !over.marks.late && !over.marks.partial);
    assert_eq!(over.amount, server.session(&id).await.item.price.money());
    assert_eq!(actions(&server).await, [ActionKind::Surplus]);
    let ledger = server.live.store.ledger().expect("live keeps books");
    let held = ledger.entry_of(EntryKind::Suspense, over.id.into()).await.expect("a read").expect("an entry");
    assert_eq!(held.entry.amount_on(&Account::Suspense).minor, 49_900, "a tenth of the price");
}
