//! A client of the sandbox API with a vendor's own credentials, for the commands of its developers.

use super::client_secret::client_secret;
use anyhow::{Context as _, anyhow};
use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use std::{
    env,
    time::{Duration, Instant},
};
use till_domain::weburl::WebUrl;
use till_providers::web::{Call, Web};
use till_service::outbound::roots::certificates;

/// The address of a service on this machine with its default settings.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// The longest answer that is read.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

/// How long a call may take. The feed waits for 30 seconds at most.
const ANSWER_WITHIN: Duration = Duration::from_secs(45);

/// A token is replaced this long before it ends.
const BEFORE_END: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub struct VendorOptions {
    /// Client id of your sandbox credentials [env: TILL_CLIENT_ID]
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// Address of the service [env: TILL_URL] [default: http://127.0.0.1:8080]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The service is not there, or overloaded. The same call may succeed later.
    #[error("{says}")]
    Temporary { says: String, wait: Option<Duration> },
    /// The service refused the call.
    #[error("{0}")]
    Refused(String),
}

/// The sandbox API of a service, as one vendor.
pub struct VendorApi {
    web: Web,
    base_url: String,
    client_id: String,
    secret: SecretString,
    token: Option<(SecretString, Instant)>,
}

impl VendorApi {
    /// A client with the credentials of the command line and the environment.
    pub fn new(options: &VendorOptions) -> anyhow::Result<Self> {
        let set = |given: &Option<String>, name: &str| {
            given.clone().or_else(|| env::var(name).ok().filter(|text| !text.is_empty()))
        };
        let client_id = set(&options.client_id, "TILL_CLIENT_ID");
        let client_id =
            client_id.context("name your sandbox credentials with --client-id or TILL_CLIENT_ID")?;
        let base_url = set(&options.base_url, "TILL_URL").unwrap_or_else(|| DEFAULT_URL.to_owned());
        WebUrl::parse(&base_url)
            .map_err(|problem| anyhow!("the address of the service, {base_url}, {problem}"))?;
        Ok(Self {
            web: Web::trusting(certificates(None)?),
            base_url: base_url.trim_end_matches('/').to_owned(),
            client_id,
            secret: client_secret()?,
            token: None,
        })
    }

    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Reads what is at a path below the sandbox.
    pub async fn get(&mut self, path: &str) -> Result<Value, ApiError> {
        self.call("GET", path, "").await
    }

    /// Sends a JSON document to a path below the sandbox.
    pub async fn post(&mut self, path: &str, body: &Value) -> Result<Value, ApiError> {
        self.call("POST", path, &body.to_string()).await
    }

    async fn call(&mut self, method: &'static str, path: &str, body: &str) -> Result<Value, ApiError> {
        let had_token = self.token.is_some();
        let token = self.token().await?;
        match self.send(method, path, body, Some(&token)).await? {
            // A token may end before its time: the credentials were replaced.
            (401, _) if had_token => {
                self.token = None;
                let token = self.token().await?;
                let (status, answer) = self.send(method, path, body, Some(&token)).await?;
                self.judge(status, answer)
            }
            (status, answer) => self.judge(status, answer),
        }
    }

    async fn token(&mut self) -> Result<SecretString, ApiError> {
        if let Some((token, until)) = &self.token
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let credentials =
            json!({ "client_id": self.client_id, "client_secret": self.secret.expose_secret() });
        let (status, answer) = self.send("POST", "tokens", &credentials.to_string(), None).await?;
        let answer = self.judge(status, answer)?;
        let token = answer["access_token"].as_str().ok_or_else(|| self.no_till(status))?;
        let token: SecretString = token.to_owned().into();
        let lifetime = Duration::from_secs(answer["expires_in"].as_u64().unwrap_or(0));
        self.token = Some((token.clone(), Instant::now() + lifetime.saturating_sub(BEFORE_END)));
        Ok(token)
    }

    /// The status and the document of an answer.
    async fn send(
        &self,
        method: &'static str,
        path: &str,
        body: &str,
        token: Option<&SecretString>,
    ) -> Result<(u16, Value), ApiError> {
        let url = format!("{}/api/sandbox/vendor/{path}", self.base_url);
        let bearer = token.map(|token| format!("Bearer {}", token.expose_secret()));
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        let call =
            Call { method, url: &url, headers: &headers, body, most: LONGEST_ANSWER, within: ANSWER_WITHIN };
        let answer = self.web.send(call).await.map_err(|error| {
            let says = format!("the service at {} does not answer: {error}", self.base_url);
            if error.is_unreachable() {
                ApiError::Temporary { says, wait: None }
            } else {
                ApiError::Refused(says)
            }
        })?;
        if answer.status == 429 || answer.status >= 500 {
            let says = format!("the service at {} answered {}", self.base_url, answer.status);
            return Err(ApiError::Temporary { says, wait: answer.retry_after() });
        }
        Ok((answer.status, serde_json::from_slice(&answer.body).unwrap_or_default()))
    }

    /// The document of a good answer.
    fn judge(&self, status: u16, answer: Value) -> Result<Value, ApiError> {
        if (200..300).contains(&status) && answer.is_object() {
            return Ok(answer);
        }
        let (Some(code), Some(detail)) = (answer["code"].as_str(), answer["detail"].as_str()) else {
            return Err(self.no_till(status));
        };
        let advice = match code {
            "invalid_client" => ". Use your sandbox credentials".to_owned(),
            "not_found" => format!(". Leave out the path of the address of the service, {}", self.base_url),
            _ => String::new(),
        };
        Err(ApiError::Refused(format!("the service answered {status} {code}: {detail}{advice}")))
    }

    /// The error about an answer that Till would not give.
    fn no_till(&self, status: u16) -> ApiError {
        let url = &self.base_url;
        ApiError::Refused(format!(
            "{url} answered {status}, but not like Till: check the address in --base-url or TILL_URL"
        ))
    }
}
