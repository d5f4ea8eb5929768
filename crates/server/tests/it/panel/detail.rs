//! The page of one session of a vendor: its timeline, its callback, and who may see it.

use crate::support::{Person, Receiver, Reply, Server, Shop, Vendor, entry, signature, until};
use scraper::{Html, Selector};
use serde_json::{Value, json};
use std::time::Duration;
use till_domain::{
    audit::AuditEvent,
    id::{SessionId, VendorId},
    user::Role,
};
use till_store::AuditFilter;

pub fn texts(body: &str, selector: &str) -> Vec<String> {
    let document = Html::parse_document(body);
    let selector = Selector::parse(selector).expect("a selector");
    let all = document.select(&selector).map(|element| element.text().collect::<String>());
    all.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

pub fn attribute(body: &str, selector: &str, name: &str) -> String {
    let document = Html::parse_document(body);
    let selector = Selector::parse(selector).expect("a selector");
    let found = document.select(&selector).next().and_then(|element| element.attr(name));
    found.unwrap_or_else(|| panic!("no {selector:?} with {name}")).to_owned()
}

pub async fn switch(server: &Server, vendor: VendorId, on: bool) {
    server.accounts.set_sandbox(vendor, on, &entry()).await.expect("stored");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
}

struct Scene {
    server: Server,
    vendor: Vendor,
    receiver: Receiver,
    ada: Person,
}

async fn scene() -> Scene {
    let server =
        Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true"), ("TILL_OPERATOR_TOTP", "off")]).await;
    let (vendor, receiver) = (server.vendor().await, Receiver::start().await);
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    Scene { server, vendor, receiver, ada }
}

impl Scene {
    /// A paid sandbox session whose callback goes to this path of the receiver.
    async fn paid(&self, order: &str, path: &str) -> String {
        let shop = self.server.shop("sandbox", &self.vendor).await;
        let body = json!({ "product_name": "Atlas", "price": "49.90", "currency": "EUR", "order_id": order,
            "callback_url": self.receiver.url(path), "return_url": "https://shop.example/thanks" });
        let id = shop.create(&body).await.text("session_id");
        assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
        id
    }

    async fn state(&self, id: &str) -> String {
        let page = self.ada.get(&format!("/panel/sessions/{id}")).await;
        attribute(&page.body, "[data-testid=delivery]", "data-state")
    }

    async fn wait_for(&self, id: &str, state: &str) {
        until(state, async || self.state(id).await == state).await;
    }

    async fn deeds(&self, deed: AuditEvent) -> usize {
        let filter = AuditFilter { vendor: Some(self.vendor.id), limit: 100, ..AuditFilter::default() };
        let lines = self.server.accounts.audit(&filter).await.expect("a read");
        lines.iter().filter(|line| line.event == deed).count()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_tells_what_happened_to_it_in_order() {
    let scene = scene().await;
    let id = scene.paid("A-1", "/told").await;
    scene.receiver.wait("/told", 1).await;
    scene.wait_for(&id, "delivered").await;
    let page = scene.ada.get(&format!("/panel/sessions/{id}")).await;
    assert_eq!(page.status, 200);
    let steps = texts(&page.body, "[data-testid=timeline] li > div");
    let starts = ["Created", "Paid", "Callback delivered"];
    assert_eq!(steps.len(), starts.len(), "{steps:?}");
    for (step, start) in steps.iter().zip(starts) {
        assert!(step.starts_with(start), "{steps:?}");
    }
    assert_eq!(texts(&page.body, "[data-testid=order-id]"), ["A-1"]);
    assert_eq!(texts(&page.body, "[data-testid=tries] tbody tr").len(), 1);
    assert!(texts(&page.body, "[data-testid=money]").is_empty(), "the sandbox has no money");
    assert!(texts(&page.body, "[data-testid=time-left]").is_empty(), "it is over");
    // The page shows exactly the bytes that were sent, and their signature.
    let sent = &scene.receiver.at("/told")[0];
    let shown = texts_as_they_are(&page.body, "[data-testid=callback-body]");
    assert_eq!(shown.as_bytes(), &sent.body[..]);
    let signed = texts(&page.body, "[data-header=X-Signature]");
    assert_eq!(signed, [signature(&scene.vendor.sandbox.client_secret, &sent.body)]);
    assert_eq!(texts(&page.body, "[data-header=webhook-signature]"), [sent.header("webhook-signature")]);
    for secret in [&scene.vendor.sandbox.client_secret, &scene.vendor.live.client_secret] {
        assert!(!page.body.contains(secret), "secrets stay hidden");
    }
    let curl = texts_as_they_are(&page.body, "[data-testid=curl]");
    assert!(curl.contains("/api/sandbox/vendor/checkout-session") && curl.contains("$TOKEN"), "{curl}");
    let json: Value = serde_json::from_str(
        curl.split("-d '").nth(1).and_then(|rest| rest.strip_suffix('\'')).expect("a body"),
    )
    .expect("json");
    assert_eq!((json["price"].as_str(), json["order_id"].as_str()), (Some("49.90"), Some("A-1")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_tells_when_its_customer_came_and_went() {
    let scene = scene().await;
    let shop = scene.server.shop("sandbox", &scene.vendor).await;
    let body = json!({ "product_name": "Atlas", "price": "49.90", "currency": "EUR", "order_id": "A-2",
        "return_url": "https://shop.example/thanks" });
    let id = shop.create(&body).await.text("session_id");
    let customer = scene.server.customer();
    let page = format!("/sandbox/session/{id}");
    // True if the timeline has exactly these steps.
    let tells = async |starts: &[&str]| {
        let page = scene.ada.get(&format!("/panel/sessions/{id}")).await;
        let steps = texts(&page.body, "[data-testid=timeline] li > div");
        steps.len() == starts.len() && steps.iter().zip(starts).all(|(step, start)| step.starts_with(start))
    };
    scene.server.later(Duration::from_secs(1));
    for _ in 0..2 {
        assert_eq!(customer.get(&page, &[]).await.status, 200);
    }
    until("the look is noted once", || tells(&["Created", "Payment page opened"])).await;
    scene.server.later(Duration::from_secs(1));
    assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
    scene.server.later(Duration::from_secs(5));
    let answer = customer.get(&format!("{page}/return"), &[]).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let whole =
        ["Created", "Payment page opened", "Paid", "Callback not sent", "Customer redirected to the shop"];
    until("the way back is noted", || tells(&whole)).await;
    assert_eq!(customer.get(&format!("/sandbox/session/{}", scene.vendor.id), &[]).await.status, 404);
}

fn texts_as_they_are(body: &str, selector: &str) -> String {
    let document = Html::parse_document(body);
    let selector = Selector::parse(selector).expect("a selector");
    document.select(&selector).next().expect("an element").text().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pending_session_counts_down_and_expires_before_the_eyes() {
    let scene = scene().await;
    let shop = scene.server.shop("sandbox", &scene.vendor).await;
    let id = shop.order("A-1").await;
    let path = format!("/panel/sessions/{id}");
    scene.server.later(Duration::from_secs(60));
    let page = scene.ada.get(&path).await.body;
    assert_eq!(texts(&page, "[data-testid=time-left]"), ["14:00"]);
    assert_eq!(attribute(&page, "[data-testid=time-left]", "data-left"), "840");
    assert_eq!(texts(&page, "[data-testid=no-callback]").len(), 1);
    scene.server.later(Duration::from_secs(900));
    let page = scene.ada.get(&path).await.body;
    assert!(texts(&page, "[data-testid=timeline]")[0].contains("Expired"), "{page}");
    assert_eq!(texts(&page, "[data-testid=no-target]").len(), 1, "there was no address");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_payment_shows_its_method_its_provider_and_its_money() {
    let scene = scene().await;
    let shop = scene.server.shop("live", &scene.vendor).await;
    let id = shop.order("L-1").await;
    let customer = scene.server.customer();
    customer.pay(&id, "card").await;
    let attempt = scene.server.attempts(&id).await[0].id.to_string();
    customer.decide(&attempt, "approve").await;
    let path = format!("/panel/sessions/{id}");
    assert_eq!(scene.ada.get(&path).await.status, 404, "in sandbox mode nothing live is shown");
    switch(&scene.server, scene.vendor.id, false).await;
    until("paid", async || scene.ada.get(&path).await.body.contains("data-testid=\"money\"")).await;
    let page = scene.ada.get(&path).await.body;
    let timeline = &texts(&page, "[data-testid=timeline]")[0];
    for words in ["Card chosen", "At simulator", "Paid"] {
        assert!(timeline.contains(words), "{words}: {timeline}");
    }
    assert!(texts(&page, "[data-testid=money]")[0].contains("Received"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_is_sent_again_or_at_once_and_it_is_written_down_who_asked() {
    let scene = scene().await;
    scene.receiver.answer("/bad", &[Reply::Status(500), Reply::Status(500), Reply::Status(204)]);
    let id = scene.paid("A-1", "/bad").await;
    scene.receiver.wait("/bad", 1).await;
    scene.wait_for(&id, "queued").await;
    let page = scene.ada.get(&format!("/panel/sessions/{id}")).await.body;
    assert_eq!(texts(&page, "[data-testid=next-try]").len(), 1);
    let event = event_of(&scene, &id).await;
    let back = format!("/panel/sessions/{id}");
    let resend = format!("/panel/callbacks/{event}/resend");
    let early = scene.ada.post(&resend, &[("back", &back)]).await;
    assert_eq!(early.header("location"), Some(format!("{back}?done=on-its-way").as_str()), "it has its time");
    let now = format!("/panel/callbacks/{event}/now");
    let sent = scene.ada.post(&now, &[("back", &back)]).await;
    assert_eq!(sent.header("location"), Some(format!("{back}?done=sent-now").as_str()));
    scene.receiver.wait("/bad", 2).await;
    scene.wait_for(&id, "queued").await;
    scene.ada.post(&now, &[]).await;
    scene.receiver.wait("/bad", 3).await;
    scene.wait_for(&id, "delivered").await;
    let again = scene.ada.post(&resend, &[("back", "https://evil.example/")]).await;
    assert_eq!(again.header("location"), Some("/panel/callbacks?done=resent"), "no way out of the panel");
    scene.receiver.wait("/bad", 4).await;
    let all = scene.receiver.at("/bad");
    assert!(all.iter().all(|one| one.body == all[0].body), "always the same bytes");
    assert_eq!(scene.deeds(AuditEvent::CallbackResent).await, 1);
    assert_eq!(scene.deeds(AuditEvent::CallbackHastened).await, 2);
    scene.wait_for(&id, "delivered").await;
    let page = scene.ada.get(&back).await.body;
    let requester = texts(&page, "[data-testid=tries] [data-testid=requester]").concat();
    assert_eq!(requester, scene.ada.email);
    assert!(page.contains(&format!("Manual resend ({})", scene.ada.email)), "also on the timeline");
}

async fn event_of(scene: &Scene, id: &str) -> String {
    let id = SessionId::parse(id).expect("an id");
    scene.server.sandbox.store.callback(id).await.expect("a read").expect("an event").id.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t11_what_belongs_to_another_vendor_is_not_there_and_a_viewer_only_looks() {
    let scene = scene().await;
    let id = scene.paid("A-1", "/told").await;
    scene.receiver.wait("/told", 1).await;
    scene.wait_for(&id, "delivered").await;
    let event = event_of(&scene, &id).await;
    let other = scene.server.vendor().await;
    let eve = scene.server.person("eve", Role::VendorAdmin, Some(other.id)).await;
    assert_eq!(eve.get(&format!("/panel/sessions/{id}")).await.status, 404);
    for act in ["resend", "now"] {
        assert_eq!(eve.post(&format!("/panel/callbacks/{event}/{act}"), &[]).await.status, 404, "{act}");
    }
    for wrong in ["x", "01963f2a-7b1c-7def-8123-456789abcdef"] {
        assert_eq!(scene.ada.get(&format!("/panel/sessions/{wrong}")).await.status, 404);
        assert_eq!(scene.ada.post(&format!("/panel/callbacks/{wrong}/resend"), &[]).await.status, 404);
    }
    let vic = scene.server.person("vic", Role::VendorViewer, Some(scene.vendor.id)).await;
    let page = vic.get(&format!("/panel/sessions/{id}")).await;
    assert_eq!(texts(&page.body, "[data-header=X-Signature]").len(), 1, "viewers check signatures too");
    assert!(texts(&page.body, "main form").is_empty(), "and have no button that fails");
    assert_eq!(vic.post(&format!("/panel/callbacks/{event}/resend"), &[]).await.status, 403);
    assert_eq!(scene.receiver.at("/told").len(), 1);
    assert_eq!(scene.deeds(AuditEvent::CallbackResent).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_is_seen_on_every_page_of_its_session() {
    let scene = scene().await;
    let shop = scene.server.shop("live", &scene.vendor).await;
    let mut body = Shop::book("R-1");
    body["callback_url"] = json!(scene.receiver.url("/refunded"));
    let id = shop.create(&body).await.text("session_id");
    let customer = scene.server.customer();
    customer.pay(&id, "card").await;
    let attempt = scene.server.attempts(&id).await[0].id.to_string();
    customer.decide(&attempt, "approve").await;
    until("paid", async || shop.status(&id).await.text("status") == "paid").await;
    switch(&scene.server, scene.vendor.id, false).await;
    let operator = scene.server.person("olga", Role::Operator, None).await;
    let page = format!("/panel/sessions/{id}");
    for (number, amount, badge, words) in
        [(1, "990.00", "partly-refunded", "Partly refunded"), (2, "4000.00", "refunded", "Refunded")]
    {
        let refund = shop.refund(&id, &json!({ "amount": amount }), &[]).await;
        assert_eq!(refund.status, 201, "{}", refund.body);
        until("the badge changes", async || {
            scene.server.later(Duration::from_millis(500));
            attribute(&scene.ada.get(&page).await.body, "[data-testid=badge]", "data-badge") == badge
        })
        .await;
        let list = scene.ada.get("/panel/sessions").await.body;
        assert!(texts(&list, "[data-testid=rows] td[data-status=paid]")[0].contains(words), "{list}");
        let case = operator.get(&format!("/operator/sessions/live/{id}")).await.body;
        assert!(texts(&case, "[data-testid=status]")[0].contains(words), "{case}");
        scene.receiver.wait("/refunded", number + 1).await;
        let page = scene.ada.get(&page).await.body;
        assert_eq!(texts(&page, "[data-event='session.paid']").len(), 1, "{page}");
        assert_eq!(texts(&page, "[data-event='refund.succeeded']").len(), number, "every event is there");
        assert_eq!(texts(&case, "[data-event='refund.succeeded']").len(), number);
    }
}
