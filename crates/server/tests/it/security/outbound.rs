//! Calls to the servers of others: the meaning of their answers, limits on what they can do to us, and what
//! is sent.

use crate::support::{Authority, Sink, acceptor, read_request};
use hyper::{
    body::Bytes,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use std::{
    fmt::Write as _,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use till_domain::id::VendorId;
use till_service::outbound::{CallFailure, CallResult, Delivery, Outbound, OutboundOptions, Resolver};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::{sleep, timeout},
};

/// The timeout of a call where the test is about the timeout.
const DEADLINE: Duration = Duration::from_millis(400);

/// The timeout of a call otherwise.
const PATIENCE: Duration = Duration::from_secs(6);

/// The longest a call may take on a busy machine. Those with `PATIENCE` end by themselves before that.
pub const SOON: Duration = Duration::from_secs(3);

/// The vendor of a call, where it does not matter.
const VENDOR: VendorId = VendorId::from_bytes([1; 16]);

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

pub fn options() -> OutboundOptions {
    OutboundOptions {
        allow_private: true,
        roots: None,
        own: Vec::new(),
        own_hosts: Vec::new(),
        timeout: PATIENCE,
        resolver: Resolver::System,
        keep_responses: true,
    }
}

/// Like [`options`], with a short timeout.
pub fn hasty() -> OutboundOptions {
    OutboundOptions { timeout: DEADLINE, ..options() }
}

pub fn outbound(options: OutboundOptions) -> Outbound {
    Outbound::new(options).expect("roots")
}

/// Posts a small body, and checks that it does not take too long.
pub async fn post(outbound: &Outbound, url: &str) -> Result<u16, CallFailure> {
    post_for(VENDOR, outbound, url).await
}

/// The same, for this vendor.
pub async fn post_for(vendor: VendorId, outbound: &Outbound, url: &str) -> Result<u16, CallFailure> {
    timed_for(vendor, outbound, url).await.0.result
}

pub async fn timed(outbound: &Outbound, url: &str) -> (CallResult, Duration) {
    timed_for(VENDOR, outbound, url).await
}

async fn timed_for(vendor: VendorId, outbound: &Outbound, url: &str) -> (CallResult, Duration) {
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let began = Instant::now();
    let body = Bytes::from("{}");
    let call = outbound.post(Delivery { vendor, url, headers: &headers, body: &body }, later());
    let outcome = timeout(SOON, call).await.unwrap_or_else(|_| panic!("{url} takes too long"));
    let took = began.elapsed();
    assert!(outcome.duration <= took, "{url}: {outcome:?} after {took:?}");
    (outcome, took)
}

/// A moment after every timeout.
fn later() -> tokio::time::Instant {
    tokio::time::Instant::now() + PATIENCE * 2
}

#[tokio::test]
async fn a_call_ends_before_the_moment_at_which_somebody_else_may_make_it() {
    let hangs = Sink::new(|stream| async move {
        sleep(SOON).await;
        drop(stream);
    });
    let (url, body) = (hangs.url("http", "/"), Bytes::new());
    let delivery = Delivery { vendor: VENDOR, url: &url, headers: &[], body: &body };
    let began = Instant::now();
    let latest = tokio::time::Instant::now() + DEADLINE;
    let outcome = outbound(options()).post(delivery, latest).await;
    assert_eq!(outcome.result, Err(CallFailure::Timeout));
    let took = began.elapsed();
    assert!((DEADLINE..PATIENCE).contains(&took), "{took:?}");
}

/// A resolver that returns these addresses for every name.
pub fn always(addresses: &[&str]) -> Resolver {
    let addresses: Vec<IpAddr> = addresses.iter().map(|text| text.parse().expect("an address")).collect();
    Resolver::Scripted(Arc::new(move |_| Ok(addresses.clone())))
}

#[tokio::test]
async fn the_status_decides_and_nothing_else_of_the_answer() {
    let many = |count| "HTTP/1.1 100 Continue\r\n\r\n".repeat(count);
    let headers = |count| {
        let mut text = String::from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
        (0..count).for_each(|n| write!(text, "x-{n}: {}\r\n", "y".repeat(500)).expect("written"));
        text + "\r\n"
    };
    let outbound = outbound(options());
    for (answer, expected) in [
        (OK.to_owned(), Ok(200)),
        ("HTTP/1.1 204 \r\n\r\n".into(), Ok(204)),
        ("HTTP/1.0 299 x\r\nContent-Length: 0\r\n\r\n".into(), Ok(299)),
        ("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".to_owned() + OK, Ok(200)),
        (many(8) + OK, Ok(200)),
        (many(9) + OK, Err(CallFailure::Protocol)),
        (many(100_000), Err(CallFailure::Protocol)),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n".into(), Err(CallFailure::Protocol)),
        ("HTTP/1.1 304 x\r\n\r\n".into(), Err(CallFailure::Status(304))),
        ("HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n".into(), Err(CallFailure::Status(404))),
        ("HTTP/1.1 410 x\r\nContent-Length: 0\r\n\r\n".into(), Err(CallFailure::Status(410))),
        ("HTTP/1.1 429 x\r\nRetry-After: 86400\r\n\r\n".into(), Err(CallFailure::Status(429))),
        ("HTTP/1.1 500 x\r\nContent-Length: 9999\r\n\r\n".into(), Err(CallFailure::Status(500))),
        ("<html>hello</html>\r\n\r\n".into(), Err(CallFailure::Protocol)),
        ("HTTP/2 200\r\n\r\n".into(), Err(CallFailure::Protocol)),
        ("HTTP/1.1 20 OK\r\n\r\n".into(), Err(CallFailure::Protocol)),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n".into(), Err(CallFailure::Protocol)),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".into(),
            Err(CallFailure::Protocol),
        ),
        (headers(50), Ok(200)),
        (headers(90), Err(CallFailure::Protocol)),
        ("y".repeat(1_000_000), Err(CallFailure::Protocol)),
        ("HTTP/1.1 200 OK\r\n".to_owned() + &"x: y\r\n".repeat(200) + "\r\n", Err(CallFailure::Protocol)),
    ] {
        let sink = Sink::answering(answer.clone());
        let began: String = answer.chars().take(60).collect();
        assert_eq!(post(&outbound, &sink.url("http", "/cb")).await, expected, "{began:?}");
        assert_eq!(sink.accepted(), 1, "{began:?}");
    }
}

