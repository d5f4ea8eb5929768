//! Fiscal receipts (54-FZ) at T-Bank: they go with the payment, the refund and the hand-over, and what became of them is in
//! notices (webhooks), or never said. The fake refuses what the documentation does not allow, down to the sum of the lines.

use super::*;
use crate::support::Answer;
use reqwest::Method;
use till_domain::{
    fiscal::{FiscalKind, FiscalPolicy, FiscalReceipt, FiscalSettings, ReceiptStatus},
    transaction::ActionKind,
};

const TILL: &str = "[receipts]\nffd = \"1.2\"\ntax_system = \"usn_income\"\n";
const SECOND: Duration = Duration::from_secs(1);

/// A terminal with a till, and a vendor who sends receipts.
async fn world(engine: Engine, registration: &str, more: &str) -> World {
    let world = World::set_up(engine, &[], &format!("{TILL}{more}")).await;
    world.fake.does("settings", json!({ "till": "1.2", "registration": registration })).await;
    let fiscal = FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    world.server.set_fiscal(&world.vendor, fiscal).await;
    world
}

fn atlases(quantity: &str) -> Value {
    json!([{ "name": "Атлас", "quantity": quantity, "price": "2400.00", "vat": "22/122", "mode": "full_prepayment" }])
}

/// An order of 4990.00: two atlases, paid before the hand-over, and the packing.
fn order(world: &World, number: &str, customer: &Value) -> Value {
    let mut body = Shop::book(number);
    let mut items = atlases("2");
    let packing =
        json!({ "name": "Упаковка", "quantity": "0.5", "price": "380", "vat": 22, "subject": "service" });
    items.as_array_mut().expect("lines").push(packing);
    body["receipt"] = json!({ "items": items, "customer": customer });
    body["callback_url"] = json!(world.receiver.url(&format!("/{number}")));
    body
}

fn ann() -> Value {
    json!({ "email": "ann@mail.example" })
}

/// A paid session with a receipt.
async fn paid(world: &World, number: &str, method: &str) -> (String, String) {
    let id = world.shop.create(&order(world, number, &ann())).await.text("session_id");
    assert_eq!(world.server.customer().pay(&id, method).await.status, 303);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    (id, payment)
}

async fn receipt(world: &World, id: &str, kind: FiscalKind) -> Option<FiscalReceipt> {
    let id = world.server.session(id).await.id;
    let all = world.server.live.store.fiscal_receipts_of(id).await.expect("a read");
    all.into_iter().find(|receipt| receipt.kind == kind)
}

/// Advances time until a receipt has this status.
async fn becomes(world: &World, id: &str, kind: FiscalKind, status: ReceiptStatus) {
    let holds = async || receipt(world, id, kind).await.is_some_and(|receipt| receipt.status == status);
    world.later_until(status.as_str(), SECOND, holds).await;
}

