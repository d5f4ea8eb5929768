//! Fiscal receipts (54-FZ) at YooKassa: they go with the payment and the refund, closing ones are made, and each registration is
//! followed to its end. The stand-in refuses what the documentation does not allow, down to the sum of the lines.

use super::*;
use crate::support::Answer;
use reqwest::Method;
use till::app::next_due;
use till_domain::{
    fiscal::{FiscalKind, FiscalPolicy, FiscalReceipt, FiscalSettings, ReceiptStatus},
    transaction::ActionKind,
    user::Role,
};

/// A shop that makes fiscal receipts, and a vendor who sends them.
async fn start(registration: &str) -> World {
    let world = World::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    world.fake.does("settings", json!({ "fiscalization": true, "registration": registration })).await;
    let fiscal = FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    world.server.set_fiscal(&world.vendor, fiscal).await;
    world
}

fn atlases(quantity: &str) -> Value {
    json!([{ "name": "Атлас", "quantity": quantity, "price": "2400.00", "vat": "22/122", "mode": "full_prepayment" }])
}

/// An order of 4990.00: two atlases, paid before the hand-over, and the packing.
fn order(number: &str, customer: &Value) -> Value {
    let mut body = Shop::book(number);
    let mut items = atlases("2");
    let packing =
        json!({ "name": "Упаковка", "quantity": "0.5", "price": "380", "vat": 22, "subject": "service" });
    items.as_array_mut().expect("lines").push(packing);
    body["receipt"] = json!({ "tax_system": "usn_income", "items": items, "customer": customer });
    body
}

fn ann() -> Value {
    json!({ "email": "ann@mail.example" })
}

/// A paid session with a receipt for this customer.
async fn paid(world: &World, number: &str, customer: &Value) -> String {
    let id = world.shop.create(&order(number, customer)).await.text("session_id");
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 303);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    id
}

async fn receipt(world: &World, id: &str, kind: FiscalKind) -> Option<FiscalReceipt> {
    let id = world.server.session(id).await.id;
    let all = world.server.live.store.fiscal_receipts_of(id).await.expect("a read");
    all.into_iter().find(|receipt| receipt.kind == kind)
}

/// Advances time until a receipt has this status.
async fn becomes(world: &World, id: &str, kind: FiscalKind, status: ReceiptStatus) {
    let holds = async || receipt(world, id, kind).await.is_some_and(|receipt| receipt.status == status);
    world.later_until(status.as_str(), Duration::from_secs(2), holds).await;
}