#[tokio::test]
async fn t1_a_redirect_is_a_failure_and_leads_nowhere() {
    let other = Sink::answering(OK);
    let outbound = outbound(options());
    for status in [300, 301, 302, 303, 307, 308] {
        let location = other.url("http", "/");
        let answer = format!("HTTP/1.1 {status} x\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let sink = Sink::answering(answer);
        assert_eq!(post(&outbound, &sink.url("http", "/")).await, Err(CallFailure::Status(status)));
    }
    assert_eq!(other.accepted(), 0);
    assert_eq!(post(&outbound, &other.url("http", "/")).await, Ok(200), "it would have been there");
}

#[tokio::test]
async fn t3_f11_a_receiver_that_does_not_answer_is_cut_off_at_the_deadline() {
    let outbound = outbound(hasty());
    let hangs = Sink::new(|stream| async move {
        sleep(SOON).await;
        drop(stream);
    });
    let trickles = Sink::new(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nx: ").await;
        while stream.write_all(b"y").await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    });
    let provisional = Sink::new(|mut stream| async move {
        while stream.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").await.is_ok() {
            sleep(Duration::from_millis(100)).await;
        }
    });
    for sink in [&hangs, &trickles, &provisional] {
        let (outcome, _) = timed(&outbound, &sink.url("http", "/")).await;
        assert_eq!(outcome.result, Err(CallFailure::Timeout));
        assert!(outcome.duration >= DEADLINE, "{outcome:?}");
    }
    assert_eq!(post(&outbound, &hangs.url("https", "/")).await, Err(CallFailure::Timeout));
}

