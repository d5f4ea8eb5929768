//! One node: JSON-RPC calls, with exponential backoff after failures. Errors name the host only.

use super::wire;
use crate::web::{Web, WebError, host_of};
use serde_json::{Value, json};
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use till_domain::chain::ChainId;
use tokio::time::Instant;
use url::Url;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Exponential backoff: the pause after the first failure in a row, which then doubles, and the longest
/// pause.
const PAUSE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));

/// Why a node gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The HTTP call failed.
    #[error(transparent)]
    Web(#[from] WebError),
    /// An HTTP error status without a JSON-RPC answer.
    #[error("it responded with status {0}")]
    Status(u16),
    /// A JSON-RPC error.
    #[error("it rejected the request: {message} ({code})")]
    Refused {
        /// The JSON-RPC error code.
        code: i64,
        message: String,
    },
    /// An answer that cannot be read, to this method.
    #[error("its response to {0} is invalid")]
    Malformed(&'static str),
    /// A node of another chain.
    #[error("it is a node of chain {found}, not of {wanted}: change the endpoint")]
    OtherChain {
        found: ChainId,
        /// The chain id in the setup.
        wanted: ChainId,
    },
    /// The node lags: it does not have this block yet.
    #[error("it does not have block {0} yet")]
    Behind(u64),
    /// The node has another block with this number: it is on another branch.
    #[error("its block {0} is another one")]
    Fork(u64),
}

impl AskError {
    /// True if the node would answer a query about fewer blocks.
    pub fn wants_less(&self) -> bool {
        const MORE: [&str; 9] = [
            "range",
            "too many",
            "more than",
            "results",
            "too large",
            "response size",
            "limit",
            "exceed",
            "max",
        ];
        match self {
            Self::Web(WebError::TooLong) | Self::Status(413) => true,
            Self::Refused { message, .. } => contains(message, &MORE) && !self.is_busy(),
            _ => false,
        }
    }

    /// True if it timed out, as a node does where there is too much to find.
    pub fn is_slow(&self) -> bool {
        *self == Self::Web(WebError::Timeout)
    }

    /// True if a rate limit or quota was hit, so that the same query may succeed later.
    pub fn is_busy(&self) -> bool {
        const BUSY: [&str; 6] = ["rate", "requests", "per second", "capacity", "credit", "quota"];
        match self {
            Self::Status(429) => true,
            Self::Refused { code, message } => *code == 429 || contains(message, &BUSY),
            _ => false,
        }
    }

    /// True if the node has pruned the state of a block that old. Full nodes keep about 128 blocks of it.
    pub fn is_pruned(&self) -> bool {
        const PRUNED: [&str; 7] = [
            "missing trie node",
            "pruned",
            "archive",
            "historical state",
            "state is not available",
            "state not available",
            "no state available",
        ];
        matches!(self, Self::Refused { message, .. } if contains(message, &PRUNED))
    }

    /// True if the node could not be asked: the network, the host or its service is in trouble, or it limits
    /// the rate. The setup may be right.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Web(error) => error.is_unreachable(),
            Self::Status(status) if *status >= 500 => true,
            _ => self.is_busy(),
        }
    }

    /// True if the node itself fails, and does not just lag or sit on another branch.
    fn is_failure(&self) -> bool {
        !matches!(self, Self::Behind(_) | Self::Fork(_))
    }
}

/// True if the message contains one of these words, in any case.
fn contains(message: &str, words: &[&str]) -> bool {
    let said = message.to_lowercase();
    words.iter().any(|word| said.contains(word))
}

#[derive(Debug)]
pub struct Endpoint {
    /// The part of its address that may be shown.
    pub host: String,
    /// True once the node refused one query for many balances: each balance is queried by itself then.
    pub one_by_one: AtomicBool,
    /// The number of blocks that one log query may cover.
    pub page: QuerySpan,
    address: HiddenUrl,
    web: Web,
    chain: ChainId,
    chain_is_right: AtomicBool,
    questions: AtomicU64,
    health: Mutex<Health>,
}

/// The number of blocks that a node answers about in one query. It shrinks when a query was too large, so
/// that not every pass finds the limit again, and grows slowly when one was not.
#[derive(Debug)]
pub struct QuerySpan(AtomicU64);

impl Default for QuerySpan {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

impl QuerySpan {
    /// These blocks split into queries, the last one first.
    pub fn parts(&self, (from, to): (u64, u64)) -> Vec<(u64, u64)> {
        let page = self.0.load(Relaxed);
        let mut parts = Vec::new();
        let mut first = Some(from);
        while let Some(start) = first.filter(|start| *start <= to) {
            let end = start.saturating_add(page - 1).min(to);
            parts.push((start, end));
            first = end.checked_add(1);
        }
        parts.reverse();
        parts
    }

