//! A chain, queried by JSON-RPC from several nodes.
//!
//! **Failover.** Queries go to the nodes in their order; one that failed is in backoff for a while and is
//! asked after the others. Logs and balances are only trusted from a node that has the last block of the
//! query, with the hash that was reported here before: a node that lags or sits on another branch would
//! silently answer "nothing arrived".
//!
//! **The head** (`head.rs`). One lying node among several cannot make anything count while another one
//! answers. Where all others fail, one alone is trusted, or no payment would be seen.
//!
//! **Cross-checks.** Answers are compared with those of another node, where one can be asked: balances always
//! (they are one query), and transfers to named addresses when there are some (which is rare). Two nodes that
//! contradict each other are named, and nothing counts until they agree. Transfers queried without addresses
//! are not compared: query again for the addresses that matter.

use super::{
    endpoint::{AskError, Endpoint, EndpointState},
    head_quorum,
    node::{Header, Log, Node, NodeError, Receipt, Token},
    setup::Chain,
    token, transaction,
    wire::{self, LogEntry, TRANSFER},
};
use crate::web::Web;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError, atomic::Ordering::Relaxed},
};
use till_domain::chain::{Address, Atoms, BlockHash, TxHash};

/// The most block hashes that are remembered as they were reported.
const MAX_REPORTED: usize = 4_096;

/// Addresses in one balance query: the result must be no longer than the longest contract.
const ADDRESSES_AT_ONCE: usize = 500;

/// Calls in one JSON-RPC batch.
const BATCH: usize = 100;

/// EVM bytecode that is run by `eth_call` and never deployed. It takes the addresses that follow it, 20 bytes
/// each, and returns their balances, 32 bytes each.
const BALANCES: &str = "602860005b8138111560245760148282600c013980513181526020019060140190600456\
     5b6000f3";

/// The nodes of a chain.
#[derive(Debug)]
pub struct RpcNode {
    endpoints: Vec<Endpoint>,
    confirmations: u32,
    reported: Mutex<ReportedChain>,
}

/// What was reported of the chain to callers.
#[derive(Debug, Default)]
struct ReportedChain {
    head: u64,
    hashes: BTreeMap<u64, BlockHash>,
}

impl RpcNode {
    /// The nodes that a setup names.
    #[must_use]
    pub fn new(chain: &Chain, web: &Web) -> Self {
        let endpoint = |address: &String| Endpoint::new(address, chain.id, web.clone());
        Self {
            endpoints: chain.endpoints.iter().map(endpoint).collect(),
            confirmations: chain.confirmations,
            reported: Mutex::default(),
        }
    }

    /// The state of each node.
    #[must_use]
    pub fn endpoints(&self) -> Vec<EndpointState> {
        self.endpoints.iter().map(Endpoint::state).collect()
    }

    fn reported(&self) -> MutexGuard<'_, ReportedChain> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the hash of a block that is reported to the caller.
    fn remember(&self, header: &Header) {
        let mut reported = self.reported();
        reported.hashes.insert(header.number, header.hash);
        while reported.hashes.len() > MAX_REPORTED {
            reported.hashes.pop_first();
        }
    }

    /// The nodes in the order in which they are asked: first those that work, then those in backoff.
    fn in_order(&self) -> Vec<&Endpoint> {
        let (paused, ready): (Vec<_>, Vec<_>) =
            self.endpoints.iter().partition(|endpoint| endpoint.is_paused());
        ready.into_iter().chain(paused).collect()
    }

    /// The first answer. `None` is accepted only from a node that has got as far as the chain is known here.
    async fn first<'a, T>(
        &'a self,
        ask: impl Fn(&'a Endpoint) -> BoxFuture<'a, Result<Option<T>, AskError>> + Send + 'a,
    ) -> Result<Option<T>, NodeError> {
        let known = self.reported().head;
        let mut problems = Vec::new();
        for endpoint in self.in_order() {
            match ask(endpoint).await {
                Ok(Some(answer)) => {
                    endpoint.worked();
                    return Ok(Some(answer));
                }
                Ok(None) if known == 0 || endpoint.state().head >= Some(known) => {
                    endpoint.worked();
                    return Ok(None);
                }
                Ok(None) => problems.push(format!("{}: {}", endpoint.host, AskError::Behind(known))),
                Err(error) => {
                    endpoint.failed(&error);
                    problems.push(format!("{}: {error}", endpoint.host));
                }
            }
        }
        Err(NodeError(problems.join("; ")))
    }