#[tokio::test]
async fn t3_a_receiver_that_does_not_read_is_cut_off_at_the_deadline() {
    let (closed, mut told) = tokio::sync::mpsc::unbounded_channel();
    let sink = Sink::new(move |mut stream| {
        let closed = closed.clone();
        async move {
            sleep(DEADLINE * 2).await;
            let mut rest = Vec::new();
            let _ = timeout(SOON, stream.read_to_end(&mut rest)).await.map(|_| closed.send(()));
        }
    });
    let outbound = outbound(hasty());
    let (url, body) = (sink.url("http", "/"), Bytes::from(vec![b'x'; 64 << 20]));
    let outcome =
        outbound.post(Delivery { vendor: VENDOR, url: &url, headers: &[], body: &body }, later()).await;
    assert_eq!(outcome.result, Err(CallFailure::Timeout));
    assert!(timeout(SOON, told.recv()).await.is_ok(), "nothing goes on behind the deadline");
}

#[tokio::test]
async fn f13_a_receiver_that_hangs_up_is_told_apart_from_one_that_is_not_there() {
    let outbound = outbound(options());
    let resets = Sink::new(|mut stream| async move {
        read_request(&mut stream).await;
        stream.set_zero_linger().expect("set");
    });
    let closes = Sink::new(|mut stream| async move {
        read_request(&mut stream).await;
    });
    let half_closes = Sink::new(|mut stream| async move {
        let _ = stream.shutdown().await;
        sleep(SOON).await;
    });
    let breaks_off = Sink::new(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-").await;
    });
    for sink in [&resets, &closes, &half_closes, &breaks_off] {
        assert_eq!(post(&outbound, &sink.url("http", "/")).await, Err(CallFailure::Closed));
        assert_eq!(sink.accepted(), 1, "a new connection that fails is not tried again");
    }
    let gone = TcpSocket::new_v4().expect("a socket");
    gone.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let url = format!("http://{}/", gone.local_addr().expect("an address"));
    assert_eq!(post(&outbound, &url).await, Err(CallFailure::Connect));
}

#[tokio::test]
async fn t3_f12_after_a_2xx_neither_a_trickle_nor_a_flood_costs_more_than_the_deadline() {
    let trickles = Sink::new(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").await;
        while stream.write_all(b"y").await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    });
    let (outcome, took) = timed(&outbound(hasty()), &trickles.url("http", "/")).await;
    assert_eq!(outcome.result, Ok(200));
    assert!(took >= DEADLINE && outcome.duration < DEADLINE, "{outcome:?} after {took:?}");
    let outbound = outbound(options());
    for framing in ["Content-Length: 100000000", "Connection: close", "Transfer-Encoding: chunked"] {
        let sent = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&sent);
        let floods = Sink::new(move |mut stream| {
            let counter = Arc::clone(&counter);
            let head = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n");
            async move {
                let _ = stream.write_all(head.as_bytes()).await;
                // Also a piece of a chunked body: many chunks of one byte.
                let piece = "1\r\nx\r\n".repeat(1000);
                while let Ok(n) = stream.write(piece.as_bytes()).await {
                    counter.fetch_add(n, SeqCst);
                }
            }
        });
        let result = post(&outbound, &floods.url("http", "/")).await;
        assert_eq!(result, Ok(200), "{framing}");
        let sent = sent.load(SeqCst);
        // The bytes that were read, and those in the buffers of the system.
        assert!((60_000..800_000).contains(&sent), "{framing}: {sent} bytes");
    }
}

