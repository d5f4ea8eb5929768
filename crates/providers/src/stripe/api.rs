//! Calls to the service: one version, one key, and what an answer that is none means.

use super::wire::{Listed, Page, Refusal};
use crate::{
    ProviderError,
    web::{Answer, Call, Web, WebError},
};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::sleep;
use url::form_urlencoded::Serializer;

/// The version that this code is written for.
pub const VERSION: &str = "2026-10-28.endive";

/// How long one call may take. Several fit into what a payment is waited for.
const WITHIN: Duration = Duration::from_secs(4);

/// How long somebody else who asks for the same is waited for.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_millis(600)];

/// The longest answer that is read. A page of a hundred things has some 400 KB.
const MOST: usize = 2 * 1024 * 1024;

/// The most that is repeated of the service's own words.
const MAX_WORDS: usize = 200;

/// Names and values of a form or a question.
pub(super) type Form<'a> = &'a [(&'a str, String)];

/// The service, as somebody who has a key.
pub(super) struct Api {
    web: Web,
    base: String,
    authorization: String,
}

/// What came of a call: what was asked for, and whether the service only repeats what it once answered.
pub(super) struct Said<T> {
    pub what: T,
    pub replayed: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub kind: Kind,
    pub code: Option<String>,
    text: String,
}

/// What that means for what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It was refused, and not done.
    Refused,
    /// The key is not good for it. Nothing was done, but what was done before is not known.
    Locked,
    /// Somebody else is asking for the same right now.
    Busy,
    /// Nobody knows whether it was done; asking again under the same key tells.
    Unclear,
    /// Nobody knows, and asking again under the same key gives the same answer.
    Stuck,
    /// Too many requests were sent lately. Nobody knows; asking later under the same key tells.
    Limited {
        /// How long the service wants to be left alone, if it says so.
        retry_after: Option<Duration>,
    },
}

impl Failure {
    pub(super) fn unclear(text: impl Into<String>) -> Self {
        Self { kind: Kind::Unclear, code: None, text: text.into() }
    }

    /// The same, where it decides nothing: somebody asks again.
    pub(super) fn unknown(self) -> ProviderError {
        match self.kind {
            // Such as a payment of another account: the service itself is well.
            Kind::Refused => ProviderError::Unclear(self.text),
            Kind::Limited { retry_after } => ProviderError::RateLimited { retry_after, message: self.text },
            Kind::Locked | Kind::Busy | Kind::Unclear | Kind::Stuck => ProviderError::Unknown(self.text),
        }
    }

    /// The same, where it was refused because of who asks.
    pub(super) fn denied(self) -> ProviderError {
        ProviderError::Denied(self.text)
    }

    /// The same, where what was refused is over.
    pub(super) fn definite(self) -> ProviderError {
        ProviderError::Definite(self.text)
    }
}

impl From<Failure> for ProviderError {
    fn from(failure: Failure) -> Self {
        failure.unknown()
    }
}

impl Api {
    pub(super) fn new(web: Web, base: &str, key: &str) -> Self {
        Self { web, base: base.to_owned(), authorization: format!("Bearer {key}") }
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, query: Form<'_>) -> Result<T, Failure> {
        let query = encoded(query);
        let url = format!("{}{path}{}{query}", self.base, if query.is_empty() { "" } else { "?" });
        let headers = [("authorization", self.authorization.as_str()), ("stripe-version", VERSION)];
        let call = Call { method: "GET", url: &url, headers: &headers, body: "", most: MOST, within: WITHIN };
        read(self.web.send(call).await).map(|said| said.what)
    }

    /// Asks for something to be done, once for each key. Who asks for the same at the same time is waited for.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form<'_>,
    ) -> Result<Said<T>, Failure> {
        for pause in PAUSES {
            match self.post_once(path, key, form).await {
                Err(failure) if failure.kind == Kind::Busy => sleep(pause).await,
                said => return said,
            }
        }
        self.post_once(path, key, form).await
    }

    async fn post_once<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form<'_>,
    ) -> Result<Said<T>, Failure> {
        let (url, body) = (format!("{}{path}", self.base), encoded(form));
        let headers = [
            ("authorization", self.authorization.as_str()),
            ("stripe-version", VERSION),
            ("idempotency-key", key),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let call =
            Call { method: "POST", url: &url, headers: &headers, body: &body, most: MOST, within: WITHIN };
        read(self.web.send(call).await)
    }

    /// Reads a list, newest first, until `enough` says so or so many pages are read; whether that was all of it.
    pub(super) async fn list<T: DeserializeOwned + Listed>(
        &self,
        path: &str,
        query: Form<'_>,
        pages: usize,
        enough: impl Fn(&T) -> bool,
    ) -> Result<(Vec<T>, bool), Failure> {
        let mut all: Vec<T> = Vec::new();
        for _ in 0..pages {
            let mut query = query.to_vec();
            query.push(("limit", "100".to_owned()));
            query.extend(all.last().map(|last| ("starting_after", last.id().to_owned())));
            let page: Page<T> = self.get(path, &query).await?;
            let (more, found) = (page.has_more && !page.data.is_empty(), page.data.iter().any(&enough));
            all.extend(page.data);
            if found || !more {
                return Ok((all, true));
            }
        }
        Ok((all, false))
    }
}

