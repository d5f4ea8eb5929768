//! Receipts and the mails about payments, from the payment to a real mail server and to the receipt's page.

use crate::{
    panel::detail::{attribute, texts},
    support::{MailServer, Person, Receiver, Reply, Server, Shop, Vendor, entry, until},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use till::workers::{
    dispatch::{MailContext, PaymentMailer},
    mail::{MailOptions, RETRIES},
};
use till_domain::{
    dispatch::DispatchState,
    id::SessionId,
    money::Money,
    receipt::{Receipt, ReceiptKind},
    time::TimeZone,
    user::Role,
    vendor::SettingsChange,
};
use till_service::mail::{MailSettings, MailTransport, SmtpServer, parse_sender};
use till_store::StoredDispatch;

const FROM: &str = "Касса Till <till@pay.example>";
const CONTACT: &str = "help@halden.example";
const LEASE: Duration = Duration::from_secs(30);

async fn server_with(url: &str, more: &[(&str, &str)]) -> Server {
    let mail = [("TILL_SMTP_URL", url), ("TILL_MAIL_FROM", FROM)];
    Server::with(&[&mail[..], more].concat()).await
}

/// A vendor with a contact address and these settings.
async fn vendor_with(server: &Server, change: SettingsChange) -> Vendor {
    let vendor = server.vendor().await;
    let change = SettingsChange { contact_email: Some(Some(CONTACT.to_owned())), ..change };
    assert!(server.accounts.set_settings(vendor.id, &change, &entry()).await.expect("written"));
    vendor
}

/// Pays a live session of this request, as a customer with this address and language.
async fn pay(server: &Server, vendor: &Vendor, request: &Value, email: &str, language: &str) -> String {
    let shop = server.shop("live", vendor).await;
    let answer = shop.create(request).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let id = answer.text("session_id");
    let customer = server.customer();
    let form = [("method", "card"), ("email", email)];
    let headers = [("accept-language", language)];
    let answer = customer.post(&format!("/session/{id}/pay"), &form, &headers).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    customer.decide(&server.attempts(&id).await[0].id.to_string(), "approve").await;
    id
}

async fn receipts(server: &Server, id: &str) -> Vec<Receipt> {
    server.live.store.receipts_of(SessionId::parse(id).expect("an id")).await.expect("a read")
}

async fn mails(server: &Server, id: &str) -> Vec<StoredDispatch> {
    server.live.store.dispatches_of(SessionId::parse(id).expect("an id")).await.expect("a read")
}

async fn kept(server: &MailServer, count: usize) -> Vec<Value> {
    until(&format!("{count} mails"), async || server.kept().len() >= count).await;
    let kept = server.kept();
    assert_eq!(kept.len(), count, "{kept:#?}");
    kept
}

fn header<'a>(mail: &'a Value, name: &str) -> &'a str {
    mail["headers"][name].as_str().unwrap_or_else(|| panic!("{name}: {mail}"))
}