#[tokio::test]
async fn the_receiver_gets_exactly_what_was_given() {
    let got = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&got);
    let sink = Sink::new(move |mut stream| {
        let heard = Arc::clone(&heard);
        async move {
            *heard.lock().expect("not poisoned") = read_request(&mut stream).await.unwrap_or_default();
            let _ = stream.write_all(OK.as_bytes()).await;
        }
    });
    let outbound = outbound(OutboundOptions { resolver: always(&["127.0.0.1"]), ..options() });
    let url = format!("http://Shop.Example:{}/a%20b/ü?x=1#part", sink.address.port());
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (HeaderName::from_static("x-signature"), HeaderValue::from_static("abc")),
    ];
    let body = Bytes::from(r#"{"a":1}"#);
    let outcome =
        outbound.post(Delivery { vendor: VENDOR, url: &url, headers: &headers, body: &body }, later()).await;
    assert_eq!(outcome.result, Ok(200));
    let port = sink.address.port();
    let expected = format!(
        "POST /a%20b/%C3%BC?x=1 HTTP/1.1\r\ncontent-type: application/json\r\nx-signature: abc\r\n\
         host: shop.example:{port}\r\ncontent-length: 7\r\n\r\n{{\"a\":1}}"
    );
    assert_eq!(*got.lock().expect("not poisoned"), expected);
}

#[tokio::test]
async fn addresses_are_tried_in_turn_and_a_dead_one_leaves_time_for_the_next() {
    let sink = Sink::answering(OK);
    let port = sink.address.port();
    let url = format!("http://shop.example:{port}/");
    let refused = OutboundOptions { resolver: always(&["127.0.0.2", "127.0.0.1"]), ..options() };
    assert_eq!(post(&outbound(refused), &url).await, Ok(200));
    // A listener whose queue is full does not even accept.
    let full = TcpSocket::new_v4().expect("a socket");
    full.bind(SocketAddr::new("127.0.0.3".parse().expect("an address"), port)).expect("a port");
    let full = full.listen(1).expect("it listens");
    let address = full.local_addr().expect("an address");
    let mut waiting = Vec::new();
    while let Ok(stream) = timeout(Duration::from_millis(100), TcpStream::connect(address)).await {
        waiting.push(stream.expect("a connection"));
    }
    let dead =
        OutboundOptions { resolver: always(&["127.0.0.3", "127.0.0.1"]), timeout: DEADLINE * 3, ..options() };
    assert_eq!(post(&outbound(dead), &url).await, Ok(200));
    let only = OutboundOptions { resolver: always(&["127.0.0.3"]), ..hasty() };
    assert_eq!(post(&outbound(only), &url).await, Err(CallFailure::Timeout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn https_needs_a_certificate_for_the_name_by_somebody_trusted() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let folder = tempfile::tempdir().expect("a folder");
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, authority.root_pem()).expect("written");
    let trusting = OutboundOptions { roots: Some(roots), resolver: always(&["127.0.0.1"]), ..options() };
    let outbound = outbound(trusting);
    for (identity, host, expected) in [
        (authority.issue(90), "127.0.0.1", Ok(200)),
        (authority.issue_for("shop.example", 90), "shop.example", Ok(200)),
        (authority.issue_for("shop.example", 90), "SHOP.example.", Ok(200)),
        (authority.issue_for("shop.example", 90), "other.example", Err(CallFailure::Tls)),
        (authority.issue_for("shop.example", 90), "127.0.0.1", Err(CallFailure::Tls)),
        (authority.issue_for("shop.example", -1), "shop.example", Err(CallFailure::Tls)),
        (stranger.issue_for("shop.example", 90), "shop.example", Err(CallFailure::Tls)),
    ] {
        let sink = encrypted(&identity);
        let url = format!("https://{host}:{}/cb", sink.address.port());
        assert_eq!(post(&outbound, &url).await, expected, "{url}");
        let again = sink.accepted();
        assert_eq!(post(&outbound, &url).await, expected, "{url}, again");
        assert_eq!(sink.accepted() - again, usize::from(expected.is_err()), "{url}: the connection is kept");
    }
    for answer in ["garbage", OK, "\x16\x03\x01\x7f\x7f\x7f", "\x15\x03\x03\0\x02\x02\x28"] {
        let sink = Sink::new(move |mut stream| async move {
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
            sleep(SOON).await;
        });
        assert_eq!(post(&outbound, &sink.url("https", "/")).await, Err(CallFailure::Tls), "{answer:?}");
    }
}

fn encrypted(identity: &(String, String)) -> Sink {
    let acceptor = acceptor(identity);
    Sink::new(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            while read_request(&mut stream).await.is_some() {
                let _ = stream.write_all(OK.as_bytes()).await;
            }
        }
    })
}

