//! T-Bank through the whole service, against our fake of it: customers, deadlines, notices (webhooks), faults,
//! refunds, on an embedded store and on PostgreSQL. At the end of each test the fake's record of the money equals
//! our books.

mod crossing;
mod deadlines;
mod faults;
mod nights;
mod notices;
mod payments;
mod processes;
mod races;
mod receipts;
mod refunds;

use super::{Engine, on_both_engines};
use crate::support::{Receiver, Server, Shop, Vendor, until};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use till_domain::{
    attempt::{Attempt, AttemptState},
    ledger::Account,
    refund::{Refund, RefundState},
    session::State,
    time::Timestamp,
    transaction::Transaction,
};
use till_store::{ActionFilter, AllTransactions, RefundFilter, StoredAction, Turn};
use till_testing::{cluster::Cluster, tbank::Fake};

const MINUTE: Duration = Duration::from_secs(60);

/// The price of every order, in kopecks.
const PRICE: i64 = 499_000;

/// A fake, a service whose only provider it is, and a vendor with a receiver of callbacks.
struct World {
    fake: Fake,
    server: Server,
    vendor: Vendor,
    shop: Shop,
    receiver: Receiver,
    folder: tempfile::TempDir,
    cluster: Option<Cluster>,
}

impl World {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        Self::on(Engine::Embedded, settings).await
    }

    async fn on(engine: Engine, settings: &[(&str, &str)]) -> Self {
        Self::set_up(engine, settings, "").await
    }

    /// A world with more lines in the set-up of T-Bank.
    async fn set_up(engine: Engine, settings: &[(&str, &str)], more: &str) -> Self {
        let (fake, folder) = (Fake::start(), tempfile::tempdir().expect("a folder"));
        let file = folder.path().join("tbank.toml");
        fs::write(&file, fake.document(more)).expect("a file");
        let file = file.display().to_string();
        let own = [
            ("TILL_SIMULATOR", "off"),
            ("TILL_TBANK_FILE", file.as_str()),
            ("TILL_ALLOW_PRIVATE_CALLBACKS", "true"),
        ];
        let cluster = (engine == Engine::Postgres).then(Cluster::start);
        let url = cluster.as_ref().map(Cluster::url);
        let database = url.as_ref().map(|url| ("TILL_DATABASE_URL", url.as_str()));
        let database: Vec<_> = database.into_iter().collect();
        let server = Server::with(&[&own[..], settings, &database].concat()).await;
        let vendor = server.vendor().await;
        let shop = server.shop("live", &vendor).await;
        let receiver = Receiver::start().await;
        let world = Self { fake, server, vendor, shop, receiver, folder, cluster };
        // Both have the same time.
        let apart = world.server.clock.now().as_ms() - real_now();
        world.pass(apart).await;
        let url = format!("{}/notices/tbank/terminal", world.server.local);
        world.fake.does("notify", json!({ "url": url })).await;
        world
    }

    /// Advances the fake's clock, in whole seconds.
    async fn pass(&self, ms: i64) {
        self.fake.does("advance", json!({ "seconds": ms / 1_000 })).await;
    }

    /// Advances both clocks.
    async fn later(&self, by: Duration) {
        self.pass(i64::try_from(by.as_millis()).expect("a time")).await;
        self.server.later(by);
    }

    /// Advances time in steps until something holds.
    async fn later_until(&self, what: &str, step: Duration, holds: impl AsyncFn() -> bool) {
        for _ in 0..250 {
            if holds().await {
                return;
            }
            self.later(step).await;
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        panic!("it never happens: {what}");
    }

    /// A session of 4990.00 RUB.
    async fn order(&self, order: &str) -> String {
        let mut body = Shop::book(order);
        body["callback_url"] = json!(self.receiver.url(&format!("/{order}")));
        let created = self.shop.create(&body).await;
        assert_eq!(created.status, 201, "{}", created.body);
        created.text("session_id")
    }

    /// A session that is being paid, and the id of its payment at the fake.
    async fn paying(&self, order: &str, method: &str) -> (String, String) {
        let id = self.order(order).await;
        let answer = self.server.customer().pay(&id, method).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let attempt = self.attempt(&id).await;
        assert_eq!(attempt.state, AttemptState::Open);
        (id, attempt.reference.expect("a payment"))
    }

    /// The newest attempt of a session.
    async fn attempt(&self, id: &str) -> Attempt {
        let id = self.server.session(id).await.id;
        self.server.live.store.latest_attempt(id).await.expect("a read").expect("an attempt")
    }

    async fn state(&self, id: &str) -> State {
        self.server.session(id).await.state
    }

    async fn reaches(&self, id: &str, state: State) {
        until("the state", async || self.state(id).await == state).await;
    }

    async fn money(&self, id: &str) -> Vec<Transaction> {
        let id = self.server.session(id).await.id;
        self.server.live.store.transactions_of(id).await.expect("a read")
    }

    /// All actions, open and decided, newest first.
    async fn actions(&self) -> Vec<StoredAction> {
        let all = ActionFilter { shown: till_store::ActionsShown::All, ..ActionFilter::default() };
        self.server.live.store.actions(&all, 100).await.expect("a read")
    }

    async fn refunds(&self) -> Vec<Refund> {
        let refunds = self.server.live.store.refunds();
        refunds.list(&RefundFilter::default(), 100).await.expect("a read")
    }

    async fn balance(&self, account: Account) -> i64 {
        let books = self.server.live.store.ledger().expect("books");
        let all = books.balances(self.vendor.id).await.expect("balances");
        all.iter().find(|balance| balance.account == account).map_or(0, |balance| balance.amount.minor)
    }

    /// The callback about an order with this event.
    async fn told(&self, order: &str, event: &str) -> Value {
        until(event, async || self.received(order, event).is_some()).await;
        self.received(order, event).expect("it is there")
    }

    /// The body of the callback of this kind about an order, if it has come.
    fn received(&self, order: &str, event: &str) -> Option<Value> {
        let all = self.receiver.at(&format!("/{order}")).into_iter();
        let mut bodies = all.map(|got| serde_json::from_slice::<Value>(&got.body).expect("JSON"));
        bodies.find(|body| body["event"] == event)
    }

    /// Compares the books: the fake's payments and refunds equal ours, in total and payment by payment, and
    /// nothing is left authorised.
    async fn agrees(&self) {
        let truth = self.fake.look("truth").await;
        let number = |value: &Value| value.as_i64().expect("a number");
        let mut there = 0;
        for payment in truth["payments"].as_array().expect("payments") {
            assert_eq!(number(&payment["held"]), 0, "nothing stays held: {payment}");
            let left = number(&payment["taken"]) - number(&payment["returned"]);
            there += left;
            let (taken, returned) = self.known_of(payment["id"].as_str().expect("an id")).await;
            assert_eq!(taken - returned, left, "{payment}");
        }
        let ours = -self.balance(Account::Clearing("tbank".to_owned())).await;
        assert_eq!(ours, there, "what our books and the fake say: equal");
        let verified = self.server.live.store.verify(&mut |_, _| ()).await.expect("it can be read");
        assert!(verified.iter().all(|check| check.wrong == 0), "{verified:?}");
    }

    /// The amounts paid and refunded of a payment, by our rows.
    async fn known_of(&self, payment: &str) -> (i64, i64) {
        let all = self
            .server
            .live
            .store
            .all_transactions(&AllTransactions::default(), Turn::Newest, 1_000)
            .await
            .expect("a read");
        let own = all.iter().filter(|money| money.provider == "tbank" && money.reference == payment);
        let sent = |refund: &&Refund| refund.payment == payment && refund.state == RefundState::Succeeded;
        let refunds = self.refunds().await;
        let returned = refunds.iter().filter(sent).map(|refund| refund.amount.minor).sum();
        (own.map(|money| money.amount.minor).sum(), returned)
    }
}

fn real_now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
    Timestamp::from_ms(i64::try_from(since.as_millis()).expect("a time")).as_ms()
}
