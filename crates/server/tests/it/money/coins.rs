//! Coins on a real chain through the whole service: paid, removed by a reorg, of the wrong kind, and refunded
//! by hand.

use crate::{
    money::decisions::Operator,
    support::{Server, Vendor, until},
};
use serde_json::json;
use std::{fs, time::Duration};
use till_domain::{
    attempt::Instructions,
    chain::{Address, ChainId, TxHash},
    ledger::Account,
    method::Method,
    money::Currency,
    session::State,
};
use till_providers::Provider as _;
use till_service::registry::ProviderKind;
use till_testing::anvil::{Anvil, ETHER, XPUB};

pub(crate) const CONFIRMATIONS: u64 = 4;
pub(crate) const CHAIN: ChainId = ChainId(31_337);

/// A chain with two tokens, a service that takes them and ETH there, and a vendor.
pub(crate) struct World {
    pub(crate) chain: Anvil,
    pub(crate) token: Address,
    other: Address,
    pub(crate) server: Server,
    vendor: Vendor,
    /// The path of the chain's set-up document.
    pub(crate) file: String,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let chain = Anvil::start().await;
        let node = chain.url();
        Self::with(chain, &node, "off").await
    }

    /// A service that reads the chain through this node, with the simulated bank on or off.
    pub(crate) async fn with(chain: Anvil, node: &str, bank: &str) -> Self {
        let token = chain.deploy_token("USDC", 6).await;
        let other = chain.deploy_token("USDT", 6).await;
        for contract in [token, other] {
            chain.mint(contract, chain.accounts[0], 1_000_000_000_000).await;
        }
        let coin = |symbol: &str, contract: Address| {
            format!("[[chain.coin]]\nsymbol = \"{symbol}\"\ncontract = \"{contract}\"\ndecimals = 6\n")
        };
        let price = |coin: &str, price: &str| {
            format!("[[price]]\ncoin = \"{coin}\"\ncurrency = \"RUB\"\nfixed = \"{price}\"\n")
        };
        let document = [
            format!("[[chain]]\nid = {CHAIN}\nname = \"Anvil\"\nendpoints = [\"{node}\"]\n"),
            format!("xpub = \"{XPUB}\"\nconfirmations = {CONFIRMATIONS}\npoll = \"250ms\"\n"),
            coin("USDC", token),
            coin("USDT", other),
            "[[chain.coin]]\nsymbol = \"ETH\"\ndecimals = 18\n".to_owned(),
            price("USDC", "99.8"),
            price("USDT", "99.8"),
            price("ETH", "249500"),
        ];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("evm.toml");
        fs::write(&file, document.concat()).expect("a file");
        let file = file.display().to_string();
        let server = Server::with(&[("TILL_SIMULATOR", bank), ("TILL_EVM_FILE", &file)]).await;
        let vendor = server.vendor().await;
        let world = Self { chain, token, other, server, vendor, file, _folder: folder };
        world.offers(3).await;
        world
    }

    /// Waits until this many coins are offered.
    pub(crate) async fn offers(&self, coins: usize) {
        until("coins are offered", async || {
            let current = self.server.registry.current(ProviderKind::Evm);
            let provider = current.chains().map(|chains| chains.provider.clone()).expect("chains");
            let roubles = Currency::parse("RUB").expect("a currency");
            provider.choices(Method::Crypto, roubles).len() == coins
        })
        .await;
    }

    /// A session of 4990.00 RUB and its address for a coin.
    pub(crate) async fn address(&self, order: &str, coin: &str) -> (String, Address) {
        let id = self.server.shop("live", &self.vendor).await.order(order).await;
        let form = [("method", "crypto"), ("coin", coin)];
        let paid = self.server.customer().post(&format!("/session/{id}/pay"), &form, &[]).await;
        assert_eq!(paid.status, 303, "{}", paid.body);
        let Some(Instructions::Address { address, .. }) =
            self.server.attempts(&id).await.remove(0).instructions
        else {
            panic!("no address");
        };
        (id, Address::parse(&address).expect("an address"))
    }

    pub(crate) async fn pay(&self, contract: Address, address: Address, atoms: u128) -> TxHash {
        self.chain.transfer(contract, self.chain.accounts[0], address, atoms).await
    }

    /// Adds blocks until the session is in this state.
    pub(crate) async fn reaches(&self, id: &str, state: State) {
        until("the state", async || {
            self.chain.mine(1).await;
            self.server.session(id).await.state == state
        })
        .await;
    }

    pub(crate) async fn balance(&self, account: Account) -> i64 {
        let books = self.server.live.store.ledger().expect("books");
        let all = books.balances(self.vendor.id).await.expect("balances");
        all.iter().find(|balance| balance.account == account).map_or(0, |balance| balance.amount.minor)
    }

    /// The open actions: kind and id of each.
    pub(crate) fn actions(&self) -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        let open = Operator(&self.server).list(&["action", "list"]);
        open.iter().map(|action| (text(&action["kind"]), text(&action["action_id"]))).collect()
    }

    pub(crate) async fn kind_of_action(&self) -> String {
        until("somebody has to decide", async || !self.actions().is_empty()).await;
        self.actions().remove(0).0
    }

    pub(crate) async fn is_well(&self) {
        let verified = self.server.live.store.verify(&mut |_, _| ()).await.expect("it can be read");
        assert!(verified.iter().all(|check| check.wrong == 0), "{verified:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_f20_what_a_deep_reorg_takes_back_is_reversed_and_the_status_stays() {
    let world = World::new().await;
    let (id, address) = world.address("A-1", "usdc-31337").await;
    let before = world.chain.snapshot().await;
    world.pay(world.token, address, 50_000_000).await;
    world.reaches(&id, State::Paid).await;
    assert_eq!(world.balance(Account::Available).await, 499_000);
    world.chain.revert(before).await;
    world.chain.mine(20).await;
    assert_eq!(world.kind_of_action().await, "reversed");
    assert_eq!(world.server.session(&id).await.state, State::Paid, "what was said stays said");
    assert_eq!(world.balance(Account::Suspense).await, -499_000);
    let (_, action) = world.actions().remove(0);
    Operator(&world.server).run(&["action", "resolve", &action, "charge"]).expect("decided");
    assert_eq!((world.balance(Account::Available).await, world.balance(Account::Suspense).await), (0, 0));
    world.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_another_coin_is_reported_to_an_operator_and_the_session_waits_on() {
    let world = World::new().await;
    let (id, address) = world.address("A-1", "usdc-31337").await;
    world.pay(world.other, address, 50_000_000).await;
    world.chain.mine(CONFIRMATIONS + 1).await;
    assert_eq!(world.kind_of_action().await, "mismatch");
    assert_eq!(world.server.session(&id).await.state, State::Pending);
    // The right coin still pays, once.
    world.pay(world.token, address, 50_000_000).await;
    world.reaches(&id, State::Paid).await;
    assert_eq!((world.balance(Account::Available).await, world.actions().len()), (499_000, 1));
    world.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_a_person_sends_a_refund_and_the_chain_is_asked_whether_they_did() {
    let world = World::new().await;
    let operator = Operator(&world.server);
    let (id, address) = world.address("A-1", "eth-31337").await;
    world.chain.send(address, ETHER / 50).await;
    world.reaches(&id, State::Paid).await;
    // Commands use the machine's time; with this the service's clock is past it, so that what they write is
    // due.
    world.server.later(Duration::from_secs(1_000 * 24 * 60 * 60));
    let asked = operator.run(&["refund", "create", &id, "--amount", "2495.00"]).expect("a refund");
    let refund = asked["refund_id"].as_str().expect("an id").to_owned();
    let by_hand = || operator.list(&["refund", "list", "--by-hand"]);
    until("a person has to send it", async || by_hand().len() == 1).await;
    let customer = world.chain.accounts[5];
    // Too little is not accepted as the refund, and the operator may name another transaction.
    let little = world.chain.send(customer, ETHER / 101).await;
    world.chain.mine(CONFIRMATIONS).await;
    operator.run(&["refund", "sent", &refund, "--transaction", &little.to_string()]).expect("noted");
    until("it waits again", async || by_hand().len() == 1).await;
    let enough = world.chain.send(customer, ETHER / 100).await;
    world.chain.mine(CONFIRMATIONS).await;
    operator.run(&["refund", "sent", &refund, "--transaction", &enough.to_string()]).expect("noted");
    until("it has gone back", async || {
        operator.list(&["refund", "list"]).iter().any(|line| line["status"] == json!("succeeded"))
    })
    .await;
    assert_eq!(world.balance(Account::Available).await, 249_500);
    world.is_well().await;
}