    /// The first answer to a query that always has one.
    async fn certain<'a, T>(
        &'a self,
        ask: impl Fn(&'a Endpoint) -> BoxFuture<'a, Result<T, AskError>> + Send + 'a,
    ) -> Result<T, NodeError>
    where
        T: Send + 'a,
    {
        let found = self.first(move |endpoint| {
            let answer = ask(endpoint);
            Box::pin(async move { answer.await.map(Some) })
        });
        found.await?.ok_or_else(|| NodeError("no node is set up".to_owned()))
    }

    /// Checks that a node has a block, with the hash that was reported here.
    async fn on_our_branch(&self, endpoint: &Endpoint, number: u64) -> Result<(), AskError> {
        let header = block(endpoint, wire::hex_quantity(number)).await?.ok_or(AskError::Behind(number))?;
        let reported = self.reported().hashes.get(&number).copied();
        if reported.is_some_and(|hash| hash != header.hash) { Err(AskError::Fork(number)) } else { Ok(()) }
    }

    /// The other nodes that are not in backoff, to compare an answer with.
    fn others<'a>(&'a self, than: &'a Endpoint) -> impl Iterator<Item = &'a Endpoint> {
        self.endpoints.iter().filter(move |endpoint| !std::ptr::eq(*endpoint, than) && !endpoint.is_paused())
    }

    /// Checks that the next node which can answer gives the same answer. If none can, one answer is enough.
    async fn compare<'a, T: PartialEq>(
        &'a self,
        one: &'a Endpoint,
        found: &T,
        what: &str,
        ask: impl Fn(&'a Endpoint) -> BoxFuture<'a, Result<T, AskError>> + Send,
    ) -> Result<(), NodeError> {
        for two in self.others(one) {
            match ask(two).await {
                Ok(same) if same == *found => return Ok(()),
                Ok(_) => {
                    return Err(NodeError(format!(
                        "the nodes contradict each other: {} and {} report different {what}; no payment \
                         counts until they agree; remove the one that is wrong",
                        one.host, two.host
                    )));
                }
                Err(error) => two.failed(&error),
            }
        }
        Ok(())
    }

    async fn logs_of(&self, endpoint: &Endpoint, question: &LogQuestion<'_>) -> Result<Vec<Log>, AskError> {
        let mut found = Vec::new();
        let mut ranges = endpoint.page.parts(question.blocks);
        while let Some((from, to)) = ranges.pop() {
            match question.ask(endpoint, (from, to)).await {
                Ok(logs) => {
                    endpoint.page.fits((from, to));
                    found.extend(logs);
                }
                Err(error) if from < to && (error.wants_less() || error.is_slow()) => {
                    // A node that answers nothing at all is not asked for half of the range.
                    if error.is_slow() {
                        self.on_our_branch(endpoint, question.branch).await?;
                    }
                    endpoint.page.too_long((from, to));
                    let middle = from + (to - from) / 2;
                    ranges.extend([(middle + 1, to), (from, middle)]);
                }
                Err(error) => return Err(error),
            }
        }
        self.on_our_branch(endpoint, question.branch).await?;
        found.sort_by_key(|log| (log.block, log.index));
        found.dedup();
        Ok(found)
    }

