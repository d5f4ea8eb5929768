//! Connections to a server on the network: encrypted and verified as the URL says.

use crate::{fixture::start, shell::Shell};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::{fs, net::TcpListener};
use tempfile::TempDir;
use till_store::{Clock, DatabaseUrl, Durability, StoreLocation, Stores};
use till_testing::cluster::Cluster;

/// A server that speaks TLS as `localhost`, and the root certificates of its own authority and of another.
struct Scene {
    cluster: Cluster,
    port: u16,
    roots: TempDir,
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

impl Scene {
    fn new() -> Self {
        let (own, other) = (authority(), authority());
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        let certificate = params.signed_by(&key, &own).expect("a certificate");
        let roots = tempfile::tempdir().expect("a folder");
        fs::write(roots.path().join("own.pem"), own.pem()).expect("a file");
        fs::write(roots.path().join("other.pem"), other.pem()).expect("a file");
        let port = free_port();
        let settings = [
            ("listen_addresses", "127.0.0.1"),
            ("port", &port.to_string()),
            ("ssl", "on"),
            ("ssl_cert_file", "server.pem"),
            ("ssl_key_file", "server.key"),
        ];
        let files = [("server.pem", &*certificate.pem()), ("server.key", &*key.serialize_pem())];
        Self { cluster: Cluster::with_files(&settings, &files), port, roots }
    }

    /// Opens the store at a host with these options, where `OWN` and `OTHER` stand for files of root
    /// certificates.
    async fn open(&self, host: &str, options: &str) -> Result<Stores, String> {
        let root = |name: &str| self.roots.path().join(name).display().to_string();
        let options = options.replace("OWN", &root("own.pem")).replace("OTHER", &root("other.pem"));
        let url = format!("postgres://till@{host}:{}/postgres?{options}", self.port);
        let place = StoreLocation::Server(DatabaseUrl::parse(&url)?);
        let opened = Stores::open(&place, Durability::Full, Some(Clock::manual(start()))).await;
        opened.map_err(|error| error.to_string())
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

#[tokio::test]
async fn needs_postgres_a_server_is_verified_as_the_url_asks() {
    let scene = Scene::new();
    let shell = Shell::connect_to(&scene.cluster, scene.port, "public").await;
    for (host, options, encrypted) in [
        ("localhost", "sslmode=verify-full&sslrootcert=OWN", true),
        ("localhost", "sslrootcert=OWN", true),
        ("127.0.0.1", "sslmode=require", true),
        ("127.0.0.1", "sslmode=prefer", true),
        ("127.0.0.1", "sslmode=disable", false),
    ] {
        let stores = scene.open(host, options).await.unwrap_or_else(|error| panic!("{options}: {error}"));
        stores.live.ping().await.expect("it reads and writes");
        let ours = "SELECT COUNT(*), COUNT(*) FILTER (WHERE s.ssl) FROM pg_stat_ssl s
            JOIN pg_stat_activity a ON a.pid = s.pid WHERE a.application_name LIKE 'till live%'";
        let row = shell.rows(&format!("({ours}) AS asked (all_of_them, encrypted)")).await.remove(0);
        let expected = if encrypted { row[0].clone() } else { "Some(\"0\")".to_owned() };
        assert_ne!(row[0], "Some(\"0\")", "{options}");
        assert_eq!(row[1], expected, "{options}");
        drop(stores);
        while shell.rows(&format!("({ours}) AS asked (a, b)")).await[0][0] != "Some(\"0\")" {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
    for (host, options) in [
        ("localhost", "sslmode=verify-full&sslrootcert=OTHER"),
        ("127.0.0.1", "sslmode=verify-full&sslrootcert=OWN"),
    ] {
        let error = scene.open(host, options).await.expect_err("refused");
        assert!(error.contains("certificate"), "{options}: {error}");
    }
}

#[tokio::test]
async fn needs_postgres_a_server_without_tls_is_refused_where_it_is_required() {
    let port = free_port();
    let cluster = Cluster::with(&[("listen_addresses", "127.0.0.1"), ("port", &port.to_string())]);
    let scene = Scene { cluster, port, roots: tempfile::tempdir().expect("a folder") };
    let error = scene.open("127.0.0.1", "sslmode=require").await.expect_err("refused");
    assert!(error.contains("TLS"), "{error}");
    scene.open("127.0.0.1", "sslmode=prefer").await.expect("as it was asked for");
}
