//! The commands that show what the console shows: status, figures, search, sessions, requests, audit log, wallet, users.

use crate::{
    money::decisions::Operator,
    support::{MASTER_KEY, Server},
};
use serde_json::{Value, json};
use std::{process::Command, time::Duration};
use till_domain::{time::TimeZone, user::Role};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_listed_searched_and_shown() {
    let server = Server::start().await;
    let (vendor, other) = (server.vendor().await, server.vendor().await);
    let (shop, second) = (server.shop("sandbox", &vendor).await, server.shop("sandbox", &other).await);
    let operator = Operator(&server);
    let paid = shop.order("CMD-1").await;
    server.later(Duration::from_secs(1));
    let open = second.order("CMD-2").await;
    shop.simulate(&paid, &json!({ "outcome": "paid" })).await;
    let list = |more: &[&str]| {
        let rows = operator.list(&[&["session", "list", "--env", "sandbox"], more].concat());
        rows.iter().map(|row| row["order_id"].as_str().expect("an order").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&[]), ["CMD-2", "CMD-1"], "of all vendors, newest first");
    assert_eq!(list(&["--limit", "1"]), ["CMD-2"]);
    assert_eq!(list(&["--limit", "0"]).len(), 2);
    assert_eq!(list(&["--vendor", &vendor.id.to_string()]), ["CMD-1"]);
    assert_eq!(list(&["--vendor", &vendor.id.to_string(), "--order", "CMD-1"]), ["CMD-1"]);
    assert_eq!(list(&["--vendor", &vendor.id.to_string(), "--order", "CMD-2"]), Vec::<String>::new());
    let without = operator.run(&["session", "list", "--order", "CMD-1"]).expect_err("of which vendor");
    assert!(without.contains("--vendor"), "{without}");
    assert_eq!(list(&["--status", "pending"]), ["CMD-2"]);
    assert_eq!(list(&["--since", "2099-01-01T00:00:00Z"]), Vec::<String>::new());
    assert_eq!(operator.list(&["session", "list"]), Vec::<Value>::new(), "live has none");
    let reversed = ["session", "list", "--since", "1h", "--until", "2h"];
    assert!(operator.run(&reversed).expect_err("reversed").contains("--until is not after --since"));

    let shown = operator.run(&["session", "show", &paid, "--env", "sandbox"]).expect("a session");
    assert_eq!((&shown["status"], &shown["order_id"]), (&json!("paid"), &json!("CMD-1")));
    for (part, rows) in [("transactions", 1), ("callbacks", 1), ("actions", 0), ("refunds", 0)] {
        assert_eq!(shown[part].as_array().map(Vec::len), Some(rows), "{part}: {shown}");
    }
    let missing = operator.run(&["session", "show", &paid]).expect_err("not in live");
    assert!(missing.contains("--env selects the environment"), "{missing}");

    let search = |text: &str| operator.run(&["search", text]).expect("a search")["hits"].clone();
    let hit = search("CMD-1");
    assert_eq!(hit[0]["show"], json!(format!("till session show {paid} --env sandbox")), "{hit}");
    assert_eq!(search("cmd-").as_array().map(Vec::len), Some(2), "the beginning, of both vendors");
    assert_eq!(search(&open)[0]["found_by"], json!("session"));
    assert_eq!(search("nothing-like-it"), json!([]));
    assert!(operator.run(&["search", " "]).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_users_and_the_audit_log_are_managed_by_commands() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let operator = Operator(&server);
    let id = vendor.id.to_string();
    operator.run(&["vendor", "sandbox", "off", &id]).expect("it is off");
    let mut ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    server.open_browser(&mut ada).await;
    let asked = ada.post("/panel/sandbox/ask", &[("reason", "a new shop")]).await;
    assert_eq!(asked.status, 303, "{}", asked.body);
    let waiting = operator.list(&["request", "list"]);
    assert_eq!((waiting.len(), &waiting[0]["reason"]), (1, &json!("a new shop")));
    let request = waiting[0]["request_id"].as_str().expect("an id").to_owned();
    let long = "x".repeat(501);
    assert!(operator.run(&["request", "dismiss", &request, "--note", &long]).is_err(), "too long");
    operator.run(&["request", "grant", &request]).expect("granted");
    assert!(server.accounts.vendor(vendor.id).await.expect("a read").expect("it exists").sandbox);
    let again = operator.run(&["request", "grant", &request]).expect_err("decided");
    assert!(again.contains("till request list"), "{again}");

    let shown = operator.run(&["user", "show", &ada.email]).expect("a user");
    assert_eq!((&shown["role"], &shown["audit"][0]["by"]), (&json!("vendor_admin"), &json!(ada.email)));
    assert!(!server.accounts.logins(ada.id).await.expect("a read").is_empty());
    operator.run(&["user", "logout", &ada.email]).expect("logged out");
    assert_eq!(server.accounts.logins(ada.id).await.expect("a read"), []);
    assert_eq!(ada.get("/panel").await.status, 303, "to the login");

    let entries = operator.list(&["audit", "list", "--vendor", &id, "--limit", "0"]);
    let events: Vec<_> = entries.iter().filter_map(|entry| entry["event"].as_str()).collect();
    assert!(events.contains(&"sandbox_on"), "{events:?}");
    let by_ada = operator.list(&["audit", "list", "--by", &ada.email]);
    assert!(!by_ada.is_empty() && by_ada.iter().all(|entry| entry["by"] == json!(ada.email)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wallet_the_figures_and_the_state_of_the_service_are_printed() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let (operator, id) = (Operator(&server), vendor.id.to_string());
    assert_eq!(operator.run(&["vendor", "wallet", &id]).expect("a wallet"), json!([]));
    let statement = ["vendor", "wallet", &id, "--month", "2026-11", "--currency", "RUB"];
    let statement = operator.run(&statement).expect("a statement");
    assert_eq!((&statement["opening_balance"], &statement["entries"]), (&json!("0.00"), &json!([])));
    for wrong in ["2026-13", "2026-1", "november"] {
        let error = operator.run(&["vendor", "wallet", &id, "--month", wrong, "--currency", "RUB"]);
        assert!(error.expect_err("no month").contains("--month is"), "{wrong}");
    }
    let shop = server.shop("sandbox", &vendor).await;
    for outcome in ["paid", "paid", "failed"] {
        let session = shop.order("F-1").await;
        shop.simulate(&session, &json!({ "outcome": outcome })).await;
    }
    let today = TimeZone::utc().day_of(server.clock.now());
    let figures = ["figures", "--env", "sandbox", "--vendor", &id, "--days", "1", "--to", &today];
    let figures = operator.list(&figures);
    let [day] = figures.as_slice() else { panic!("{figures:?}") };
    assert_eq!((&day["paid"], &day["failed"], &day["volume"]), (&json!(2), &json!(1), &json!(null)));

    let waiting = operator.run(&["action", "figures"]).expect("figures");
    assert_eq!((&waiting["open"], &waiting["oldest_open_s"]), (&json!(0), &json!(null)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_status_names_what_is_wrong_and_the_exit_code_says_so() {
    let server = Server::start().await;
    let status = |simulator: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
        command.env_clear().env("TILL_DATA_DIR", server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
        let output = command.env("TILL_SIMULATOR", simulator).args(["status", "--json"]).output();
        let output = output.expect("the binary runs");
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let no_provider = |status: &Value| status["problems"].to_string().contains("no provider is turned on");
    let (code, without) = status("off");
    assert!(code == Some(1) && without["ok"] == json!(false) && no_provider(&without), "{without}");
    let (code, with) = status("on");
    assert!(!no_provider(&with), "{with}");
    assert_eq!(code == Some(0), with["problems"] == json!([]), "{with}");
    assert_eq!(with["waiting"]["actions"], json!(0));
    let queues = with["queues"].as_array().expect("a list");
    assert!(queues.iter().any(|queue| queue["queue"] == json!("settlements")), "{queues:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_ends_a_pending_session_by_a_command() {
    let server = Server::at(till_store::Clock::System.now(), &[]).await;
    let vendor = server.vendor().await;
    let operator = Operator(&server);
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let open = shop.order("CMD-1").await;
        if environment == "live" {
            assert_eq!(server.customer().pay(&open, "card").await.status, 303);
        }
        let expire = |id: &str| operator.run(&["session", "expire", id, "--env", environment]);
        assert_eq!(expire(&open).expect("a session")["status"], json!("expired"));
        assert_eq!(shop.status(&open).await.text("status"), "expired");
        assert_eq!(expire(&open).expect("a session")["status"], json!("expired"), "again");
        let mut lines = operator.list(&["audit", "list"]);
        lines.retain(|line| line["event"] == json!("session_expired"));
        lines.retain(|line| line["detail"] == json!(format!("{environment} session {open}")));
        assert_eq!(lines.len(), 1, "{lines:?}");
    }
    let shop = server.shop("sandbox", &vendor).await;
    let paid = shop.order("CMD-2").await;
    shop.simulate(&paid, &json!({ "outcome": "paid" })).await;
    let refused = operator.run(&["session", "expire", &paid, "--env", "sandbox"]);
    assert!(refused.expect_err("it is paid").contains("no longer pending"));
    let missing = operator.run(&["session", "expire", &paid]).expect_err("not in live");
    assert!(missing.contains("--env selects the environment"), "{missing}");
}