    /// Shrinks the page to half of a range that was too large.
    pub fn too_long(&self, (from, to): (u64, u64)) {
        self.0.store(((to - from) / 2).max(1), Relaxed);
    }

    /// Grows the page by about an eighth after a query of full size succeeded.
    pub fn fits(&self, (from, to): (u64, u64)) {
        let page = self.0.load(Relaxed);
        if to - from >= page - 1 {
            self.0.store(page.saturating_add(page / 8 + 1), Relaxed);
        }
    }
}

/// A URL that is hidden in `Debug` output, because it may hold a secret.
struct HiddenUrl(String);

impl std::fmt::Debug for HiddenUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[derive(Debug, Default)]
struct Health {
    failures: u32,
    until: Option<Instant>,
    error: Option<String>,
    head: Option<u64>,
}

/// The state of a node, for the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointState {
    pub host: String,
    /// The newest block that it reported.
    pub head: Option<u64>,
    /// Why its last call failed, if it did.
    pub error: Option<String>,
}

impl Endpoint {
    /// A node at an address that is expected to serve this chain.
    pub fn new(address: &str, chain: ChainId, web: Web) -> Self {
        Self {
            host: host_of(address),
            one_by_one: AtomicBool::new(false),
            page: QuerySpan::default(),
            address: HiddenUrl(address.to_owned()),
            web,
            chain,
            chain_is_right: AtomicBool::new(false),
            questions: AtomicU64::new(1),
            health: Mutex::default(),
        }
    }

    /// Makes one call, after the node has proved to serve the right chain.
    pub async fn ask(&self, method: &'static str, params: Value) -> Result<Value, AskError> {
        self.be_right_chain().await?;
        self.ask_anyhow(method, params).await
    }

    /// Makes a batch of calls of the same method; the answers are in their order.
    pub async fn ask_many(&self, method: &'static str, params: Vec<Value>) -> Result<Vec<Value>, AskError> {
        self.be_right_chain().await?;
        let many = u64::try_from(params.len()).unwrap_or(0);
        let first = self.questions.fetch_add(many, Relaxed);
        let question = |(params, id): (Value, u64)| body(id, method, params);
        let questions: Vec<Value> = params.into_iter().zip(first..).map(question).collect();
        let answer = self.send(&Value::Array(questions), method).await?;
        let answers = answer.as_array().ok_or_else(|| refusal(&answer, &self.address.0, method))?;
        (first..first + many)
            .map(|id| {
                let answer = answers.iter().find(|answer| answer["id"].as_u64() == Some(id));
                result(answer.ok_or(AskError::Malformed(method))?, &self.address.0, method)
            })
            .collect()
    }

    /// The chain id that the node reports.
    pub async fn chain_id(&self) -> Result<ChainId, AskError> {
        let said = self.ask_anyhow("eth_chainId", json!([])).await?;
        wire::quantity(&said).map(ChainId).ok_or(AskError::Malformed("eth_chainId"))
    }

    async fn be_right_chain(&self) -> Result<(), AskError> {
        if self.chain_is_right.load(Relaxed) {
            return Ok(());
        }
        let found = self.chain_id().await?;
        if found != self.chain {
            return Err(AskError::OtherChain { found, wanted: self.chain });
        }
        self.chain_is_right.store(true, Relaxed);
        Ok(())
    }

    async fn ask_anyhow(&self, method: &'static str, params: Value) -> Result<Value, AskError> {
        let id = self.questions.fetch_add(1, Relaxed);
        let answer = self.send(&body(id, method, params), method).await?;
        if answer["error"].is_null() && answer["id"].as_u64() != Some(id) {
            return Err(AskError::Malformed(method));
        }
        result(&answer, &self.address.0, method)
    }

