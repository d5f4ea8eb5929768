//! Calls to the Till API: a token, a new session, a status. Each returns its result and the entries for the
//! journal.

use crate::{
    Config, Credentials,
    environment::Environment,
    journal::{self, JournalEntry, MASK, MessageKind},
    order::{CallError, Order, TroubleKind},
    report::PaymentReport,
};
use axum::http::{
    Method,
    header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, USER_AGENT},
};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{Request, body::Bytes};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    fmt,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tokio::sync::Mutex;

/// Timeout of one call, for which a customer is kept waiting.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long before its expiry a token is no longer used.
const TOKEN_RESERVE: Duration = Duration::from_secs(60);

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 64 * 1024;

pub struct Till {
    http: Client<HttpConnector, Full<Bytes>>,
    base_url: String,
    live: ApiAccess,
    sandbox: ApiAccess,
}

impl fmt::Debug for Till {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Till").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// The credentials and the token of one environment.
struct ApiAccess {
    credentials: Credentials,
    token: Mutex<Option<Token>>,
}

/// A token, the moment until which it is used, and the call that obtained it.
#[derive(Clone)]
struct Token {
    text: String,
    until: Instant,
    requested: JournalEntry,
}

/// The result of a call, and the HTTP messages for it.
pub struct CallOutcome<T> {
    /// The answer, or why there is none.
    pub result: Result<T, CallError>,
    /// The entries for the journal.
    pub entries: Vec<JournalEntry>,
}

/// The answer to a create call.
#[derive(Debug, Deserialize)]
pub struct CreatedSession {
    pub session_id: String,
    /// The page where the customer pays.
    pub session_url: String,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: u64,
}

/// The parts in which requests differ.
#[derive(Clone)]
struct Ask {
    kind: MessageKind,
    method: Method,
    path: String,
    token: Option<String>,
    key: Option<String>,
    body: Option<Value>,
}

struct HttpAnswer {
    status: u16,
    retry_after: Option<u64>,
    body: Vec<u8>,
}

impl Till {
    /// A client that follows no redirect and uses no proxy. The demo calls a service on the same machine, without TLS.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        let access = |pair: &Credentials| ApiAccess { credentials: pair.clone(), token: Mutex::new(None) };
        Self {
            http: Client::builder(TokioExecutor::new()).build(tcp),
            base_url: config.base_url.clone(),
            live: access(&config.live),
            sandbox: access(&config.sandbox),
        }
    }

    /// Opens a payment session for an order. The idempotency key is the order's number: however often this is
    /// tried, there is one session. The shop's own address is part of the key, because it is part of the
    /// request: a demo that moved to another port makes another request, and the same key would be refused.
    pub async fn create(&self, order: &Order) -> CallOutcome<CreatedSession> {
        let home = format!("{}/shop", self.base_url);
        let body = json!({
            "product_name": order.product_name,
            "price": order.price,
            "currency": order.currency,
            "order_id": order.id,
            "callback_url": format!("{home}/callbacks/{}", order.environment.word()),
            "return_url": format!("{home}/orders/{}", order.id),
        });
        let ask = Ask {
            kind: MessageKind::Create,
            method: Method::POST,
            path: order.environment.session_path().to_owned(),
            token: None,
            key: Some(format!("{}@{}", order.id, self.base_url.trim_start_matches("http://"))),
            body: Some(body),
        };
        let (result, entries) = self.with_token(order.environment, ask).await;
        CallOutcome { result: result.and_then(|answer| read(&answer)), entries }
    }

    /// Queries the status of a session.
    pub async fn status(&self, environment: Environment, session_id: &str) -> CallOutcome<PaymentReport> {
        let ask = Ask {
            kind: MessageKind::Status,
            method: Method::GET,
            path: format!("{}/{session_id}", environment.session_path()),
            token: None,
            key: None,
            body: None,
        };
        let (result, mut entries) = self.with_token(environment, ask).await;
        // That a token was reused is shown once, when the session is opened.
        entries.retain(|entry| entry.kind != MessageKind::Reused);
        let result = result.and_then(|answer| PaymentReport::parse(&answer.body).ok_or_else(unreadable));
        CallOutcome { result, entries }
    }