fn part<'a>(mail: &'a Value, kind: &str) -> &'a str {
    mail["parts"][kind].as_str().unwrap_or_else(|| panic!("{kind}: {mail}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_receipt_arrives_in_the_customers_language_as_text_and_as_a_page() {
    let mail_server = MailServer::start(&[]);
    let server = server_with(&mail_server.url(), &[]).await;
    let zone = TimeZone::parse("Europe/Moscow");
    let vendor = vendor_with(&server, SettingsChange { time_zone: Some(zone), ..Default::default() }).await;
    for (number, language, subject, amount, said, moment) in [
        (
            1,
            "en",
            "Receipt from Halden Press: 4,990.00\u{a0}RUB",
            "4,990.00\u{a0}RUB",
            ["Paid to Halden Press", "Item: Atlas", "Order: A-1", "Paid with: Card"],
            "15 Nov 2026, 12:30 UTC+3",
        ),
        (
            2,
            "ru",
            "Квитанция об оплате: Halden Press, 4\u{a0}990,00\u{a0}₽",
            "4\u{a0}990,00\u{a0}₽",
            ["Оплачено: Halden Press", "Товар: Atlas", "Заказ: A-2", "Способ оплаты: Карта"],
            "15 ноября 2026\u{a0}г. в 12:30 UTC+3",
        ),
    ] {
        let order = Shop::book(&format!("A-{number}"));
        let id = pay(&server, &vendor, &order, "ann+tag@mail.example", language).await;
        let mail = kept(&mail_server, number).await.remove(number - 1);
        assert_eq!(header(&mail, "subject"), subject);
        assert_eq!(header(&mail, "from"), "Halden Press via Касса Till <till@pay.example>");
        assert_eq!(header(&mail, "reply-to"), CONTACT);
        assert_eq!(header(&mail, "to"), "ann+tag@mail.example");
        assert_eq!(mail["envelope_to"], json!(["ann+tag@mail.example"]));
        assert_eq!(mail["envelope_from"], "till@pay.example");
        assert_eq!(header(&mail, "auto-submitted"), "auto-generated");
        assert!(header(&mail, "content-type").starts_with("multipart/alternative"), "{mail}");
        assert_eq!(mail["parts"].as_object().expect("parts").len(), 2);
        let [receipt] = receipts(&server, &id).await.try_into().expect("one receipt");
        assert_eq!(
            header(&mail, "message-id"),
            format!("<{}.receipt@pay.example>", hex::encode(receipt.id.as_bytes()))
        );
        let link = format!("{}/receipt/{}", server.url, receipt.link);
        let (text, html) = (part(&mail, "text/plain"), part(&mail, "text/html"));
        assert!(
            text.lines().any(|line| line == link) && html.contains(&format!("href=\"{link}\"")),
            "{text}"
        );
        for words in said.into_iter().chain([amount, moment]) {
            assert!(text.contains(words), "{words}: {text}");
            let in_page = words.split_once(": ").map_or(words, |(_, value)| value);
            assert!(html.contains(in_page), "{words}: {html}");
        }
        assert!(!text.contains(&id) && !html.contains(&id), "the session stays the customer's business");
        until("it counts as sent", async || mails(&server, &id).await[0].state == DispatchState::Sent).await;
        let page = server.customer().get(&format!("/session/{id}"), &[("accept-language", "en")]).await;
        assert!(page.body.contains("Sent to a•••@mail.example"), "{}", page.body);
        assert!(page.body.contains(&format!("href=\"/receipt/{}\"", receipt.link)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_copy_is_a_mail_of_its_own_and_only_if_the_vendor_wants_one() {
    let mail_server = MailServer::start(&[]);
    let server = server_with(&mail_server.url(), &[]).await;
    let quiet = vendor_with(&server, SettingsChange::default()).await;
    pay(&server, &quiet, &Shop::book("A-1"), "ann@mail.example", "en").await;
    kept(&mail_server, 1).await;
    let copies = SettingsChange { receipt_copy: Some(true), ..Default::default() };
    let curious = vendor_with(&server, copies).await;
    let id = pay(&server, &curious, &Shop::book("A-1"), "ann@mail.example", "en").await;
    let mails = kept(&mail_server, 3).await;
    let mut recipients: Vec<_> = mails[1..].iter().map(|mail| mail["envelope_to"].clone()).collect();
    recipients.sort_by_key(Value::to_string);
    assert_eq!(recipients, [json!(["ann@mail.example"]), json!([CONTACT])]);
    assert_eq!(part(&mails[1], "text/plain"), part(&mails[2], "text/plain"));
    assert_ne!(header(&mails[1], "message-id"), header(&mails[2], "message-id"));
    assert_eq!(receipts(&server, &id).await.len(), 1);
    // Without an address there is a receipt and the vendor's copy, and no mail to the customer.
    pay(&server, &curious, &Shop::book("A-2"), "", "en").await;
    assert_eq!(kept(&mail_server, 4).await[3]["envelope_to"], json!([CONTACT]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_receipt_waits_for_a_mail_server_that_is_down() {
    let port = MailServer::start(&[]).port;
    let server = server_with(&format!("smtp://127.0.0.1:{port}?tls=none"), &[]).await;
    let vendor = vendor_with(&server, SettingsChange::default()).await;
    let id = pay(&server, &vendor, &Shop::book("A-1"), "ann@mail.example", "en").await;
    until("it was tried", async || mails(&server, &id).await[0].last_error.is_some()).await;
    let waiting = mails(&server, &id).await.remove(0);
    assert_eq!((waiting.state, waiting.due.attempts), (DispatchState::Queued, 1));
    assert_eq!(waiting.due_at, Some(server.clock.now().plus(RETRIES[0])));
    let page = server.customer().get(&format!("/session/{id}"), &[]).await;
    assert!(page.body.contains("Sending to a•••@mail.example"), "it is not sent yet");
    let mail_server = MailServer::start_at(port, &[]);
    server.later(RETRIES[0]);
    kept(&mail_server, 1).await;
    until("it counts as sent", async || mails(&server, &id).await[0].state == DispatchState::Sent).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_what_is_refused_for_good_is_given_up_and_said() {
    let mail_server = MailServer::start(&[]);
    let server = server_with(&mail_server.url(), &[("TILL_OPERATOR_TOTP", "off")]).await;
    let copies = SettingsChange { receipt_copy: Some(true), ..Default::default() };
    let vendor = vendor_with(&server, copies).await;
    server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored");
    let id = pay(&server, &vendor, &Shop::book("A-1"), "nobody@mail.example", "en").await;
    until("it is given up", async || mails(&server, &id).await[0].state == DispatchState::Failed).await;
    let failed = mails(&server, &id).await.remove(0);
    assert_eq!((failed.due.attempts, failed.last_error.as_deref()), (1, Some("refused")));
    let page = server.customer().get(&format!("/session/{id}"), &[]).await;
    assert!(page.body.contains("We couldn’t send it to n•••@mail.example"), "{}", page.body);
    kept(&mail_server, 1).await;
    until("the copy counts as sent", async || mails(&server, &id).await[1].state == DispatchState::Sent)
        .await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let timeline = ada.get(&format!("/panel/sessions/{id}")).await.body;
    for part in [
        "Couldn’t email the receipt",
        "n•••@mail.example, the mail server rejected the address or the email",
        "Receipt copy emailed",
        CONTACT,
    ] {
        assert!(timeline.contains(part), "{part}: {timeline}");
    }
    assert!(!timeline.contains("nobody@mail.example"));
    let olga = server.person("olga", Role::Operator, None).await;
    let system = olga.get("/operator/system").await.body;
    assert!(system.contains("data-testid=\"queue-receipts\""), "{system}");
    assert!(system.contains("data-testid=\"failed-mails\">1<"), "{system}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_t12_a_sandbox_payment_mails_nobody_and_has_no_receipt() {
    let (mail_server, receiver) = (MailServer::start(&[]), Receiver::start().await);
    receiver.answer("/", &[Reply::Status(500)]);
    let server = server_with(&mail_server.url(), &[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let copies = SettingsChange { receipt_copy: Some(true), ..Default::default() };
    let vendor = vendor_with(&server, copies).await;
    let shop = server.shop("sandbox", &vendor).await;
    let mut order = Shop::book("A-1");
    order["callback_url"] = json!(receiver.url("/"));
    let id = shop.create(&order).await.text("session_id");
    let form = [("method", "card"), ("outcome", "paid"), ("email", "ann@mail.example")];
    let customer = server.customer();
    customer.post(&format!("/sandbox/session/{id}/pay"), &form, &[]).await;
    assert_eq!(shop.status(&id).await.json()["status"], "paid");
    for (round, pause) in [(1, 30), (2, 90), (3, 180)] {
        receiver.wait("/", round).await;
        // The result is stored before the next one can be due.
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.later(Duration::from_secs(pause));
    }
    receiver.wait("/", 4).await;
    let page = customer.get(&format!("/sandbox/session/{id}"), &[]).await;
    assert!(page.body.contains("data-kind=\"paid\"") && !page.body.contains("/receipt/"), "{}", page.body);
    // One live payment shows that mails are sent meanwhile.
    let live = pay(&server, &vendor, &Shop::book("A-1"), "ann@mail.example", "en").await;
    kept(&mail_server, 2).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(mail_server.kept().len(), 2, "the live one and its copy");
    let receipt = receipts(&server, &live).await.remove(0);
    let nowhere = customer.get(&format!("/sandbox/receipt/{}", receipt.link), &[]).await;
    assert_eq!(nowhere.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_node_that_is_replaced_while_it_sends_leads_to_one_copy_that_can_be_recognised() {
    let (hanging, working) = (MailServer::start(&["--hang"]), MailServer::start(&[]));
    let server = server_with(&hanging.url(), &[]).await;
    let vendor = vendor_with(&server, SettingsChange::default()).await;
    let id = pay(&server, &vendor, &Shop::book("A-1"), "ann@mail.example", "en").await;
    let first = kept(&hanging, 1).await.remove(0);
    assert_eq!(mails(&server, &id).await[0].state, DispatchState::Queued);
    let settings = MailSettings {
        server: SmtpServer::parse(&working.url()).expect("a URL"),
        from: parse_sender(FROM).expect("an address"),
        roots: None,
    };
    let postman = Arc::new(MailTransport::new(&settings).expect("a postman"));
    let url = server.url.clone();
    let head = MailContext { checkout_url: url.clone(), base_url: url, cashier: Arc::clone(&server.cashier) };
    let options = MailOptions { retries: RETRIES.to_vec(), lease: LEASE };
    let other = PaymentMailer::new(Arc::clone(&server.live), postman, head, options);
    other.pass().await.expect("a pass");
    assert_eq!(working.kept().len(), 0, "the first node has it");
    server.later(LEASE);
    for _ in 0..3 {
        other.pass().await.expect("a pass");
    }
    let again = kept(&working, 1).await.remove(0);
    assert_eq!(header(&again, "message-id"), header(&first, "message-id"));
    assert_eq!(part(&again, "text/plain"), part(&first, "text/plain"));
    let sent = mails(&server, &id).await.remove(0);
    assert_eq!((sent.state, sent.due.attempts), (DispatchState::Sent, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_t33_no_name_order_or_address_adds_a_header_or_a_recipient() {
    const HOSTILE: [&str; 10] = [
        "Eve\" <eve@evil.example>",
        "Eve <eve@evil.example>, Mallory <m@evil.example>",
        "a@evil.example,b@evil.example",
        "=?utf-8?q?Eve=0D=0ABcc:_x@evil.example?=",
        "=?utf-8?b?RXZlDQpCY2M6IHhAZXZpbC5leGFtcGxl?=",
        "Bcc: x@evil.example",
        "\\\r Bcc: x@evil.example",
        "Анна «Ёлка» 🧾, Ltd; group: a@b.c;",
        "<script>alert(1)</script>",
        "%0d%0aBcc:%20x@evil.example",
    ];
    let mail_server = MailServer::start(&[]);
    let server = server_with(&mail_server.url(), &[]).await;
    let mut names: Option<Value> = None;
    let long = "Unbreakable".repeat(9);
    let mut sent = 0;
    for text in HOSTILE.into_iter().chain([long.as_str()]) {
        // Set in the store directly, as by a database shell: the forms would refuse it.
        let display_name = Some(Some(text.to_owned()));
        let vendor = vendor_with(&server, SettingsChange { display_name, ..Default::default() }).await;
        let order = json!({ "product_name": text, "price": "10", "currency": "EUR", "order_id": text });
        let shop = server.shop("live", &vendor).await;
        let created = shop.create(&order).await;
        let id = match created.status.as_u16() {
            201 => {
                let customer = server.customer();
                let id = created.text("session_id");
                for wrong in ["ann@mail.example\r\nBcc: x@evil.example", "ann@mail.example,x@evil.example"] {
                    let form = [("method", "card"), ("email", wrong)];
                    let refused = customer.post(&format!("/session/{id}/pay"), &form, &[]).await;
                    assert_eq!(refused.status, 422, "{wrong:?}");
                }
                pay(&server, &vendor, &order, "ann@mail.example", "en").await
            }
            // Control characters are refused when the session is created; then only the vendor's name is
            // tried.
            _ => pay(&server, &vendor, &Shop::book("A-1"), "ann@mail.example", "en").await,
        };
        sent += 1;
        let mail = kept(&mail_server, sent).await.remove(sent - 1);
        assert_eq!(mail["envelope_to"], json!(["ann@mail.example"]), "{text:?}");
        assert_eq!(header(&mail, "to"), "ann@mail.example");
        assert_eq!(header(&mail, "reply-to"), CONTACT);
        assert!(header(&mail, "from").ends_with("<till@pay.example>"), "{mail}");
        let own = mail["names"].clone();
        assert_eq!(names.get_or_insert(own.clone()), &own, "{text:?}");
        assert_eq!(own.as_array().expect("names").len(), 9, "{own}");
        assert_eq!(mail["ascii"], true);
        let html = part(&mail, "text/html");
        assert!(!html.contains("<script>"), "{html}");
        let [receipt] = receipts(&server, &id).await.try_into().expect("one receipt");
        let page = server.customer().get(&format!("/receipt/{}", receipt.link), &[]).await;
        assert!(page.status == 200 && !page.body.contains("<script>alert"), "{}", page.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_is_found_by_its_link_alone_and_by_no_other() {
    let server = Server::start().await;
    let zone = TimeZone::parse("Europe/Moscow");
    let vendor = vendor_with(&server, SettingsChange { time_zone: Some(zone), ..Default::default() }).await;
    let id = pay(&server, &vendor, &Shop::book("A-1"), "", "en").await;
    let [receipt] = receipts(&server, &id).await.try_into().expect("one, whoever is mailed");
    assert_eq!(mails(&server, &id).await, []);
    let customer = server.customer();
    let path = format!("/receipt/{}", receipt.link);
    let page = customer.get(&path, &[]).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert!(
        page.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'"))
    );
    let reference = server.attempts(&id).await[0].reference.clone().expect("a reference");
    for part in
        ["4,990", "Atlas", "A-1", "Halden Press", "15 Nov 2026, 12:30 UTC+3", "Card", &reference, "noindex"]
    {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains(&id), "nothing leads to the session");
    assert!(page.body.contains("<h1>Receipt</h1>") && page.body.contains(CONTACT), "{}", page.body);
    let russian = customer.get(&path, &[("accept-language", "ru")]).await;
    assert!(russian.body.contains("Оплачено: Halden Press") && russian.body.contains("lang=\"ru\""));
    let chosen = customer.get(&format!("{path}?lang=ru"), &[]).await;
    assert_eq!((chosen.status.as_u16(), chosen.header("location")), (303, Some(path.as_str())));
    let upper = receipt.link.to_string().to_uppercase();
    for wrong in [&*"0".repeat(32), &id, &receipt.link.to_string()[..31], &upper, "x", "%00", "<script>"] {
        let answer = customer.get(&format!("/receipt/{wrong}"), &[]).await;
        assert_eq!(answer.status, 404, "{wrong}");
        assert!(answer.body.contains("data-kind=\"no-receipt\""), "{}", answer.body);
        assert!(!answer.body.contains("<script>"));
    }
    // The link is random and derived from nothing: two receipts have nothing in common.
    let other = pay(&server, &vendor, &Shop::book("A-2"), "", "en").await;
    let [other] = receipts(&server, &other).await.try_into().expect("one receipt");
    let same = receipt.link.as_bytes().iter().zip(other.link.as_bytes()).filter(|(a, b)| a == b).count();
    assert!(same < 6, "{same} bytes of 16 are the same");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_has_one_reference_everywhere_and_the_panel_leads_to_its_receipt() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = vendor_with(&server, SettingsChange::default()).await;
    server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored");
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let operator = server.person("otto", Role::Operator, None).await;
    let id = pay(&server, &vendor, &Shop::book("A-1"), "", "en").await;
    let unpaid = server.shop("live", &vendor).await.create(&Shop::book("A-2")).await.text("session_id");
    let [receipt] = receipts(&server, &id).await.try_into().expect("one receipt");
    let (path, reference) = (format!("/receipt/{}", receipt.link), &id[..18]);
    let customer = server.customer();
    for page in [
        customer.get(&format!("/session/{id}"), &[]).await.body,
        customer.get(&path, &[]).await.body,
        ada.get(&format!("/panel/sessions/{id}")).await.body,
        operator.get(&format!("/operator/sessions/live/{id}")).await.body,
    ] {
        assert!(page.contains(&format!(">{reference}<")), "{reference}: {page}");
    }
    for (person, place) in [(&ada, "/panel/sessions"), (&operator, "/operator/sessions/live")] {
        let page = person.get(&format!("{place}/{id}")).await.body;
        assert!(page.contains(&format!("{path}\"")), "a link to the receipt: {page}");
        let page = person.get(&format!("{place}/{unpaid}")).await.body;
        assert!(!page.contains("open-receipt"), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_refund_has_a_receipt_of_its_own_and_the_first_one_tells_of_it() {
    let mail_server = MailServer::start(&[]);
    let server = server_with(&mail_server.url(), &[]).await;
    let vendor = vendor_with(&server, SettingsChange::default()).await;
    let id = pay(&server, &vendor, &Shop::book("A-1"), "ann@mail.example", "en").await;
    let [paid] = receipts(&server, &id).await.try_into().expect("one receipt");
    kept(&mail_server, 1).await;
    let shop = server.shop("live", &vendor).await;
    for (number, minor, status) in [(1, 100_000, "Partially refunded"), (2, 399_000, "Refunded")] {
        let asked = Money { minor, ..paid.amount };
        let answer = shop.refund(&id, &json!({ "amount": asked.digits() }), &[]).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let mail = kept(&mail_server, 1 + number).await.remove(number);
        let all = receipts(&server, &id).await;
        let refunded = all.iter().find(|receipt| receipt.amount == asked).expect("its own receipt");
        assert_eq!((refunded.kind, all.len()), (ReceiptKind::Refunded, 1 + number));
        let amount = if number == 1 { "1,000.00" } else { "3,990.00" };
        assert_eq!(header(&mail, "subject"), format!("Refund from Halden Press: {amount}\u{a0}RUB"));
        assert!(part(&mail, "text/plain").contains("Refunded by Halden Press"));
        let first = server.customer().get(&format!("/receipt/{}", paid.link), &[]).await;
        assert!(first.body.contains(&format!(">{status}<")), "{}", first.body);
        let own = server.customer().get(&format!("/receipt/{}", refunded.link), &[]).await;
        assert!(own.body.contains("Refunded by Halden Press"), "{}", own.body);
        let receipt_number = format!("{}-R{number}", &id[..18]);
        assert!(own.body.contains(&receipt_number), "{receipt_number}: {}", own.body);
        assert!(part(&mail, "text/plain").contains(&receipt_number));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_vendor_is_notified_once_of_callbacks_that_do_not_arrive() {
    let (mail_server, receiver) = (MailServer::start(&[]), Receiver::start().await);
    receiver.answer("/", &[Reply::Status(500)]);
    let server = server_with(&mail_server.url(), &[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let language = SettingsChange { language: Some(Some("ru".to_owned())), ..Default::default() };
    let vendor = vendor_with(&server, language).await;
    for number in [1, 2] {
        let mut order = Shop::book(&format!("A-{number}"));
        order["callback_url"] = json!(receiver.url("/"));
        pay(&server, &vendor, &order, "", "en").await;
    }
    for (round, pause) in [(1, 30), (2, 90), (3, 180)] {
        receiver.wait("/", round * 2).await;
        assert_eq!(mail_server.kept().len(), 0, "it is tried again");
        // The result is stored before the next one can be due.
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.later(Duration::from_secs(pause));
    }
    receiver.wait("/", 8).await;
    let mail = kept(&mail_server, 1).await.remove(0);
    assert_eq!(mail["envelope_to"], json!([CONTACT]));
    assert!(header(&mail, "subject").starts_with("Halden Press: Не доставлен"), "{mail}");
    assert_eq!(header(&mail, "from"), FROM);
    let text = part(&mail, "text/plain");
    assert!(text.contains("A-1 (Оплачен") || text.contains("A-2 (Оплачен"), "{text}");
    let link = format!("{}/panel/callbacks?status=undelivered", server.url);
    assert!(text.lines().any(|line| line == link), "{text}");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(mail_server.kept().len(), 1, "one for both, or the second an hour later");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_switches_copies_of_receipts_on_and_off() {
    let server = Server::start().await;
    let vendor = vendor_with(&server, SettingsChange::default()).await;
    server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored");
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let copies = async || {
        let stored = server.accounts.vendor(vendor.id).await.expect("a read").expect("a vendor");
        stored.settings.receipt_copy
    };
    assert!(!copies().await, "not unless somebody wants it");
    let form = [("contact_email", CONTACT), ("display_name", "Halden Press"), ("time_zone", "UTC")];
    for on in [true, false] {
        let mut form = form.to_vec();
        if on {
            form.push(("receipt_copy", "on"));
        }
        assert_eq!(ada.post("/panel/settings", &form).await.status, 303);
        assert_eq!(copies().await, on);
        let page = ada.get("/panel/settings").await.body;
        let field = page.split("id=\"receipt_copy\"").nth(1).expect("the box");
        assert_eq!(field[..60].contains("checked"), on, "{}", &field[..60]);
    }
    let mut form = form.to_vec();
    form[0] = ("contact_email", "a@b..c");
    assert_eq!(ada.post("/panel/settings", &form).await.status, 422, "no mail could go there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_is_found_by_email_which_no_address_shows() {
    let mail = MailServer::start(&[]);
    let server = server_with(&mail.url(), &[("TILL_OPERATOR_TOTP", "off")]).await;
    let (vendor, other) = (server.vendor().await, server.vendor().await);
    for one in [vendor.id, other.id] {
        server.accounts.set_sandbox(one, false, &entry()).await.expect("stored");
    }
    for (of, order, email) in [
        (&vendor, "A-1", "Ann.Lee@mail.example"),
        (&vendor, "A-2", "ann.lee@mail.example"),
        (&vendor, "A-3", "bob@mail.example"),
        (&other, "A-4", "ann.lee@mail.example"),
    ] {
        pay(&server, of, &Shop::book(order), email, "en").await;
        server.later(Duration::from_secs(1));
    }
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let eve = server.person("eve", Role::VendorAdmin, Some(other.id)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let leads = async |person: &Person, path: &str, q: &str| {
        let answer = person.post(path, &[("q", q), ("status", "paid")]).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.header("location").unwrap_or_default().to_owned()
    };
    let found = leads(&ada, "/panel/sessions", " ann.lee@MAIL.example").await;
    assert!(found.starts_with("/panel/sessions?customer=") && found.ends_with("&status=paid"), "{found}");
    assert!(!found.to_lowercase().contains("ann") && !found.contains('@'), "{found}");
    let page = ada.get(&found).await.body;
    assert_eq!(texts(&page, "[data-testid=rows] td.id a"), ["A-2", "A-1"]);
    assert_eq!(attribute(&page, "[data-testid=q]", "value"), "ann.lee@MAIL.example");
    assert_eq!(page.matches("ann.lee@").count(), 1, "only the field has it, no link: {page}");
    let file = found.replace("/panel/sessions?", "/panel/sessions.csv?");
    assert_eq!(ada.get(&file).await.body.lines().count(), 3);
    // Another vendor has other sessions of the customer, and cannot read the address.
    let stolen = eve.get(&found).await;
    assert_eq!(stolen.status, 422, "nothing, instead of everything");
    assert_eq!(eve.get(&file).await.status, 303, "no file looks like that customer's");
    let stolen = stolen.body;
    assert!(!stolen.contains("ann.lee@") && !stolen.contains("A-1"), "t11");
    let own = eve.get(&leads(&eve, "/panel/sessions", "ann.lee@mail.example").await).await.body;
    assert_eq!(texts(&own, "[data-testid=rows] td.id a"), ["A-4"]);
    assert_eq!(leads(&ada, "/panel/sessions", "A-1").await, "/panel/sessions?q=A-1&status=paid");
    for (person, path) in [
        (&ada, "/panel/sessions"),
        (&ada, "/panel/transactions"),
        (&ada, "/panel/callbacks"),
        (&olga, "/operator/search"),
    ] {
        let found = leads(person, path, "Ann ann.lee@mail.example").await;
        assert!(found.contains("?customer=") && !found.contains("lee"), "{found}");
        let page = person.get(&found).await;
        assert_eq!(page.status, 200);
        assert_eq!(attribute(&page.body, "[data-testid=q]", "value"), "Ann ann.lee@mail.example");
    }
    let found = leads(&olga, "/operator/search", "ann.lee@mail.example").await;
    assert!(found.starts_with("/operator/search?customer=") && !found.contains('@'), "{found}");
    let page = olga.get(&found).await.body;
    assert_eq!(texts(&page, "[data-testid=hit-customer]").len(), 3, "{page}");
    assert_eq!(ada.get("/panel/sessions?customer=").await.status, 200);
    for wrong in ["?customer=AAAA", "?customer=a%00", "?customer=a@b.c"] {
        assert_eq!(ada.get(&format!("/panel/sessions{wrong}")).await.status, 422, "{wrong}");
        assert_eq!(olga.get(&format!("/operator/search{wrong}")).await.status, 200, "{wrong}");
    }
}
