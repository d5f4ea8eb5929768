//! The pages after a payment: who is taken back to the shop, what a customer sees who comes back from the bank,
//! and what the simulated bank plays later.

use crate::support::{Server, Shop, until};
use std::time::Duration;
use till_domain::{session::State, transaction::ActionKind};
use till_store::ActionFilter;

/// A session with a return address, and the attempt that was begun with this method.
async fn begin(server: &Server, method: &str) -> (String, String) {
    let vendor = server.vendor().await;
    let mut order = Shop::book("A-1");
    order["return_url"] = "https://shop.example/back".into();
    let id = server.shop("live", &vendor).await.create(&order).await.text("session_id");
    assert_eq!(server.customer().pay(&id, method).await.status, 303);
    let attempt = server.attempts(&id).await.remove(0).id.to_string();
    (id, attempt)
}

async fn page(server: &Server, path: &str) -> String {
    server.customer().get(path, &[]).await.body
}

async fn actions(server: &Server) -> Vec<ActionKind> {
    let actions = server.live.store.actions(&ActionFilter::default(), 10).await.expect("a read");
    actions.iter().map(|stored| stored.action.kind).collect()
}

const COUNTED: &str = "data-return-in=\"5\"";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_fresh_full_payment_leads_back_by_itself_and_only_once() {
    let server = Server::start().await;
    let (id, attempt) = begin(&server, "card").await;
    let back = server.customer().decide(&attempt, "approve").await;
    assert_eq!(back.headers["location"], format!("/session/{id}?from=bank"));
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    let path = format!("/session/{id}");
    assert!(page(&server, &path).await.contains(COUNTED), "it became paid in front of the customer");
    // Browser Back from the shop: the customer stays.
    assert_eq!(server.customer().get(&format!("{path}/return"), &[]).await.status, 303);
    assert!(!page(&server, &path).await.contains(COUNTED), "the customer has been back at the shop");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_opened_when_all_is_over_stays() {
    let server = Server::start().await;
    let (id, attempt) = begin(&server, "card").await;
    server.customer().decide(&attempt, "approve").await;
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    server.later(Duration::from_secs(30));
    let shown = page(&server, &format!("/session/{id}")).await;
    assert!(!shown.contains("data-return-in") && shown.contains("data-testid=\"return-link\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_other_than_a_full_payment_stay() {
    let server = Server::start().await;
    let (id, attempt) = begin(&server, "card").await;
    server.customer().decide(&attempt, "decline").await;
    until("it fails", async || server.session(&id).await.state != State::Pending).await;
    assert!(!page(&server, &format!("/session/{id}")).await.contains("data-return-in"));
    let (id, attempt) = begin(&server, "crypto").await;
    server.customer().decide(&attempt, "pay_over").await;
    server.later(Duration::from_secs(15));
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    let shown = page(&server, &format!("/session/{id}")).await;
    assert!(shown.contains("too much") && !shown.contains("data-return-in"), "overpaid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_who_comes_back_from_the_bank_is_not_sent_there_again() {
    let server = Server::start().await;
    let (id, attempt) = begin(&server, "card").await;
    let path = format!("/session/{id}");
    assert!(page(&server, &path).await.contains("data-kind=\"bank\""), "on the way there");
    let back = server.customer().decide(&attempt, "approve_slowly").await;
    let returned = back.headers["location"].to_str().expect("text").to_owned();
    let shown = page(&server, &returned).await;
    assert!(shown.contains("data-kind=\"processing\"") && shown.contains("check?from=bank"), "{shown}");
    assert!(shown.contains("?lang=ru&amp;from=bank"), "the language keeps it");
    let again = server.customer().get(&format!("{path}?lang=ru&from=bank"), &[]).await;
    assert_eq!(again.headers["location"], returned);
    // It is in flight: no page sends the customer back then.
    server.later(Duration::from_secs(6));
    until("it is in flight", async || server.attempts(&id).await[0].in_flight_since.is_some()).await;
    assert!(page(&server, &path).await.contains("data-kind=\"processing\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_few_coins_are_missed_before_they_are_confirmed() {
    let server = Server::start().await;
    let (id, attempt) = begin(&server, "crypto").await;
    server.customer().decide(&attempt, "pay_short").await;
    until("it is seen", async || server.attempts(&id).await[0].confirmations.is_some()).await;
    let shown = page(&server, &format!("/session/{id}")).await;
    assert!(shown.contains("data-kind=\"confirming\"") && shown.contains("data-testid=\"short\""), "{shown}");
    assert!(shown.contains("5.429") && shown.contains("SIMULATED-NOT-AN-ADDRESS"));
    assert!(!shown.contains("You can close this page"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulated_bank_plays_late_money_and_disputes() {
    let server = Server::start().await;
    let (id, attempt) = begin(&server, "sbp").await;
    let bank = format!("/bank/{attempt}");
    assert!(page(&server, &format!("/session/{id}")).await.contains("Open the simulated bank"));
    assert_eq!(server.customer().decide(&attempt, "expire").await.headers["location"], bank.as_str());
    until("it expires", async || server.session(&id).await.state == State::Expired).await;
    assert!(page(&server, &format!("/session/{id}")).await.contains(&format!("href=\"{bank}\"")));
    assert!(page(&server, &bank).await.contains("decision-approve_late"));
    server.customer().decide(&attempt, "approve_late").await;
    until("money is late", async || actions(&server).await == [ActionKind::Late]).await;
    assert_eq!(server.session(&id).await.state, State::Expired);

    let (id, attempt) = begin(&server, "card").await;
    server.customer().decide(&attempt, "approve").await;
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    server.customer().decide(&attempt, "dispute").await;
    until("an operator is asked", async || actions(&server).await.contains(&ActionKind::Disputed)).await;
    // The page has nothing left to play: it leads back.
    let over = server.customer().get(&format!("/bank/{attempt}"), &[]).await;
    assert_eq!(over.headers["location"], format!("/session/{id}?from=bank"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h5_the_bare_address_leads_to_the_panel_and_an_unknown_one_answers_as_it_was_asked() {
    let server = Server::start().await;
    let customer = server.customer();
    assert_eq!(customer.get("/", &[]).await.headers["location"], "/panel");
    let browser = ("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");
    let shown = customer.get("/no/such/page", &[browser, ("accept-language", "ru")]).await;
    assert_eq!((shown.status.as_u16(), shown.body.contains("Страница не найдена")), (404, true));
    let problem = b"application/problem+json".as_slice();
    for (path, headers) in
        [("/no/such/page", &[][..]), ("/api/nowhere", &[browser]), ("/x", &[("accept", "*/*")])]
    {
        let answer = customer.get(path, headers).await;
        assert_eq!(
            (answer.status.as_u16(), answer.headers["content-type"].as_bytes()),
            (404, problem),
            "{path}"
        );
    }
    let posted = customer.post("/no/such/page", &[], &[browser]).await;
    assert_eq!((posted.status.as_u16(), posted.headers["content-type"].as_bytes()), (404, problem));
}
