//! Card testing: an attacker begins one payment after the other, to find out which stolen cards work.

use crate::support::{Answer, Customer, Process, Shop, Till};

/// A service with low limits.
fn service(till: &mut Till) -> Process {
    till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "on").set("TILL_TRUSTED_PROXIES", "127.0.0.0/8");
    till.set("TILL_RATE_LIMIT_ATTEMPTS_ADDRESS", "1/h burst 5")
        .set("TILL_RATE_LIMIT_ATTEMPTS_VENDOR", "1/h burst 9");
    till.set("TILL_MAX_ATTEMPTS_PER_SESSION", "3").set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    till.serve()
}

async fn begin(customer: &Customer, path: &str, method: &str, from: &str) -> Answer {
    let form = [("method", method), ("outcome", "declined")];
    let form = if path.starts_with("/sandbox") { &form[..] } else { &form[..1] };
    customer.post(&format!("{path}/pay"), form, &[("x-forwarded-for", from)]).await
}

fn problem(answer: &Answer) -> String {
    let document = scraper::Html::parse_document(&answer.body);
    let selector = scraper::Selector::parse("#problem").expect("a selector");
    let found = document.select(&selector).next();
    found.map(|element| element.text().collect::<String>()).unwrap_or_default()
}

async fn counted(service: &Process, environment: &str, limit: &str) -> String {
    let line =
        format!(r#"till_payment_attempts_refused_total{{environment="{environment}",limit="{limit}"}} "#);
    let metrics = service.metrics().await;
    metrics.lines().find_map(|text| text.strip_prefix(&line)).unwrap_or("none").to_owned()
}

async fn t31_one_address_and_one_vendor_begin_so_many_payments(environment: &str) {
    let mut till = Till::new();
    let (vendor, service) = (till.vendor(), service(&mut till));
    let mut shop = service.shop(environment, &vendor);
    shop.log_in().await;
    let prefix = if environment == "live" { "" } else { "/sandbox" };
    let customer = Customer::new(&service.url);
    let new = async || format!("{prefix}/session/{}", shop.create(&Shop::book("1")).await.text("session_id"));
    for number in 0..5 {
        let answer = begin(&customer, &new().await, "card", "203.0.113.7").await;
        assert_eq!(answer.status, 303, "{number}: {}", answer.body);
    }
    let refused = begin(&customer, &new().await, "card", "203.0.113.7").await;
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.header("retry-after").and_then(|text| text.parse().ok()).expect("a wait");
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    let told = problem(&refused);
    assert!(told.contains("Too many payment attempts from your network. Try again in 60 minutes."), "{told}");
    assert_eq!(counted(&service, environment, "address").await, "1");
    for number in 0..4 {
        let answer = begin(&customer, &new().await, "card", &format!("203.0.113.{number}")).await;
        assert_eq!(answer.status, 303, "{number}: others pay");
    }
    let refused = begin(&customer, &new().await, "card", "203.0.113.9").await;
    assert_eq!(
        (refused.status.as_u16(), counted(&service, environment, "vendor").await.as_str()),
        (429, "1")
    );
    assert!(
        problem(&refused).contains("This shop is receiving too many payments right now."),
        "{}",
        problem(&refused)
    );
    // A session whose payment was refused is unchanged.
    let path = new().await;
    assert_eq!(begin(&customer, &path, "card", "203.0.113.9").await.status, 429);
    assert_eq!(shop.status(path.rsplit_once('/').expect("an id").1).await.text("status"), "pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t31_one_address_and_one_vendor_begin_so_many_payments_live() {
    t31_one_address_and_one_vendor_begin_so_many_payments("live").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t31_one_address_and_one_vendor_begin_so_many_payments_in_the_sandbox() {
    t31_one_address_and_one_vendor_begin_so_many_payments("sandbox").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t31_a_session_has_so_many_attempts() {
    let mut till = Till::new();
    let (vendor, service) = (till.vendor(), service(&mut till));
    let mut shop = service.shop("live", &vendor);
    shop.log_in().await;
    let customer = Customer::new(&service.url);
    let path = format!("/session/{}", shop.create(&Shop::book("1")).await.text("session_id"));
    for method in ["card", "sbp", "card"] {
        assert_eq!(begin(&customer, &path, method, "127.0.0.1").await.status, 303, "{method}");
    }
    let refused = begin(&customer, &path, "sbp", "127.0.0.1").await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, None));
    let told = problem(&refused);
    assert!(
        told.contains("Too many attempts for this payment. Go back to the shop and start again."),
        "{told}"
    );
    assert_eq!(counted(&service, "live", "session").await, "1");
}