    /// Makes a call with a token, and once more with a new one if the old one is refused.
    async fn with_token(
        &self,
        environment: Environment,
        ask: Ask,
    ) -> (Result<HttpAnswer, CallError>, Vec<JournalEntry>) {
        let mut entries = Vec::new();
        let mut answer = self.try_with_token(environment, &ask, &mut entries).await;
        if answer.as_ref().is_ok_and(|answer| answer.status == 401) {
            *self.access(environment).token.lock().await = None;
            answer = self.try_with_token(environment, &ask, &mut entries).await;
        }
        (answer.and_then(HttpAnswer::success), entries)
    }

    async fn try_with_token(
        &self,
        environment: Environment,
        ask: &Ask,
        entries: &mut Vec<JournalEntry>,
    ) -> Result<HttpAnswer, CallError> {
        let token = self.token(environment, entries).await?;
        let (answer, entry) = self.call(Ask { token: Some(token), ..ask.clone() }).await;
        entries.push(entry);
        answer
    }

    /// A token that works for a while: the cached one, or a new one. Concurrent callers wait for it.
    async fn token(
        &self,
        environment: Environment,
        entries: &mut Vec<JournalEntry>,
    ) -> Result<String, CallError> {
        let access = self.access(environment);
        let mut token = access.token.lock().await;
        if let Some(known) = token.as_ref().filter(|token| Instant::now() < token.until) {
            entries.push(JournalEntry { kind: MessageKind::Reused, ..known.requested.clone() });
            return Ok(known.text.clone());
        }
        let pair = &access.credentials;
        let ask = Ask {
            kind: MessageKind::Token,
            method: Method::POST,
            path: environment.token_path().to_owned(),
            token: None,
            key: None,
            body: Some(json!({ "client_id": pair.client_id, "client_secret": pair.client_secret })),
        };
        let (answer, entry) = self.call(ask).await;
        entries.push(entry.clone());
        let answer = answer?;
        let refused = answer.status == 401;
        let answer = answer.success().map_err(|trouble| {
            let kind = if refused { TroubleKind::Credentials } else { trouble.kind };
            CallError { kind, ..trouble }
        })?;
        let issued: TokenAnswer = read(&answer)?;
        let lifetime = Duration::from_secs(issued.expires_in).saturating_sub(TOKEN_RESERVE);
        let until = Instant::now() + lifetime;
        *token = Some(Token { text: issued.access_token.clone(), until, requested: entry });
        Ok(issued.access_token)
    }

    fn access(&self, environment: Environment) -> &ApiAccess {
        match environment {
            Environment::Live => &self.live,
            Environment::Sandbox => &self.sandbox,
        }
    }

    async fn call(&self, ask: Ask) -> (Result<HttpAnswer, CallError>, JournalEntry) {
        let started = Instant::now();
        let at_ms = now_ms();
        let answer = self.send(&ask).await;
        let took_ms = journal::since(started);
        let (status, text) = match &answer {
            Ok(answer) => (Some(answer.status), String::from_utf8_lossy(&answer.body).into_owned()),
            Err(trouble) => (None, trouble.detail.clone()),
        };
        let entry = JournalEntry {
            kind: ask.kind,
            at_ms,
            took_ms,
            method: ask.method.to_string(),
            path: ask.path.clone(),
            headers: ask.headers(),
            body: ask.body.map(masked).unwrap_or_default(),
            status,
            answer: serde_json::from_str(&text).map(masked).unwrap_or(text),
            note: None,
            times: 1,
        };
        (answer, entry)
    }

