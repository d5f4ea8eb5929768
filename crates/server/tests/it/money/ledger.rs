//! The vendors' money, from the customer's click to the sealed history.

use crate::{
    money::decisions::Operator,
    support::{Server, Vendor, until},
};
use serde_json::json;
use std::time::Duration;
use till_domain::{audit::AuditEvent, hash_chain::NOTHING, ledger::follow, money::Currency, session::State};
use till_store::{AuditFilter, Ledger, StoredEntry, Wallet};

const HOUR: Duration = Duration::from_secs(3_600);

fn books(server: &Server) -> Ledger<'_> {
    server.live.store.ledger().expect("live keeps books")
}

async fn wallet(server: &Server, vendor: &Vendor) -> Wallet {
    let rub = Currency::parse("RUB").expect("a currency");
    books(server).wallet(vendor.id, rub).await.expect("a wallet")
}

/// The postings of a session, a line each.
async fn postings(server: &Server, id: &str) -> Vec<String> {
    let session = server.session(id).await.id;
    let entries = books(server).entries_of(session).await.expect("entries");
    let line = |stored: &StoredEntry| {
        let heading = stored.entry.heading().clone();
        let lines = stored.entry.postings().iter();
        lines.map(|p| format!("{} {} {}", heading.kind.as_str(), p.account, p.amount)).collect::<Vec<_>>()
    };
    entries.iter().flat_map(line).collect()
}