    async fn balances_of(
        &self,
        endpoint: &Endpoint,
        addresses: &[Address],
        block: u64,
    ) -> Result<Vec<Atoms>, AskError> {
        let mut balances = Vec::with_capacity(addresses.len());
        for addresses in addresses.chunks(ADDRESSES_AT_ONCE) {
            if !endpoint.one_by_one.load(Relaxed) {
                match balances_at_once(endpoint, addresses, block).await {
                    Ok(found) => {
                        balances.extend(found);
                        continue;
                    }
                    // It may be busy, or lag behind this block, which is no reason to query one by one for
                    // ever.
                    Err(error @ (AskError::Refused { .. } | AskError::Malformed(_))) if !error.is_busy() => {
                        self.on_our_branch(endpoint, block).await?;
                        // Nor is it one if the node has no balances of this block at all.
                        balances.extend(balances_one_by_one(endpoint, addresses, block).await?);
                        endpoint.one_by_one.store(true, Relaxed);
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            balances.extend(balances_one_by_one(endpoint, addresses, block).await?);
        }
        self.on_our_branch(endpoint, block).await?;
        Ok(balances)
    }
}

impl RpcNode {
    async fn nonces_of(
        &self,
        endpoint: &Endpoint,
        addresses: &[Address],
        block: u64,
    ) -> Result<Vec<u64>, AskError> {
        const METHOD: &str = "eth_getTransactionCount";
        let mut nonces = Vec::with_capacity(addresses.len());
        for addresses in addresses.chunks(BATCH) {
            let questions =
                addresses.iter().map(|address| json!([address.to_string(), wire::hex_quantity(block)]));
            for said in endpoint.ask_many(METHOD, questions.collect()).await? {
                nonces.push(wire::quantity(&said).ok_or(AskError::Malformed(METHOD))?);
            }
        }
        self.on_our_branch(endpoint, block).await?;
        Ok(nonces)
    }
}

impl Node for RpcNode {
    fn head(&self) -> BoxFuture<'_, Result<Header, NodeError>> {
        Box::pin(async move {
            let head = head_quorum::agreed(&self.endpoints, self.confirmations).await?;
            self.reported().head = head.number;
            self.remember(&head);
            Ok(head)
        })
    }

    fn header(&self, number: u64) -> BoxFuture<'_, Result<Option<Header>, NodeError>> {
        Box::pin(async move {
            let header =
                self.first(move |endpoint| Box::pin(block(endpoint, wire::hex_quantity(number)))).await?;
            if let Some(header) = &header {
                if header.number != number {
                    return Err(NodeError(format!(
                        "asked for block {number}, a node answered with {}",
                        header.number
                    )));
                }
                self.remember(header);
            }
            Ok(header)
        })
    }

    fn logs<'a>(
        &'a self,
        blocks: (u64, u64),
        contracts: &'a [Address],
        to: Option<&'a [Address]>,
    ) -> BoxFuture<'a, Result<Vec<Log>, NodeError>> {
        Box::pin(async move {
            // An empty list would match everything.
            if contracts.is_empty() || to.is_some_and(<[Address]>::is_empty) || blocks.0 > blocks.1 {
                return Ok(Vec::new());
            }
            let question = LogQuestion { blocks, contracts, to, branch: blocks.1 };
            let ask = move |endpoint: &'a Endpoint| -> BoxFuture<'a, _> {
                Box::pin(async move { Ok((endpoint, self.logs_of(endpoint, &question).await?)) })
            };
            let (endpoint, found) = self.certain(ask).await?;
            if let (Some(first), Some(last), Some(_)) = (found.first(), found.last(), to) {
                let question = LogQuestion { blocks: (first.block, last.block), ..question };
                let ask = move |endpoint: &'a Endpoint| -> BoxFuture<'a, _> {
                    Box::pin(async move { self.logs_of(endpoint, &question).await })
                };
                self.compare(endpoint, &found, "transfers", ask).await?;
            }
            Ok(found)
        })
    }

    fn balances<'a>(
        &'a self,
        addresses: &'a [Address],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<Atoms>, NodeError>> {
        Box::pin(async move {
            if addresses.is_empty() {
                return Ok(Vec::new());
            }
            let ask = move |endpoint: &'a Endpoint| -> BoxFuture<'a, _> {
                Box::pin(async move { Ok((endpoint, self.balances_of(endpoint, addresses, block).await?)) })
            };
            let (endpoint, found) = self.certain(ask).await?;
            let ask = move |endpoint: &'a Endpoint| -> BoxFuture<'a, _> {
                Box::pin(self.balances_of(endpoint, addresses, block))
            };
            self.compare(endpoint, &found, "balances", ask).await?;
            Ok(found)
        })
    }

    fn nonces<'a>(
        &'a self,
        addresses: &'a [Address],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<u64>, NodeError>> {
        Box::pin(async move {
            if addresses.is_empty() {
                return Ok(Vec::new());
            }
            let ask = move |endpoint: &'a Endpoint| -> BoxFuture<'a, _> {
                Box::pin(async move { Ok((endpoint, self.nonces_of(endpoint, addresses, block).await?)) })
            };
            let (endpoint, found) = self.certain(ask).await?;
            let ask = move |endpoint: &'a Endpoint| -> BoxFuture<'a, _> {
                Box::pin(self.nonces_of(endpoint, addresses, block))
            };
            self.compare(endpoint, &found, "transaction counts", ask).await?;
            Ok(found)
        })
    }

    fn token(&self, contract: Address) -> BoxFuture<'_, Result<Token, NodeError>> {
        Box::pin(async move {
            let (endpoint, found) = self
                .certain(move |endpoint| {
                    Box::pin(async move { Ok((endpoint, token::read(endpoint, contract).await?)) })
                })
                .await?;
            let ask = move |endpoint| -> BoxFuture<'_, _> { Box::pin(token::read(endpoint, contract)) };
            self.compare(endpoint, &found, "decimals or symbols", ask).await?;
            Ok(found)
        })
    }

    fn has_transaction(&self, hash: TxHash) -> BoxFuture<'_, Result<bool, NodeError>> {
        Box::pin(async move {
            let requests = self.endpoints.iter().map(|endpoint| transaction::is_known(endpoint, hash));
            let answers = join_all(requests).await;
            // A node that does not answer may be the only one that has it.
            let silent = |(endpoint, answer): (&Endpoint, &Result<bool, AskError>)| {
                answer.as_ref().err().map(|error| format!("{}: {error}", endpoint.host))
            };
            let problems: Vec<_> = self.endpoints.iter().zip(&answers).filter_map(silent).collect();
            let found = answers.iter().any(|answer| matches!(answer, Ok(true)));
            if found || problems.is_empty() { Ok(found) } else { Err(NodeError(problems.join("; "))) }
        })
    }

    fn receipt(&self, hash: TxHash) -> BoxFuture<'_, Result<Option<Receipt>, NodeError>> {
        Box::pin(self.first(move |endpoint| Box::pin(transaction::receipt(endpoint, hash))))
    }
}

