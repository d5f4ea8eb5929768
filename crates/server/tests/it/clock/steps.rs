//! A jump from its first moment to the clock step that follows it, with a clock that the test moves.

use crate::support::{Server, until};
use std::time::Duration;
use till_domain::{session::State, time::Timestamp};
use till_store::Clock;
use tokio::time::sleep;

/// 2026-11-15T09:30:00.000Z
fn start() -> Timestamp {
    Timestamp::from_ms(1_794_735_000_000)
}

/// Longer than any worker pauses.
const A_LOOK: Duration = Duration::from_millis(1_500);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Advances the clock by this time, lets it jump an hour ahead, and waits until the jump is noticed.
async fn jump_after(server: &Server, time: Duration) {
    server.later(time);
    server.clock.jump(3_600);
    server.later(seconds(1));
    until("the jump is noticed", async || server.clock.holds_expiry()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t35_an_hour_ahead_for_good_is_followed_and_open_sessions_keep_their_time() {
    let server = Server::clocked(Clock::by_hand(start()), &[]).await;
    let vendor = server.vendor().await;
    let (live, mut sandbox) = (server.shop("live", &vendor).await, server.shop("sandbox", &vendor).await);
    let (open, test) = (live.order("A-1").await, sandbox.order("A-2").await);
    jump_after(&server, seconds(9)).await;
    assert_eq!(live.status(&open).await.text("status"), "pending");
    server.later(seconds(60));
    until("the clock is set forward", async || server.clock.is_settling()).await;
    assert!(server.clock.now() > start().plus(seconds(3_600)));
    sleep(A_LOOK).await;
    assert_eq!(live.status(&open).await.text("status"), "pending", "the token works, and nothing expired");
    let new = live.order("A-3").await;
    assert_eq!(live.status(&new).await.text("createdAt"), "2026-11-15T10:31:10.000Z");
    server.later(seconds(30));
    until("the step has settled", async || !server.clock.holds_expiry()).await;
    // 100 of 900 seconds have passed.
    server.later(seconds(799));
    sleep(A_LOOK).await;
    for (shop, id) in [(&live, &open), (&live, &new), (&sandbox, &test)] {
        assert_eq!(shop.status(id).await.text("status"), "pending", "{id}");
    }
    server.later(seconds(1));
    until("a worker expires it", async || server.session(&open).await.state == State::Expired).await;
    let status = sandbox.status(&test).await;
    assert_eq!(
        (status.text("status"), status.text("updatedAt")),
        ("expired".into(), "2026-11-15T10:45:00.000Z".into())
    );
    assert_eq!(live.status(&new).await.text("status"), "pending", "it was created 70 seconds later");
    // A token lives as long as before.
    server.later(seconds(3_600 - 901));
    assert_eq!(sandbox.status(&test).await.outcome(), "200");
    server.later(seconds(2));
    assert_eq!(sandbox.status(&test).await.outcome(), "401 invalid_token");
    sandbox.log_in().await;
    assert_eq!(sandbox.status(&test).await.outcome(), "200");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t35_while_a_jump_is_judged_workers_hold_and_reads_go_by_the_time_that_has_passed() {
    let server = Server::clocked(Clock::by_hand(start()), &[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let (read, swept) = (shop.order("A-1").await, shop.order("A-2").await);
    jump_after(&server, seconds(880)).await;
    assert_eq!(shop.status(&read).await.text("status"), "pending");
    server.later(seconds(20));
    sleep(A_LOOK).await;
    assert_eq!(server.session(&swept).await.state, State::Pending, "workers hold");
    let status = shop.status(&read).await;
    assert_eq!(
        (status.text("status"), status.text("updatedAt")),
        ("expired".into(), "2026-11-15T09:45:00.000Z".into())
    );
    // The jump was not permanent.
    server.clock.jump(-3_600);
    server.later(seconds(1));
    until("a worker expires it", async || server.session(&swept).await.state == State::Expired).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t35_while_a_jump_is_judged_no_payment_is_closed() {
    let server = Server::clocked(Clock::by_hand(start()), &[]).await;
    let vendor = server.vendor().await;
    let (shop, customer) = (server.shop("live", &vendor).await, server.customer());
    let id = shop.order("A-1").await;
    assert_eq!(customer.pay(&id, "card").await.status, 303);
    jump_after(&server, seconds(880)).await;
    server.later(seconds(25));
    sleep(A_LOOK).await;
    assert!(server.attempts(&id).await[0].state.is_active(), "its time is over, and it is not closed");
    assert_eq!(server.session(&id).await.state, State::Pending);
    // The jump was not permanent. The provider is checked at least once a minute.
    server.clock.jump(-3_600);
    server.later(seconds(61));
    until("the payment is closed", async || server.session(&id).await.state == State::Expired).await;
    assert!(!server.attempts(&id).await[0].state.is_active());
}

/// The clock is not stepped while the deadlines cannot be moved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t35_the_clock_is_not_set_before_the_deadlines_are() {
    let server = Server::clocked(Clock::by_hand(start()), &[]).await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    jump_after(&server, seconds(9)).await;
    let other = rusqlite::Connection::open(server.folder().join("live.db")).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    server.later(seconds(60));
    sleep(A_LOOK).await;
    assert!(!server.clock.is_settling(), "a deadline could seem to have passed");
    other.execute_batch("ROLLBACK").expect("free");
    until("the clock is set forward", async || server.clock.is_settling()).await;
    assert_eq!(server.session(&id).await.state, State::Pending);
}

/// A customer who begins to pay around a step is not told that the time is over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t35_a_payment_that_is_under_way_during_a_step_is_neither_late_nor_closed() {
    let server = Server::clocked(Clock::by_hand(start()), &[]).await;
    let vendor = server.vendor().await;
    let (shop, customer) = (server.shop("live", &vendor).await, server.customer());
    let (before, during) = (shop.order("A-1").await, shop.order("A-2").await);
    assert_eq!(customer.pay(&before, "card").await.status, 303);
    jump_after(&server, seconds(10)).await;
    server.later(seconds(60));
    until("the clock is set forward", async || server.clock.is_settling()).await;
    // The deadlines were moved before the clock was.
    assert_eq!(customer.pay(&during, "card").await.status, 303);
    server.later(seconds(31));
    until("the step has settled", async || !server.clock.holds_expiry()).await;
    sleep(A_LOOK).await;
    for id in [&before, &during] {
        let attempt = server.attempts(id).await.remove(0);
        assert!(attempt.state.is_active(), "{:?}", attempt.state);
        assert!(customer.decide(&attempt.id.to_string(), "approve").await.status.as_u16() < 400);
        until("it is paid", async || server.session(id).await.state == State::Paid).await;
    }
}
