//! A customer's browser that follows no redirects by itself, and decisions at the simulated bank.

use super::{Answer, Server};
use std::time::{Duration, Instant};
use till_domain::{attempt::Attempt, id::SessionId, session::Session};

#[derive(Debug, Clone)]
pub struct Customer {
    pub client: reqwest::Client,
    pub url: String,
}

impl Customer {
    /// A browser on a service.
    pub fn new(url: &str) -> Self {
        // The service closes idle connections after a while; none is reused by then.
        let client = reqwest::Client::builder().pool_idle_timeout(Duration::from_secs(1));
        let client = client.no_proxy().redirect(reqwest::redirect::Policy::none());
        Self { client: client.build().expect("a client"), url: url.to_owned() }
    }

    async fn send(&self, request: reqwest::RequestBuilder, headers: &[(&str, &str)]) -> Answer {
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Answer::to(request).await
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(self.client.get(format!("{}{path}", self.url)), headers).await
    }

    /// Sends a form, as a browser does from a page of this service, unless the headers say that it is
    /// cross-site.
    pub async fn post(&self, path: &str, form: &[(&str, &str)], headers: &[(&str, &str)]) -> Answer {
        let says_where = |(name, _): &&(&str, &str)| ["sec-fetch-site", "origin"].contains(name);
        let own = match headers.iter().find(says_where) {
            Some(_) => None,
            None => Some(("sec-fetch-site", "same-origin")),
        };
        let headers: Vec<_> = headers.iter().copied().chain(own).collect();
        self.post_as_is(path, form, &headers).await
    }

    /// Sends a form with these headers alone.
    pub async fn post_as_is(&self, path: &str, form: &[(&str, &str)], headers: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.client.post(format!("{}{path}", self.url)).body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.send(request, headers).await
    }

    /// Chooses a payment method.
    pub async fn pay(&self, session: &str, method: &str) -> Answer {
        self.post(&format!("/session/{session}/pay"), &[("method", method)], &[]).await
    }

    /// Sends a form to a service that may be restarting, and returns where its answer leads.
    pub async fn try_post(&self, path: &str, form: &[(&str, &str)]) -> Option<String> {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.client.post(format!("{}{path}", self.url)).body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = request.header("sec-fetch-site", "same-origin").send().await.ok()?;
        Some(answer.headers().get("location")?.to_str().ok()?.to_owned())
    }

    /// Decides at the simulated bank.
    pub async fn decide(&self, attempt: &str, decision: &str) -> Answer {
        self.post(&format!("/bank/{attempt}"), &[("decision", decision)], &[]).await
    }
}

impl Server {
    /// A customer of this service.
    pub fn customer(&self) -> Customer {
        Customer::new(&self.url)
    }

    /// A session as it is stored in live.
    pub async fn session(&self, id: &str) -> Session {
        let id = SessionId::parse(id).expect("an id");
        self.live.store.page_session(id).await.expect("a read").expect("a session")
    }

    pub async fn attempts(&self, id: &str) -> Vec<Attempt> {
        let id = SessionId::parse(id).expect("an id");
        self.live.store.attempts_of(id).await.expect("a read")
    }
}

/// Waits until a condition holds that the workers bring about.
pub async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let since = Instant::now();
    while !holds().await {
        assert!(since.elapsed() < Duration::from_secs(15), "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
