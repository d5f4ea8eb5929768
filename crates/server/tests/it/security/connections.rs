//! Clients that send slowly or nothing, too many of them, and the stop of the service while some are still
//! being served.

use crate::support::{Server, Shop, Till};
use reqwest::Method;
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

/// A plain TCP connection to a service.
fn connect(url: &str) -> TcpStream {
    let stream = TcpStream::connect(url.strip_prefix("http://").expect("a URL")).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream
}

/// Everything that comes until the other side closes, and how long that took.
fn read_to_end(mut stream: TcpStream) -> (String, Duration) {
    let since = Instant::now();
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    let broken = ended.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!broken, "the connection was still open after {:?}", since.elapsed());
    (String::from_utf8_lossy(&answer).into_owned(), since.elapsed())
}

/// Sends a byte every 50 ms until the other side closes.
fn dribble(mut stream: TcpStream, bytes: &[u8]) -> (String, Duration) {
    let since = Instant::now();
    let reader = stream.try_clone().expect("a second handle");
    let reading = std::thread::spawn(move || read_to_end(reader));
    for byte in bytes.iter().cycle() {
        if reading.is_finished() || stream.write_all(&[*byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
        assert!(since.elapsed() < Duration::from_secs(20), "nobody stops the dribble");
    }
    let (answer, _) = reading.join().expect("no panic");
    (answer, since.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f22_t29_clients_that_keep_us_waiting_are_cut_off_and_others_are_served() {
    let server = Server::with(&[("TILL_CLIENT_TIMEOUT", "1s")]).await;
    let (vendor, url) = (server.vendor().await, server.url.clone());
    let cut_off = tokio::task::spawn_blocking(move || {
        let head = b"GET /healthz HTTP/1.1\r\nHost: x\r\n".as_slice();
        let silent = connect(&url);
        let mut half_head = connect(&url);
        half_head.write_all(head).expect("sent");
        let mut idle = connect(&url);
        idle.write_all(&[head, b"\r\n"].concat()).expect("sent");
        let mut half_body = connect(&url);
        let post = b"POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n";
        half_body.write_all(&[post.as_slice(), b"{"].concat()).expect("sent");
        let slow_head = dribble(connect(&url), b"X-Slow: x\r\n");
        [read_to_end(silent), read_to_end(half_head), read_to_end(idle), read_to_end(half_body), slow_head]
    });
    let shop = server.shop("sandbox", &vendor).await;
    shop.order("A-1").await;
    let [silent, half_head, idle, half_body, slow_head] = cut_off.await.expect("no panic");
    for (answer, took) in [&silent, &half_head, &idle, &half_body, &slow_head] {
        assert!(*took < Duration::from_secs(8), "{took:?}: {answer}");
    }
    assert!(silent.0.is_empty() && !half_head.0.contains("200 OK"));
    assert!(idle.0.starts_with("HTTP/1.1 200 OK"), "served, and closed when nothing more came: {}", idle.0);
    assert!(
        half_body.0.contains("408 Request Timeout") && half_body.0.contains("request_timeout"),
        "{}",
        half_body.0
    );
    shop.order("A-2").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_too_many_is_told_to_come_back() {
    let server = Server::with(&[("TILL_MAX_CONNECTIONS", "3")]).await;
    let url = server.url.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let held: Vec<_> = (0..3).map(|_| connect(&url)).collect();
        let (refused, _) = read_to_end(connect(&url));
        assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("Retry-After: 1"), "{refused}");
        drop(held);
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let mut next = connect(&url);
            next.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("sent");
            if read_to_end(next).0.starts_with("HTTP/1.1 200") {
                return;
            }
            assert!(Instant::now() < deadline, "room is made when connections end");
        }
    });
    checked.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_cannot_take_all_the_room() {
    let server = Server::with(&[("TILL_MAX_CONNECTIONS_PER_ADDRESS", "2")]).await;
    let url = server.url.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let _held: Vec<_> = (0..2).map(|_| connect(&url)).collect();
        assert!(read_to_end(connect(&url)).0.starts_with("HTTP/1.1 503 "));
    });
    checked.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f3_a_stop_lets_requests_under_way_finish_and_readiness_ends_at_once() {
    let till = Till::new();
    let service = till.serve();
    let vendor = till.vendor();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    let url = service.url.clone();
    // A request that takes as long as the write lock is held by this connection.
    let file = rusqlite::Connection::open(till.file("sandbox.db")).expect("the file opens");
    file.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let slow = {
        let shop = shop.clone();
        tokio::spawn(async move { shop.create(&Shop::book("A-1")).await })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    let ended = tokio::task::spawn_blocking(move || service.terminate());
    tokio::time::sleep(Duration::from_millis(100)).await;
    let ready = shop.send(Method::GET, &format!("{url}/readyz"), &[], vec![]).await;
    assert_eq!((ready.status.as_u16(), ready.text("status").as_str()), (503, "stopping"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!slow.is_finished() && !ended.is_finished(), "it waits for the request under way");
    file.execute_batch("ROLLBACK").expect("the lock is given back");
    let answer = slow.await.expect("no panic");
    assert_eq!(answer.status, 201, "{}", answer.body);
    let (status, took) = ended.await.expect("no panic");
    assert!(status.code() == Some(0) && took < Duration::from_secs(10), "{status} after {took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f3_a_second_signal_ends_at_once() {
    let till = Till::new();
    let service = till.serve();
    let mut shop = service.shop("sandbox", &till.vendor());
    shop.log_in().await;
    let file = rusqlite::Connection::open(till.file("sandbox.db")).expect("the file opens");
    file.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let slow = tokio::spawn(async move {
        let (url, body) = (shop.sessions(), Shop::book("A-1").to_string().into_bytes());
        let bearer = format!("Bearer {}", shop.token);
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        shop.try_send(Method::POST, &url, &headers, body).await
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    service.signal();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let (status, took) = tokio::task::spawn_blocking(move || service.terminate()).await.expect("no panic");
    assert!(status.code() == Some(1) && took < Duration::from_secs(2), "{status} after {took:?}");
    assert!(slow.await.expect("no panic").is_err(), "the request was cut off");
}
