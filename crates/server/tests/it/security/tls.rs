//! HTTPS without a proxy: served and dropped clients, refused settings, and the renewal of a certificate.

use crate::{
    operations::doctor::check,
    operations::serve::{one_line, refusal},
    support::{Authority, Credentials, Process, Shop, Till, write_identity},
};
use std::{
    fs,
    io::{Read, Write},
    time::{Duration, Instant},
};
use tokio::{io::AsyncReadExt, task::spawn_blocking, time::timeout};

/// Longer than any deadline of these tests, shorter than the deadlines they must not fall back to.
const SOON: Duration = Duration::from_secs(8);

const TOKENS: &str = "/api/sandbox/vendor/tokens";
const SESSIONS: &str = "/api/sandbox/vendor/checkout-session";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_trusts_the_certificate_is_answered_in_the_protocol_it_speaks() {
    let (authority, till) = till();
    let service = till.serve();
    assert!(service.url.starts_with("https://127.0.0.1:"), "{}", service.url);
    let log = service.log();
    assert!(!log.contains("TILL_TRUSTED_PROXIES") && !log.contains("without https"), "{log}");
    let body = Credentials::of(&till.vendor(), "sandbox").body();
    for (protocols, http2) in [(&["h2", "http/1.1"][..], true), (&["http/1.1"], false), (&[], false)] {
        let mut client = authority.client(&service.url, protocols).await;
        assert_eq!(client.is_http2(), http2, "{protocols:?}");
        let token = client.post(TOKENS, "", &body).await.text("access_token");
        let created = client.post(SESSIONS, &token, &Shop::book("A-1")).await;
        assert_eq!(created.status, 201, "{}", created.body);
        assert!(created.text("session_url").starts_with(&service.url), "{}", created.body);
        let nowhere = client.get("/nowhere").await;
        assert_eq!(nowhere.problem(), "404 not_found");
        assert_eq!(nowhere.header("strict-transport-security"), Some("max-age=31536000"), "S14");
    }
    let stranger = Authority::new();
    assert!(stranger.connect(&service.url, &["h2"]).await.is_err(), "nobody vouches for the service");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_in_clear_is_not_answered_and_harms_nobody() {
    let (authority, till) = till();
    let service = till.serve();
    let mut stream = connect(&service);
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
    let answer = read_to_end(stream);
    assert!(answer.len() < 16 && !answer.starts_with(b"HTTP"), "at most an alert: {answer:?}");
    let mut client = authority.client(&service.url, &["h2"]).await;
    assert_eq!(client.get("/healthz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f22_clients_that_keep_us_waiting_are_cut_off_and_others_are_served() {
    let (authority, mut till) = till();
    let service = till.set("TILL_CLIENT_TIMEOUT", "500ms").serve();
    // One never begins a handshake, the other never continues it.
    let silent = connect(&service);
    let mut stuck = connect(&service);
    stuck.write_all(&[22, 3, 1, 2, 0, 1]).expect("sent");
    let raw = [silent, stuck].map(|stream| spawn_blocking(move || read_to_end(stream)));
    // Handshake, and then silence.
    let mut mute = authority.connect(&service.url, &["h2"]).await.expect("a connection");
    let mut mute1 = authority.connect(&service.url, &["http/1.1"]).await.expect("a connection");
    // Served, and then idle; the last one holds an answer that it does not read.
    let mut idle = authority.client(&service.url, &["h2"]).await;
    assert_eq!(idle.get("/healthz").await.status, 200);
    let mut unread = authority.client(&service.url, &["h2"]).await;
    let _answer = unread.ask("/docs").await;
    for raw in raw {
        raw.await.expect("no panic");
    }
    for stream in [&mut mute, &mut mute1] {
        let mut said = Vec::new();
        let end = timeout(SOON, stream.read_to_end(&mut said)).await;
        let _ = end.expect("a mute client is cut off");
    }
    let told = timeout(SOON, idle.connection).await.expect("an idle client is told to go");
    told.expect("no panic").expect("it is told, not cut off");
    let _ = timeout(SOON, unread.connection).await.expect("an answer is not held for ever");
    let mut client = authority.client(&service.url, &["h2"]).await;
    assert_eq!(client.get("/healthz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_takes_up_room_and_holds_up_nobody() {
    let (authority, mut till) = till();
    let service = till.set("TILL_MAX_CONNECTIONS", "3").serve();
    let held = [connect(&service), connect(&service)];
    let client = timeout(SOON, authority.client(&service.url, &["h2"])).await;
    let mut client = client.expect("nobody waits for the handshakes of others");
    assert_eq!(client.get("/healthz").await.status, 200);
    let answer = read_to_end(connect(&service));
    assert!(answer.is_empty(), "nothing is said in clear: {answer:?}");
    drop(held);
    let deadline = Instant::now() + SOON;
    while authority.connect(&service.url, &["h2"]).await.is_err() {
        assert!(Instant::now() < deadline, "room is made when connections end");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f3_a_stop_lets_an_http2_request_under_way_finish_and_waits_for_nobody_else() {
    let (authority, till) = till();
    let service = till.serve();
    let body = Credentials::of(&till.vendor(), "sandbox").body();
    let mut client = authority.client(&service.url, &["h2"]).await;
    let token = client.post(TOKENS, "", &body).await.text("access_token");
    let mut idle = authority.client(&service.url, &["h2"]).await;
    assert_eq!(idle.get("/healthz").await.status, 200);
    let (_silent, _mute) = (connect(&service), authority.connect(&service.url, &["h2"]).await);
    // A request that takes as long as the write lock is held by this connection.
    let file = rusqlite::Connection::open(till.file("sandbox.db")).expect("the file opens");
    file.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let slow = tokio::spawn(async move {
        let answer = client.post(SESSIONS, &token, &Shop::book("A-1")).await;
        (answer, client)
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let stopping = spawn_blocking(move || service.terminate());
    let told = timeout(SOON, idle.connection).await.expect("an idle client is told to go");
    told.expect("no panic").expect("it is told, not cut off");
    // Longer than a connection without requests may stay open.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(!slow.is_finished() && !stopping.is_finished(), "it waits for the request under way");
    file.execute_batch("ROLLBACK").expect("the lock is given back");
    let (answer, client) = slow.await.expect("no panic");
    assert_eq!(answer.status, 201, "{}", answer.body);
    client.connection.await.expect("no panic").expect("a clean end");
    let (status, took) = stopping.await.expect("no panic");
    assert!(status.code() == Some(0) && took < Duration::from_secs(7), "{status} after {took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_certificate_is_served_without_a_restart_and_a_broken_one_is_not() {
    let (authority, till) = till();
    let service = till.serve();
    let first = served(&authority, &service).await;
    let mut before = authority.client(&service.url, &["h2"]).await;
    write_identity(&till, &authority.issue(90));
    wait_for(&service, "the TLS certificate has changed; new connections use the new one").await;
    let second = served(&authority, &service).await;
    assert_ne!(first, second);
    assert_eq!(before.get("/healthz").await.status, 200, "connections outlive a change");
    // A key that belongs to another certificate: neither is used.
    fs::write(till.file("key.pem"), authority.issue(90).1).expect("written");
    wait_for(&service, "the old one stays in use: TILL_TLS_KEY names").await;
    fs::remove_file(till.file("cert.pem")).expect("removed");
    wait_for(&service, "the old one stays in use: TILL_TLS_CERT names").await;
    assert_eq!(served(&authority, &service).await, second);
    assert_eq!(service.log().matches("ERROR").count(), 2, "each is told once: {}", service.log());
    // Renewed as certbot does it: a symbolic link that points to another file.
    let (cert, key) = authority.issue(90);
    fs::write(till.file("cert2.pem"), cert).expect("written");
    fs::write(till.file("key.pem"), key).expect("written");
    std::os::unix::fs::symlink(till.file("cert2.pem"), till.file("cert.pem")).expect("linked");
    let deadline = Instant::now() + SOON;
    while served(&authority, &service).await == second {
        assert!(Instant::now() < deadline, "{}", service.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[test]
fn wrong_files_refuse_the_start_and_are_reported_by_the_doctor() {
    let (authority, mut till) = till();
    let (cert, key) = authority.issue(90);
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let no_key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let no_cert = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (cert, key, setting, words) in [
        ("", key.as_str(), "TILL_TLS_CERT", "contains no certificate: name a PEM file"),
        (&key, &key, "TILL_TLS_CERT", "contains no certificate: name a PEM file"),
        (&cert[..200], &key, "TILL_TLS_CERT", "is not complete, well-formed PEM: name a PEM file"),
        (no_cert, &key, "TILL_TLS_CERT", "contains an invalid certificate"),
        (&cert, "", "TILL_TLS_KEY", "contains no private key: name a PEM file"),
        (&cert, &cert, "TILL_TLS_KEY", "contains no private key: name a PEM file"),
        (&cert, encrypted, "TILL_TLS_KEY", "without a password"),
        (&cert, no_key, "TILL_TLS_KEY", "contains an unsupported key: create an ECDSA"),
        (&cert, &authority.issue(90).1, "TILL_TLS_KEY", "does not belong to the first certificate in"),
    ] {
        write_identity(&till, &(cert.to_owned(), key.to_owned()));
        let line = one_line(&refusal(&till));
        assert!(line.starts_with(&format!("till: {setting} names ")) && line.contains(words), "{line}");
        check(&till, "TLS", "failed", words);
    }
    write_identity(&till, &(cert, key));
    for (setting, other) in [("TILL_TLS_CERT", "TILL_TLS_KEY"), ("TILL_TLS_KEY", "TILL_TLS_CERT")] {
        let mut till = Till::new();
        let line = one_line(&refusal(till.set(setting, "/nowhere.pem")));
        assert!(line.starts_with(&format!("till: {setting} is set, but {other} is not: set both")), "{line}");
        check(&till, "settings", "failed", "set both");
    }
    for setting in ["TILL_TLS_KEY", "TILL_TLS_CERT"] {
        let line = one_line(&refusal(till.set(setting, "/nowhere.pem")));
        let told = format!("till: {setting} names /nowhere.pem, which cannot be read (");
        assert!(line.starts_with(&told) && line.contains("name a PEM file"), "{line}");
    }
}

#[test]
fn the_doctor_tells_how_long_the_certificate_is_good() {
    use std::os::unix::fs::PermissionsExt;
    check(&Till::new(), "TLS", "ok", "off: the service");
    let (authority, mut till) = till();
    let open = |mode| {
        fs::set_permissions(till.file("key.pem"), fs::Permissions::from_mode(mode)).expect("changed");
    };
    open(0o644);
    check(&till, "TLS", "warning", "every user can read the key in");
    open(0o640);
    for (days, verdict, words) in [
        (90, "ok", "the key matches the certificate, which is valid until 20"),
        (15, "ok", "valid until"),
        (13, "warning", "check why it has not been renewed"),
        (-1, "failed", "the certificate expired at 20"),
    ] {
        write_identity(&till, &authority.issue(days));
        check(&till, "TLS", verdict, words);
    }
    assert!(till.serve().log().contains("clients reject it; renew it"));
    // With its own TLS the service needs no trusted proxy.
    write_identity(&till, &authority.issue(90));
    check(till.set("TILL_BASE_URL", "https://pay.example"), "base URL", "ok", "https://pay.example");
}

fn till() -> (Authority, Till) {
    let authority = Authority::new();
    let till = authority.till();
    (authority, till)
}

/// A plain TCP connection to a service.
fn connect(service: &Process) -> std::net::TcpStream {
    let address = service.url.strip_prefix("https://").expect("https");
    let stream = std::net::TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(SOON)).expect("a timeout");
    stream
}

/// Everything that comes until the other side closes.
fn read_to_end(mut stream: std::net::TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    let ended = stream.read_to_end(&mut said);
    let open = ended.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!open, "the connection is still open");
    said
}

/// The certificate that a new connection gets.
async fn served(authority: &Authority, service: &Process) -> Vec<u8> {
    let stream = authority.connect(&service.url, &[]).await.expect("a connection");
    stream.get_ref().1.peer_certificates().expect("a certificate")[0].to_vec()
}

async fn wait_for(service: &Process, words: &str) {
    let deadline = Instant::now() + SOON;
    while !service.log().contains(words) {
        assert!(Instant::now() < deadline, "{words:?} is not in:\n{}", service.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
