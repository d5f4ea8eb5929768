//! Calls to the Stripe API: one version, one key, and the classification of failed calls.

use super::wire::{ErrorAnswer, ListItem, ListPage};
use crate::{
    ProviderError,
    web::{Call, Web, WebAnswer, WebError},
};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::sleep;
use url::form_urlencoded::Serializer;

/// The API version that this code is written for.
pub const VERSION: &str = "2026-10-28.endive";

/// Timeout of one call. Several calls fit into the time that a payment is waited for.
const WITHIN: Duration = Duration::from_secs(4);

/// Pauses between retries while another request for the same is in progress.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_millis(600)];

/// The longest answer that is read, in bytes. A page of a hundred objects has some 400 KB.
const MOST: usize = 2 * 1024 * 1024;

/// The most characters that are repeated of Stripe's own messages.
const MAX_WORDS: usize = 200;

/// Names and values of a form or a query string.
pub(super) type Form<'a> = &'a [(&'a str, String)];

/// The Stripe API, called with one key.
pub(super) struct Api {
    web: Web,
    base: String,
    authorization: String,
}

/// The result of a call, and whether it is only Stripe's replay of an earlier answer (idempotency).
pub(super) struct StripeAnswer<T> {
    pub what: T,
    pub replayed: bool,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StripeFailure {
    pub kind: FailureKind,
    pub code: Option<String>,
    text: String,
}

/// The meaning of a failure for the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// It was refused, and not done.
    Refused,
    /// The API key is invalid or lacks permission. Nothing was done, but what was done before is not known.
    Locked,
    /// Another request for the same is in progress.
    Busy,
    /// It is unknown whether it was done; a retry under the same idempotency key tells.
    Unclear,
    /// It is unknown whether it was done, and a retry under the same idempotency key gives the same answer.
    Stuck,
    /// A rate limit was hit. It is unknown whether it was done; a later retry under the same idempotency key
    /// tells.
    Limited {
        /// How long Stripe asks to wait, if it says so.
        retry_after: Option<Duration>,
    },
}

impl StripeFailure {
    pub(super) fn unclear(text: impl Into<String>) -> Self {
        Self { kind: FailureKind::Unclear, code: None, text: text.into() }
    }

    /// The error where the failure decides nothing, and the caller asks again.
    pub(super) fn unknown(self) -> ProviderError {
        match self.kind {
            // Such as a payment of another account: Stripe itself works.
            FailureKind::Refused => ProviderError::Unclear(self.text),
            FailureKind::Limited { retry_after } => {
                ProviderError::RateLimited { retry_after, message: self.text }
            }
            FailureKind::Locked | FailureKind::Busy | FailureKind::Unclear | FailureKind::Stuck => {
                ProviderError::Unknown(self.text)
            }
        }
    }

    /// The error where the request was refused because of its API key.
    pub(super) fn denied(self) -> ProviderError {
        ProviderError::Denied(self.text)
    }

    /// The error where the refused request is over for good.
    pub(super) fn definite(self) -> ProviderError {
        ProviderError::Definite(self.text)
    }
}

impl From<StripeFailure> for ProviderError {
    fn from(failure: StripeFailure) -> Self {
        failure.unknown()
    }
}

impl Api {
    pub(super) fn new(web: Web, base: &str, key: &str) -> Self {
        Self { web, base: base.to_owned(), authorization: format!("Bearer {key}") }
    }

    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: Form<'_>,
    ) -> Result<T, StripeFailure> {
        let query = encoded(query);
        let url = format!("{}{path}{}{query}", self.base, if query.is_empty() { "" } else { "?" });
        let headers = [("authorization", self.authorization.as_str()), ("stripe-version", VERSION)];
        let call = Call { method: "GET", url: &url, headers: &headers, body: "", most: MOST, within: WITHIN };
        read(self.web.send(call).await).map(|said| said.what)
    }

    /// Makes a request that is carried out once for each idempotency key. Another request for the same that
    /// is in progress is waited for.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form<'_>,
    ) -> Result<StripeAnswer<T>, StripeFailure> {
        for pause in PAUSES {
            match self.post_once(path, key, form).await {
                Err(failure) if failure.kind == FailureKind::Busy => sleep(pause).await,
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
    ) -> Result<StripeAnswer<T>, StripeFailure> {
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

    /// Reads a list, newest first, until `enough` accepts an item or `pages` pages are read. The flag is
    /// false if the page limit ended it.
    pub(super) async fn list<T: DeserializeOwned + ListItem>(
        &self,
        path: &str,
        query: Form<'_>,
        pages: usize,
        enough: impl Fn(&T) -> bool,
    ) -> Result<(Vec<T>, bool), StripeFailure> {
        let mut all: Vec<T> = Vec::new();
        for _ in 0..pages {
            let mut query = query.to_vec();
            query.push(("limit", "100".to_owned()));
            query.extend(all.last().map(|last| ("starting_after", last.id().to_owned())));
            let page: ListPage<T> = self.get(path, &query).await?;
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

fn read<T: DeserializeOwned>(answer: Result<WebAnswer, WebError>) -> Result<StripeAnswer<T>, StripeFailure> {
    let answer = answer.map_err(|error| StripeFailure::unclear(format!("Stripe: {error}")))?;
    if !(200..300).contains(&answer.status) {
        return Err(refused(&answer));
    }
    let replayed = header(&answer, "idempotent-replayed") == Some("true");
    // The parser's error could repeat some of the answer, and there are secrets in it.
    let what = serde_json::from_slice(&answer.body);
    let unreadable = |_| StripeFailure::unclear(format!("Stripe's response is invalid{}", request(&answer)));
    what.map(|what| StripeAnswer { what, replayed }).map_err(unreadable)
}

fn header<'a>(answer: &'a WebAnswer, name: &str) -> Option<&'a str> {
    answer.headers.get(name)?.to_str().ok()
}

/// Stripe's request id, by which its support finds a call.
fn request(answer: &WebAnswer) -> String {
    let plain = |id: &&str| id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    header(answer, "request-id").filter(plain).map(|id| format!(" ({id})")).unwrap_or_default()
}

fn refused(answer: &WebAnswer) -> StripeFailure {
    let said = serde_json::from_slice::<ErrorAnswer>(&answer.body).ok().map(|refusal| refusal.error);
    let (kind, code, message) = said.map_or((None, None, None), |said| (said.kind, said.code, said.message));
    let words: String =
        message.unwrap_or_default().chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect();
    let code_words = code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let text = format!("Stripe responded with {}{code_words}{}: {words}", answer.status, request(answer));
    let kind = match (answer.status, code.as_deref()) {
        // This is about one object that is in use, not about the rate limit.
        (429, Some("lock_timeout")) => FailureKind::Busy,
        (429, _) => FailureKind::Limited { retry_after: answer.retry_after() },
        (status, _) => meaning(status, header(answer, "stripe-should-retry"), kind.as_deref()),
    };
    StripeFailure { kind, code, text }
}

/// Classifies a refusal by the rules of Stripe's own libraries: its `Stripe-Should-Retry` header counts
/// first.
fn meaning(status: u16, should_retry: Option<&str>, kind: Option<&str>) -> FailureKind {
    match (should_retry, status) {
        (None | Some("true"), 409) => FailureKind::Busy,
        (Some("true"), _) => FailureKind::Unclear,
        (Some("false"), 500..) => FailureKind::Stuck,
        (_, 409 | 500..) => FailureKind::Unclear,
        // The idempotency key was used for another request before, and the result of that is not known.
        _ if kind == Some("idempotency_error") => FailureKind::Stuck,
        (_, 401 | 403) => FailureKind::Locked,
        (_, 400..) => FailureKind::Refused,
        _ => FailureKind::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_word_on_asking_again_counts_first() {
        let check =
            |status, word, kind, expected| assert_eq!(meaning(status, word, kind), expected, "{status}");
        check(400, None, Some("invalid_request_error"), FailureKind::Refused);
        check(400, Some("true"), None, FailureKind::Unclear);
        check(402, None, Some("card_error"), FailureKind::Refused);
        check(404, None, None, FailureKind::Refused);
        check(401, None, None, FailureKind::Locked);
        check(403, Some("false"), None, FailureKind::Locked);
        check(409, None, None, FailureKind::Busy);
        check(409, Some("true"), None, FailureKind::Busy);
        check(400, None, Some("idempotency_error"), FailureKind::Stuck);
        check(409, Some("false"), Some("idempotency_error"), FailureKind::Unclear);
        check(500, None, None, FailureKind::Unclear);
        check(500, Some("false"), None, FailureKind::Stuck);
        check(503, Some("true"), None, FailureKind::Unclear);
        check(302, None, None, FailureKind::Unclear);
    }
}
