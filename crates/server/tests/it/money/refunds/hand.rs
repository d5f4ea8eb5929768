//! Refunds that the operator sends by hand, in the console and by command.

use super::{balance, paid, start};
use crate::support::{MASTER_KEY, Server, Shop, until};
use serde_json::{Value, json};
use std::time::Duration;
use till_domain::{
    audit::AuditEvent,
    change::Change,
    fiscal::FiscalSettings,
    id::{RefundId, SessionId},
    ledger::{Account, Terms},
    refund::{ManualTransfer, Refund, RefundState},
    request::RefundRequest,
    user::Role,
};
use till_service::admin::{RefundOrder, Refunder};
use till_store::{AuditFilter, Committed};

/// A refund as of a provider that leaves the sending to the operator. The simulated bank stands for the
/// chain: the transaction that the operator names is "checked" there, and the reason tells the bank how long
/// that takes.
async fn by_hand(server: &Server, session: &str, amount: &str, reason: &str) -> RefundId {
    let id = SessionId::parse(session).expect("an id");
    let session = server.live.store.page_session(id).await.expect("a read").expect("a session");
    let refunder = Refunder { store: &server.live.store };
    let (request, terms) = (RefundRequest::typed(amount, reason), Terms::default());
    let (session, request, terms, fiscal) = (&session, &request, &terms, &FiscalSettings::default());
    let asking = RefundOrder { session, terms, fiscal, request, lines: None, by: "Ada", key: None };
    let (refund, mut changes) = refunder.decide(&asking).await.expect("it is covered");
    let was = refund.version;
    let hand = ManualTransfer { what: "10.88 USDC (Ethereum)".to_owned(), note: None, sent_at: None };
    let waits =
        Refund { state: RefundState::Manual, manual: Some(hand), check_at: None, version: was + 1, ..refund };
    let id = waits.id;
    let inserted = changes.iter().position(|change| matches!(change, Change::InsertRefund(_)));
    let after = inserted.expect("a refund") + 1;
    changes.insert(after, Change::MoveRefund { refund: Box::new(waits), was });
    assert_eq!(server.live.store.commit(&changes).await.expect("a commit"), Committed::Done);
    id
}

fn hash(digits: &str) -> String {
    format!("0x{}", digits.repeat(32))
}

