//! Calls to the YooKassa API, and the classification of its answers: done, refused for good, or unknown.

use super::{
    setup::YookassaSetup,
    shapes::{ErrorObject, ListPage, is_id, read},
};
use crate::{
    ProviderError,
    web::{CALL_TIMEOUT, Call, Web, WebAnswer},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{fmt, time::Duration};
use url::Url;

/// Timeout of one call. A check of a payment has ten seconds: for a query, and for the action that follows.
const WITHIN: Duration = CALL_TIMEOUT;

/// The longest answer that is read, in bytes: a page of 100 payments has far less.
const MAX_ANSWER: usize = 2 * 1024 * 1024;

/// How often a request that is still being processed (202) is repeated, and the longest pause before that.
const REPEATS: usize = 3;
const PAUSE: Duration = Duration::from_millis(1_800);

/// The most characters that are repeated of YooKassa's own messages.
const MAX_WORDS: usize = 200;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallFailure {
    /// The request was refused: nothing was done, and the same request will be refused again.
    Refused(String),
    /// The credentials were refused (401), not the request itself.
    Denied(String),
    /// The shop may not do this (403); it may do other things.
    Forbidden(String),
    /// It is unknown what was done.
    Unknown(String),
    /// A rate limit was hit (429): it is unknown what was done.
    Limited {
        /// How long YooKassa asks to wait, if it says so.
        retry_after: Option<Duration>,
        text: String,
    },
}

impl CallFailure {
    /// The error where not even a refusal decides anything, and the caller asks again.
    pub(super) fn unknown(self) -> ProviderError {
        match self {
            Self::Refused(text) | Self::Denied(text) | Self::Forbidden(text) | Self::Unknown(text) => {
                ProviderError::Unknown(text)
            }
            Self::Limited { retry_after, text } => ProviderError::RateLimited { retry_after, message: text },
        }
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused(text)
        | Self::Denied(text)
        | Self::Forbidden(text)
        | Self::Unknown(text)
        | Self::Limited { text, .. }) = self;
        f.write_str(text)
    }
}

/// The request may have been carried out, unless it was refused.
impl From<CallFailure> for ProviderError {
    fn from(trouble: CallFailure) -> Self {
        match trouble {
            CallFailure::Refused(text) => Self::Definite(text),
            other => other.unknown(),
        }
    }
}

/// The YooKassa API, called with the credentials of one shop.
#[derive(Debug)]
pub(super) struct Api {
    web: Web,
    base: String,
    login: Authorization,
    within: Duration,
    pause: Duration,
}