fn encoded(form: Form<'_>) -> String {
    let mut body = Serializer::new(String::new());
    body.extend_pairs(form);
    body.finish()
}

fn read<T: DeserializeOwned>(answer: Result<Answer, WebError>) -> Result<Said<T>, Failure> {
    let answer = answer.map_err(|error| Failure::unclear(format!("Stripe: {error}")))?;
    if !(200..300).contains(&answer.status) {
        return Err(refused(&answer));
    }
    let replayed = header(&answer, "idempotent-replayed") == Some("true");
    // What a parser says of the answer could repeat some of it, and there are secrets in it.
    let what = serde_json::from_slice(&answer.body);
    let unreadable = |_| Failure::unclear(format!("Stripe's answer makes no sense{}", request(&answer)));
    what.map(|what| Said { what, replayed }).map_err(unreadable)
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.get(name)?.to_str().ok()
}

/// The service's own number of a call, by which its support finds it.
fn request(answer: &Answer) -> String {
    let plain = |id: &&str| id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    header(answer, "request-id").filter(plain).map(|id| format!(" ({id})")).unwrap_or_default()
}

fn refused(answer: &Answer) -> Failure {
    let said = serde_json::from_slice::<Refusal>(&answer.body).ok().map(|refusal| refusal.error);
    let (kind, code, message) = said.map_or((None, None, None), |said| (said.kind, said.code, said.message));
    let words: String =
        message.unwrap_or_default().chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect();
    let code_words = code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let text = format!("Stripe answered {}{code_words}{}: {words}", answer.status, request(answer));
    let kind = match (answer.status, code.as_deref()) {
        // It says that of one object that is in use, not of how often it is called.
        (429, Some("lock_timeout")) => Kind::Busy,
        (429, _) => Kind::Limited { retry_after: answer.retry_after() },
        (status, _) => meaning(status, header(answer, "stripe-should-retry"), kind.as_deref()),
    };
    Failure { kind, code, text }
}

/// What a refusal means, by the rules of the service's own libraries: its word on whether to ask again counts first.
fn meaning(status: u16, should_retry: Option<&str>, kind: Option<&str>) -> Kind {
    match (should_retry, status) {
        (None | Some("true"), 409) => Kind::Busy,
        (Some("true"), _) => Kind::Unclear,
        (Some("false"), 500..) => Kind::Stuck,
        (_, 409 | 500..) => Kind::Unclear,
        // The key was used for something else before, and what became of that is not said.
        _ if kind == Some("idempotency_error") => Kind::Stuck,
        (_, 401 | 403) => Kind::Locked,
        (_, 400..) => Kind::Refused,
        _ => Kind::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_word_on_asking_again_counts_first() {
        let check =
            |status, word, kind, expected| assert_eq!(meaning(status, word, kind), expected, "{status}");
        check(400, None, Some("invalid_request_error"), Kind::Refused);
        check(400, Some("true"), None, Kind::Unclear);
        check(402, None, Some("card_error"), Kind::Refused);
        check(404, None, None, Kind::Refused);
        check(401, None, None, Kind::Locked);
        check(403, Some("false"), None, Kind::Locked);
        check(409, None, None, Kind::Busy);
        check(409, Some("true"), None, Kind::Busy);
        check(400, None, Some("idempotency_error"), Kind::Stuck);
        check(409, Some("false"), Some("idempotency_error"), Kind::Unclear);
        check(500, None, None, Kind::Unclear);
        check(500, Some("false"), None, Kind::Stuck);
        check(503, Some("true"), None, Kind::Unclear);
        check(302, None, None, Kind::Unclear);
    }
}
