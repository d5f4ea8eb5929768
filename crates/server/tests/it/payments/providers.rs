//! Providers that are added, removed and changed while the service runs.

use crate::support::{Server, Shop, until};
use futures_util::future::BoxFuture;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use till_domain::{
    attempt::{Attempt, AttemptState, Instructions, Observation, Quantity, Started},
    method::Method,
    money::{Currency, Money},
    rules::{Currencies, Offering},
    session::State,
};
use till_providers::{CustomerChoice, Label, Notice, NoticeSubject, Order, Provider, ProviderError};

/// A crypto provider whose payments are paid when the test says so.
#[derive(Debug, Default)]
struct Stand {
    paid: AtomicBool,
    coins: &'static [&'static str],
    priceless: AtomicBool,
}

fn quantity(atoms: u128) -> Quantity {
    Quantity { atoms, decimals: 6, unit: "USDC".to_owned() }
}

impl Provider for Stand {
    fn name(&self) -> &'static str {
        "stand"
    }

    fn methods(&self) -> Vec<Offering> {
        vec![Offering { method: Method::Crypto, currencies: Currencies::Any }]
    }

    fn choices(&self, _method: Method, _currency: Currency) -> Vec<CustomerChoice> {
        let coin = |symbol: &&str| CustomerChoice {
            value: format!("{}-1", symbol.to_lowercase()),
            label: Label::Coin { symbol: (*symbol).to_owned(), network: "Ethereum".to_owned() },
        };
        self.coins.iter().map(coin).collect()
    }

    fn takes(&self, _method: Method, _money: Money) -> bool {
        !self.priceless.load(Ordering::Relaxed)
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        let shown = Instructions::Address {
            network: "Ethereum".to_owned(),
            address: "0x5100".to_owned(),
            uri: "ethereum:0x5100@1?value=54280000".to_owned(),
            wallet_url: "ethereum:0x5100@1?value=54280000".to_owned(),
            rate: None,
        };
        let reference = order.attempt.id.to_string();
        Box::pin(async move { Ok(Started { reference, instructions: shown, charge: quantity(54_280_000) }) })
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        let paid = self.paid.load(Ordering::Relaxed);
        let reference = attempt.id.to_string();
        let seen = if paid {
            Observation::Paid { received: quantity(54_280_000), reference }
        } else {
            Observation::Waiting
        };
        Box::pin(async move { Ok(seen) })
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        self.check(attempt)
    }

    fn read_notice(&self, _notice: &Notice<'_>) -> Option<NoticeSubject> {
        None
    }
}

