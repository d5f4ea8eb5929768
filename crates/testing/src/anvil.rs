//! A real chain for tests: anvil, started on a free port and killed with the test. `tests/evm/install`
//! installs it.
//!
//! Its funded accounts are not those of [`XPUB`], so an address derived from that is empty at first.

use crate::command;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};
use till_domain::chain::{Address, TxHash};
use till_providers::web::Web;

/// The account key of `test test test test test test test test test test test junk`.
pub const XPUB: &str = "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";

/// One coin of 18 decimals.
pub const ETHER: u128 = 1_000_000_000_000_000_000;

/// A running chain.
#[derive(Debug)]
pub struct Anvil {
    process: Child,
    web: Web,
    port: u16,
    /// Ten accounts with 10,000 ETH each.
    pub accounts: Vec<Address>,
    mines_at_once: AtomicBool,
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Anvil {
    /// A chain with anvil's usual id. Every transaction gets a block at once.
    pub async fn start() -> Self {
        Self::start_as(31_337).await
    }

    /// A chain with this id.
    pub async fn start_as(chain: u64) -> Self {
        Self::start_at(chain, 0).await
    }

    /// A chain with this id, on this port.
    pub async fn start_at(chain: u64, port: u16) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let program = root.join(".tools/evm/node_modules/.bin/anvil");
        let mut process = Command::new(&program)
            .args(["--port", &port.to_string(), "--chain-id", &chain.to_string()])
            .args(["--mnemonic-seed-unsafe", "7", "--slots-in-an-epoch", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; run tests/evm/install", program.display()));
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("Listening on 127.0.0.1:")?.trim().parse().ok())
            .expect("anvil listens");
        // It would block if its output were not read.
        std::thread::spawn(move || lines.for_each(drop));
        let web = Web::trusting([]);
        let mut anvil =
            Self { process, web, port, accounts: Vec::new(), mines_at_once: AtomicBool::new(true) };
        let accounts = anvil.ask("eth_accounts", json!([])).await;
        anvil.accounts = accounts.as_array().expect("a list").iter().map(address).collect();
        anvil
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Sends a JSON-RPC request, which must succeed.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let question = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = command::post(&self.web, &self.url(), &question).await;
        let answer: Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// The newest block's number.
    pub async fn head(&self) -> u64 {
        let head = self.ask("eth_blockNumber", json!([])).await;
        u64::from_str_radix(text(&head).trim_start_matches("0x"), 16).expect("a number")
    }

    pub async fn mine(&self, blocks: u64) {
        self.ask("anvil_mine", json!([hex(u128::from(blocks))])).await;
    }

    /// Sets whether a transaction gets a block at once, or waits for [`Anvil::mine`].
    pub async fn automine(&self, on: bool) {
        self.ask("evm_setAutomine", json!([on])).await;
        self.mines_at_once.store(on, Relaxed);
    }

    /// Sends ETH.
    pub async fn send(&self, to: Address, wei: u128) -> TxHash {
        let from = self.accounts[0].to_string();
        self.transact(json!({ "from": from, "to": to.to_string(), "value": hex(wei) })).await
    }

    /// Calls a contract by a transaction.
    pub async fn call(&self, from: Address, contract: Address, data: &str) -> TxHash {
        self.transact(json!({ "from": from.to_string(), "to": contract.to_string(), "data": data })).await
    }

    /// Sends a transaction, and waits for its block if it gets one at once.
    pub async fn transact(&self, transaction: Value) -> TxHash {
        let hash = self.ask("eth_sendTransaction", json!([transaction])).await;
        let hash = TxHash::parse(text(&hash)).expect("a hash");
        if self.mines_at_once.load(Relaxed) {
            self.receipt(hash).await;
        }
        hash
    }

    /// The receipt of a transaction, as soon as it has one.
    pub async fn receipt(&self, hash: TxHash) -> Value {
        for _ in 0..500 {
            let receipt = self.ask("eth_getTransactionReceipt", json!([hash.to_string()])).await;
            if !receipt.is_null() {
                return receipt;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{hash} got no block");
    }

    /// Deploys our token (`Token.sol`); returns its address.
    pub async fn deploy_token(&self, symbol: &str, decimals: u8) -> Address {
        let symbol_word =
            format!("{:0<64}", symbol.bytes().map(|byte| format!("{byte:02x}")).collect::<String>());
        let arguments = format!("{:064x}{decimals:064x}{:064x}{symbol_word}", 64, symbol.len());
        self.deploy(include_str!("../../../tests/evm/Token.hex"), &arguments).await
    }

    /// Deploys a contract that forwards what it receives (`Forwarder.sol`); returns its address.
    pub async fn deploy_forwarder(&self, to: Address) -> Address {
        self.deploy(include_str!("../../../tests/evm/Forwarder.hex"), &word(to)).await
    }

    async fn deploy(&self, program: &str, arguments: &str) -> Address {
        let data = format!("0x{}{arguments}", program.trim());
        let hash = self.transact(json!({ "from": self.accounts[0].to_string(), "data": data })).await;
        address(&self.receipt(hash).await["contractAddress"])
    }

    /// Mints tokens.
    pub async fn mint(&self, token: Address, to: Address, atoms: u128) -> TxHash {
        let data = format!("0x40c10f19{}{atoms:064x}", word(to));
        self.call(self.accounts[0], token, &data).await
    }

    /// Sends tokens of an account.
    pub async fn transfer(&self, token: Address, from: Address, to: Address, atoms: u128) -> TxHash {
        let data = format!("0xa9059cbb{}{atoms:064x}", word(to));
        self.call(from, token, &data).await
    }

    /// Takes a snapshot of the chain's state.
    pub async fn snapshot(&self) -> Value {
        self.ask("evm_snapshot", json!([])).await
    }

    /// Restores a snapshot: the blocks since then are gone.
    pub async fn revert(&self, snapshot: Value) {
        assert_eq!(self.ask("evm_revert", json!([snapshot])).await, json!(true));
    }

    /// Replaces the last blocks by as many empty ones.
    pub async fn reorg(&self, depth: u64) {
        self.ask("anvil_reorg", json!([depth, []])).await;
    }

    /// The balance of an address.
    pub async fn balance(&self, address: Address) -> u128 {
        let balance = self.ask("eth_getBalance", json!([address.to_string(), "latest"])).await;
        u128::from_str_radix(text(&balance).trim_start_matches("0x"), 16).expect("a number")
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

fn address(value: &Value) -> Address {
    Address::parse(text(value)).unwrap_or_else(|| panic!("{value} is not an address"))
}

fn hex(number: u128) -> String {
    format!("0x{number:x}")
}

/// An address as a 32-byte argument of a contract call.
pub fn word(address: Address) -> String {
    format!("{:0>64}", &address.to_string()[2..])
}