async fn close(world: &World, id: &str) -> Answer {
    let (url, bearer) = (format!("{}/{id}/receipts", world.shop.sessions()), world.shop.bearer());
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    world.shop.send(Method::POST, &url, &headers, br#"{"type":"closing"}"#.to_vec()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receipts_go_with_the_payment_the_hand_over_and_the_refund() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    assert_eq!(world.shop.status(&id).await.text("receiptStatus"), "registered");
    let sent = world.fake.look("truth").await["payments"][0]["receipt"].clone();
    assert_eq!(
        sent,
        json!({
            "customer": { "email": "ann@mail.example" },
            "items": [
                {
                    "description": "Атлас", "quantity": 2, "amount": { "value": "2400.00", "currency": "RUB" },
                    "vat_code": 12, "payment_mode": "full_prepayment", "payment_subject": "commodity", "measure": "piece",
                },
                {
                    "description": "Упаковка", "quantity": 0.5, "amount": { "value": "380.00", "currency": "RUB" },
                    "vat_code": 11, "payment_mode": "full_payment", "payment_subject": "service", "measure": "piece",
                },
            ],
            "internet": true,
            "tax_system_code": 2,
        })
    );

    let part = json!({ "amount": "2400", "receipt": { "items": atlases("1") } });
    assert_eq!(world.shop.refund(&id, &part, &[]).await.status, 201);
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Registered).await;
    let returned = world.fake.look("truth").await["refunds"][0]["receipt"].clone();
    assert_eq!((&returned["items"][0]["quantity"], &returned["customer"]), (&json!(1), &sent["customer"]));

    let closed = close(&world, &id).await;
    assert_eq!(
        (closed.status.as_u16(), closed.text("status")),
        (201, "pending".to_owned()),
        "{}",
        closed.body
    );
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    assert_eq!(close(&world, &id).await.text("status"), "registered");
    let made = world.fake.look("truth").await["receipts"].clone();
    assert_eq!(made.as_array().map(Vec::len), Some(1), "once: {made}");
    assert_eq!(made[0]["settlements"][0]["amount"]["value"], "2400.00", "one atlas came back");
    assert_eq!(
        (&made[0]["items"][0]["payment_mode"], &made[0]["items"][0]["vat_code"]),
        (&json!("full_payment"), &json!(11))
    );
    assert!(world.actions().await.is_empty());
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_refund_has_the_receipt_of_the_payment() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    assert_eq!(world.shop.refund(&id, &json!({}), &[]).await.status, 201);
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Registered).await;
    assert_eq!(world.fake.look("truth").await["refunds"][0]["receipt"], Value::Null);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_refund_after_the_hand_over_returns_what_was_handed_over() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    assert_eq!(close(&world, &id).await.status, 201);
    assert_eq!(world.shop.refund(&id, &json!({}), &[]).await.status, 201);
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Registered).await;
    let returned = world.fake.look("truth").await["refunds"][0]["receipt"].clone();
    let modes: Vec<_> =
        returned["items"].as_array().expect("lines").iter().map(|item| &item["payment_mode"]).collect();
    assert_eq!(modes, ["full_payment", "full_payment"]);
    assert_eq!(returned["customer"], json!({ "email": "ann@mail.example" }));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_that_the_vendor_sends_with_a_full_refund_is_sent() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    let items = order("A-1", &ann())["receipt"]["items"].clone();
    let receipt = json!({ "items": items, "customer": { "email": "bob@mail.example" } });
    assert_eq!(world.shop.refund(&id, &json!({ "receipt": receipt }), &[]).await.status, 201);
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Registered).await;
    let returned = world.fake.look("truth").await["refunds"][0]["receipt"].clone();
    assert_eq!(returned["customer"], json!({ "email": "bob@mail.example" }));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_that_is_not_registered_needs_a_correction() {
    let world = start("pending").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Pending).await;
    world.later(Duration::from_secs(1_200)).await;
    // A clock that is moved by hand stops at the next question.
    let next = next_due(&world.server.live.store).await.expect("a read").expect("something is due");
    let check = receipt(&world, &id, FiscalKind::Payment).await.and_then(|receipt| receipt.check_at);
    assert!(next <= check.expect("it is asked again"), "{next}");
    assert_eq!(world.shop.status(&id).await.text("receiptStatus"), "pending");
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("register", json!({ "number": payment, "status": "canceled" })).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Failed).await;
    let status = world.shop.status(&id).await;
    assert_eq!(
        (status.text("status"), status.text("receiptStatus")),
        ("paid".to_owned(), "failed".to_owned())
    );
    let [needed] = world.actions().await.try_into().expect("one action");
    let finding = needed.action.finding.expect("a finding");
    assert_eq!(
        (needed.action.kind, finding.amount.map(|amount| amount.minor)),
        (ActionKind::Difference, Some(PRICE))
    );
    assert!(
        finding.note.contains("correction receipt") && finding.note.contains("yookassa"),
        "{}",
        finding.note
    );
    let olga = world.server.person("olga", Role::Operator, None).await;
    let page = olga.get(&format!("/operator/sessions/live/{id}")).await.body;
    assert!(page.contains(r#"data-testid="fiscal-correction""#), "{page}");
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registration_that_takes_three_days_has_failed() {
    let world = start("pending").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Pending).await;
    world.server.later(Duration::from_secs(3 * 24 * 3_600));
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Failed).await;
    let failure = receipt(&world, &id, FiscalKind::Payment).await.and_then(|receipt| receipt.failure);
    assert!(failure.expect("a reason").contains("3 days"));
    assert_eq!(world.actions().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_delays_a_registration_and_loses_nothing() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    world.fake.fault("payment", "500", 3).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    // A closing receipt whose answer is lost is made once.
    world.fake.fault("receipt_create", "hang_up_after", 1).await;
    assert_eq!(close(&world, &id).await.status, 201);
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    assert_eq!(world.fake.look("truth").await["receipts"].as_array().map(Vec::len), Some(1));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_asks_for_the_address_that_the_receipt_needs() {
    let world = start("succeeded").await;
    for (number, customer) in [("A-1", Value::Null), ("A-2", json!({ "phone": "+79000000000" }))] {
        let id = world.shop.create(&order(number, &customer)).await.text("session_id");
        let customer = world.server.customer();
        let path = format!("/session/{id}");
        let page = customer.get(&path, &[]).await.body;
        assert!(page.contains(r#"id="email""#) && page.contains(r#"id="email-sbp""#), "{page}");
        for wrong in ["", "ann"] {
            let form = [("method", "sbp"), ("email", wrong)];
            let answer = customer.post(&format!("{path}/pay"), &form, &[]).await;
            assert_eq!(answer.status, 422, "{wrong}");
            assert!(answer.body.contains(r#"id="email-sbp-error""#), "{}", answer.body);
        }
        let form = [("method", "card"), ("email", "typed@mail.example")];
        assert_eq!(customer.post(&format!("{path}/pay"), &form, &[]).await.status, 303);
        let payment = world.attempt(&id).await.reference.expect("a payment");
        world.fake.does("pay", json!({ "payment": payment })).await;
        world.reaches(&id, State::Paid).await;
        becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
        let stored = receipt(&world, &id, FiscalKind::Payment).await.expect("a receipt");
        assert_eq!(stored.content.buyer.email.as_deref(), Some("typed@mail.example"), "for its refunds");
    }
    // A session without a receipt is refused by the shop, and the page says so.
    let id = world.order("A-3").await;
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 502);
    assert_eq!(world.fake.look("truth").await["payments"].as_array().map(Vec::len), Some(2));
}
