//! Fiscal receipts (54-FZ) at YooKassa: they go with the payment and the refund, closing ones are made, and each registration is
//! followed to its end. The stand-in refuses what the documentation does not allow, down to the sum of the lines.

use super::*;
use crate::{
    operations::doctor,
    support::{Answer, Till},
};
use reqwest::Method;
use till::app::next_due;
use till_domain::{
    audit::Actor,
    fiscal::{Buyer, FiscalKind, FiscalPolicy, FiscalReceipt, FiscalSettings, ReceiptStatus},
    transaction::{ActionKind, Resolution},
    user::Role,
};
use till_service::admin::{CustomerLookup, LookupBounds};

/// A shop that makes fiscal receipts, and a vendor who sends them.
async fn start(registration: &str) -> World {
    start_on(Engine::Embedded, registration).await
}

async fn start_on(engine: Engine, registration: &str) -> World {
    with_receipts(World::on(engine, &[("TILL_OPERATOR_TOTP", "off")]).await, registration).await
}

async fn with_receipts(world: World, registration: &str) -> World {
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

on_both_engines! {
    receipts_go_with_the_payment_the_hand_over_and_the_refund
}

async fn receipts_go_with_the_payment_the_hand_over_and_the_refund(engine: Engine) {
    let world = start_on(engine, "succeeded").await;
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

/// How many closing receipts YooKassa has.
async fn closings(world: &World) -> usize {
    world.fake.look("truth").await["receipts"].as_array().map_or(0, Vec::len)
}

/// The notes of all actions, the newest first, and whether each is decided.
async fn notes(world: &World) -> Vec<(String, Option<Resolution>)> {
    let all = world.actions().await.into_iter();
    all.map(|stored| {
        let note = stored.action.finding.map(|finding| finding.note).unwrap_or_default();
        (note, stored.decided.map(|(resolution, ..)| resolution))
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closing_receipt_is_found_when_its_key_is_forgotten() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    // It is made, the answer is lost, and for more than a day nothing is heard.
    world.fake.fault("receipt_create", "hang_up_after", 1).await;
    assert_eq!(close(&world, &id).await.status, 201);
    until("it is made", async || closings(&world).await == 1).await;
    world.fake.does("fault", json!({ "on": "receipts", "kind": "500", "times": 1_000 })).await;
    for _ in 0..30 {
        world.later(Duration::from_secs(3_600)).await;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    world.fake.does("heal", json!({})).await;
    let known =
        async || receipt(&world, &id, FiscalKind::Closing).await.is_some_and(|one| one.reference.is_some());
    world.later_until("it is found", Duration::from_secs(1_800), known).await;
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    assert_eq!(closings(&world).await, 1, "a second one would state the hand-over twice");
    assert!(world.actions().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closing_receipt_that_the_shop_may_not_make_is_repeated_until_it_may() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    world.fake.does("settings", json!({ "fiscalization": false })).await;
    assert_eq!(close(&world, &id).await.status, 201);
    until("it is reported", async || !world.actions().await.is_empty()).await;
    world.later(Duration::from_secs(600)).await;
    let reported = notes(&world).await;
    let [(note, None)] = reported.as_slice() else { panic!("one open action: {reported:?}") };
    assert!(note.contains("permissions") && note.contains("repeats"), "{note}");
    let blocked = receipt(&world, &id, FiscalKind::Closing).await.expect("a receipt");
    assert_eq!(blocked.status, ReceiptStatus::Pending);
    world.fake.does("settings", json!({ "fiscalization": true })).await;
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Registered).await;
    let reported = notes(&world).await;
    assert!(matches!(reported.as_slice(), [(_, Some(Resolution::Dismiss))]), "{reported:?}");
    assert_eq!(closings(&world).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closing_receipt_that_is_refused_is_made_by_hand() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    world.fake.does("settings", json!({ "receipt_items": 0 })).await;
    assert_eq!(close(&world, &id).await.status, 201);
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Failed).await;
    let reported = notes(&world).await;
    let [(note, None)] = reported.as_slice() else { panic!("one open action: {reported:?}") };
    assert!(note.contains("make it in the account of the till") && note.contains("items"), "{note}");
    assert_eq!(closings(&world).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closing_receipt_of_an_erased_customer_is_not_sent_and_made_by_hand() {
    let world = start("succeeded").await;
    let id = paid(&world, "A-1", &ann()).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    world.later(10 * MINUTE).await;
    let server = &world.server;
    let stores = [&server.live.store, &server.sandbox.store];
    let lookup = CustomerLookup { address: "ann@mail.example", accounts: &server.accounts, stores };
    let erased = async || {
        receipt(&world, &id, FiscalKind::Payment)
            .await
            .is_some_and(|one| one.content.buyer == Buyer::default())
    };
    let record = lookup.record(LookupBounds::default(), |_| ()).await.expect("a read");
    lookup.erase(&Actor::shell(), &record, None, |_| ()).await.expect("an erasure");
    world.later_until("it is erased", Duration::from_secs(600), erased).await;
    assert_eq!(close(&world, &id).await.status, 201);
    becomes(&world, &id, FiscalKind::Closing, ReceiptStatus::Failed).await;
    let reported = notes(&world).await;
    let [(note, None)] = reported.as_slice() else { panic!("one open action: {reported:?}") };
    assert!(note.contains("erased") && note.contains("make it in the account of the till"), "{note}");
    assert!(world.fake.keys("receipt_create").await.is_empty(), "no request that can only be refused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_money_has_receipts_in_and_out() {
    let world = World::with(&[("TILL_OPERATOR_TOTP", "off"), ("TILL_REFUND_LATE", "on")]).await;
    let world = with_receipts(world, "succeeded").await;
    let id = world.shop.create(&order("A-1", &ann())).await.text("session_id");
    assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 303);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.later(10 * MINUTE).await;
    world.reaches(&id, State::Expired).await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    becomes(&world, &id, FiscalKind::Refund, ReceiptStatus::Registered).await;
    let [payment, refund] = [FiscalKind::Payment, FiscalKind::Refund].map(|kind| receipt(&world, &id, kind));
    let (payment, refund) = (payment.await.expect("a receipt"), refund.await.expect("a receipt"));
    assert_eq!((&refund.content, refund.total), (&payment.content, payment.total));
    assert_eq!(
        world.fake.look("truth").await["refunds"][0]["receipt"],
        Value::Null,
        "the till has the lines"
    );
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_till_that_sends_to_phones_needs_no_address() {
    let by_phone = "receipt_contacts = [\"email\", \"phone\"]\n";
    let world = World::with_setup(by_phone, &[("TILL_OPERATOR_TOTP", "off")]).await;
    let world = with_receipts(world, "succeeded").await;
    world.fake.does("settings", json!({ "receipt_needs_email": false })).await;
    let phone = json!({ "phone": "+79000000000" });
    let unpaid = world.shop.create(&order("A-0", &phone)).await.text("session_id");
    let page = world.server.customer().get(&format!("/session/{unpaid}"), &[]).await.body;
    assert!(!page.contains(r#"id="email-sbp""#), "nothing is asked: {page}");
    let id = paid(&world, "A-1", &phone).await;
    becomes(&world, &id, FiscalKind::Payment, ReceiptStatus::Registered).await;
    let payments = world.fake.look("truth").await["payments"].clone();
    assert_eq!(payments[0]["receipt"]["customer"], json!({ "phone": "79000000000" }));
    // With neither, the law still wants one.
    let bare = world.shop.create(&order("A-2", &Value::Null)).await.text("session_id");
    assert_eq!(world.server.customer().pay(&bare, "card").await.status, 422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_warns_of_vendors_without_receipts() {
    let fake = Fake::start(KEY);
    fake.does("settings", json!({ "fiscalization": true })).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("yookassa.toml");
    fs::write(&file, fake.document(KEY, TOKEN, "")).expect("a file");
    let mut till = Till::new();
    let vendor = till.vendor()["vendor_id"].as_str().expect("an id").to_owned();
    till.set("TILL_YOOKASSA_FILE", &file.display().to_string());
    let diagnosis = doctor::check(&till, "yookassa", "warning", "54-FZ");
    let yookassa: Vec<_> = diagnosis["checks"].as_array().expect("checks").iter().collect();
    let failed = yookassa.iter().filter(|check| check["name"] == "yookassa" && check["verdict"] == "failed");
    assert_eq!(failed.count(), 0, "{diagnosis:#}");
    for policy in ["accept", "required"] {
        assert!(till.run(&["vendor", "set", &vendor, "--fiscal", policy]).status.success());
        let diagnosis = doctor::check(&till, "yookassa", "warning", "test key");
        assert!(!diagnosis.to_string().contains("54-FZ"), "{diagnosis:#}");
    }
}
