//! Stripe through the whole service, against the fake in `tests/providers/stripe`: the page, the webhook
//! events, the deadline, refunds and faults. At the end of a test the fake's record of the money is compared
//! with our ledger.

mod cards;
mod deadline;
mod faults;
mod notices;
mod refunds;
mod secrets;

use crate::support::{Answer, Receiver, Server, Shop, Vendor};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use till_domain::{
    id::SessionId,
    ledger::Account,
    session::{Session, State},
    time::Timestamp,
};
use till_testing::stripe::Fake;

/// One webhook secret, as in the set-up document of Stripe.
const SECRET: &str = "webhook_secrets = [\"whsec_fake\"]";

/// The fake, a service that takes cards through it, and a vendor with a client.
struct World {
    fake: Fake,
    server: Server,
    vendor: Vendor,
    shop: Shop,
    receiver: Receiver,
    moved: AtomicU64,
    _folder: tempfile::TempDir,
}

/// A session whose customer has the card form.
#[derive(Debug, Clone)]
struct Payment {
    session: String,
    intent: String,
}

impl World {
    /// A world with one webhook secret; events are held back until the test releases them.
    async fn new() -> Self {
        Self::with(SECRET, |document| document).await
    }

    /// A world with this line for the webhook secrets, and a document that the test changes.
    async fn with(secrets: &str, change: impl FnOnce(String) -> String) -> Self {
        let fake = Fake::start();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("stripe.toml");
        fs::write(&file, change(fake.document(secrets))).expect("a file");
        let settings = [
            ("TILL_SIMULATOR", "off"),
            ("TILL_STRIPE_FILE", file.to_str().expect("a path")),
            ("TILL_SETTLEMENT_DELAY", "0s"),
            ("TILL_ALLOW_PRIVATE_CALLBACKS", "true"),
        ];
        let server = Server::today(&settings).await;
        let vendor = server.vendor().await;
        let shop = server.shop("live", &vendor).await;
        let url = format!("{}/notices/stripe/events", server.local);
        fake.control("/endpoint", json!({ "url": url, "hold": true })).await;
        let receiver = Receiver::start().await;
        Self { fake, server, vendor, shop, receiver, moved: AtomicU64::new(0), _folder: folder }
    }

    /// From now on events are delivered as they happen.
    async fn hears(&self) {
        self.fake.control("/endpoint", json!({ "hold": false })).await;
    }

    /// Delivers all events that happened, in the way this says.
    async fn deliver(&self, how: Value) {
        self.fake.control("/deliver", how).await;
    }

    /// A new session without an attempt.
    async fn order(&self, order: &str, price: &str, currency: &str) -> String {
        let body = json!({
            "product_name": "Tea, 100 g", "price": price, "currency": currency, "order_id": order,
            "callback_url": self.receiver.url("/told"),
        });
        let created = self.shop.create(&body).await;
        assert_eq!(created.status, 201, "{}", created.body);
        created.text("session_id")
    }

    /// A session of 49.90 USD whose customer has the card form.
    async fn begin(&self, order: &str) -> Payment {
        let session = self.order(order, "49.90", "USD").await;
        self.chooses_card(session).await
    }

    async fn chooses_card(&self, session: String) -> Payment {
        let begun = self.server.customer().pay(&session, "card").await;
        assert_eq!(begun.status, 303, "{}", begun.body);
        let intent = self.server.attempts(&session).await.remove(0).reference.expect("a payment there");
        Payment { session, intent }
    }

    /// A paid session of 49.90 USD.
    async fn paid(&self, order: &str) -> Payment {
        let payment = self.begin(order).await;
        self.fake.pays(&payment.intent, till_testing::stripe::GOOD).await;
        self.reaches(&payment, State::Paid).await;
        payment
    }

    async fn page(&self, payment: &Payment) -> Answer {
        self.server.customer().get(&format!("/session/{}", payment.session), &[]).await
    }

    async fn session(&self, payment: &Payment) -> Session {
        self.server.session(&payment.session).await
    }