/// The value of the `Authorization` header; it is never printed.
struct Authorization(String);

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl Api {
    pub(super) fn new(setup: &YookassaSetup, web: Web) -> Self {
        let login = format!("Basic {}", STANDARD.encode(format!("{}:{}", setup.shop_id, setup.secret_key)));
        Self { web, base: setup.api.clone(), login: Authorization(login), within: WITHIN, pause: PAUSE }
    }

    /// The same with shorter times, for tests.
    pub(super) fn hurried(self, within: Duration, pause: Duration) -> Self {
        Self { within, pause, ..self }
    }

    /// Makes a query, which changes nothing.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallFailure> {
        let headers = [("authorization", self.login.0.as_str())];
        let url = format!("{}{path}", self.base);
        let (method, most) = ("GET", MAX_ANSWER);
        let call = Call { method, url: &url, headers: &headers, body: "", most, within: self.within };
        let answer = self.web.send(call).await.map_err(silent)?;
        judge(&answer)
    }

    /// Makes a request that is carried out once for each idempotency key. One that is still being processed
    /// is repeated.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Result<T, CallFailure> {
        let headers = [
            ("authorization", self.login.0.as_str()),
            ("idempotence-key", key),
            ("content-type", "application/json"),
        ];
        let url = format!("{}{path}", self.base);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (method, most) = ("POST", MAX_ANSWER);
        let call = Call { method, url: &url, headers: &headers, body: &body, most, within: self.within };
        let mut answer = self.web.send(call).await.map_err(silent)?;
        for _ in 0..REPEATS {
            if answer.status != 202 {
                break;
            }
            let wanted = read(&answer.body).and_then(|error: ErrorObject| error.retry_after);
            tokio::time::sleep(wanted.map_or(self.pause, Duration::from_millis).min(self.pause)).await;
            answer = self.web.send(call).await.map_err(silent)?;
        }
        judge(&answer)
    }

    /// A whole list; an error if it has more than `pages` pages of a hundred.
    pub(super) async fn list(
        &self,
        path: &str,
        filters: &[(&str, &str)],
        pages: usize,
    ) -> Result<Option<Vec<Value>>, CallFailure> {
        let (mut found, mut cursor) = (Vec::new(), None);
        for _ in 0..pages {
            let page = self.page(path, filters, cursor.as_deref()).await?;
            found.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The items that `wanted` selects on the first page that has any; empty if the list has none. An error
    /// if neither is known after `pages` pages of a hundred.
    pub(super) async fn search(
        &self,
        path: &str,
        filters: &[(&str, &str)],
        pages: usize,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Value>, CallFailure> {
        let mut cursor = None;
        for _ in 0..pages {
            let page = self.page(path, filters, cursor.as_deref()).await?;
            let found: Vec<Value> = page.items.into_iter().filter(&wanted).collect();
            cursor = page.next_cursor;
            if !found.is_empty() || cursor.is_none() {
                return Ok(found);
            }
        }
        Err(CallFailure::Unknown("YooKassa has too many of these: choose a shorter period".to_owned()))
    }

    async fn page(
        &self,
        path: &str,
        filters: &[(&str, &str)],
        cursor: Option<&str>,
    ) -> Result<ListPage, CallFailure> {
        self.get(&address(path, filters, cursor)?).await
    }
}

/// The path of one page of a list.
fn address(path: &str, filters: &[(&str, &str)], cursor: Option<&str>) -> Result<String, CallFailure> {
    let any = Url::parse_with_params("http://any/", filters.iter().copied().chain([("limit", "100")]));
    let mut any = any.map_err(|_| CallFailure::Unknown("the address is not valid".to_owned()))?;
    if let Some(cursor) = cursor {
        any.query_pairs_mut().append_pair("cursor", cursor);
    }
    Ok(format!("{path}?{}", any.query().unwrap_or("")))
}

/// The path of an object and an action on it. The id is checked, because it came from outside.
pub(super) fn path(of: &str, id: &str, what: &str) -> Result<String, CallFailure> {
    if !is_id(id) {
        return Err(CallFailure::Unknown(format!("YooKassa has no {of} with this id")));
    }
    Ok(format!("/{of}/{id}{what}"))
}

fn silent(error: crate::web::WebError) -> CallFailure {
    CallFailure::Unknown(format!("YooKassa: {error}"))
}

fn judge<T: DeserializeOwned>(answer: &WebAnswer) -> Result<T, CallFailure> {
    let (status, body) = (answer.status, &answer.body[..]);
    let words = || read::<ErrorObject>(body).map_or_else(String::new, |error| said(&error));
    match status {
        200 => read(body).ok_or_else(|| CallFailure::Unknown("YooKassa's response is invalid".to_owned())),
        202 => Err(CallFailure::Unknown("YooKassa is still processing it".to_owned())),
        401 => Err(CallFailure::Denied("YooKassa rejects shop_id and secret_key".to_owned())),
        403 => Err(CallFailure::Forbidden(format!("YooKassa does not allow it{}", words()))),
        408 => Err(CallFailure::Unknown("YooKassa timed out (408)".to_owned())),
        429 => Err(limited(answer)),
        400..=499 => Err(CallFailure::Refused(format!("YooKassa rejected it ({status}){}", words()))),
        _ => Err(CallFailure::Unknown(format!("YooKassa responded with {status}"))),
    }
}

/// The error of a rate limit. The wait is in the `Retry-After` header, in seconds, or in the answer, in
/// milliseconds.
fn limited(answer: &WebAnswer) -> CallFailure {
    let said = || read::<ErrorObject>(&answer.body)?.retry_after.map(Duration::from_millis);
    let text = "YooKassa limits the request rate (429)".to_owned();
    CallFailure::Limited { retry_after: answer.retry_after().or_else(said), text }
}

/// YooKassa's own words about a refusal, truncated.
fn said(error: &ErrorObject) -> String {
    let parameter = error.parameter.as_deref().map(|name| format!(" [{name}]")).unwrap_or_default();
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text = format!(": {}{parameter}: {}", error.code, error.description);
    text.chars().map(plain).take(MAX_WORDS).collect()
}