async fn close(world: &World, id: &str) -> Answer {
    let (url, bearer) = (format!("{}/{id}/receipts", world.shop.sessions()), world.shop.bearer());
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    world.shop.send(Method::POST, &url, &headers, br#"{"type":"closing"}"#.to_vec()).await
}

/// The receipts that the till got: kind and sum.
async fn made(world: &World) -> Vec<(String, i64)> {
    let made = world.fake.look("truth").await["receipts"].clone();
    let of = |one: &Value| {
        (one["type"].as_str().expect("a kind").to_owned(), one["amount"].as_i64().expect("a sum"))
    };
    made.as_array().expect("receipts").iter().map(of).collect()
}

on_both_engines! {
    receipts_go_with_the_payment_the_refund_and_the_hand_over
    a_full_refund_after_the_hand_over_goes_back_and_its_receipt_needs_a_correction
    a_second_payment_has_a_receipt_of_its_own
}

async fn receipts_go_with_the_payment_the_refund_and_the_hand_over(engine: Engine) {
    let world = world(engine, "registered", "").await;
    for method in ["card", "sbp"] {
        let (id, payment) = paid(&world, method, method).await;
        becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
        assert_eq!(world.shop.status(&id).await.text("receiptStatus"), "registered");
        let part = json!({ "amount": "2400", "receipt": { "items": atlases("1") } });
        assert_eq!(world.shop.refund(&id, &part, &[]).await.status, 201);
        let went = async || {
            world.fake.happens("refunded", json!({ "payment": payment })).await;
            receipt(&world, &id, FiscalKind::Refund)
                .await
                .is_some_and(|r| r.status == ReceiptStatus::Registered)
        };
        world.later_until("it went back with its receipt", SECOND, went).await;
        assert_eq!(close(&world, &id).await.status, 201);
        becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    }
    let of = |kind: &str, minor: i64| (kind.to_owned(), minor);
    let each = [of("Income", PRICE), of("IncomeReturn", 240_000), of("Income", 240_000)];
    assert_eq!(made(&world).await, [each.clone(), each].concat());
    let sent = world.fake.calls("Init").await[0]["Receipt"].clone();
    assert_eq!((&sent["Taxation"], &sent["FfdVersion"]), (&json!("usn_income"), &json!("1.2")));
    assert_eq!(sent["Items"][1]["Amount"], 19_000);
    let closing = world.fake.calls("SendClosingReceipt").await[0]["Receipt"]["Items"].clone();
    assert_eq!(
        (&closing[0]["PaymentMethod"], &closing[0]["Tax"], &closing[0]["Amount"]),
        (&json!("full_payment"), &json!("vat22"), &json!(240_000))
    );
    assert!(world.actions().await.is_empty(), "{:?}", world.actions().await);
    world.agrees().await;
}

/// A customer who pays by card, and then the code that T-Bank did not close. The tills of both payments work, or that of the second
/// one has no paper.
async fn a_second_payment_has_a_receipt_of_its_own(engine: Engine) {
    let world = world(engine, "registered", "").await;
    world.fake.does("settings", json!({ "cancel_shown": "refused" })).await;
    for (number, registration) in [("A-1", "registered"), ("A-2", "failed")] {
        let id = world.shop.create(&order(&world, number, &ann())).await.text("session_id");
        assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 303);
        let code = world.attempt(&id).await.reference.expect("a payment");
        assert_eq!(world.server.customer().pay(&id, "card").await.status, 303);
        let card = world.attempt(&id).await.reference.expect("a payment");
        world.fake.does("pay", json!({ "payment": card })).await;
        world.reaches(&id, State::Paid).await;
        becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
        world.fake.does("settings", json!({ "registration": registration })).await;
        world.fake.does("pay", json!({ "payment": code })).await;
        let session = world.server.session(&id).await.id;
        let receipts = async || world.server.live.store.fiscal_receipts_of(session).await.expect("a read");
        let second = async || receipts().await.into_iter().find(|receipt| !receipt.is_of_session());
        let status = if registration == "failed" { ReceiptStatus::Failed } else { ReceiptStatus::Registered };
        let ended = async || second().await.is_some_and(|receipt| receipt.status == status);
        world.later_until("the second one is registered, or is not", SECOND, ended).await;
        let second = second().await.expect("a second receipt");
        assert_eq!((second.kind, second.total.minor), (FiscalKind::Payment, PRICE));
        assert_eq!(second.reference.as_deref(), Some(code.as_str()));
        assert_eq!(second.document.is_some(), registration == "registered");
        let first = receipt(&world, &id, FiscalKind::Payment).await.expect("the first one");
        assert_eq!((first.status, first.reference), (ReceiptStatus::Registered, Some(card)));
        let of = world.actions().await.into_iter().filter(|one| one.action.session == Some(session));
        let notes: Vec<_> = of.filter_map(|one| one.action.finding.map(|found| found.note)).collect();
        let reported = notes.iter().any(|note| note.contains("The fiscal receipt of a second payment"));
        assert_eq!(reported, registration == "failed", "{notes:?}");
        world.fake.does("settings", json!({ "registration": "registered" })).await;
    }
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_refund_has_the_receipt_of_the_payment() {
    let world = world(Engine::Embedded, "registered", "").await;
    let (id, _) = paid(&world, "A-1", "card").await;
    assert_eq!(world.shop.refund(&id, &json!({}), &[]).await.status, 201);
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Registered).await;
    assert!(world.fake.calls("Cancel").await[0].get("Receipt").is_none());
    assert_eq!(made(&world).await[1], ("IncomeReturn".to_owned(), PRICE));
    world.agrees().await;
}