    /// Moves the clocks of the service and of the fake.
    async fn later(&self, by: Duration) {
        let by_ms = u64::try_from(by.as_millis()).expect("not for ever");
        let moved = self.moved.fetch_add(by_ms, Ordering::Relaxed) + by_ms;
        let ahead = Duration::from_millis(moved).as_secs_f64();
        self.fake.control("/set", json!({ "ahead": ahead })).await;
        self.server.later(by);
    }

    /// Moves the clocks to this long before a payment's deadline.
    async fn wait_until(&self, before: Duration, payment: &Payment) {
        let deadline = self.session(payment).await.deadline();
        self.later(deadline.minus(before).since(self.server.clock.now())).await;
    }

    /// Advances time until a session is in this state.
    async fn reaches(&self, payment: &Payment, state: State) {
        for _ in 0..300 {
            if self.session(payment).await.state == state {
                return;
            }
            self.later(Duration::from_millis(250)).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        let attempts = self.server.attempts(&payment.session).await;
        panic!("not {state:?} but {:?}: {attempts:?}", self.session(payment).await.state);
    }

    async fn status_there(&self, payment: &Payment) -> String {
        let truth = self.fake.truth().await;
        truth["intents"][&payment.intent]["status"].as_str().expect("a status").to_owned()
    }

    async fn balance(&self, account: &Account) -> BTreeMap<String, i64> {
        let books = self.server.live.store.ledger().expect("books");
        let all = books.balances(self.vendor.id).await.expect("balances");
        let of = all.iter().filter(|balance| balance.account == *account && balance.amount.minor != 0);
        of.map(|balance| (balance.amount.currency.code().to_lowercase(), balance.amount.minor)).collect()
    }

    /// The callbacks that the vendor received, in order.
    async fn told(&self, count: usize) -> Vec<Value> {
        let told = self.receiver.wait("/told", count).await;
        told.iter().map(|one| serde_json::from_slice(&one.body).expect("JSON")).collect()
    }

    /// Compares the books: in each currency our clearing account has what Stripe received and refunded; each
    /// intent received what is recorded for its session; and the intent of an ended session takes no more
    /// money.
    async fn compare(&self) {
        let truth = self.fake.truth().await;
        let mut theirs = BTreeMap::new();
        for (currency, sums) in truth["totals"].as_object().expect("totals") {
            let sum = |name: &str| sums[name].as_i64().expect("a sum");
            // The clearing account is negative by what the vendor is owed.
            theirs.insert(currency.clone(), sum("refunded") - sum("received"));
        }
        theirs.retain(|_, sum| *sum != 0);
        assert_eq!(self.balance(&Account::Clearing("stripe".to_owned())).await, theirs, "{truth}");
        for (id, intent) in truth["intents"].as_object().expect("intents") {
            let session = intent["metadata"]["session_id"].as_str().expect("a session");
            let session = SessionId::parse(session).expect("an id");
            let recorded = self.server.live.store.transactions_of(session).await.expect("a read");
            let recorded = recorded.iter().filter(|money| money.reference == *id);
            let recorded: i64 = recorded.map(|money| money.amount.minor).sum();
            assert_eq!(Some(recorded), intent["amount_received"].as_i64(), "{id}");
            let session = self.server.session(&session.to_string()).await;
            if session.state != State::Pending {
                let status = intent["status"].as_str().expect("a status");
                assert!(matches!(status, "succeeded" | "canceled"), "{id} is {status}: {:?}", session.state);
            }
        }
        let verified = self.server.live.store.verify(&mut |_, _| ()).await.expect("it can be read");
        assert!(verified.iter().all(|check| check.wrong == 0), "{verified:?}");
    }
}

impl Server {
    /// A service whose clock starts now, so that processes with their own clock have the same day.
    async fn today(settings: &[(&str, &str)]) -> Self {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970");
        let now = Timestamp::from_ms(i64::try_from(since.as_millis()).expect("a time"));
        Self::at(now, settings).await
    }
}