    async fn send(&self, ask: &Ask) -> Result<HttpAnswer, CallError> {
        let request = self.request(ask)?;
        let answered = async {
            let answer =
                self.http.request(request).await.map_err(|_| unreachable("the connection failed"))?;
            let status = answer.status().as_u16();
            let header = answer.headers().get(RETRY_AFTER);
            let retry_after = header.and_then(|value| value.to_str().ok()?.parse().ok());
            let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await.map_err(|error| {
                if error.is::<LengthLimitError>() {
                    unreadable()
                } else {
                    unreachable("the connection failed")
                }
            })?;
            Ok(HttpAnswer { status, retry_after, body: body.to_bytes().into() })
        };
        let late = |_| unreachable(&format!("no answer within {} seconds", TIMEOUT.as_secs()));
        tokio::time::timeout(TIMEOUT, answered).await.map_err(late)?
    }

    fn request(&self, ask: &Ask) -> Result<Request<Full<Bytes>>, CallError> {
        let url = format!("{}{}", self.base_url, ask.path);
        let mut request = Request::builder().method(ask.method.clone()).uri(url);
        request = request.header(USER_AGENT, "demo-books/1");
        if let Some(token) = &ask.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(key) = &ask.key {
            request = request.header("Idempotency-Key", key);
        }
        let body = ask.body.as_ref().map(Value::to_string);
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = Full::new(body.unwrap_or_default().into());
        request.body(body).map_err(|_| unreachable("the address of the service cannot be used"))
    }
}

impl Ask {
    fn headers(&self) -> String {
        let mut lines = Vec::new();
        if self.token.is_some() {
            lines.push(format!("Authorization: Bearer {MASK}"));
        }
        if let Some(key) = &self.key {
            lines.push(format!("Idempotency-Key: {key}"));
        }
        if self.body.is_some() {
            lines.push("Content-Type: application/json".to_owned());
        }
        lines.join("\n")
    }
}

impl HttpAnswer {
    fn success(self) -> Result<Self, CallError> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let kind = if matches!(self.status, 429 | 503) { TroubleKind::Busy } else { TroubleKind::Refused };
        let problem: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let detail = format!("{} {}: {}", self.status, text("code"), text("detail"));
        Err(CallError { kind, detail, retry_after: self.retry_after })
    }
}

fn read<'a, T: Deserialize<'a>>(answer: &'a HttpAnswer) -> Result<T, CallError> {
    serde_json::from_slice(&answer.body).map_err(|_| unreadable())
}

fn unreadable() -> CallError {
    let detail = "the answer is not what the API describes".to_owned();
    CallError { kind: TroubleKind::Unreadable, detail, retry_after: None }
}

fn unreachable(detail: &str) -> CallError {
    CallError { kind: TroubleKind::Unreachable, detail: detail.to_owned(), retry_after: None }
}

/// The JSON text with its secrets masked.
fn masked(mut value: Value) -> String {
    for name in ["client_secret", "access_token"] {
        if let Some(secret) = value.get_mut(name) {
            *secret = MASK.into();
        }
    }
    value.to_string()
}

/// The current time, in Unix milliseconds.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_down_holds_no_secret() {
        let text = masked(json!({ "client_id": "ci", "client_secret": "cs", "access_token": "at" }));
        assert!(text.contains("ci") && !text.contains("cs") && !text.contains("\"at\""), "{text}");
    }

    #[test]
    fn a_refusal_says_what_kind_it_is() {
        let trouble = |status| {
            let answer =
                HttpAnswer { status, retry_after: None, body: br#"{"code":"c","detail":"d"}"#.to_vec() };
            answer.success().err().map(|trouble| (trouble.kind, trouble.detail))
        };
        assert_eq!(trouble(201), None);
        assert_eq!(trouble(429), Some((TroubleKind::Busy, "429 c: d".to_owned())));
        assert_eq!(trouble(503).map(|(kind, _)| kind), Some(TroubleKind::Busy));
        assert_eq!(trouble(403).map(|(kind, _)| kind), Some(TroubleKind::Refused));
    }
}
