//! The HTTP messages of an order, for developers who want to learn the integration from them.
//!
//! Secrets and tokens are masked before an entry is made, so the shop's file holds none. The curl command of
//! an entry is built when it is shown, with the real secret, because it has to run when it is pasted; where
//! other machines may reach the shop, a variable stands for the secret.

use crate::{Config, address, environment::Environment};
use serde_json::{Value, json};
use std::time::Instant;

/// Shown instead of a secret.
pub const MASK: &str = "••••••••";

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// A token was obtained.
    Token,
    /// A token of an earlier order was used again.
    Reused,
    /// A session was opened.
    Create,
    /// The status was queried.
    Status,
    /// Till sent a callback to the shop.
    Callback,
}

impl MessageKind {
    const ALL: [Self; 5] = [Self::Token, Self::Reused, Self::Create, Self::Status, Self::Callback];

    /// Its name in the database and in the keys of texts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Reused => "reused",
            Self::Create => "create",
            Self::Status => "status",
            Self::Callback => "callback",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A request and its answer.
#[derive(Debug, Clone)]
pub struct JournalEntry {
    pub kind: MessageKind,
    /// When it began, in Unix milliseconds.
    pub at_ms: i64,
    pub took_ms: i64,
    /// `GET` or `POST`.
    pub method: String,
    pub path: String,
    /// The request headers that matter, one line each.
    pub headers: String,
    /// The request's body; that of a callback exactly as it came.
    pub body: String,
    /// The answer's status; `None` if there was no answer.
    pub status: Option<u16>,
    /// The answer's body, or what happened instead of an answer.
    pub answer: String,
    /// The shop's judgement: `verified`, `repeat`, `ignored` or `doubt-` with the disagreement.
    pub note: Option<String>,
    /// How often in a row it occurred.
    pub times: i64,
}

impl JournalEntry {
    /// The request line, headers and body, the body pretty-printed.
    pub fn request_text(&self) -> String {
        let body = pretty(&self.body);
        let gap = if body.is_empty() { "" } else { "\n\n" };
        format!("{} {}\n{}{gap}{body}", self.method, self.path, self.headers)
    }

    /// The answer's body, pretty-printed.
    pub fn answer_text(&self) -> String {
        pretty(&self.answer)
    }

    /// True if the answer's status is 2xx.
    pub fn went_well(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// A shell command that repeats the request.
    pub fn curl(&self, config: &Config, environment: Environment) -> String {
        let base = &config.base_url;
        let url = format!("{base}{}", self.path);
        match self.kind {
            MessageKind::Token | MessageKind::Reused => token_curl(config, environment, "-i"),
            MessageKind::Create | MessageKind::Status => {
                let token = token_curl(config, environment, "-s");
                let mut curl = format!(
                    "TOKEN=$({token} \\\n  | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')\ncurl -i {url} \\\n  -H \"Authorization: Bearer $TOKEN\""
                );
                self.add_rest(&mut curl);
                curl
            }
            MessageKind::Callback => {
                let mut curl = format!("curl -i {url}");
                self.add_rest(&mut curl);
                curl
            }
        }
    }

    fn add_rest(&self, curl: &mut String) {
        for header in self.headers.lines().filter(|line| !line.starts_with("Authorization")) {
            curl.push_str(&format!(" \\\n  -H {}", quoted(header)));
        }
        if !self.body.is_empty() {
            curl.push_str(&format!(" \\\n  --data-binary {}", quoted(&self.body)));
        }
    }
}

/// Milliseconds since `started`.
pub fn since(started: Instant) -> i64 {
    i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX)
}

fn token_curl(config: &Config, environment: Environment, option: &str) -> String {
    let pair = config.credentials(environment);
    let secret = if address::is_loopback(&config.base_url) { &pair.client_secret } else { MASK };
    let body = json!({ "client_id": pair.client_id, "client_secret": secret }).to_string();
    // Outside of the single quotes, so that the shell expands it.
    let body = quoted(&body).replace(MASK, r#"'"$TILL_CLIENT_SECRET"'"#);
    let url = format!("{}{}", config.base_url, environment.token_path());
    format!("curl {option} {url} \\\n  -H 'Content-Type: application/json' \\\n  -d {body}")
}

/// Quotes a text as one shell word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn pretty(text: &str) -> String {
    let value: Result<Value, _> = serde_json::from_str(text);
    value.ok().and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_quotes_stays_one_word_of_a_shell() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
