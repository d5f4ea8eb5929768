//! Fuzzing of HTTP on a socket of the running binary: to any bytes as the head of a request it sends a
//! well-formed answer or closes, never a 5xx of ours, and other clients are served.

use crate::support::Till;
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Shutdown, TcpStream},
    time::Duration,
};
use till_testing::{fuzz::mutated, is_long};

const SEEDS: [&str; 6] = [
    "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "POST /api/product/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abc\r\nContent-Type: application/json\r\n\
     Idempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}",
    "POST /api/tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "GET /panel?next=%2Fpanel&lang=ru HTTP/1.1\r\nHost: x\r\nCookie: till-login=a; lang=ru\r\nAccept-Language: de\r\n\
     X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n\r\n",
    "GET /session/018f4e0a-7b1c-7000-8000-000000000001 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nRange: bytes=0-1\r\n\
     If-None-Match: \"a\"\r\nX-Request-Id: 1\r\n\r\n",
    "POST /panel/login HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nExpect: 100-continue\r\n\
     Content-Type: multipart/form-data; boundary=xX\r\nContent-Length: 10\r\n\r\n--xX\r\n\r\n--",
];

const WORDS: [&str; 14] = [
    "\r\n",
    "\r\n\r\n",
    ": ",
    "HTTP/1.0",
    "HTTP/2.0",
    "Host: y\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Content-Length: -1\r\n",
    "Transfer-Encoding: chunked, identity\r\n",
    "Upgrade: h2c\r\n",
    "%00",
    "/../",
    "//",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

/// How long an incomplete head is kept open before the client ends. Till drops a client that ends before its
/// answer.
const PATIENCE: Duration = Duration::from_millis(20);

/// The answer to these bytes. A service that closes early may reset the connection: then the bytes before
/// that count.
fn exchange(address: &str, head: &[u8], patience: Duration) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("it listens");
    // A service that has closed the connection takes no more.
    let _ = stream.write_all(head);
    stream.set_read_timeout(Some(patience)).expect("a setting");
    let mut first = [0; 16 * 1024];
    let mut answer = stream.read(&mut first).map_or_else(|_| Vec::new(), |count| first[..count].to_vec());
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a setting");
    let ended = stream.shutdown(Shutdown::Write).and_then(|()| stream.read_to_end(&mut answer));
    let late =
        ended.err().is_some_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    assert!(!late, "no end for {:?}", String::from_utf8_lossy(head));
    answer
}

/// The answer must begin with HTTP/1.x, and none of its statuses may be an internal error.
fn judge(head: &[u8], answer: &[u8]) {
    // The preface of HTTP/2 is answered in its own frames.
    if answer.is_empty() || head.starts_with(b"PRI * HTTP/2.0") {
        return;
    }
    let text = String::from_utf8_lossy(answer);
    assert!(text.starts_with("HTTP/1."), "{text:.40} to {:?}", String::from_utf8_lossy(head));
    // A pipelined request is answered right after the body before it.
    for rest in ["HTTP/1.1 ", "HTTP/1.0 "].iter().flat_map(|version| text.split(version).skip(1)) {
        let status = rest.get(..3).and_then(|code| code.parse::<u16>().ok());
        // 501 for what is not implemented, and 505 for an unsupported version.
        let allowed = status.is_none_or(|code| (100..500).contains(&code) || matches!(code, 501 | 505));
        assert!(allowed, "{status:?} to {:?}", String::from_utf8_lossy(head));
    }
}

#[test]
fn f26_http_head() {
    let mut till = Till::new();
    till.set("TILL_MAX_CONNECTIONS_PER_ADDRESS", "100");
    let service = till.serve();
    let address = service.url.strip_prefix("http://").expect("a URL");
    let inputs = mutated(&SEEDS, &WORDS);
    let mut runner = if is_long() { TestRunner::default() } else { TestRunner::deterministic() };
    let count = if is_long() { 10_000 } else { 300 };
    let mut answered = 0;
    for _ in 0..count {
        let head = inputs.new_tree(&mut runner).expect("an input").current();
        let answer = exchange(address, &head, PATIENCE);
        answered += usize::from(!answer.is_empty());
        judge(&head, &answer);
    }
    assert!(answered > count / 4, "{answered} of {count} were answered");
    let healthy = exchange(address, SEEDS[0].as_bytes(), Duration::from_secs(10));
    assert!(healthy.starts_with(b"HTTP/1.1 200"), "{:?}", String::from_utf8_lossy(&healthy));
    assert!(!service.log().contains("panicked"), "{}", service.log());
}
