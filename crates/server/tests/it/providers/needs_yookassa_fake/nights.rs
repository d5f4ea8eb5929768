//! The nightly reconciliation with YooKassa, as the running service does it by itself.

use super::*;
use till_domain::reconciliation::{RunState, next_night};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_reconciles_in_the_night_after_the_first_payments() {
    let world = World::new().await;
    for order in ["A-1", "A-2"] {
        let (id, payment) = world.paying(order, "card").await;
        world.fake.does("pay", json!({ "payment": payment })).await;
        world.reaches(&id, State::Paid).await;
    }
    let runs = world.server.live.store.reconciliations().expect("live has them");
    assert_eq!(runs.page(None, None, 9).await.expect("a read"), [], "the night has not come");
    let now = world.server.clock.now();
    let night = next_night(Duration::from_secs(2 * 60 * 60), now);
    world.later(night.since(now)).await;
    let made = async || runs.last_night("yookassa", None).await.expect("a read");
    until("the night's run", async || made().await.is_some_and(|run| run.result.state.is_final())).await;
    let run = made().await.expect("a run");
    assert_eq!((run.result.state, run.result.counts.compared), (RunState::Matched, 2), "{run:?}");
    assert_eq!(world.actions().await, []);
}
