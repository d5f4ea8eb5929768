//! The other end of an outgoing call: a listener that handles each connection as a test wants, and counts
//! them.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

pub struct Sink {
    pub address: SocketAddr,
    accepted: Arc<AtomicUsize>,
}

impl Sink {
    /// Listens on a free port, and gives each connection to `serve`.
    pub fn new<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::at(ANY_PORT, serve)
    }

    fn at<F>(address: SocketAddr, serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let socket = socket.expect("a socket");
        // A small buffer, so that not much more is sent than is read.
        socket.set_send_buffer_size(16 * 1024).expect("a buffer");
        socket.bind(address).expect("a free port");
        let listener = socket.listen(128).expect("it listens");
        let address = listener.local_addr().expect("an address");
        let accepted = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        Self { address, accepted }
    }

    /// Gives the same answer to every request, and keeps the connection open.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Self {
        Self::answering_at(ANY_PORT, answer)
    }

    /// Like [`Sink::answering`], on this address.
    pub fn answering_at(address: SocketAddr, answer: impl Into<Vec<u8>>) -> Self {
        let answer: Arc<[u8]> = answer.into().into();
        Self::at(address, move |mut stream| {
            let answer = Arc::clone(&answer);
            async move {
                while read_request(&mut stream).await.is_some() {
                    let _ = stream.write_all(&answer).await;
                }
            }
        })
    }

    /// A URL of this listener.
    pub fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://{}{path}", self.address)
    }

    /// The number of accepted connections.
    pub fn accepted(&self) -> usize {
        self.accepted.load(SeqCst)
    }
}

/// Reads a request with a body; `None` if the other side closes instead of sending one.
pub async fn read_request(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> Option<String> {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().expect("a number")) {
                return Some(text.into_owned());
            }
        }
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return None;
        }
    }
}