/// T-Bank takes no receipt with a refund of everything, and its till returns the lines of the payment.
async fn a_full_refund_after_the_hand_over_goes_back_and_its_receipt_needs_a_correction(engine: Engine) {
    let world = world(engine, "registered", "").await;
    let (id, _) = paid(&world, "A-1", "card").await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    assert_eq!(close(&world, &id).await.status, 201);
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    assert_eq!(world.shop.refund(&id, &json!({}), &[]).await.status, 201);
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Failed).await;
    let [refund] = world.refunds().await.try_into().expect("one refund");
    assert_eq!((refund.state, refund.amount.minor), (RefundState::Succeeded, PRICE));
    assert!(world.fake.calls("Cancel").await[0].get("Receipt").is_none());
    let receipt = receipt(&world, &id, FiscalKind::Refund).await.expect("a receipt");
    assert!(receipt.failure.expect("a reason").contains("lines of the payment"));
    let [needed] = world.actions().await.try_into().expect("one action");
    let note = needed.action.finding.expect("a finding").note;
    assert!(note.contains("Make a correction receipt"), "{note}");
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_that_is_not_registered_needs_a_correction_and_the_payment_stays_paid() {
    for registration in ["failed", "unconnected"] {
        let world = world(Engine::Embedded, registration, "").await;
        let (id, _) = paid(&world, "A-1", "card").await;
        becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Failed).await;
        let status = world.shop.status(&id).await;
        assert_eq!(
            (status.text("status"), status.text("receiptStatus")),
            ("paid".to_owned(), "failed".to_owned())
        );
        let [needed] = world.actions().await.try_into().expect("one action");
        let finding = needed.action.finding.expect("a finding");
        assert_eq!(
            (needed.action.kind, finding.amount.map(|sum| sum.minor)),
            (ActionKind::Difference, Some(PRICE))
        );
        assert!(finding.note.contains("correction receipt"), "{}", finding.note);
        world.agrees().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_till_that_is_silent_has_failed_after_three_days_unless_silence_is_expected() {
    for (more, status, actions) in
        [("", ReceiptStatus::Failed, 1), ("registration = \"unknown\"\n", ReceiptStatus::Pending, 0)]
    {
        let world = world(Engine::Embedded, "silent", more).await;
        let (id, _) = paid(&world, "A-1", "card").await;
        becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Pending).await;
        world.server.later(Duration::from_secs(3 * 24 * 3_600));
        let over = async || {
            let receipt = receipt(&world, &id, FiscalKind::Payment).await.expect("a receipt");
            receipt.status == status && receipt.check_at.is_none()
        };
        until("the wait is over", over).await;
        assert_eq!(world.actions().await.len(), actions);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_about_a_receipt_that_is_early_or_forged_changes_nothing_and_comes_again() {
    let world = world(Engine::Embedded, "registered", "").await;
    world.fake.does("notify", json!({ "mode": "held" })).await;
    let id = world.shop.create(&order(&world, "A-1", &ann())).await.text("session_id");
    assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 303);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    let number: i64 = payment.parse().expect("a number");
    let members = json!({ "PaymentId": number, "Status": "RECEIPT", "Type": "Income", "ErrorCode": "0", "Amount": PRICE,
        "FnNumber": "8710000101855975", "FiscalDocumentNumber": 118 });
    let forge = async |signed: bool| {
        world.fake.does("forge", json!({ "members": members, "signed": signed })).await;
        let told = world.fake.look("notices").await["told"].clone();
        told.as_array().and_then(|all| all.last()).expect("one")["status"].clone()
    };
    assert_eq!((forge(true).await, forge(false).await), (json!(503), json!(404)), "nothing is paid yet");
    assert_eq!(receipt(&world, &id, FiscalKind::Payment).await.expect("one").status, ReceiptStatus::None);
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.fake.does("release", json!({ "order": "reversed" })).await;
    world.reaches(&id, State::Paid).await;
    assert_eq!(forge(false).await, json!(404));
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Pending).await;
    assert_eq!(forge(true).await, json!(200));
    assert_eq!(
        receipt(&world, &id, FiscalKind::Payment).await.expect("one").status,
        ReceiptStatus::Registered
    );
    assert_eq!(forge(true).await, json!(200), "a second time it is old news");
    assert!(world.actions().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_asks_for_an_address_where_the_receipt_has_none_and_a_phone_number_is_enough() {
    let world = world(Engine::Embedded, "registered", "").await;
    for (number, customer, asked) in
        [("A-1", Value::Null, true), ("A-2", json!({ "phone": "+79000000000" }), false)]
    {
        let id = world.shop.create(&order(&world, number, &customer)).await.text("session_id");
        let (customer, path) = (world.server.customer(), format!("/session/{id}"));
        assert_eq!(customer.get(&path, &[]).await.body.contains(r#"id="email-sbp""#), asked);
        if asked {
            let form = [("method", "card"), ("email", "typed@mail.example")];
            assert_eq!(customer.post(&format!("{path}/pay"), &form, &[]).await.status, 303);
        } else {
            assert_eq!(customer.pay(&id, "card").await.status, 303);
        }
        let sent = world.fake.calls("Init").await.pop().expect("a call")["Receipt"].clone();
        let typed = if asked { json!("typed@mail.example") } else { Value::Null };
        assert_eq!(sent["Email"], typed);
    }
    // A terminal with a till refuses a payment without a receipt, and the page says so.
    let id = world.order("A-3").await;
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 502);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_is_too_long_for_a_receipt_is_asked_for_again() {
    let world = world(Engine::Embedded, "registered", "").await;
    let long = format!("{}@mail.example", "a".repeat(60));
    let mut order = order(&world, "A-1", &Value::Null);
    order["customer_email"] = json!(long);
    let id = world.shop.create(&order).await.text("session_id");
    let (customer, path) = (world.server.customer(), format!("/session/{id}"));
    let page = customer.get(&path, &[]).await.body;
    assert!(page.contains(r#"id="email-sbp""#) && !page.contains(&long), "it is not proposed");
    let form = [("method", "card"), ("email", long.as_str())];
    let refused = customer.post(&format!("{path}/pay"), &form, &[]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("up to 64 characters"), "{}", refused.body);
    assert!(world.fake.calls("Init").await.is_empty());
    let form = [("method", "card"), ("email", "typed@mail.example")];
    assert_eq!(customer.post(&format!("{path}/pay"), &form, &[]).await.status, 303);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hand_over_that_is_not_answered_is_sent_once_and_a_notification_tells_of_it() {
    for (registration, status, actions) in
        [("registered", ReceiptStatus::Registered, 0), ("silent", ReceiptStatus::Failed, 1)]
    {
        let world = world(Engine::Embedded, "registered", "").await;
        let (id, _) = paid(&world, "A-1", "card").await;
        becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
        world.fake.does("settings", json!({ "registration": registration })).await;
        world.fake.fault("SendClosingReceipt", "500_after", 1).await;
        assert_eq!(close(&world, &id).await.status, 201);
        let asked =
            async || receipt(&world, &id, FiscalKind::Closing).await.is_some_and(|r| r.reference.is_some());
        world.later_until("it was sent", SECOND, asked).await;
        if status == ReceiptStatus::Failed {
            world.server.later(Duration::from_secs(3 * 24 * 3_600));
        }
        becomes(&world, &id, FiscalKind::Closing, status).await;
        assert_eq!(made(&world).await.len(), 2, "once");
        let needed = world.actions().await;
        assert_eq!(needed.len(), actions, "{needed:?}");
        for one in needed {
            let note = one.action.finding.expect("a finding").note;
            assert!(note.contains("may not have been made"), "{note}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_blocks_a_hand_over_until_it_is_corrected() {
    let world = world(Engine::Embedded, "registered", "").await;
    let (id, _) = paid(&world, "A-1", "card").await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    world.fake.fault("SendClosingReceipt", "code_204_before", 2).await;
    assert_eq!(close(&world, &id).await.status, 201);
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    let [needed] = world.actions().await.try_into().expect("one action");
    assert!(needed.decided.is_some(), "it is over: {needed:?}");
    assert_eq!(made(&world).await.len(), 2, "once");
}

/// What becomes of a receipt is not asked of T-Bank, so no check of one says that T-Bank answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_of_a_receipt_that_makes_no_request_does_not_close_the_circuit_breaker() {
    let world = world(Engine::Embedded, "silent", "").await;
    let (id, _) = paid(&world, "A-1", "card").await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Pending).await;
    let handle = || {
        let handles = world.server.cashier.handles();
        handles.iter().find(|handle| handle.provider.name() == "tbank").expect("T-Bank").clone()
    };
    let calls = || handle().health(world.server.cashier.uptime()).all.calls;
    let checks = async || receipt(&world, &id, FiscalKind::Payment).await.expect("a receipt").checks;
    let step = 10 * SECOND;
    world.later_until("it was checked", step, async || checks().await > 6).await;
    let (calls, log) = (calls(), world.fake.look("log").await);
    let requests = u64::try_from(log.as_array().expect("a log").len()).expect("a number");
    assert!(calls <= requests, "{calls} calls, and {requests} requests");
}
