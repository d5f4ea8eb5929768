//! Verification of the database server's certificate.

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The trust store against which a server's certificate is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verify {
    /// None: the connection is encrypted, but the server is not authenticated.
    Nothing,
    /// The roots that this machine trusts; the host's name is verified, too.
    System,
    /// The roots of a file; the host's name is verified, too.
    File(String),
}

/// A TLS connector with this verification.
pub(super) fn connector(verify: &Verify) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = match verify {
        Verify::Nothing => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        }
        Verify::System => builder.with_root_certificates(system_roots()?),
        Verify::File(path) => builder.with_root_certificates(roots_of(path)?),
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn system_roots() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(
            "has sslmode=verify-full, but this machine has no trusted root certificates: name one with \
             sslrootcert"
                .to_owned(),
        );
    }
    Ok(roots)
}

fn roots_of(path: &str) -> Result<RootCertStore, String> {
    let wrong =
        |error: String| format!("names sslrootcert={path}, which is not a file of PEM certificates: {error}");
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("it contains none".to_owned())) } else { Ok(roots) }
}

/// Accepts every certificate whose owner can sign with it, as PostgreSQL's `sslmode=require` does.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