/// The methods of a new session.
async fn offered(shop: &Shop, server: &Server, order: &str) -> Vec<Method> {
    let id = shop.order(order).await;
    server.session(&id).await.methods.offered
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_is_switched_on_and_off_while_the_service_runs_is_offered_only_meanwhile() {
    let server = Server::with(&[("TILL_SIMULATOR", "off")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    assert_eq!(shop.create(&Shop::book("A-1")).await.outcome(), "422 no_payment_method");
    let stand = Arc::new(Stand::default());
    server.cashier.replace(vec![Arc::clone(&stand) as Arc<dyn Provider>], Vec::new());
    assert_eq!(offered(&shop, &server, "A-2").await, [Method::Crypto]);
    let (open, late) = (shop.order("A-3").await, shop.order("A-4").await);
    let customer = server.customer();
    assert_eq!(customer.pay(&open, "crypto").await.status, 303);
    assert_eq!(server.attempts(&open).await[0].state, AttemptState::Open);

    server.cashier.replace(Vec::new(), Vec::new());
    assert_eq!(shop.create(&Shop::book("A-5")).await.outcome(), "422 no_payment_method");
    let page = customer.get(&format!("/session/{late}"), &[]).await;
    assert!(page.body.contains("no-method") || !page.body.contains("pay-crypto"), "{}", page.body);
    assert_ne!(customer.pay(&late, "crypto").await.status, 500);
    assert!(server.attempts(&late).await.is_empty(), "nothing new is begun");
    // A payment that was begun is still checked.
    stand.paid.store(true, Ordering::Relaxed);
    server.later(std::time::Duration::from_secs(60));
    until("it is paid", async || server.session(&open).await.state == State::Paid).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_stays_keeps_what_is_known_of_it() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let calls = |name: &str| {
        let desks = server.cashier.handles();
        let desk = desks.iter().find(|desk| desk.provider.name() == name).expect("a desk").clone();
        (desk.offered, desk.health(server.live.uptime()).all.calls)
    };
    let id = shop.order("A-1").await;
    server.customer().pay(&id, "card").await;
    let (offered, before) = calls("simulator");
    assert!(offered && before > 0, "{before}");
    let simulator = Arc::clone(&server.cashier.handles()[0].provider);
    let stand: Arc<dyn Provider> = Arc::new(Stand::default());
    server.cashier.replace(vec![Arc::clone(&stand), Arc::clone(&simulator)], Vec::new());
    assert_eq!(server.cashier.providers(), ["stand", "simulator"]);
    assert_eq!(calls("simulator"), (true, before));
    assert_eq!(server.live.rules().refunding, ["simulator"]);
    server.cashier.replace(vec![simulator], vec![stand]);
    assert_eq!(server.cashier.providers(), ["simulator", "stand"]);
    assert_eq!((calls("simulator"), calls("stand")), ((true, before), (false, 0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_chooses_one_of_the_coins_that_there_are() {
    let server = Server::with(&[("TILL_SIMULATOR", "off")]).await;
    let stand = Arc::new(Stand { coins: &["USDC", "USDT"], ..Stand::default() });
    server.cashier.replace(vec![stand], Vec::new());
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let (id, customer) = (shop.order("A-1").await, server.customer());
    let path = format!("/session/{id}");
    let page = customer.get(&path, &[]).await.body;
    assert!(page.contains("USDC · Ethereum") && page.contains("USDT · Ethereum"), "{page}");
    for wrong in [&[("method", "crypto")][..], &[("method", "crypto"), ("coin", "doge-1")]] {
        assert_eq!(customer.post(&format!("{path}/pay"), wrong, &[]).await.status, 303);
    }
    assert!(server.attempts(&id).await.is_empty(), "a coin that is not offered begins nothing");
    let chosen = [("method", "crypto"), ("coin", "usdt-1")];
    assert_eq!(customer.post(&format!("{path}/pay"), &chosen, &[]).await.status, 303);
    assert_eq!(server.attempts(&id).await[0].choice.as_deref(), Some("usdt-1"));
    let again = customer.get(&format!("{path}?methods"), &[]).await.body;
    let radio = |value: &str| format!("value=\"{value}\" checked");
    assert!(again.contains(&radio("usdt-1")) && !again.contains(&radio("usdc-1")), "{again}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_method_without_a_price_is_marked_and_begins_nothing() {
    let server = Server::start().await;
    let stand = Arc::new(Stand { coins: &["USDC"], ..Stand::default() });
    server.cashier.replace(vec![Arc::clone(&stand) as Arc<dyn Provider>], Vec::new());
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let (id, customer) = (shop.order("A-1").await, server.customer());
    let path = format!("/session/{id}");
    assert!(customer.get(&path, &[]).await.body.contains("pay-crypto"));
    stand.priceless.store(true, Ordering::Relaxed);
    assert!(!customer.get(&path, &[]).await.body.contains("pay-crypto"));
    let coin = [("method", "crypto"), ("coin", "usdc-1")];
    assert_eq!(customer.post(&format!("{path}/pay"), &coin, &[]).await.status, 503);
    assert!(server.attempts(&id).await.is_empty());
    stand.priceless.store(false, Ordering::Relaxed);
    assert_eq!(customer.post(&format!("{path}/pay"), &coin, &[]).await.status, 303);
    assert_eq!(server.attempts(&id).await.len(), 1);
}