    async fn send(&self, question: &Value, method: &'static str) -> Result<Value, AskError> {
        let answer = self.web.post(&self.address.0, question.to_string(), MAX_ANSWER).await?;
        let body: Option<Value> = serde_json::from_slice(&answer.body).ok();
        match body {
            // A JSON-RPC error often comes with an HTTP error status.
            Some(body) if answer.status == 200 || body["error"].is_object() => Ok(body),
            _ if answer.status != 200 => Err(AskError::Status(answer.status)),
            _ => Err(AskError::Malformed(method)),
        }
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True while the node is in backoff.
    pub fn is_paused(&self) -> bool {
        self.health().until.is_some_and(|until| Instant::now() < until)
    }

    /// Notes a success, which ends the backoff.
    pub fn worked(&self) {
        let mut health = self.health();
        if health.failures > 0 {
            tracing::info!(host = self.host, "the node responds again");
        }
        (health.failures, health.until, health.error) = (0, None, None);
    }

    /// Notes a failure, which starts or extends the backoff.
    pub fn failed(&self, error: &AskError) {
        // Pruned state is no failure: the node answers everything else.
        if error.is_pruned() {
            return;
        }
        let mut health = self.health();
        health.error = Some(error.to_string());
        if !error.is_failure() {
            return;
        }
        if health.failures == 0 {
            tracing::warn!(host = self.host, %error, "a node fails; using the other nodes, if any");
        }
        let pause = PAUSE.0.saturating_mul(1 << health.failures.min(10)).min(PAUSE.1);
        health.failures = health.failures.saturating_add(1);
        health.until = Some(Instant::now() + pause);
    }

    /// Notes the newest block that the node reported.
    pub fn saw_head(&self, head: u64) {
        self.health().head = Some(head);
    }

    pub fn state(&self) -> EndpointState {
        let health = self.health();
        EndpointState { host: self.host.clone(), head: health.head, error: health.error.clone() }
    }
}

fn body(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn result(answer: &Value, address: &str, method: &'static str) -> Result<Value, AskError> {
    if !answer["error"].is_null() {
        return Err(refusal(answer, address, method));
    }
    answer.get("result").cloned().ok_or(AskError::Malformed(method))
}

/// A node's JSON-RPC error in its own words, unless they repeat a secret of ours.
fn refusal(answer: &Value, address: &str, method: &'static str) -> AskError {
    let error = &answer["error"];
    if error.is_null() {
        return AskError::Malformed(method);
    }
    let said = error["message"].as_str().unwrap_or("no reason given");
    let message: String = said.chars().filter(|c| !c.is_control()).take(160).collect();
    let message = if secrets(address).iter().any(|secret| said.contains(secret.as_str())) {
        "its reason repeats a secret".to_owned()
    } else {
        message
    };
    AskError::Refused { code: error["code"].as_i64().unwrap_or(0), message }
}

/// The parts of an address that may be secret: path segments, query values, user and password, if long
/// enough.
fn secrets(address: &str) -> Vec<String> {
    const SHORTEST: usize = 8;
    let Ok(url) = Url::parse(address) else { return vec![address.to_owned()] };
    let query = url.query_pairs().map(|(_, value)| value.into_owned());
    let path = url.path().split('/').map(str::to_owned);
    let login = [url.username().to_owned(), url.password().unwrap_or("").to_owned()];
    path.chain(query).chain(login).filter(|part| part.len() >= SHORTEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &str) -> AskError {
        AskError::Refused { code: -32_000, message: message.to_owned() }
    }

    #[test]
    fn a_node_that_wants_less_is_told_from_one_that_is_busy() {
        for message in [
            "query returned more than 10000 results",
            "block range is too large",
            "exceed maximum block range: 5000",
            "eth_getLogs is limited to a 10000 range",
            "Log response size exceeded",
        ] {
            assert!(refused(message).wants_less(), "{message}");
        }
        for message in [
            "rate limit exceeded",
            "too many requests",
            "exceeded its compute units per second capacity",
            "x",
        ] {
            assert!(!refused(message).wants_less(), "{message}");
        }
        assert!(AskError::Web(WebError::TooLong).wants_less());
        assert!(!AskError::Web(WebError::Timeout).wants_less());
    }

    #[test]
    fn what_was_too_much_is_remembered_and_tried_again_slowly() {
        let page = QuerySpan::default();
        assert_eq!(page.parts((5, 204)), [(5, 204)]);
        page.fits((5, 204));
        page.too_long((5, 204));
        assert_eq!(page.parts((5, 204)), [(203, 204), (104, 202), (5, 103)]);
        page.fits((203, 204));
        assert_eq!(page.parts((1, 99)), [(1, 99)], "less than it may be says nothing");
        page.fits((5, 103));
        assert_eq!(page.parts((1, 112)), [(1, 112)]);
        (0..9).for_each(|_| page.too_long((7, 8)));
        assert_eq!(page.parts((7, 8)), [(8, 8), (7, 7)]);
    }

    #[test]
    fn a_refusal_never_repeats_a_secret() {
        let said = |message: &str| {
            let answer = json!({ "id": 1, "error": { "code": -1, "message": message } });
            refusal(&answer, "https://user:longpassword@x.example/v3/0123456789?key=abcdefgh", "m")
                .to_string()
        };
        for secret in ["0123456789", "abcdefgh", "longpassword"] {
            assert!(!said(&format!("project {secret} is unknown")).contains(secret));
        }
        assert!(said("unknown project").contains("unknown project"));
    }
}