async fn told(server: &Server, deed: AuditEvent) -> Vec<String> {
    let filter = AuditFilter { event: Some(deed), limit: 10, ..AuditFilter::default() };
    let lines = server.accounts.audit(&filter).await.expect("a log");
    lines
        .into_iter()
        .map(|line| format!("{}: {}", line.actor.name, line.detail.unwrap_or_default()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_names_what_was_sent_or_gives_up() {
    let (server, vendor, shop) = start().await;
    server.accounts.set_sandbox(vendor.id, false, &crate::support::entry()).await.expect("stored");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let session = paid(&server, &shop, &Shop::book("A-1")).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let list = "/operator/refunds";
    assert!(olga.get(list).await.body.contains("data-testid=\"empty\""));
    let first = by_hand(&server, &session, "990.00", "simulate slow").await;
    let second = by_hand(&server, &session, "1000.00", "wrong size").await;
    let page = olga.get(list).await.body;
    assert!(page.contains("10.88 USDC (Ethereum)") && page.contains(&format!("refund-{second}")), "{page}");
    let pending = shop.ask_refund(&session, &first.to_string()).await;
    assert_eq!(pending.text("status"), "pending");
    let vic = server.person("vic", Role::VendorViewer, Some(vendor.id)).await;
    assert_eq!(vic.get(list).await.status, 403);
    let own = vic.get(&format!("/panel/sessions/{session}")).await.body;
    assert!(own.contains("data-testid=\"by-hand\""), "the vendor sees how it goes");
    let sent = |id: RefundId| format!("{list}/{id}/sent");
    for wrong in ["", "0x12", "the one of today"] {
        let again = olga.post(&sent(first), &[("transaction", wrong)]).await;
        assert_eq!(again.status, 422, "{wrong}");
        assert!(again.body.contains("aria-invalid=\"true\"") && again.body.contains(wrong), "{wrong}");
    }
    let done = olga.post(&sent(first), &[("transaction", &hash("AB"))]).await;
    assert_eq!(done.header("location"), Some("/operator/refunds?done=hand-sent"));
    let taken = olga.post(&sent(second), &[("transaction", &hash("ab"))]).await;
    assert_eq!(taken.status, 422);
    assert!(taken.body.contains(&hash("ab")) && taken.body.contains("aria-invalid=\"true\""));
    assert_eq!(olga.post(&sent(first), &[("transaction", &hash("cd"))]).await.status, 409);
    for _ in 0..300 {
        if shop.ask_refund(&session, &first.to_string()).await.text("status") == "succeeded" {
            break;
        }
        server.later(Duration::from_millis(500));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let ended = shop.ask_refund(&session, &first.to_string()).await;
    assert_eq!(ended.text("status"), "succeeded");
    let give_up = format!("{list}/{second}/give-up");
    assert_eq!(olga.post(&give_up, &[("reason", " ")]).await.status, 422);
    let done = olga.post(&give_up, &[("reason", "no address of the customer")]).await;
    assert_eq!(done.header("location"), Some("/operator/refunds?done=hand-given-up"));
    let failed = shop.ask_refund(&session, &second.to_string()).await.json();
    assert_eq!(
        (&failed["status"], &failed["failureReason"]),
        (&json!("failed"), &json!("no address of the customer"))
    );
    assert_eq!(balance(&server, &vendor, &Account::Available).await, 400_000, "its money is back");
    assert_eq!(balance(&server, &vendor, &Account::Refunds).await, 0);
    assert_eq!(olga.post(&give_up, &[("reason", "again")]).await.status, 409);
    assert!(olga.get(list).await.body.contains("data-testid=\"empty\""));
    let named = format!("990.00 RUB of session {session}, {}", hash("ab"));
    assert_eq!(told(&server, AuditEvent::RefundSent).await, [format!("olga@shop.example: {named}")]);
    assert_eq!(told(&server, AuditEvent::RefundGivenUp).await.len(), 1);
}

#[tokio::test]
async fn the_operator_does_the_same_at_a_shell() {
    let (server, _, shop) = start().await;
    let session = paid(&server, &shop, &Shop::book("A-1")).await;
    let (first, second) = (
        by_hand(&server, &session, "990.00", "wrong size").await.to_string(),
        by_hand(&server, &session, "1000.00", "").await.to_string(),
    );
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_till"));
        command.env_clear().env("TILL_DATA_DIR", server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
        command.env("TILL_SIMULATOR", "on");
        let output = command.args(arguments).arg("--json").output().expect("the binary runs");
        match output.status.success() {
            true => Ok(serde_json::from_slice::<Value>(&output.stdout).expect("JSON")),
            false => Err(String::from_utf8(output.stderr).expect("text")),
        }
    };
    let waiting = run(&["refund", "list", "--by-hand"]).expect("a list");
    assert_eq!(waiting.as_array().map(Vec::len), Some(2));
    assert_eq!(
        waiting[0]["by_hand"],
        json!({
            "what": "10.88 USDC (Ethereum)", "waits": true, "note": null, "sent_at": null
        })
    );
    let refused = run(&["refund", "sent", &first, "--transaction", "0x12"]).expect_err("no hash");
    assert!(refused.contains("64 hex digits"), "{refused}");
    let given = run(&["refund", "give-up", &second, "--reason", "no address"]).expect("done");
    assert_eq!((&given["status"], &given["failure_reason"]), (&json!("failed"), &json!("no address")));
    let again = run(&["refund", "sent", &second, "--transaction", &hash("ab")]).expect_err("it is over");
    assert!(again.contains("has already failed"), "{again}");
    let sent = run(&["refund", "sent", &first, "--transaction", &hash("ab")]).expect("done");
    assert_eq!((&sent["status"], &sent["reference"]), (&json!("pending"), &json!(hash("ab"))));
    // The command uses the machine's clock, and the service that of the test.
    server.later(Duration::from_secs(60 * 60 * 24 * 365));
    until("sent", async || {
        let listed = run(&["refund", "list", "--session", &session]).expect("a list");
        let own = listed.as_array().and_then(|all| all.iter().find(|one| one["refund_id"] == *first));
        own.is_some_and(|own| own["status"] == "succeeded")
    })
    .await;
    assert_eq!(run(&["refund", "list", "--by-hand"]).expect("a list"), json!([]));
}
