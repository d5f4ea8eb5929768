//! The operator's home and the lists of all vendors.

use super::detail::{attribute, texts};
use crate::support::{Person, Server, Shop};
use std::time::Duration;
use till_domain::user::Role;
use till_store::NodeId;

async fn console(settings: &[(&str, &str)]) -> (Server, Person) {
    let base = [("TILL_OPERATOR_TOTP", "off")];
    let server = Server::with(&[&base, settings].concat()).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

/// Pays a live session by card at the simulated bank.
async fn pay(server: &Server, shop: &Shop, order: &str) -> String {
    let id = shop.order(order).await;
    let customer = server.customer();
    customer.pay(&id, "card").await;
    customer.decide(&server.attempts(&id).await[0].id.to_string(), "approve").await;
    assert_eq!(shop.status(&id).await.text("status"), "paid");
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_home_leads_from_a_new_installation_to_the_first_payment() {
    let (server, olga) = console(&[]).await;
    let begin = olga.get("/panel").await;
    assert_eq!(begin.header("location"), Some("/operator"), "a log-in lands here");
    let page = olga.get("/operator").await.body;
    let undone = |page: &str| texts(page, "[data-testid=first-steps] li a").len();
    assert_eq!(texts(&page, "[data-testid=first-steps] li").len(), 6);
    let before = undone(&page);
    let vendor = server.vendor().await;
    server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let page = olga.get("/operator").await.body;
    assert_eq!(undone(&page), before - 2, "a vendor and its user exist");
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-1").await;
    let page = olga.get("/operator").await.body;
    assert!(texts(&page, "[data-testid=first-steps]").is_empty(), "the first payment was made");
    assert!(texts(&page, "[data-testid=volume]").concat().contains("4,990.00"), "{page}");
    assert_eq!(texts(&page, "[data-testid=rate]"), ["100.0%"]);
    let own = olga.get(&format!("/operator/vendors/{}", vendor.id)).await.body;
    assert!(texts(&own, "[data-testid=figures-head]").concat().contains("Figures"));
    assert_eq!(
        attribute(&own, "[data-testid=days-7]", "href"),
        format!("/operator/vendors/{}?days=7", vendor.id)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_home_says_whether_all_is_well() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    pay(&server, &shop, "A-1").await;
    let verdict = async || texts(&olga.get("/operator").await.body, "[data-testid=verdict] h2").concat();
    assert_eq!(verdict().await, "All is well");
    // Another process that was killed: no heartbeat, and no word of its stop.
    let lost = NodeId([9; 16]);
    let now = server.clock.now();
    server.accounts.record_heartbeat(lost, ("0.1.0", "127.0.0.1:1"), now, &[]).await.expect("stored");
    server.later(Duration::from_secs(60));
    let page = olga.get("/operator").await.body;
    assert_eq!(texts(&page, "[data-testid=trouble-lost-nodes]").len(), 1, "{page}");
    assert!(texts(&page, "[data-testid=verdict] h2").concat().contains("need"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simulated_money_is_marked_on_every_page_and_a_missing_provider_is_loud() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    server.accounts.set_sandbox(vendor.id, false, &crate::support::entry()).await.expect("stored");
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    for (person, path) in
        [(&olga, "/operator"), (&olga, "/operator/users"), (&ada, "/panel"), (&ada, "/panel/wallet")]
    {
        let page = person.get(path).await.body;
        assert_eq!(texts(&page, "[data-testid=simulated]").len(), 1, "{path}");
        assert!(texts(&page, "[data-testid=no-provider]").is_empty(), "{path}");
    }
    let (server, olga) = console(&[("TILL_SIMULATOR", "off")]).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(server.vendor().await.id)).await;
    for path in ["/operator", "/operator/users", "/operator/providers"] {
        let page = olga.get(path).await.body;
        assert!(texts(&page, "[data-testid=simulated]").is_empty(), "{path}");
        assert_eq!(texts(&page, "[data-testid=no-provider]").len(), 1, "{path}");
    }
    assert_eq!(texts(&olga.get("/operator").await.body, "[data-testid=trouble-no-provider]").len(), 1);
    assert!(
        texts(&ada.get("/panel").await.body, "[data-testid=no-provider]").is_empty(),
        "it is not hers to set up"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_of_all_vendors_are_filtered_paged_and_exported() {
    let (server, olga) = console(&[]).await;
    let (one, two) = (server.vendor().await, server.vendor().await);
    let shops = [server.shop("live", &one).await, server.shop("live", &two).await];
    let mut ids = Vec::new();
    for number in 0..30 {
        ids.push(shops[number % 2].order(&format!("A-{number}")).await);
        server.later(Duration::from_millis(5));
    }
    pay(&server, &shops[1], "PAID").await;
    let orders = async |query: &str| {
        let page = olga.get(&format!("/operator/{query}")).await;
        assert_eq!(page.status, 200, "{query}: {}", page.body);
        texts(&page.body, "[data-testid=rows] td.id a.med")
    };
    let page = olga.get("/operator/sessions").await.body;
    let first = texts(&page, "[data-testid=rows] td.id a.med");
    assert_eq!((first.len(), first[0].as_str(), first[1].as_str()), (25, "PAID", "A-29"));
    let rest = olga.get(&attribute(&page, "[data-testid=older]", "href")).await.body;
    assert_eq!(texts(&rest, "[data-testid=rows] tbody tr").len(), 6);
    assert_eq!(orders("sessions?status=paid").await, ["PAID"]);
    assert_eq!(orders("transactions").await, ["PAID"]);
    assert_eq!(orders(&format!("sessions?vendor={}", one.id)).await.len(), 15);
    assert!(orders(&format!("transactions?vendor={}", one.id)).await.is_empty());
    assert!(orders("sessions?env=sandbox").await.is_empty());
    assert!(orders("sessions?method=crypto&status=paid").await.is_empty());
    let wrong = olga.get("/operator/sessions?vendor=nobody").await;
    assert_eq!(wrong.status, 422);
    assert_eq!(texts(&wrong.body, "[data-testid=problem]").len(), 1);
    assert_eq!(olga.get("/operator/sessions.csv?vendor=nobody").await.status, 303, "no file looks complete");
    let file = olga.get("/operator/sessions.csv").await.body;
    assert_eq!(file.lines().count(), 32);
    assert!(
        file.contains(&one.id.to_string()) && file.contains(&two.id.to_string()) && file.contains(&ids[7])
    );
    let file = olga.get(&format!("/operator/transactions.csv?vendor={}", two.id)).await.body;
    assert_eq!(file.lines().count(), 2);
    assert!(
        file.lines().next().is_some_and(|head| head.contains("vendor_id,vendor,transaction_id")),
        "{file}"
    );
}
