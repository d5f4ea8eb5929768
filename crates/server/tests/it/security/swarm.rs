//! Very many connections that send nothing or almost nothing: other clients are served meanwhile, each
//! connection costs little memory, and all are closed at their deadline.

use crate::support::{Till, alone, note, open_files};
use std::{
    io::{self, ErrorKind},
    time::{Duration, Instant},
};
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};

const DEADLINE: Duration = Duration::from_secs(12);

/// How much later than the deadline a connection may end, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// The memory that a connection may cost. It takes 20, of which 16 are hyper's buffers.
const KIB_PER_CONNECTION: u64 = 32;

/// Opens this many connections, fewer than the listener's backlog of 128, and waits until they are accepted:
/// one too many would have to try again a second later.
async fn connect(url: &str, count: usize) -> Vec<TcpStream> {
    let address = url.strip_prefix("http://").expect("a URL").to_owned();
    let connecting = move || -> Vec<_> {
        (0..=count).map(|_| std::net::TcpStream::connect(&address).expect("it listens")).collect()
    };
    let mut streams: Vec<_> = tokio::task::spawn_blocking(connecting)
        .await
        .expect("no panic")
        .into_iter()
        .map(|stream| {
            stream.set_nonblocking(true).expect("a socket");
            TcpStream::from_std(stream).expect("a runtime")
        })
        .collect();
    let last = streams.pop().expect("one more than was asked for");
    write(&last, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
    assert!(read(&last).await.expect("an answer").starts_with(b"HTTP/1.1 200"));
    streams
}

/// The next bytes; none if the other side has closed.
async fn read(stream: &TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = [0; 256];
    loop {
        stream.readable().await?;
        match stream.try_read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            read => return read.map(|length| bytes[..length].to_vec()),
        }
    }
}

/// Sends a few bytes.
async fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    stream.writable().await?;
    stream.try_write(bytes)
}

/// True if the other side has closed the connection, after at most a 408 answer.
fn is_cut_off(read: &io::Result<Vec<u8>>) -> bool {
    match read {
        Ok(bytes) => {
            assert!(bytes.is_empty() || bytes.starts_with(b"HTTP/1.1 408"), "nothing was asked: {bytes:?}");
            bytes.is_empty()
        }
        Err(_) => true,
    }
}

/// Sends nothing. Returns the time until the other side closed.
async fn idle(stream: TcpStream) -> Duration {
    let since = Instant::now();
    let read = timeout(DEADLINE + PATIENCE, read(&stream)).await.expect("it is cut off");
    assert!(is_cut_off(&read));
    since.elapsed()
}

/// Sends a byte of a header every second. Returns the time until the other side closed.
async fn dribble(stream: TcpStream) -> Duration {
    let since = Instant::now();
    for byte in b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ".iter().chain(std::iter::repeat(&b'x')) {
        assert!(since.elapsed() < DEADLINE + PATIENCE, "nobody stops the dribble");
        if write(&stream, &[*byte]).await.is_err() {
            break;
        }
        let read = timeout(Duration::from_secs(1), read(&stream)).await;
        if read.is_ok_and(|read| is_cut_off(&read)) {
            break;
        }
    }
    since.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f22_t29_a_swarm_of_idle_and_dribbling_connections_costs_little_and_is_cut_off() {
    let files = open_files();
    let _turn = alone().await;
    let rounds = (files.saturating_sub(1_000) / 110).clamp(1, 100);
    if rounds < 100 {
        note(&format!("{files} open files are allowed: {rounds} hundredths of the swarm must do"));
    }
    let mut till = Till::new();
    till.set("TILL_MAX_CONNECTIONS", "20000").set("TILL_MAX_CONNECTIONS_PER_ADDRESS", "20000");
    till.set("TILL_CLIENT_TIMEOUT", &format!("{}s", DEADLINE.as_secs()));
    let vendor = till.vendor();
    let service = till.serve();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    let first = shop.order("A-1").await;
    let before = service.memory();

    let began = Instant::now();
    let (mut silent, mut slow) = (JoinSet::new(), JoinSet::new());
    for _ in 0..rounds {
        let mut streams = connect(&service.url, 110).await;
        for stream in streams.split_off(100) {
            slow.spawn(dribble(stream));
        }
        for stream in streams {
            silent.spawn(idle(stream));
        }
    }
    let connected = began.elapsed();
    assert!(connected < DEADLINE, "they never were there at once: {connected:?}");
    let (mut with, mut worst, mut served) = (0, Duration::ZERO, 0);
    // Until the first of them are closed.
    while began.elapsed() < DEADLINE - Duration::from_secs(1) || served == 0 {
        let asked = Instant::now();
        let id = shop.order("A-2").await;
        assert_eq!(shop.status(&id).await.status, 200);
        worst = worst.max(asked.elapsed());
        served += 1;
        with = with.max(service.memory());
        sleep(Duration::from_millis(50)).await;
    }
    let silent = silent.join_all().await;
    let slow = slow.join_all().await;
    assert_eq!((silent.len(), slow.len()), (rounds * 100, rounds * 10));
    for took in silent.iter().chain(&slow) {
        assert!(*took > DEADLINE - Duration::from_secs(2), "cut off early, after {took:?}");
    }
    for _ in 0..20 {
        assert_eq!(shop.status(&first).await.status, 200);
        sleep(Duration::from_millis(50)).await;
    }
    let after = service.memory();
    let connections = u64::try_from(rounds * 110).expect("small");
    note(&format!(
        "{connections} connections in {connected:?}: {before} KiB before, {with} KiB with them, {after} KiB after; \
         {served} creates and reads meanwhile, the slowest pair {worst:?}; the last was cut off after {:?}",
        silent.iter().chain(&slow).max().expect("some")
    ));
    assert!(worst < Duration::from_secs(3), "others are served meanwhile: {worst:?}");
    let growth = with.saturating_sub(before);
    assert!(growth < connections * KIB_PER_CONNECTION, "{growth} KiB for {connections} connections");
}
