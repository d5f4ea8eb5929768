//! Calls to T-Bank's API, and the classification of its answers: done, refused, or unknown.

use super::{
    codes::{self, CodeKind},
    setup::TbankSetup,
    shapes::{Envelope, read},
    token,
};
use crate::{
    ProviderError,
    web::{CALL_TIMEOUT, Call, Web, WebAnswer},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::{fmt, time::Duration};

/// Timeout of one call. A check of a payment has ten seconds: for a query, and for the action that follows.
const WITHIN: Duration = CALL_TIMEOUT;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// The most characters that are repeated of T-Bank's own messages.
const MAX_WORDS: usize = 200;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallFailure {
    /// T-Bank answered that it did not do it, and why.
    Refused { kind: CodeKind, text: String },
    /// It is unknown what was done.
    Unknown(String),
    /// A rate limit was hit (429): it is unknown what was done.
    Limited {
        /// How long T-Bank asks to wait, if it says so.
        retry_after: Option<Duration>,
        text: String,
    },
}

impl CallFailure {
    /// Whether T-Bank refused the call for this reason.
    pub(super) fn is(&self, wanted: CodeKind) -> bool {
        matches!(self, Self::Refused { kind, .. } if *kind == wanted)
    }

    /// The error where not even a refusal decides anything, and the caller asks again.
    pub(super) fn unknown(self) -> ProviderError {
        match self {
            // The terminal works, and this payment has something that was not expected.
            Self::Refused { kind: CodeKind::State | CodeKind::NotFound | CodeKind::Other, text } => {
                ProviderError::Unclear(text)
            }
            Self::Refused { text, .. } | Self::Unknown(text) => ProviderError::Unknown(text),
            Self::Limited { retry_after, text } => ProviderError::RateLimited { retry_after, message: text },
        }
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused { text, .. } | Self::Unknown(text) | Self::Limited { text, .. }) = self;
        f.write_str(text)
    }
}

/// T-Bank's API, called for one terminal.
#[derive(Debug)]
pub(super) struct Api {
    web: Web,
    base: String,
    terminal: String,
    password: Password,
    within: Duration,
}

