//! A vendor's receiver of callbacks: it records each request, and answers as the test says.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The answer to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, at once.
    Status(u16),
    /// A status, after a delay.
    After(Duration, u16),
    /// A status and a `Location`.
    Redirect(String),
    /// A success status, and then a body that comes in small pieces and never ends.
    Trickle,
    /// A success status, and then a body that comes as fast as it is read and never ends.
    Flood,
    /// A head that comes in small pieces and never ends.
    TrickleHead,
    /// Bytes that are not HTTP.
    Garbage,
    /// No answer: the connection is closed.
    Close,
    /// No answer: the connection is reset.
    Reset,
    /// No answer: the connection stays open for as long as the sender wants.
    Hang,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
    /// The moment at which it was complete.
    pub start: Instant,
    /// The moment at which the answer was sent or the sender closed; none while it waits.
    pub end: Option<Instant>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    /// The number of the delivery attempt.
    pub fn attempt(&self) -> u32 {
        self.header("x-attempt").parse().expect("a number")
    }

    /// The id of the event, which must be the one of the body.
    pub fn event(&self) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body).expect("JSON");
        let id = body["eventId"].as_str().expect("an id");
        assert_eq!(self.header("webhook-id"), id);
        id.to_owned()
    }
}

/// The expected `X-Signature` of a body with this secret.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

#[derive(Debug, Default)]
struct Book {
    requests: Vec<Received>,
    replies: HashMap<String, Vec<Reply>>,
}

/// Listens until the test ends.
#[derive(Debug, Clone)]
pub struct Receiver {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl Receiver {
    pub async fn start() -> Self {
        Self::on("127.0.0.1").await
    }

    /// Listens on an address of this machine; another address counts as another host.
    pub async fn on(address: &str) -> Self {
        let listener = TcpListener::bind((address, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let book = Arc::new(Mutex::new(Book::default()));
        let receiver = Self { address, book };
        let this = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let this = this.clone();
                tokio::spawn(async move { this.serve(stream).await });
            }
        });
        receiver
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the answers to requests to a path, one after another; the last answer stays. Other paths answer
    /// 204.
    pub fn answer(&self, path: &str, replies: &[Reply]) {
        let mut book = self.book.lock().expect("not poisoned");
        book.replies.insert(path.to_owned(), replies.to_vec());
    }

    /// Every request so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Received> {
        self.book.lock().expect("not poisoned").requests.clone()
    }

    /// The requests to one path.
    pub fn at(&self, path: &str) -> Vec<Received> {
        self.requests().into_iter().filter(|request| request.path == path).collect()
    }

    /// Waits for this many requests to a path.
    pub async fn wait(&self, path: &str, count: usize) -> Vec<Received> {
        let give_up = Instant::now() + Duration::from_secs(30);
        loop {
            let requests = self.at(path);
            if requests.len() >= count {
                return requests;
            }
            assert!(Instant::now() < give_up, "{} of {count} requests to {path}", requests.len());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn serve(self, mut stream: TcpStream) -> Option<()> {
        let mut buffer = Vec::new();
        loop {
            let (path, headers, body) = read(&mut stream, &mut buffer).await?;
            let (index, reply) = {
                let mut book = self.book.lock().expect("not poisoned");
                let before = book.requests.iter().filter(|request| request.path == path).count();
                let replies = book.replies.get(&path);
                let reply = replies.and_then(|replies| replies.get(before).or(replies.last())).cloned();
                let start = Instant::now();
                book.requests.push(Received { path, headers, body, start, end: None });
                (book.requests.len() - 1, reply.unwrap_or(Reply::Status(204)))
            };
            let answer = match &reply {
                Reply::Status(status) => head(*status, ""),
                Reply::After(pause, status) => tokio::select! {
                    () = tokio::time::sleep(*pause) => head(*status, ""),
                    () = gone(&mut stream) => return self.ended(index),
                },
                Reply::Redirect(to) => head(301, &format!("location: {to}\r\n")),
                Reply::Trickle => "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n".to_owned(),
                Reply::Flood => "HTTP/1.1 200 OK\r\n\r\n".to_owned(),
                Reply::TrickleHead => "HTTP/1.1 200 OK\r\nx: ".to_owned(),
                Reply::Garbage => "SSH-2.0-not-a-receiver\r\n\r\n".to_owned(),
                Reply::Close => return self.ended(index),
                Reply::Reset => {
                    stream.set_zero_linger().ok()?;
                    return self.ended(index);
                }
                Reply::Hang => {
                    gone(&mut stream).await;
                    return self.ended(index);
                }
            };
            self.ended(index);
            stream.write_all(answer.as_bytes()).await.ok()?;
            match reply {
                Reply::Trickle | Reply::TrickleHead => return trickle(&mut stream).await,
                Reply::Flood => return flood(&mut stream).await,
                _ => {}
            }
        }
    }

    fn ended(&self, index: usize) -> Option<()> {
        let mut book = self.book.lock().expect("not poisoned");
        book.requests[index].end = Some(Instant::now());
        None
    }
}

fn head(status: u16, more: &str) -> String {
    let length = if status == 204 { "" } else { "content-length: 0\r\n" };
    format!("HTTP/1.1 {status} So be it\r\n{length}{more}\r\n")
}

/// Sends a body in small pieces until the sender closes.
async fn trickle(stream: &mut TcpStream) -> Option<()> {
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stream.write_all(b".").await.ok()?;
    }
}

/// Sends a body as fast as it can until the sender closes.
async fn flood(stream: &mut TcpStream) -> Option<()> {
    loop {
        stream.write_all(&[b'.'; 16 * 1024]).await.ok()?;
    }
}

/// Waits until the sender closes the connection.
async fn gone(stream: &mut TcpStream) {
    let mut rest = [0; 64];
    while matches!(stream.read(&mut rest).await, Ok(1..)) {}
}

/// Reads one request: its path, headers and body. None if the sender has closed.
async fn read(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> Option<(String, HashMap<String, String>, Vec<u8>)> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        more(stream, buffer).await?;
    };
    let head = String::from_utf8(buffer.drain(..end + 4).collect()).expect("text");
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let named = |line: &str| {
        line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers: HashMap<String, String> = lines.filter_map(named).collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while buffer.len() < length {
        more(stream, buffer).await?;
    }
    Some((path, headers, buffer.drain(..length).collect()))
}

async fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    (stream.read_buf(buffer).await.ok()? > 0).then_some(())
}
