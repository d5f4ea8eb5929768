//! A certificate authority for one test, and a client that trusts no other.

use super::{Answer, Till};
use base64::Engine as _;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use std::{
    fs,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::{net::TcpStream, task::JoinHandle};
use tokio_rustls::{TlsAcceptor, TlsConnector, client::TlsStream};

/// Issues certificates for 127.0.0.1.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    root: CertificateDer<'static>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new([]).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let root = params.self_signed(&key).expect("a certificate").der().clone();
        Self { issuer: Issuer::new(params, key), root }
    }

    /// A certificate and its key as PEM. It became valid a month ago and expires this many days from now.
    pub fn issue(&self, days: i64) -> (String, String) {
        self.issue_for("127.0.0.1", days)
    }

    /// Like [`Authority::issue`], for another name or address.
    pub fn issue_for(&self, name: &str, days: i64) -> (String, String) {
        let (now, span) = (SystemTime::now(), Duration::from_secs(days.unsigned_abs() * 86_400));
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        params.not_before = (now - Duration::from_secs(30 * 86_400)).into();
        params.not_after = if days < 0 { now - span } else { now + span }.into();
        let key = KeyPair::generate().expect("a key");
        let cert = params.signed_by(&key, &self.issuer).expect("a certificate");
        (cert.pem(), key.serialize_pem())
    }

    /// The root certificate of this authority.
    pub fn root_pem(&self) -> String {
        let base64 = base64::engine::general_purpose::STANDARD.encode(&self.root);
        format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n")
    }

    /// A folder whose service speaks TLS with a certificate of this authority.
    pub fn till(&self) -> Till {
        let mut till = Till::new();
        write_identity(&till, &self.issue(90));
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| till.file(name).display().to_string());
        till.set("TILL_TLS_CERT", &cert).set("TILL_TLS_KEY", &key);
        till
    }

    /// A TLS connection to a service. `protocols` are those that the client offers (ALPN).
    pub async fn connect(&self, url: &str, protocols: &[&str]) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).expect("a root");
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().expect("versions");
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let stream = TcpStream::connect(url.strip_prefix("https://").expect("https")).await?;
        let name = ServerName::try_from("127.0.0.1").expect("a name");
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }

    /// A client that speaks the protocol that the service chose of these.
    pub async fn client(&self, url: &str, protocols: &[&str]) -> TlsClient {
        let stream = self.connect(url, protocols).await.expect("a connection");
        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let (url, io) = (url.to_owned(), TokioIo::new(stream));
        if h2 {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            // A small window, so that an unread answer stays with the service.
            builder.initial_stream_window_size(1024);
            let (sender, connection) = builder.handshake(io).await.expect("HTTP/2 is spoken");
            TlsClient { url, sender: Sender::Http2(sender), connection: tokio::spawn(connection) }
        } else {
            let (sender, connection) = http1::handshake(io).await.expect("HTTP/1.1 is spoken");
            TlsClient { url, sender: Sender::Http1(sender), connection: tokio::spawn(connection) }
        }
    }
}

/// Accepts TLS connections with a certificate and its key, as [`Authority::issue`] writes them.
pub fn acceptor((cert, key): &(String, String)) -> TlsAcceptor {
    let chain = CertificateDer::pem_slice_iter(cert.as_bytes()).collect::<Result<_, _>>().expect("PEM");
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions");
    let config = config.with_no_client_auth().with_single_cert(chain, key).expect("a certificate");
    TlsAcceptor::from(Arc::new(config))
}

/// Writes a certificate and its key to the files that the service reads.
pub fn write_identity(till: &Till, (cert, key): &(String, String)) {
    fs::write(till.file("cert.pem"), cert).expect("written");
    fs::write(till.file("key.pem"), key).expect("written");
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// One connection of a client.
pub struct TlsClient {
    url: String,
    sender: Sender,
    /// Ends with the connection.
    pub connection: JoinHandle<hyper::Result<()>>,
}

impl TlsClient {
    pub fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    /// Sends a GET request, and reads the answer.
    pub async fn get(&mut self, path: &str) -> Answer {
        read(self.ask(path).await).await
    }

    /// Sends a GET request, and leaves the body of the answer unread.
    pub async fn ask(&mut self, path: &str) -> Response<Incoming> {
        let request = Request::get(format!("{}{path}", self.url)).header("host", "127.0.0.1");
        self.send(request.body(Full::default()).expect("a request")).await.expect("an answer")
    }

    /// Sends JSON, with a token or an empty text, and reads the answer.
    pub async fn post(&mut self, path: &str, token: &str, body: &serde_json::Value) -> Answer {
        let request = Request::post(format!("{}{path}", self.url))
            .header("host", "127.0.0.1")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {token}"));
        let request = request.body(Full::from(body.to_string())).expect("a request");
        read(self.send(request).await.expect("an answer")).await
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> hyper::Result<Response<Incoming>> {
        // A connection that has just been used accepts the next request a moment later.
        match &mut self.sender {
            Sender::Http1(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
            Sender::Http2(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
        }
    }
}

async fn read(response: Response<Incoming>) -> Answer {
    let (head, body) = response.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let body = String::from_utf8(body.to_vec()).expect("UTF-8");
    Answer { status: head.status, headers: head.headers, body }
}
