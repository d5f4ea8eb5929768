//! What providers did in the last 24 hours: real calls and notices, on all processes.

use super::detail::{attribute, texts};
use crate::support::{Customer, Person, Server, Shop, Till, until};
use std::{sync::Arc, time::Duration};
use till::workers::{
    activity::ActivityWriter,
    retention::{self, Retention},
};
use till_domain::{
    activity::{CallCounts, LastEvent, ProviderEvent, quarter_of},
    time::Timestamp,
    user::Role,
};
use till_service::cashier::activity;
use till_store::{NodeId, ProviderCalls, ProviderNews};

const LIVE: &str = "/operator/activity/live/simulator";

const HOUR: Duration = Duration::from_secs(3_600);

async fn console() -> (Server, Person) {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

/// Pays a live session by card at the simulated bank, which sends a notice.
async fn pay(server: &Server, shop: &Shop, order: &str) {
    let id = shop.order(order).await;
    let customer = server.customer();
    customer.pay(&id, "card").await;
    customer.decide(&server.attempts(&id).await[0].id.to_string(), "approve").await;
    assert_eq!(shop.status(&id).await.text("status"), "paid");
}

/// The text of an element of the page.
async fn said(olga: &Person, selector: &str) -> String {
    texts(&olga.get(LIVE).await.body, selector).concat()
}

async fn calls(olga: &Person) -> u64 {
    said(olga, "[data-testid=calls]").await.parse().unwrap_or(0)
}

/// Writes calls as another process does: 10 answered and 3 failed, with an error.
async fn other_process(server: &Server) {
    let now = server.clock.now();
    let mut counts = CallCounts::default();
    (0..13).for_each(|number| counts.note(number < 10, Duration::from_millis(700)));
    let (provider, node) = ("simulator".to_owned(), NodeId([7; 16]));
    let calls = ProviderCalls { provider: provider.clone(), quarter: quarter_of(now), node, counts };
    let event = LastEvent { at: now, note: "no answer <in time>".to_owned() };
    let news = ProviderNews { provider, kind: ProviderEvent::Error, event };
    server.live.store.write_provider_activity(&[calls], &[news]).await.expect("a write");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_activity_of_a_provider_is_that_of_all_processes() {
    let (server, mut olga) = console().await;
    assert!(said(&olga, "[data-testid=empty]").await.starts_with("No calls in the last 24 hours"));
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-1").await;
    let own = calls(&olga).await;
    let handle = server.cashier.handles()[0].clone();
    assert_eq!(own, handle.health(server.cashier.uptime()).all.calls, "also before they are written");
    assert!(own >= 2, "it was started and checked: {own}");
    assert_eq!(said(&olga, "[data-testid=no-failures]").await, "No call failed.");
    other_process(&server).await;
    assert_eq!(calls(&olga).await, own + 13);
    assert!(said(&olga, "[data-testid=failures]").await.starts_with('3'));
    assert!(said(&olga, "[data-testid=last-error]").await.contains("no answer <in time>"));
    let page = olga.get(LIVE).await.body;
    assert_eq!(texts(&page, "[data-testid=hours] tbody tr").len(), 24);
    assert_eq!(texts(&page, "[data-testid=plots] svg[role=img]").len(), 3);
    assert!(
        attribute(&page, "[data-testid=plots] svg[role=img]", "aria-label")
            .contains(&format!("{} in total", own + 13))
    );
    let list = olga.get("/operator/providers").await.body;
    assert_eq!(attribute(&list, "[data-testid=activity-live-simulator]", "href"), LIVE);
    assert_eq!(texts(&list, "[data-testid=provider-live-simulator] .spark").len(), 1);
    let sandbox = olga.get("/operator/activity/sandbox/simulator").await;
    assert_eq!((sandbox.status.as_u16(), texts(&sandbox.body, "[data-testid=empty]").len()), (200, 1));
    for unknown in ["/operator/activity/live/nobody", "/operator/activity/nowhere/simulator"] {
        assert_eq!(olga.get(unknown).await.status, 404, "{unknown}");
    }
    server.later(25 * HOUR);
    server.open_browser(&mut olga).await;
    assert!(said(&olga, "[data-testid=empty]").await.starts_with("No calls"), "a day later");
    assert!(said(&olga, "[data-testid=last-error]").await.contains("no answer"), "the last error stays");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_notices_are_shown_with_the_reason_of_a_refusal() {
    let (server, olga) = console().await;
    assert_eq!(said(&olga, "[data-testid=notice-accepted]").await, "None");
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-1").await;
    assert!(said(&olga, "[data-testid=notice-accepted]").await.contains("UTC"));
    assert_eq!(said(&olga, "[data-testid=notice-refused]").await, "None");
    let customer = Customer::new(&server.local);
    assert_eq!(customer.post("/notices/simulator/guess", &[("payment", "x")], &[]).await.status, 404);
    let written = server.live.store.provider_events().await.expect("a read");
    assert!(
        written.iter().all(|news| news.kind != ProviderEvent::NoticeRefused),
        "it cost no write: {written:?}"
    );
    let refused = said(&olga, "[data-testid=notice-refused]").await;
    assert!(refused.contains("UTC") && refused.contains("signature"), "{refused}");
    server.cashier.write_activity().await.expect("a write");
    let stored = activity::stored(&server.live.store, server.clock.now()).await.expect("a read");
    let stored = &stored["simulator"];
    assert!(
        stored.notice_accepted.is_some() && stored.notice_refused.is_some() && stored.last_error.is_none()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_writes_its_totals_again_and_again_and_when_it_stops() {
    let (server, olga) = console().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-1").await;
    let first = calls(&olga).await;
    let rows = async |server: &Server| {
        let rows = server.live.store.provider_calls(Timestamp::from_ms(0)).await.expect("a read");
        (rows.iter().map(|row| row.counts.calls).sum::<u64>(), rows.len())
    };
    for _ in 0..3 {
        server.cashier.write_activity().await.expect("a write");
        assert_eq!(rows(&server).await, (first, 1));
    }
    pay(&server, &shop, "A-2").await;
    let both = calls(&olga).await;
    assert!(both > first);
    let server = server.restart_with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    assert_eq!(rows(&server).await, (both, 1), "what was not written yet was written at the end");
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-3").await;
    server.cashier.write_activity().await.expect("a write");
    let (all, processes) = rows(&server).await;
    assert!(all > both && processes == 2, "{all} by {processes}");
    server.later(7 * 24 * HOUR + HOUR);
    until("old rows are deleted", async || {
        retention::pass(&server.live, Retention::default()).await.expect("a pass");
        rows(&server).await.1 == 0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_store_does_not_take_is_written_a_minute_later() {
    let (server, olga) = console().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-1").await;
    let file = rusqlite::Connection::open(server.folder().join("live.db")).expect("the file opens");
    let refuse = "CREATE TRIGGER no BEFORE INSERT ON provider_calls BEGIN SELECT RAISE(ABORT, 'no'); END";
    file.execute_batch(refuse).expect("a trigger");
    let writer = ActivityWriter::new(Arc::clone(&server.cashier));
    for _ in 0..2 {
        assert_eq!(writer.pass().await.expect("no error"), Duration::from_secs(60));
    }
    let stored = async || {
        let rows = server.live.store.provider_calls(Timestamp::from_ms(0)).await.expect("a read");
        rows.iter().map(|row| row.counts.calls).sum::<u64>()
    };
    let events = async || server.live.store.provider_events().await.expect("a read").len();
    assert_eq!((stored().await, events().await), (0, 0), "all of it or nothing");
    assert!(calls(&olga).await > 0, "the page of this process has them");
    file.execute_batch("DROP TRIGGER no").expect("the trigger is gone");
    writer.pass().await.expect("a pass");
    assert_eq!((stored().await, events().await), (calls(&olga).await, 1), "the notice, too");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_prints_what_the_page_shows() {
    let mut till = Till::new();
    till.set("TILL_SIMULATOR", "on");
    let vendor = till.vendor();
    assert_eq!(till.json(&["provider", "activity"]).as_array().map(Vec::len), Some(0));
    let service = till.serve();
    let mut shop = service.shop("live", &vendor);
    shop.log_in().await;
    let id = shop.order("A-1").await;
    Customer::new(&service.url).pay(&id, "card").await;
    assert!(service.terminate().0.success());
    let told = till.json(&["provider", "activity", "simulator"]);
    let row = &told[0];
    assert_eq!((&row["provider"], &row["environment"]), (&"simulator".into(), &"live".into()));
    assert!(row["calls"].as_u64().is_some_and(|calls| calls > 0) && row["failed"] == 0, "{row}");
    let hours = row["hours"].as_array().expect("hours");
    let sum: u64 = hours.iter().filter_map(|hour| hour["calls"].as_u64()).sum();
    assert_eq!((hours.len(), Some(sum)), (24, row["calls"].as_u64()));
    let text = String::from_utf8(till.run(&["provider", "activity"]).stdout).expect("text");
    assert!(text.starts_with("provider") && text.contains("simulator"), "{text}");
    assert!(till.error(&["provider", "activity", "simulator", "--env", "sandbox"]).contains("--env"));
}
