//! A vendor's server: it gets a token, creates sessions and reads their status. It knows only the public API.

use reqwest::{Method, StatusCode, header::HeaderMap};
use serde_json::{Value, json};

/// A pair of client id and secret.
#[derive(Debug, Clone)]
pub struct Credentials {
    pub client_id: String,
    pub client_secret: String,
}

impl Credentials {
    /// The pair of one environment, from the output of `till vendor create --json`.
    pub fn of(vendor: &Value, environment: &str) -> Self {
        let text = |name: &str| vendor[environment][name].as_str().expect("a text").to_owned();
        Self { client_id: text("client_id"), client_secret: text("client_secret") }
    }

    /// The body of a token request.
    pub fn body(&self) -> Value {
        json!({ "client_id": self.client_id, "client_secret": self.client_secret })
    }
}

/// An answer of the service, read completely.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// The answer to a request.
    pub async fn to(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        Self { status, headers, body: response.text().await.expect("a body") }
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    /// One text field of the body.
    pub fn text(&self, name: &str) -> String {
        self.json()[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body)).to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    /// Status and code of a problem, such as `422 invalid_request`. Checks the whole shape.
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.body);
        let body = self.json();
        for name in ["type", "title", "detail", "code", "request_id"] {
            assert!(body[name].is_string(), "{name} in {}", self.body);
        }
        assert_eq!(body["status"], self.status.as_u16());
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"));
        assert!(body["errors"].is_array());
        format!("{} {}", self.status.as_u16(), self.text("code"))
    }

    /// The status, with its code if it is a problem.
    pub fn outcome(&self) -> String {
        if self.status.is_success() { self.status.as_u16().to_string() } else { self.problem() }
    }

    /// The wrong fields of a problem, such as `price:too_large`.
    pub fn fields(&self) -> Vec<String> {
        let body = self.json();
        let errors = body["errors"].as_array().expect("a list").iter();
        errors
            .map(|error| {
                assert!(error["message"].as_str().is_some_and(|message| message.len() > 5));
                format!(
                    "{}:{}",
                    error["field"].as_str().expect("text"),
                    error["code"].as_str().expect("text")
                )
            })
            .collect()
    }
}

/// A vendor's client of the API, for one environment.
#[derive(Debug, Clone)]
pub struct Shop {
    client: reqwest::Client,
    url: String,
    environment: String,
    pub credentials: Credentials,
    pub token: String,
}

impl Shop {
    /// A client without a token yet.
    pub fn new(url: &str, environment: &str, credentials: Credentials) -> Self {
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let (url, environment) = (url.to_owned(), environment.to_owned());
        Self { client, url, environment, credentials, token: String::new() }
    }

    /// The same client, with its token, for another node.
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    fn path(&self, live: &str, sandbox: &str) -> String {
        let path = if self.environment == "live" { live } else { sandbox };
        format!("{}{path}", self.url)
    }

    /// The URL of the token endpoint.
    pub fn tokens(&self) -> String {
        self.path("/api/tokens", "/api/sandbox/vendor/tokens")
    }

    /// The URL of the session endpoint.
    pub fn sessions(&self) -> String {
        self.path("/api/product/session", "/api/sandbox/vendor/checkout-session")
    }

    /// The URL of the feed of callbacks.
    pub fn callbacks(&self) -> String {
        self.path("/api/callbacks", "/api/sandbox/vendor/callbacks")
    }

    /// Sends a request and reads its answer.
    pub async fn send(&self, method: Method, url: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        self.try_send(method, url, headers, body).await.expect("an answer")
    }

    /// The same, for a service that may be down.
    pub async fn try_send(
        &self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> reqwest::Result<Answer> {
        let mut request = self.client.request(method, url).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok(Answer { status, headers, body: response.text().await? })
    }

    /// Requests a token with any body.
    pub async fn ask_token(&self, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        self.send(Method::POST, &self.tokens(), &headers, body.to_string().into_bytes()).await
    }

    /// Gets a token with its own credentials, and keeps it.
    pub async fn log_in(&mut self) {
        let answer = self.ask_token(&self.credentials.body()).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        self.token = answer.text("access_token");
    }

    /// The value of its Authorization header.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Creates a session with any body, as text.
    pub async fn create_raw(&self, body: &str, headers: &[(&str, &str)]) -> Answer {
        let bearer = self.bearer();
        let own = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        self.send(Method::POST, &self.sessions(), &[&own, headers].concat(), body.as_bytes().to_vec()).await
    }

    /// Creates a session with any body.
    pub async fn create(&self, body: &Value) -> Answer {
        self.create_raw(&body.to_string(), &[]).await
    }

    /// Creates a session with an idempotency key.
    pub async fn create_once(&self, key: &str, body: &Value) -> Answer {
        self.create_raw(&body.to_string(), &[("idempotency-key", key)]).await
    }

    /// The same, for a service that may be down.
    pub async fn try_create_once(&self, key: &str, body: &Value) -> reqwest::Result<Answer> {
        let bearer = self.bearer();
        let own = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        let headers = [&own[..], &[("idempotency-key", key)]].concat();
        self.try_send(Method::POST, &self.sessions(), &headers, body.to_string().into_bytes()).await
    }

    /// Creates a session for an order, and returns its id.
    pub async fn order(&self, order_id: &str) -> String {
        let answer = self.create(&Self::book(order_id)).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.text("session_id")
    }

    /// A valid create request.
    pub fn book(order_id: &str) -> Value {
        json!({ "product_name": "Atlas", "price": "4990.00", "currency": "RUB", "order_id": order_id })
    }

    /// Reads a session's status.
    pub async fn status(&self, id: &str) -> Answer {
        let url = format!("{}/{id}", self.sessions());
        self.send(Method::GET, &url, &[("authorization", &self.bearer())], Vec::new()).await
    }

    /// Lists sessions, with any query.
    pub async fn list(&self, query: &str) -> Answer {
        let url = format!("{}?{query}", self.sessions());
        self.send(Method::GET, &url, &[("authorization", &self.bearer())], Vec::new()).await
    }

    /// Fetches callbacks, with any query.
    pub async fn feed(&self, query: &str) -> Answer {
        let url = format!("{}?{query}", self.callbacks());
        self.send(Method::GET, &url, &[("authorization", &self.bearer())], Vec::new()).await
    }

    /// Reads a path of the API.
    pub async fn get(&self, path: &str) -> Answer {
        let url = format!("{}{path}", self.url);
        self.send(Method::GET, &url, &[("authorization", &self.bearer())], Vec::new()).await
    }

    /// Ends a pending session, with any body.
    pub async fn expire(&self, id: &str, body: &str) -> Answer {
        let url = format!("{}/{id}/expire", self.sessions());
        let bearer = self.bearer();
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        self.send(Method::POST, &url, &headers, body.as_bytes().to_vec()).await
    }

    /// Chooses a session's outcome.
    pub async fn simulate(&self, id: &str, body: &Value) -> Answer {
        let url = format!("{}/{id}/simulate", self.sessions());
        let bearer = self.bearer();
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        self.send(Method::POST, &url, &headers, body.to_string().into_bytes()).await
    }
}
