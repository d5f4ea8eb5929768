//! TLS for the public listener: reads the certificate and its key, and reloads them when they change.
//!
//! The files are polled, so a renewal needs no signal. The key never leaves this file except inside the
//! configuration that rustls serves with. The listener serves the encrypted connections.

use rustls::{
    CertificateError, Error, RootCertStore, ServerConfig,
    client::verify_server_cert_signed_by_trust_anchor,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::ParsedCertificate,
    sign::{CertifiedKey, SingleCertAndKey},
};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use till_domain::time::Timestamp;
use till_store::Clock;
use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{Instant, sleep},
};
use tokio_rustls::TlsAcceptor;

/// The ALPN identifier of HTTP/2.
pub const H2: &[u8] = b"h2";

/// The polling interval of the files.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The pause after a failure before the same files are read again.
const RETRY_AFTER: Duration = Duration::from_secs(60);

/// The paths of the certificate and its key.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate and the chain up to its issuer.
    pub cert: PathBuf,
    /// The key of the certificate.
    pub key: PathBuf,
}

/// A certificate with its key.
#[derive(Debug)]
pub struct Identity(CertifiedKey);

/// The validity period of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub from: Timestamp,
    pub until: Timestamp,
}

/// The reason why a certificate or its key cannot be used, and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{setting} names {}, which {problem}", path.display())]
pub struct TlsError {
    setting: &'static str,
    path: PathBuf,
    problem: String,
}

impl TlsFiles {
    /// Reads both files. The error names the setting, the problem and the remedy.
    pub fn read(&self) -> Result<Identity, TlsError> {
        let provider = ring::default_provider();
        let chain = self.read_chain()?;
        let key = provider.key_provider.load_private_key(self.read_key()?).map_err(|_| {
            let kinds = "create an ECDSA (P-256 or P-384), an Ed25519 or an RSA key of at least 2048 bits";
            self.key_error(format!("contains an unsupported key: {kinds}"))
        })?;
        let identity = CertifiedKey::new(chain, key);
        match identity.keys_match() {
            Ok(()) => Ok(Identity(identity)),
            Err(Error::InconsistentKeys(_)) => Err(self.key_error(format!(
                "holds a key that does not belong to the first certificate in {}: name the key that it was \
                 made with",
                self.cert.display()
            ))),
            Err(error) => {
                Err(self.cert_error(format!("contains an invalid certificate ({error}): get a new one")))
            }
        }
    }

    fn read_chain(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let name_one = "name a PEM file with the certificate and its chain, such as certbot's fullchain.pem";
        let pem = fs::read(&self.cert)
            .map_err(|reason| self.cert_error(format!("cannot be read ({reason}): {name_one}")))?;
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
        match chain {
            Ok(chain) if !chain.is_empty() => Ok(chain),
            Ok(_) => Err(self.cert_error(format!("contains no certificate: {name_one}"))),
            Err(_) => Err(self.cert_error(format!("is not complete, well-formed PEM: {name_one}"))),
        }
    }

    fn read_key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        let name_one = "name a PEM file with the key, without a password, such as certbot's privkey.pem";
        let pem = fs::read(&self.key)
            .map_err(|reason| self.key_error(format!("cannot be read ({reason}): {name_one}")))?;
        // The parser's error is never repeated: it may contain a piece of the key.
        PrivateKeyDer::from_pem_slice(&pem)
            .map_err(|_| self.key_error(format!("contains no private key: {name_one}")))
    }

    fn cert_error(&self, problem: String) -> TlsError {
        TlsError { setting: "TILL_TLS_CERT", path: self.cert.clone(), problem }
    }

    fn key_error(&self, problem: String) -> TlsError {
        TlsError { setting: "TILL_TLS_KEY", path: self.key.clone(), problem }
    }

    /// Stamps that change when the files are written or replaced.
    fn stamps(&self) -> [Stamp; 2] {
        [&self.cert, &self.key].map(|path| Stamp::of(path))
    }
}

impl Identity {
    /// The validity period of the certificate; `None` if it cannot be read.
    #[must_use]
    pub fn validity(&self) -> Option<Validity> {
        let cert = ParsedCertificate::try_from(self.0.end_entity_cert().ok()?).ok()?;
        // Asked about a time before or after all certificates, the verifier's error tells the beginning and
        // the end: it checks the time first.
        let judge = |secs| {
            let now = UnixTime::since_unix_epoch(Duration::from_secs(secs));
            verify_server_cert_signed_by_trust_anchor(&cert, &RootCertStore::empty(), &[], now, &[])
        };
        let from = match judge(0) {
            Err(Error::InvalidCertificate(CertificateError::NotValidYetContext { not_before, .. })) => {
                not_before
            }
            _ => return None,
        };
        let until = match judge(u64::MAX) {
            Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => not_after,
            _ => return None,
        };
        Some(Validity { from: timestamp(from), until: timestamp(until) })
    }

    fn into_config(self) -> Arc<ServerConfig> {
        let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap_or_else(|_| unreachable!("ring has suites for both versions"));
        let mut config =
            builder.with_no_client_auth().with_cert_resolver(Arc::new(SingleCertAndKey::from(self.0)));
        config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec()];
        Arc::new(config)
    }
}