/// The terminal's password; it is never printed.
struct Password(String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl Api {
    pub(super) fn new(setup: &TbankSetup, web: Web) -> Self {
        let (base, terminal) = (setup.api.clone(), setup.terminal_key.clone());
        Self { web, base, terminal, password: Password(setup.password.clone()), within: WITHIN }
    }

    /// The same with a shorter timeout, for tests.
    pub(super) fn hurried(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// Makes a signed call.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        members: Map<String, Value>,
    ) -> Result<T, CallFailure> {
        self.call_at(&format!("/v2/{method}"), members).await
    }

    /// Makes a signed call of a method that has a path of its own.
    pub(super) async fn call_at<T: DeserializeOwned>(
        &self,
        path: &str,
        members: Map<String, Value>,
    ) -> Result<T, CallFailure> {
        let url = format!("{}{path}", self.base);
        let body = self.signed(members);
        let headers = [("content-type", "application/json")];
        let call = Call {
            method: "POST",
            url: &url,
            headers: &headers,
            body: &body,
            most: MAX_ANSWER,
            within: self.within,
        };
        let silent = |error| CallFailure::Unknown(format!("T-Bank: {error}"));
        judge(path, &self.web.send(call).await.map_err(silent)?)
    }

    /// The body of a call, with the terminal's name and the signature.
    fn signed(&self, mut members: Map<String, Value>) -> String {
        members.insert("TerminalKey".to_owned(), Value::String(self.terminal.clone()));
        let token = token::sign(&members, &self.password.0);
        members.insert("Token".to_owned(), Value::String(token));
        Value::Object(members).to_string()
    }
}

fn judge<T: DeserializeOwned>(path: &str, answer: &WebAnswer) -> Result<T, CallFailure> {
    let unknown = |text: &str| Err(CallFailure::Unknown(text.to_owned()));
    match answer.status {
        429 => {
            let text = "T-Bank limits the request rate (429)".to_owned();
            return Err(CallFailure::Limited { retry_after: answer.retry_after(), text });
        }
        200..=499 => {}
        status => return unknown(&format!("T-Bank responded with {status}")),
    }
    let Some(envelope) = read::<Envelope>(&answer.body) else {
        return unknown("T-Bank's response is invalid");
    };
    // The state of a payment that failed may come with its error.
    let is_state = path == "/v2/GetState" && !envelope.status.is_empty();
    if !envelope.success && !is_state {
        return Err(refusal(&envelope, answer.status));
    }
    if answer.status != 200 {
        return unknown(&format!("T-Bank responded with {}", answer.status));
    }
    read(&answer.body).ok_or_else(|| CallFailure::Unknown("T-Bank's response is invalid".to_owned()))
}

fn refusal(envelope: &Envelope, status: u16) -> CallFailure {
    let kind = codes::kind(&envelope.error_code, &envelope.details);
    let said = said(envelope);
    match kind {
        CodeKind::Internal => CallFailure::Unknown(format!("T-Bank reports an internal error{said}")),
        // Without a code it is a page of something in between.
        CodeKind::Other if matches!(envelope.error_code.as_str(), "" | "0") => {
            CallFailure::Unknown(format!("T-Bank responded with {status} and no result"))
        }
        CodeKind::Account => {
            let text = format!("T-Bank rejects the terminal or its password{said}");
            CallFailure::Refused { kind, text }
        }
        kind => CallFailure::Refused { kind, text: format!("T-Bank rejected it{said}") },
    }
}

/// T-Bank's own words about a refusal, truncated.
fn said(envelope: &Envelope) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let Envelope { error_code, message, details, .. } = envelope;
    let text = format!(" ({error_code}): {message} {details}");
    text.trim_end_matches([' ', '.']).chars().map(plain).take(MAX_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::{HeaderMap, body::Bytes};

    fn answer(status: u16, body: &str) -> Result<Value, CallFailure> {
        let body = Bytes::copy_from_slice(body.as_bytes());
        judge("/v2/Init", &WebAnswer { status, headers: HeaderMap::new(), body })
    }

    #[test]
    fn an_answer_is_done_refused_or_unknown() {
        assert!(answer(200, r#"{"Success":true,"ErrorCode":"0"}"#).is_ok());
        assert!(answer(200, r#"{"Success":"true","ErrorCode":0}"#).is_ok());
        let refused = |code: &str| {
            answer(200, &format!(r#"{{"Success":false,"ErrorCode":"{code}"}}"#)).expect_err("no")
        };
        assert!(refused("204").is(CodeKind::Account) && refused("4").is(CodeKind::State));
        assert!(refused("20").is(CodeKind::Repeated) && refused("31337").is(CodeKind::Other));
        for code in ["999", "9999", "3", "0", ""] {
            assert!(matches!(refused(code), CallFailure::Unknown(_)), "{code}");
        }
        for (status, body) in [
            (500, r#"{"Success":true,"ErrorCode":"0"}"#),
            (503, ""),
            (200, "<html>"),
            (200, "{}"),
            (200, r#"{"Success":tr"#),
            (302, r#"{"Success":true}"#),
            (403, "<html>forbidden</html>"),
            (404, r#"{"Success":true}"#),
        ] {
            assert!(matches!(answer(status, body), Err(CallFailure::Unknown(_))), "{status} {body}");
        }
        assert!(matches!(answer(429, ""), Err(CallFailure::Limited { .. })));
        let told = r#"{"Success":false,"ErrorCode":"204","Message":"Неверные параметры.","Details":"Неверный\nтокен."}"#;
        assert_eq!(
            answer(200, told).expect_err("refused").to_string(),
            "T-Bank rejects the terminal or its password (204): Неверные параметры. Неверный токен"
        );
    }
}