/// A live session of 4990.00 RUB that was paid by card.
async fn paid(server: &Server, vendor: &Vendor) -> String {
    let id = server.shop("live", vendor).await.order("A-1").await;
    assert_eq!(server.customer().pay(&id, "card").await.status, 303);
    let attempt = server.attempts(&id).await.remove(0).id.to_string();
    server.customer().decide(&attempt, "approve").await;
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i4_a_payment_is_booked_with_its_fee_settles_and_is_sealed() {
    let server = Server::start().await;
    let (vendor, operator) = (server.vendor().await, Operator(&server));
    let id = vendor.id.to_string();
    let fee = ["--method", "card", "--currency", "RUB", "--percent", "2.5", "--fixed", "10.00"];
    operator.run(&[&["vendor", "fee", &id], &fee[..]].concat()).expect("a fee");
    operator.run(&["vendor", "delay", &id, "2d"]).expect("a delay");
    let session = paid(&server, &vendor).await;
    let booked = ["payment clearing:simulator -499000", "payment pending 485525", "payment fees 13475"];
    assert_eq!(postings(&server, &session).await, booked);
    let before = wallet(&server, &vendor).await;
    assert_eq!((before.available.minor, before.pending.minor), (0, 485_525));
    server.later(47 * HOUR);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(wallet(&server, &vendor).await, before, "not before its time");
    server.later(HOUR);
    until("it settles", async || wallet(&server, &vendor).await.pending.minor == 0).await;
    assert_eq!(wallet(&server, &vendor).await.available.minor, 485_525);
    let settled = ["settlement pending -485525", "settlement available 485525"];
    assert_eq!(postings(&server, &session).await, [&booked[..], &settled].concat());
    until("history is sealed", async || books(&server).unsealed_count().await.expect("a count") == 0).await;
    let history = books(&server).sealed_after(0, 100).await.expect("history");
    let history: Vec<_> = history.into_iter().map(|s| (s.entry, s.seal.expect("sealed"))).collect();
    assert_eq!(history.len(), 2);
    assert!(follow(NOTHING, history.iter().map(|(entry, seal)| (entry, seal))).is_ok());
    assert_eq!(wallet(&server, &vendor).await.available.minor, 485_525, "the same when it is carried");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_terms_a_payment_is_available_at_once() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let session = paid(&server, &vendor).await;
    let booked = ["payment clearing:simulator -499000", "payment available 499000"];
    assert_eq!(postings(&server, &session).await, booked);
    let delayed = Server::with(&[("TILL_SETTLEMENT_DELAY", "1h")]).await;
    let vendor = delayed.vendor().await;
    paid(&delayed, &vendor).await;
    assert_eq!(wallet(&delayed, &vendor).await.pending.minor, 499_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p14_late_money_waits_in_suspense_and_goes_to_the_wallet_when_it_is_accepted() {
    for (decision, expected) in
        [("accept", "accepted available 499000"), ("refund", "refund clearing:simulator 499000")]
    {
        let server = Server::start().await;
        let vendor = server.vendor().await;
        let id = server.shop("live", &vendor).await.order("A-1").await;
        assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
        let attempt = server.attempts(&id).await.remove(0).id.to_string();
        server.later(HOUR);
        until("it expires", async || server.session(&id).await.state == State::Expired).await;
        server.customer().decide(&attempt, "pay_exact").await;
        until("it is seen", async || {
            server.later(Duration::from_secs(60));
            !postings(&server, &id).await.is_empty()
        })
        .await;
        let held = ["suspense clearing:simulator -499000", "suspense suspense 499000"];
        assert_eq!(postings(&server, &id).await, held);
        assert_eq!(wallet(&server, &vendor).await.available.minor, 0, "it is nobody's yet");
        let operator = Operator(&server);
        let action = operator.list(&["action", "list"]).remove(0)["action_id"].clone();
        let action = action.as_str().expect("an id").to_owned();
        let shown = operator.run(&["action", "show", &action]).expect("shown");
        assert_eq!(shown["held"], "4990.00 RUB");
        let words = ["action", "resolve", &action, decision, "--by-hand"];
        let words = if decision == "refund" { &words[..] } else { &words[..4] };
        operator.run(words).expect("decided");
        operator.run(words).expect_err("once");
        let moved = [
            format!("{} suspense -499000", expected.split(' ').next().expect("a word")),
            expected.to_owned(),
        ];
        assert_eq!(postings(&server, &id).await[2..], moved);
        let available = wallet(&server, &vendor).await.available.minor;
        assert_eq!(available, if decision == "accept" { 499_000 } else { 0 });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fees_are_set_listed_and_removed_by_the_operator() {
    let server = Server::start().await;
    let (vendor, operator) = (server.vendor().await, Operator(&server));
    let id = vendor.id.to_string();
    let run = |arguments: &[&str]| operator.run(&[&["vendor", "fee", &id], arguments].concat());
    assert_eq!(run(&[]).expect("a list")["fees"], json!([]));
    for (arguments, because) in [
        (&["--method", "card"][..], "nothing to set"),
        (&["--method", "card", "--percent", "101"], "--percent must be a number from 0 to 100"),
        (&["--method", "card", "--percent", "2,5"], "--percent must be"),
        (&["--method", "card", "--fixed", "10.00"], "--fixed needs a currency"),
        (&["--method", "card", "--fixed", "10.001", "--currency", "RUB"], "--fixed must be an amount"),
        (&["--method", "cash", "--percent", "1"], "use card, sbp or crypto"),
        (&["--method", "card", "--percent", "1", "--currency", "ROUBLE"], "currency code"),
        (&["--method", "card", "--remove"], "there is no such fee"),
        (&["--percent", "1"], "--method"),
    ] {
        let refused = run(arguments).expect_err("it is wrong");
        assert!(refused.contains(because), "{arguments:?}: {refused}");
    }
    run(&["--method", "sbp", "--percent", "0.7", "--returned"]).expect("set");
    run(&["--method", "card", "--percent", "2.5", "--fixed", "10", "--currency", "RUB"]).expect("set");
    run(&["--method", "card", "--percent", "3", "--currency", "RUB"]).expect("set anew");
    let listed = run(&[]).expect("a list");
    let words: Vec<_> =
        listed["fees"].as_array().expect("fees").iter().map(|fee| fee["words"].clone()).collect();
    assert_eq!(words, [json!("3 %"), json!("0.7 %")]);
    assert_eq!(
        (&listed["fees"][1]["currency"], &listed["fees"][1]["returned"]),
        (&json!(null), &json!(true))
    );
    run(&["--method", "sbp", "--remove"]).expect("removed");
    assert_eq!(run(&[]).expect("a list")["fees"].as_array().expect("fees").len(), 1);

    let delay = |text: &str| operator.run(&["vendor", "delay", &id, text]);
    delay("36h").expect("set");
    assert_eq!(run(&[]).expect("a list")["settlement_delay"], "36h");
    delay("default").expect("set");
    assert_eq!(run(&[]).expect("a list")["settlement_delay"], json!(null));
    assert!(delay("400d").expect_err("too long").contains("at most a year"));
    let nobody = "01963f2a-0000-7def-8123-0000000000a1";
    let refused = operator.run(&["vendor", "fee", nobody, "--method", "card", "--percent", "1"]);
    assert!(refused.expect_err("nobody").contains("no vendor"));

    let event = Some(AuditEvent::TermsChanged);
    let told = server.accounts.audit(&AuditFilter { event, limit: 50, ..AuditFilter::default() }).await;
    let told = told.expect("a log");
    assert_eq!(told.len(), 6, "what was refused is not told");
    assert!(told.iter().all(|line| line.vendor == Some(vendor.id)));
    assert_eq!(told[5].detail.as_deref(), Some("sbp, every currency: 0.7 %"));
}