#[test]
fn roots_that_cannot_be_used_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let [empty, broken] = ["empty.pem", "broken.pem"].map(|name| folder.path().join(name));
    std::fs::write(&empty, "").expect("written");
    std::fs::write(&broken, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        .expect("written");
    for path in [empty, broken, PathBuf::from("/nowhere.pem")] {
        let error = Outbound::new(OutboundOptions { roots: Some(path.clone()), ..options() });
        let error = error.expect_err("it cannot be used").to_string();
        assert!(error.starts_with(&format!("{} has no usable root certificates", path.display())), "{error}");
    }
}

#[tokio::test]
async fn a_connection_is_used_again_and_replaced_when_it_was_closed() {
    let sink = Sink::answering(OK);
    let outbound = outbound(options());
    for _ in 0..20 {
        assert_eq!(post(&outbound, &sink.url("http", "/")).await, Ok(200));
    }
    assert_eq!(sink.accepted(), 1);
    // Does not announce the close, and closes.
    let rude = Sink::new(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(OK.as_bytes()).await;
    });
    for _ in 0..20 {
        assert_eq!(post(&outbound, &rude.url("http", "/")).await, Ok(200));
    }
    assert_eq!(rude.accepted(), 20);
    // Sends an unrequested answer, then closes, as some servers do to an idle connection.
    let talkative = Sink::new(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(OK.as_bytes()).await;
        sleep(Duration::from_millis(50)).await;
        let _ = stream.write_all(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n").await;
    });
    for _ in 0..3 {
        assert_eq!(post(&outbound, &talkative.url("http", "/")).await, Ok(200));
        sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(talkative.accepted(), 3);
}

#[tokio::test]
async fn an_idle_connection_is_closed_though_nobody_comes_back() {
    let (closed, mut told) = tokio::sync::mpsc::unbounded_channel();
    let sink = Sink::new(move |mut stream| {
        let closed = closed.clone();
        async move {
            while read_request(&mut stream).await.is_some() {
                let _ = stream.write_all(OK.as_bytes()).await;
            }
            let _ = closed.send(());
        }
    });
    let outbound = outbound(options());
    assert_eq!(post(&outbound, &sink.url("http", "/")).await, Ok(200));
    assert!(timeout(Duration::from_millis(100), told.recv()).await.is_err(), "it waits for a while");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3)).await;
    tokio::time::resume();
    assert!(timeout(SOON, told.recv()).await.is_ok(), "it is closed");
    assert_eq!(post(&outbound, &sink.url("http", "/")).await, Ok(200));
    assert_eq!(sink.accepted(), 2);
}

/// Runs another test in a process whose environment names a proxy.
#[tokio::test]
async fn no_proxy_of_the_environment_is_asked() {
    let proxy = Sink::answering("HTTP/1.1 502 x\r\nContent-Length: 0\r\n\r\n");
    let mut child = Command::new(std::env::current_exe().expect("a program"));
    child.args(["--exact", "security::outbound::the_receiver_gets_exactly_what_was_given"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, proxy.url("http", "/"));
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let output =
        tokio::task::spawn_blocking(move || child.output()).await.expect("no panic").expect("it ran");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!(proxy.accepted(), 0);
}