fn timestamp(time: UnixTime) -> Timestamp {
    Timestamp::from_ms(i64::try_from(time.as_secs().saturating_mul(1_000)).unwrap_or(i64::MAX))
}

/// The identity of a file's content: device, inode, modification time and size. `None` if there is no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(Option<(u64, u64, i64, i64, u64)>);

impl Stamp {
    fn of(path: &Path) -> Self {
        Self(
            fs::metadata(path)
                .ok()
                .map(|file| (file.dev(), file.ino(), file.mtime(), file.mtime_nsec(), file.size())),
        )
    }
}

/// The certificate in use.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    config: RwLock<Arc<ServerConfig>>,
    /// The stamps of the files at the start of the service.
    first: [Stamp; 2],
}

impl Tls {
    /// Reads the files for the first time.
    pub fn start(files: TlsFiles) -> Result<Arc<Self>, TlsError> {
        // Before reading: anything written meanwhile counts as a change.
        let first = files.stamps();
        let identity = files.read()?;
        warn_of_end(identity.validity());
        let config = RwLock::new(identity.into_config());
        Ok(Arc::new(Self { files, config, first }))
    }

    /// The acceptor for the next connection.
    #[must_use]
    pub fn acceptor(&self) -> TlsAcceptor {
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&config))
    }

    /// Reads the files again whenever they have changed, until `stop` turns true.
    pub async fn follow(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut changes = Changes::since(self.first);
        while !*stop.borrow() {
            tokio::select! {
                () = sleep(LOOK_EVERY) => {}
                _ = stop.changed() => return,
            }
            // A file system may hang; that must not block the runtime.
            let tls = Arc::clone(&self);
            let Ok(stamps) = spawn_blocking(move || tls.files.stamps()).await else { continue };
            if changes.are_due(stamps) {
                let tls = Arc::clone(&self);
                let done = spawn_blocking(move || tls.reload()).await.unwrap_or(false);
                changes.tried(stamps, done);
            }
        }
    }

    /// Reads the files again. If they cannot be used, that is logged and the old certificate stays.
    fn reload(&self) -> bool {
        match self.files.read() {
            Ok(identity) => {
                warn_of_end(identity.validity());
                *self.config.write().unwrap_or_else(PoisonError::into_inner) = identity.into_config();
                tracing::info!("the TLS certificate has changed; new connections use the new one");
                true
            }
            Err(error) => {
                tracing::error!("the TLS certificate has changed, but the old one stays in use: {error}");
                false
            }
        }
    }
}

/// Warns about an expired certificate. It is served all the same: clients decide whether to refuse it.
fn warn_of_end(validity: Option<Validity>) {
    if let Some(Validity { until, .. }) = validity.filter(|validity| validity.until < Clock::System.now()) {
        tracing::warn!("the certificate in TILL_TLS_CERT expired at {until}: clients reject it; renew it");
    }
}

/// Decides when the files are read again.
#[derive(Debug)]
struct Changes {
    /// The stamps of the files in use.
    used: [Stamp; 2],
    /// The stamps at the last poll.
    seen: [Stamp; 2],
    /// The stamps of files that could not be used, and when that was found.
    failed: Option<([Stamp; 2], Instant)>,
}

impl Changes {
    fn since(first: [Stamp; 2]) -> Self {
        Self { used: first, seen: first, failed: None }
    }

    /// True if the files, which now have these stamps, should be read. Certificate and key are written one
    /// after the other: they are read once both are unchanged from one poll to the next.
    fn are_due(&mut self, now: [Stamp; 2]) -> bool {
        let at_rest = now == self.seen;
        self.seen = now;
        let failed = self.failed.is_some_and(|(stamps, at)| stamps == now && at.elapsed() < RETRY_AFTER);
        at_rest && now != self.used && !failed
    }

    fn tried(&mut self, stamps: [Stamp; 2], done: bool) {
        if done {
            self.used = stamps;
        }
        self.failed = (!done).then(|| (stamps, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn files_are_read_again_once_they_are_at_rest_and_not_over_and_over() {
        let stamp = |n: u64| Stamp(Some((1, n, 0, 0, 0)));
        let (old, half, new) = ([stamp(1), stamp(2)], [stamp(3), stamp(2)], [stamp(3), stamp(4)]);
        let mut changes = Changes::since(old);
        assert!(!changes.are_due(old) && !changes.are_due(old), "nothing changed");
        assert!(!changes.are_due(half), "the key may still be on its way");
        assert!(!changes.are_due(new), "so may more");
        assert!(changes.are_due(new), "nothing came for a while");
        changes.tried(new, false);
        assert!(!changes.are_due(new), "it was told once");
        tokio::time::advance(RETRY_AFTER).await;
        assert!(changes.are_due(new), "the trouble may have passed");
        changes.tried(new, true);
        assert!(!changes.are_due(new) && !changes.are_due(new), "it is in use");
        let gone = [Stamp(None), stamp(4)];
        assert!(!changes.are_due(gone) && changes.are_due(gone), "a file that is gone is told about");
    }
}
