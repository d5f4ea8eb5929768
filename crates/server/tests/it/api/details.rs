//! The optional fields of a create: a vendor's own data, the customer's address and language, and the time to pay.

use crate::support::{Server, Shop};
use serde_json::{Value, json};
use std::time::Duration;

fn with_details(order: &str) -> Value {
    let mut body = Shop::book(order);
    body["metadata"] = json!({ "cart": "7f31", "note": "two\nlines" });
    body["customer_email"] = json!("Ann.Customer@Mail.example");
    body["locale"] = json!("ru-RU");
    body["expires_in"] = json!(300);
    body
}

fn page(environment: &str, id: &str) -> String {
    if environment == "live" { format!("/session/{id}") } else { format!("/sandbox/session/{id}") }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metadata_comes_back_in_the_status_and_the_callback_and_the_address_in_neither() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let created = shop.create(&with_details("A-1")).await;
        assert_eq!(created.status, 201, "{}", created.body);
        assert_eq!(created.json().as_object().expect("an object").len(), 4, "the answer stays as it was");
        let id = created.text("session_id");
        let status = shop.status(&id).await;
        assert_eq!(status.json()["metadata"], json!({ "cart": "7f31", "note": "two\nlines" }));
        assert!(!status.body.to_lowercase().contains("ann.customer"), "{}", status.body);
        // Nothing is paid in time: the session ends after its own 5 minutes, not after the method's 15.
        server.later(Duration::from_millis(299_999));
        assert_eq!(shop.status(&id).await.text("status"), "pending");
        server.later(Duration::from_millis(1));
        let ended = shop.status(&id).await.json();
        assert_eq!((&ended["status"], &ended["metadata"]["cart"]), (&json!("expired"), &json!("7f31")));
        let feed = shop.feed("").await.json();
        let body: Value =
            serde_json::from_str(feed["callbacks"][0]["body"].as_str().expect("a body")).expect("JSON");
        assert_eq!(body["metadata"], json!({ "cart": "7f31", "note": "two\nlines" }));
        assert!(!feed.to_string().to_lowercase().contains("ann.customer"), "{feed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_given_is_nothing_returned() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        for nothing in [json!({}), Value::Null] {
            let mut body = Shop::book("A-1");
            body["metadata"] = nothing;
            for field in ["customer_email", "locale", "expires_in"] {
                body[field] = Value::Null;
            }
            let created = shop.create(&body).await;
            assert_eq!(created.status, 201, "{}", created.body);
            let status = shop.status(&created.text("session_id")).await.json();
            assert_eq!(status.as_object().expect("an object").len(), 8, "{status}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wrong_detail_is_named_at_once() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let mut body = Shop::book("A-1");
        body["metadata"] = json!({ "a": null });
        body["customer_email"] = json!("ann");
        body["locale"] = json!("ru_RU");
        body["expires_in"] = json!("300");
        let answer = shop.create(&body).await;
        assert_eq!(answer.problem(), "422 invalid_request");
        let wrong = [
            "metadata:wrong_type",
            "customer_email:invalid_email",
            "locale:invalid_locale",
            "expires_in:wrong_type",
        ];
        assert_eq!(answer.fields(), wrong, "{environment}");
        assert!(!answer.body.contains("ann"), "{}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_opens_in_the_language_that_the_vendor_said_unless_the_customer_chose_one() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let customer = server.customer();
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let language = async |locale: &str, headers: &[(&str, &str)]| {
            let mut body = Shop::book("A-1");
            body["locale"] = json!(locale);
            let id = shop.create(&body).await.text("session_id");
            let shown = customer.get(&page(environment, &id), headers).await.body;
            let start = shown.find("<html lang=\"").expect("a language") + 12;
            shown[start..start + 2].to_owned()
        };
        let english = ("accept-language", "en-GB,en;q=0.9");
        assert_eq!(language("ru-RU", &[english]).await, "ru");
        assert_eq!(language("RU", &[]).await, "ru");
        assert_eq!(language("ru-RU-u-nu-latn", &[english]).await, "ru");
        assert_eq!(language("ru-x-shop", &[english]).await, "ru");
        assert_eq!(language("en", &[("accept-language", "ru")]).await, "en");
        assert_eq!(language("de-AT", &[("accept-language", "ru")]).await, "ru", "there is no German");
        assert_eq!(language("ru", &[english, ("cookie", "lang=en")]).await, "en", "the customer chose");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_page_shows_the_address_and_the_live_page_fills_its_field() {
    let mail = [("TILL_SMTP_URL", "smtp://127.0.0.1:9"), ("TILL_MAIL_FROM", "till@pay.example")];
    let server = Server::with(&mail).await;
    let vendor = server.vendor().await;
    let customer = server.customer();
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.create(&with_details("A-1")).await.text("session_id");
    let shown = customer.get(&page("sandbox", &id), &[]).await.body;
    assert!(shown.contains(r#"data-testid="customer-email">Ann.Customer@Mail.example<"#), "{shown}");
    let shop = server.shop("live", &vendor).await;
    let id = shop.create(&with_details("A-1")).await.text("session_id");
    let shown = customer.get(&page("live", &id), &[]).await.body;
    assert!(shown.contains(r#"value="Ann.Customer@Mail.example""#), "{shown}");
    // A form without the field takes the vendor's address, an emptied field none, and another address wins.
    for (form, expected) in [
        (&[("method", "card")][..], Some("Ann.Customer@Mail.example")),
        (&[("method", "card"), ("email", "")], None),
        (&[("method", "card"), ("email", "bob@mail.example")], Some("bob@mail.example")),
    ] {
        let id = shop.create(&with_details("A-1")).await.text("session_id");
        customer.post(&format!("/session/{id}/pay"), form, &[]).await;
        assert_eq!(server.attempts(&id).await[0].email.as_deref(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idempotent_create_compares_the_details_too() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let first = shop.create_once("key-1", &with_details("A-1")).await;
    let again = shop.create_once("key-1", &with_details("A-1")).await;
    assert_eq!(first.text("session_id"), again.text("session_id"));
    let mut other = with_details("A-1");
    other["metadata"]["cart"] = json!("other");
    assert_eq!(shop.create_once("key-1", &other).await.problem(), "422 idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_no_mail_server_takes_does_not_prevent_a_payment() {
    let mail = [("TILL_SMTP_URL", "smtp://127.0.0.1:9"), ("TILL_MAIL_FROM", "till@pay.example")];
    let server = Server::with(&mail).await;
    let shop = server.shop("live", &server.vendor().await).await;
    for method in ["card", "sbp"] {
        let mut body = Shop::book("A-1");
        body["customer_email"] = json!("ann@mail..example");
        let id = shop.create(&body).await.text("session_id");
        let shown = server.customer().get(&page("live", &id), &[]).await.body;
        assert!(!shown.contains("mail..example"), "{shown}");
        server.customer().pay(&id, method).await;
        assert_eq!(server.attempts(&id).await[0].email, None, "{method}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_promises_no_more_time_than_there_is() {
    let server = Server::start().await;
    let shop = server.shop("live", &server.vendor().await).await;
    let id = shop.create(&with_details("A-1")).await.text("session_id");
    let shown = server.customer().get(&page("live", &id), &[("cookie", "lang=en")]).await.body;
    assert!(shown.contains("5 minutes"), "{shown}");
    for longer in ["10 minutes", "60 minutes"] {
        assert!(!shown.contains(longer), "{longer}: {shown}");
    }
}
