//! An HTTP client for addresses that the operator configured: providers, nodes and price sources. It follows
//! no redirect and uses no proxy of the environment. Errors never contain the address, which may hold a
//! secret.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{
    HeaderMap, Request,
    body::Bytes,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use std::{cell::Cell, fmt, path::Path, sync::Arc, time::Duration};
use tokio::time::timeout;
use url::Url;

/// Default timeout of a whole call, from connecting to the end of the body.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection stays in the pool.
const IDLE: Duration = Duration::from_secs(60);

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The URL or a header value is invalid.
    #[error("its address is not valid")]
    Address,
    /// The connection failed, or the server's TLS certificate is not trusted.
    #[error("no connection")]
    Unreachable,
    /// No complete answer within the timeout.
    #[error("no response in time")]
    Timeout,
    /// The body is longer than the call allows.
    #[error("the response is too long")]
    TooLong,
    /// The answer is not HTTP, or was cut off.
    #[error("the response was cut off")]
    Broken,
}

impl WebError {
    /// True if the network or the host is in trouble, and not what was asked.
    #[must_use]
    pub fn is_unreachable(self) -> bool {
        matches!(self, Self::Unreachable | Self::Timeout | Self::Broken)
    }
}

/// One HTTP request.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The URL, which must not hold a secret.
    pub url: &'a str,
    /// Extra headers; their values may be secret.
    pub headers: &'a [(&'static str, &'a str)],
    pub body: &'a str,
    /// The longest body that is read, in bytes.
    pub most: usize,
    /// Timeout of the whole call.
    pub within: Duration,
}

tokio::task_local! {
    static SENT: Cell<u32>;
}

/// Runs a future and returns its output with the number of HTTP requests it sent.
pub async fn counting<T>(work: impl Future<Output = T>) -> (T, u32) {
    SENT.scope(Cell::new(0), async {
        let done = work.await;
        (done, SENT.with(Cell::get))
    })
    .await
}

/// Adds one to the count of the enclosing [`counting`], if there is one.
pub fn count_request() {
    // Outside of `counting` (a command, a price source) requests are not counted.
    let _ = SENT.try_with(|sent| sent.set(sent.get().saturating_add(1)));
}

#[derive(Debug)]
pub struct WebAnswer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl WebAnswer {
    /// The wait that `Retry-After` asks for, if the header is given in seconds.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let text = self.headers.get(RETRY_AFTER)?.to_str().ok()?;
        text.trim().parse().ok().map(Duration::from_secs)
    }
}

/// An HTTP client with a connection pool.
#[derive(Clone)]
pub struct Web {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    roots: RootCertStore,
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Web").finish_non_exhaustive()
    }
}

impl Web {
    /// A client whose trust store holds exactly these root certificates.
    #[must_use]
    pub fn trusting(certificates: impl IntoIterator<Item = CertificateDer<'static>>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates);
        Self::with_roots(roots)
    }

    /// A client of its own that also trusts the root certificates in this PEM file. The error never repeats the
    /// file's content.
    pub fn also_trusting(&self, file: &Path) -> Result<Self, String> {
        let problem = |what: String| format!("{} has no usable root certificates: {what}", file.display());
        let certificates =
            CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let certificates = certificates.map_err(|_| problem("it cannot be read as PEM".to_owned()))?;
        let mut roots = self.roots.clone();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|error| problem(error.to_string()))?;
        }
        if certificates.is_empty() {
            return Err(problem("it contains no certificate".to_owned()));
        }
        Ok(Self::with_roots(roots))
    }

    fn with_roots(roots: RootCertStore) -> Self {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap_or_else(|_| unreachable!("ring has suites for both versions"));
        let config = builder.with_root_certificates(roots.clone()).with_no_client_auth();
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE).pool_max_idle_per_host(4);
        Self { client: client.build(connector), roots }
    }

    pub async fn get(&self, url: &str, most: usize) -> Result<WebAnswer, WebError> {
        let request = request(url, "GET", Bytes::new())?;
        self.call(request, most, CALL_TIMEOUT).await
    }

    /// Sends a request with its own headers.
    pub async fn send(&self, call: Call<'_>) -> Result<WebAnswer, WebError> {
        let mut request = request(call.url, call.method, Bytes::copy_from_slice(call.body.as_bytes()))?;
        for (name, text) in call.headers {
            let mut value = HeaderValue::try_from(*text).map_err(|_| WebError::Address)?;
            value.set_sensitive(true);
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        self.call(request, call.most, call.within).await
    }

    /// Sends a JSON document with `POST`.
    pub async fn post(&self, url: &str, body: String, most: usize) -> Result<WebAnswer, WebError> {
        let mut request = request(url, "POST", Bytes::from(body))?;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.call(request, most, CALL_TIMEOUT).await
    }

    async fn call(
        &self,
        request: Request<Full<Bytes>>,
        most: usize,
        within: Duration,
    ) -> Result<WebAnswer, WebError> {
        count_request();
        let answered = async {
            let answer =
                self.client.request(request).await.map_err(|error| {
                    if error.is_connect() { WebError::Unreachable } else { WebError::Broken }
                })?;
            let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
            let body = Limited::new(answer.into_body(), most).collect().await;
            let body = body.map_err(|error| {
                if error.is::<LengthLimitError>() { WebError::TooLong } else { WebError::Broken }
            })?;
            Ok(WebAnswer { status, headers, body: body.to_bytes() })
        };
        timeout(within, answered).await.unwrap_or(Err(WebError::Timeout))
    }
}

/// Builds a request; a user name and password in the URL become a Basic `Authorization` header.
fn request(url: &str, method: &str, body: Bytes) -> Result<Request<Full<Bytes>>, WebError> {
    let mut url = Url::parse(url).map_err(|_| WebError::Address)?;
    url.set_fragment(None);
    let password = url.password().unwrap_or("");
    let login = (!url.username().is_empty() || !password.is_empty())
        .then(|| format!("Basic {}", STANDARD.encode(format!("{}:{password}", url.username()))));
    let cleared = url.set_username("").and_then(|()| url.set_password(None));
    cleared.map_err(|()| WebError::Address)?;
    let request = Request::builder().method(method).uri(url.as_str());
    let request = request.header(ACCEPT, "application/json").header(USER_AGENT, "till");
    let mut request = request.body(Full::new(body)).map_err(|_| WebError::Address)?;
    if let Some(login) = login {
        let mut value = HeaderValue::try_from(login).map_err(|_| WebError::Address)?;
        value.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    Ok(request)
}

/// The host of a URL, with its port unless that is the default: the only part of it that may be shown.
#[must_use]
pub fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(|url| url.host_str().map(|host| (host, url.port())));
    match host {
        Some((host, Some(port))) => format!("{host}:{port}"),
        Some((host, None)) => host.to_owned(),
        None => "an address that cannot be read".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_is_ever_shown() {
        assert_eq!(host_of("https://user:password@node.example/v3/secret?key=secret"), "node.example");
        assert_eq!(host_of("http://127.0.0.1:8545/"), "127.0.0.1:8545");
        assert_eq!(host_of("secret"), "an address that cannot be read");
    }

    #[test]
    fn a_password_in_an_address_becomes_a_header() {
        let request =
            request("https://user:word@node.example/v3?x=1", "GET", Bytes::new()).expect("a request");
        assert_eq!(request.uri(), "https://node.example/v3?x=1");
        assert_eq!(request.headers()[AUTHORIZATION], "Basic dXNlcjp3b3Jk");
    }
}
