//! The TLS certificates that are trusted for nodes and price sources.

use base64::Engine as _;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use std::sync::Arc;
use till_providers::web::Web;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// An https server on this machine with a self-signed certificate for this name.
async fn server(name: &str) -> (String, CertificateDer<'static>) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.read(&mut [0; 4_096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await;
        }
    });
    (format!("https://localhost:{port}/"), cert.der().clone())
}

#[tokio::test]
async fn only_a_server_with_a_trusted_certificate_is_believed() {
    let (url, certificate) = server("localhost").await;
    let answer = Web::trusting([certificate]).get(&url, 64).await.expect("an answer");
    assert_eq!((answer.status, &answer.body[..]), (200, &b"hi"[..]));
    assert!(Web::trusting([]).get(&url, 64).await.is_err(), "nobody vouches for it");
    let (url, certificate) = server("elsewhere.example").await;
    assert!(Web::trusting([certificate]).get(&url, 64).await.is_err(), "it is somebody else");
}

#[tokio::test]
async fn an_answer_is_read_up_to_its_bound() {
    let (url, certificate) = server("localhost").await;
    let web = Web::trusting([certificate]);
    assert!(web.get(&url, 2).await.is_ok());
    assert_eq!(web.get(&url, 1).await.expect_err("too long").to_string(), "the response is too long");
}

#[tokio::test]
async fn a_root_in_a_file_is_trusted_by_the_client_that_names_it_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("roots.pem");
    let (url, certificate) = server("localhost").await;
    let (other_url, other) = server("localhost").await;
    let text = base64::engine::general_purpose::STANDARD.encode(&certificate);
    std::fs::write(&file, format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"))
        .expect("a file");
    let machine = Web::trusting([other]);
    let own = machine.also_trusting(&file).expect("a client");
    assert!(own.get(&url, 64).await.is_ok() && own.get(&other_url, 64).await.is_ok());
    assert!(machine.get(&url, 64).await.is_err(), "nobody else trusts it");
    for wrong in ["", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "s3c1r9e7"] {
        std::fs::write(&file, wrong).expect("a file");
        let problem = machine.also_trusting(&file).expect_err("no certificate");
        assert!(problem.contains("roots.pem") && !problem.contains("s3c1r9e7"), "{problem}");
    }
    assert!(machine.also_trusting(&folder.path().join("none.pem")).is_err());
}