/// The header of a block, by its number or by a tag such as `latest`.
pub async fn block(endpoint: &Endpoint, which: Value) -> Result<Option<Header>, AskError> {
    const METHOD: &str = "eth_getBlockByNumber";
    let said = endpoint.ask(METHOD, json!([which, false])).await?;
    if said.is_null() {
        return Ok(None);
    }
    wire::header(&said).map(Some).ok_or(AskError::Malformed(METHOD))
}

#[derive(Clone, Copy)]
struct LogQuestion<'a> {
    blocks: (u64, u64),
    contracts: &'a [Address],
    to: Option<&'a [Address]>,
    /// The block whose hash shows whether a node is on our branch.
    branch: u64,
}

impl LogQuestion<'_> {
    async fn ask(&self, endpoint: &Endpoint, (from, to): (u64, u64)) -> Result<Vec<Log>, AskError> {
        const METHOD: &str = "eth_getLogs";
        let mut topics = vec![json!(TRANSFER)];
        if let Some(addresses) = self.to {
            let addresses: Vec<String> = addresses.iter().copied().map(wire::topic).collect();
            topics.extend([Value::Null, json!(addresses)]);
        }
        let contracts: Vec<String> = self.contracts.iter().map(Address::to_string).collect();
        let filter = json!([{
            "fromBlock": wire::hex_quantity(from),
            "toBlock": wire::hex_quantity(to),
            "address": contracts,
            "topics": topics,
        }]);
        let said = endpoint.ask(METHOD, filter).await?;
        let entries = said.as_array().ok_or(AskError::Malformed(METHOD))?;
        let contracts: HashSet<&Address> = self.contracts.iter().collect();
        let wanted: Option<HashSet<&Address>> = self.to.map(|to| to.iter().collect());
        let mut logs = Vec::new();
        for entry in entries {
            let LogEntry::Transfer(log) = wire::log(entry).ok_or(AskError::Malformed(METHOD))? else {
                continue;
            };
            let asked_for = contracts.contains(&log.contract)
                && (from..=to).contains(&log.block)
                && wanted.as_ref().is_none_or(|wanted| wanted.contains(&log.to));
            if !asked_for {
                return Err(AskError::Malformed(METHOD));
            }
            logs.push(log);
        }
        Ok(logs)
    }
}

/// All balances by one `eth_call`, with bytecode that the node runs.
async fn balances_at_once(
    endpoint: &Endpoint,
    addresses: &[Address],
    block: u64,
) -> Result<Vec<Atoms>, AskError> {
    const METHOD: &str = "eth_call";
    let appended: String = addresses.iter().map(|address| hex::encode(address.as_bytes())).collect();
    let call = json!([{ "data": format!("0x{BALANCES}{appended}") }, wire::hex_quantity(block)]);
    let said = endpoint.ask(METHOD, call).await?;
    let words = said.as_str().and_then(|text| text.strip_prefix("0x")).ok_or(AskError::Malformed(METHOD))?;
    if words.len() != addresses.len() * 64 || !words.is_ascii() {
        return Err(AskError::Malformed(METHOD));
    }
    (0..addresses.len())
        .map(|at| {
            wire::amount(&format!("0x{}", &words[at * 64..at * 64 + 64])).ok_or(AskError::Malformed(METHOD))
        })
        .collect()
}

/// A call for each balance, many of them in a batch.
async fn balances_one_by_one(
    endpoint: &Endpoint,
    addresses: &[Address],
    block: u64,
) -> Result<Vec<Atoms>, AskError> {
    const METHOD: &str = "eth_getBalance";
    let mut balances = Vec::with_capacity(addresses.len());
    for addresses in addresses.chunks(BATCH) {
        let questions =
            addresses.iter().map(|address| json!([address.to_string(), wire::hex_quantity(block)])).collect();
        for said in endpoint.ask_many(METHOD, questions).await? {
            balances.push(said.as_str().and_then(wire::amount).ok_or(AskError::Malformed(METHOD))?);
        }
    }
    Ok(balances)
}
