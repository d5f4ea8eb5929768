//! Clients that send requests and do not read, and heads that do not end: they cost little, and are dropped.

use crate::support::{Authority, Till, alone};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::{sleep, timeout},
};

const TIMEOUT: Duration = Duration::from_secs(3);

/// The limit of connections.
const ROOM: usize = 50;

/// More than the buffers of two sockets hold.
const REQUESTS: usize = 60;

/// A connection with a tiny receive buffer.
async fn connect(address: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(2_048).expect("a setting");
    socket.connect(address.parse().expect("an address")).await.expect("it listens")
}

/// Sends many requests for the same page, and reads nothing.
async fn ask(stream: &mut (impl AsyncWrite + Unpin)) {
    let requests = b"GET /docs HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS);
    // A service that has closed the connection takes no more.
    let _ = timeout(Duration::from_secs(1), stream.write_all(&requests)).await;
}

/// True if a new client is served.
async fn is_served(address: &str) -> bool {
    let ask = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok::<_, std::io::Error>(answer.starts_with("HTTP/1.1 200"))
    };
    timeout(Duration::from_secs(5), ask).await.is_ok_and(|answer| answer.unwrap_or(false))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s1_t29_clients_that_do_not_read_are_cut_off_and_make_room() {
    let _turn = alone().await;
    let mut till = Till::new();
    till.set("TILL_MAX_CONNECTIONS", &ROOM.to_string());
    till.set("TILL_CLIENT_TIMEOUT", &format!("{}s", TIMEOUT.as_secs()));
    let service = till.serve();
    let address = service.url.strip_prefix("http://").expect("a URL");
    let mut held = Vec::new();
    for _ in 0..ROOM {
        held.push(connect(address).await);
    }
    let began = Instant::now();
    futures_util::future::join_all(held.iter_mut().map(ask)).await;
    assert!(!is_served(address).await, "there is no room while they are there");
    while !is_served(address).await {
        assert!(began.elapsed() < 2 * TIMEOUT + Duration::from_secs(2), "they are still there");
        sleep(Duration::from_millis(100)).await;
    }
    drop(held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s1_t29_clients_that_do_not_read_over_tls_are_cut_off() {
    let authority = Authority::new();
    let mut till = authority.till();
    let service = till.set("TILL_CLIENT_TIMEOUT", "1s").serve();
    let mut unread = authority.connect(&service.url, &["http/1.1"]).await.expect("a connection");
    ask(&mut unread).await;
    sleep(Duration::from_secs(3)).await;
    let mut rest = Vec::new();
    let _ = timeout(Duration::from_secs(5), unread.read_to_end(&mut rest)).await.expect("it has ended");
    assert!(rest.len() < REQUESTS * 100_000, "the answers were not all sent: {}", rest.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s2_t29_a_head_that_does_not_end_is_refused_early_and_costs_little() {
    let _turn = alone().await;
    let till = Till::new();
    let service = till.serve();
    let address = service.url.strip_prefix("http://").expect("a URL");
    assert!(is_served(address).await);
    let before = service.memory();
    let head = [b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ".as_slice(), &[b'x'; 384 * 1024]].concat();
    let mut held = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let _ = timeout(Duration::from_millis(200), stream.write_all(&head)).await;
        held.push(stream);
    }
    let grown = service.memory().saturating_sub(before);
    assert!(grown < 30 * 1_024, "{grown} KiB for 300 heads");
    // The rest of the head is not read, so the answer may be lost; then only the end of the connection comes.
    let mut refused = 0;
    for stream in &mut held {
        let mut answer = Vec::new();
        let _ = timeout(Duration::from_secs(2), stream.read_to_end(&mut answer)).await.expect("it has ended");
        refused += usize::from(answer.starts_with(b"HTTP/1.1 431"));
    }
    assert!(refused > 0, "no client was answered 431");
    for (length, status) in [(30_000, "HTTP/1.1 200"), (34_000, "HTTP/1.1 431"), (47_000, "HTTP/1.1 431")] {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let whole = format!(
            "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\nConnection: close\r\n\r\n",
            "x".repeat(length)
        );
        stream.write_all(whole.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        assert!(answer.starts_with(status), "a whole head of {length}: {answer:.40}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s3_t29_answers_that_are_the_same_for_everybody_are_held_once() {
    let _turn = alone().await;
    let authority = Authority::new();
    let till = authority.till();
    let service = till.serve();
    let mut first = authority.client(&service.url, &["h2"]).await;
    assert_eq!(first.get("/healthz").await.status, 200);
    let before = service.memory();
    let (mut clients, mut unread) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let mut client = authority.client(&service.url, &["h2"]).await;
        for _ in 0..100 {
            unread.push(client.ask("/docs").await);
        }
        clients.push(client);
    }
    assert!(unread.iter().all(|answer| answer.status() == 200));
    let grown = service.memory().saturating_sub(before);
    assert!(grown < 30 * 1_024, "{grown} KiB for 1,500 answers");
}
