//! The trust store for outgoing TLS: the machine's root certificates, and those that the operator adds.

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio_rustls::TlsConnector;

/// A file of root certificates that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{} has no usable root certificates ({problem}): name a PEM file with certificates", path.display())]
pub struct RootsError {
    path: PathBuf,
    problem: String,
}

/// A TLS connector that trusts the machine's root certificates and those of this file.
pub fn connector(extra: Option<&Path>) -> Result<TlsConnector, RootsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates(extra)?);
    if roots.is_empty() {
        tracing::warn!(
            "this machine has no trusted root certificates: every https call fails; install them, \
             such as Debian's ca-certificates"
        );
    }
    Ok(trusting(roots))
}

/// The root certificates of the machine and of this file.
pub fn certificates(extra: Option<&Path>) -> Result<Vec<CertificateDer<'static>>, RootsError> {
    let mut certificates = rustls_native_certs::load_native_certs().certs;
    if let Some(path) = extra {
        let added = read(path);
        certificates.extend(
            added.map_err(|problem| RootsError { path: path.to_owned(), problem: problem.to_string() })?,
        );
    }
    Ok(certificates)
}

fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>, Box<dyn std::error::Error>> {
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)?.collect::<Result<_, _>>()?;
    // Each must be usable as a root certificate, not only well formed.
    let mut roots = RootCertStore::empty();
    certificates.iter().try_for_each(|certificate| roots.add(certificate.clone()))?;
    if certificates.is_empty() { Err("it contains no certificate".into()) } else { Ok(certificates) }
}

fn trusting(roots: RootCertStore) -> TlsConnector {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap_or_else(|_| unreachable!("ring has suites for both versions"));
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    TlsConnector::from(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::ServerName;
    use tokio::net::{TcpListener, TcpStream};

    #[tokio::test]
    async fn without_any_root_nobody_is_believed() {
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["shop.example".to_owned()]).expect("a certificate");
        let key = rustls::pki_types::PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("a certificate");
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = acceptor.accept(stream).await;
            }
        });
        let mut believing = RootCertStore::empty();
        believing.add(cert.der().clone()).expect("a root");
        for (roots, believed) in [(believing, true), (RootCertStore::empty(), false)] {
            let stream = TcpStream::connect(address).await.expect("it listens");
            let name = ServerName::try_from("shop.example").expect("a name");
            assert_eq!(trusting(roots).connect(name, stream).await.is_ok(), believed);
        }
    }
}
