//! The operator's commands about money: every movement, and the actions that wait for a decision.

use crate::support::{MASTER_KEY, Server};
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use std::{process::Command, time::Duration};

/// The operator's commands, on the store of a running service.
pub struct Operator<'a>(pub &'a Server);

impl Operator<'_> {
    /// Runs a command, and returns its JSON output or its error message.
    pub fn run(&self, arguments: &[&str]) -> Result<Value, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
        command.env_clear().env("TILL_DATA_DIR", self.0.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
        command.env("TILL_SIMULATOR", "on");
        let output = command.args(arguments).arg("--json").output().expect("the binary runs");
        if output.status.success() {
            Ok(serde_json::from_slice(&output.stdout).expect("JSON"))
        } else {
            Err(String::from_utf8(output.stderr).expect("text"))
        }
    }

    /// The same for a command that prints a list.
    pub fn list(&self, arguments: &[&str]) -> Vec<Value> {
        let listed = self.run(arguments).expect("a list");
        listed.as_array().expect("a list").clone()
    }
}

#[tokio::test]
async fn an_outcome_of_the_sandbox_is_a_transaction_of_the_sandbox_alone() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    for outcome in ["paid", "failed", "expired"] {
        let id = shop.order("A-1").await;
        assert_eq!(shop.simulate(&id, &json!({ "outcome": outcome })).await.text("status"), outcome);
        let listed = Operator(&server).list(&["transaction", "list", "--env", "sandbox", "--session", &id]);
        assert_eq!(listed.len(), usize::from(outcome == "paid"), "{outcome}: {listed:?}");
    }
    let listed = Operator(&server).list(&["transaction", "list", "--env", "sandbox"]);
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["method"], &listed[0]["state"]), (&json!("card"), &json!("captured")));
    assert!(Operator(&server).list(&["transaction", "list"]).is_empty(), "no money has moved in live");
}

/// Begins a payment in coins, and returns the URL of the simulated bank's page.
async fn begin_crypto(http: &reqwest::Client, server: &Server, id: &str) -> String {
    let page = format!("{}/session/{id}", server.url);
    let begun = http
        .post(format!("{page}/pay"))
        .header("sec-fetch-site", "same-origin")
        .body("method=crypto")
        .send()
        .await
        .expect("an answer");
    assert_eq!(begun.status(), 303);
    let html = http.get(&page).send().await.expect("an answer").text().await.expect("a page");
    let (_, rest) = html.split_once("/bank/").expect("a link to the bank");
    format!("{}/bank/{}", server.url, &rest[..36])
}

async fn wait_for(what: &str, mut is: impl AsyncFnMut() -> bool) {
    for _ in 0..500 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what} does not happen");
}

#[tokio::test]
async fn short_and_late_money_waits_for_one_decision() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let mut shop = server.shop("live", &vendor).await;
    let operator = Operator(&server);
    let http = reqwest::Client::builder().redirect(Policy::none()).build().expect("a client");
    let id = shop.order("A-1").await;
    let bank = begin_crypto(&http, &server, &id).await;
    http.post(&bank)
        .header("sec-fetch-site", "same-origin")
        .body("decision=pay_short")
        .send()
        .await
        .expect("an answer");
    // Long past its confirmations and its deadline: the amount is not enough.
    server.later(Duration::from_secs(3 * 60 * 60));
    shop.log_in().await;
    wait_for("the end of the session", async || {
        server.later(Duration::from_secs(1));
        shop.status(&id).await.text("status") == "expired"
    })
    .await;
    let open = operator.list(&["action", "list"]);
    assert_eq!((open.len(), &open[0]["kind"]), (1, &json!("partial")));
    let money = operator.list(&["transaction", "list", "--session", &id]);
    assert_eq!((money.len(), &money[0]["partial"], &money[0]["late"]), (1, &json!(true), &json!(false)));

    // The rest comes after all.
    http.post(&bank)
        .header("sec-fetch-site", "same-origin")
        .body("decision=pay_exact")
        .send()
        .await
        .expect("an answer");
    server.later(Duration::from_secs(60));
    wait_for("the late money", async || {
        server.later(Duration::from_secs(10));
        operator.list(&["action", "list"]).len() == 2
    })
    .await;
    let money = operator.list(&["transaction", "list", "--session", &id]);
    assert_eq!((money.len(), &money[1]["late"]), (2, &json!(true)), "{money:?}");
    assert_eq!(shop.status(&id).await.text("status"), "expired", "what was said stays said");

    let late = operator.list(&["action", "list"]);
    let late = late.iter().find(|action| action["kind"] == "late").expect("a late one");
    let late = late["action_id"].as_str().expect("an id");
    let refused = operator.run(&["action", "resolve", late, "dismiss"]).expect_err("there is money");
    assert!(refused.contains("refund or accept"), "{refused}");
    let decided = operator.run(&["action", "resolve", late, "refund", "--by", "Ada"]).expect("decided");
    assert_eq!((&decided["decision"], &decided["decided_by"]), (&json!("refund"), &json!("Ada")));
    let again = operator.run(&["action", "resolve", late, "accept"]).expect_err("once");
    assert!(again.contains("already resolved"), "{again}");
    assert_eq!(operator.list(&["action", "list"]).len(), 1);
    assert_eq!(operator.list(&["action", "list", "--all"]).len(), 2);
    let shown = operator.run(&["action", "show", late]).expect("shown");
    assert_eq!(shown["money"]["late"], true);
}
