//! A payout, from the vendor's request to the operator's steps.

use super::Subject;
use crate::support::{Customer, Person};
use till_domain::id::UserId;
use till_store::FailPoint;

/// The vendor's admin in the panel.
async fn admin(subject: &mut Subject) -> (Person, String) {
    let vendor = subject.vendor["vendor_id"].as_str().expect("an id").to_owned();
    subject.till.json(&["vendor", "sandbox", "off", &vendor]);
    let (email, role) = ("ada@shop.example", "vendor_admin");
    let user = subject.till.json(&["user", "create", "--email", email, "--role", role, "--vendor", &vendor]);
    let id = UserId::parse(user["user_id"].as_str().expect("an id")).expect("an id");
    let browser = Customer::new("http://127.0.0.1:1");
    let person = Person { browser, id, email: email.to_owned(), cookies: String::new() };
    (person, user["password"].as_str().expect("a password").to_owned())
}

/// A store with the money of one payment, and the vendor's admin, logged in.
async fn paid(point: Option<FailPoint>) -> (Subject, Person) {
    let mut subject = Subject::new(&[("TILL_SETTLEMENT_DELAY", "0s")]);
    let (mut ada, password) = admin(&mut subject).await;
    subject.start(None);
    let session = subject.create("A-1", None).await;
    subject.pay(&session, "").await;
    subject
        .repeat("the log-in", async |url| {
            ada.browser = Customer::new(url);
            (ada.log_in(&password).await.status == 303).then_some(())
        })
        .await;
    subject.start(point);
    ada.browser = subject.repeat("the address", async |url| Some(Customer::new(url))).await;
    (subject, ada)
}

/// Requests a payout of one ruble; the service may end meanwhile.
async fn request(ada: &Person) {
    let csrf = ada.csrf().await;
    let form = [
        ("csrf", csrf.as_str()),
        ("currency", "RUB"),
        ("amount", "1.00"),
        ("destination", "an account"),
        ("sure", "on"),
    ];
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let request = ada.browser.client.post(format!("{}/panel/wallet/payout", ada.browser.url)).body(body);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let request = request.header("cookie", &ada.cookies).header("origin", &ada.browser.url);
    // An error: the service ended before it could answer.
    let _ = request.send().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f28_a_request_for_a_payout_is_there_whole_or_not_at_all() {
    for (point, payouts) in [(FailPoint::PayoutAnnounced, 0), (FailPoint::PayoutRequested, 1)] {
        let (mut subject, ada) = paid(Some(point)).await;
        request(&ada).await;
        subject.wait_for_crash().await;
        let listed = subject.till.json(&["payout", "list"]);
        assert_eq!(listed.as_array().map(Vec::len), Some(payouts), "{point:?}: {listed}");
        subject.finish();
        assert_eq!(subject.number("live.db", "SELECT count(*) FROM payouts"), payouts as i64, "{point:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f28_a_step_of_a_payout_is_taken_once() {
    let (mut subject, ada) = paid(None).await;
    request(&ada).await;
    let listed = subject.till.json(&["payout", "list"]);
    let id = listed[0]["payout_id"].as_str().expect("an id").to_owned();
    subject.crash(FailPoint::PayoutStepped, &["payout", "approve", &id]);
    let listed = subject.till.json(&["payout", "list"]);
    assert_eq!(listed[0]["state"], "approved", "{listed}");
    subject.till.error(&["payout", "approve", &id]);
    subject.till.json(&["payout", "sent", &id, "--reference", "B-1"]);
    subject.finish();
}
