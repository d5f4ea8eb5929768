//! A small web server that answers as a test wants, or not at all.

use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use till_providers::web::Web;
use till_testing::anvil::Anvil;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

/// The answer to a request: a status and a body, or none, ever.
type Handler = Arc<dyn Fn(String) -> BoxFuture<'static, Option<(u16, String)>> + Send + Sync>;

pub struct Server {
    pub url: String,
    /// The number of requests it got.
    pub asked: Arc<AtomicUsize>,
}

impl Server {
    /// The number of requests it got.
    pub fn asked(&self) -> usize {
        self.asked.load(Relaxed)
    }

    /// A server that answers every request with this.
    pub async fn saying(answer: impl Fn() -> (u16, String) + Send + Sync + 'static) -> Self {
        let answer = Arc::new(answer);
        Self::start(Arc::new(move |_| {
            let answer = Arc::clone(&answer);
            Box::pin(async move { Some(answer()) })
        }))
        .await
    }

    /// A server that never answers.
    pub async fn silent() -> Self {
        Self::start(Arc::new(|_| Box::pin(async { None }))).await
    }

    /// Passes everything on to a node, and changes its answers; an answer changed to null is never sent.
    pub async fn altering(
        node: &Anvil,
        alter: impl Fn(&Value, Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let (url, web, alter) = (node.url(), Web::trusting([]), Arc::new(alter));
        Self::start(Arc::new(move |body| {
            let (url, web, alter) = (url.clone(), web.clone(), Arc::clone(&alter));
            Box::pin(async move {
                let question: Value = serde_json::from_str(&body).expect("JSON");
                let answer = web.post(&url, body, 64 << 20).await.expect("the node answers");
                let answer = serde_json::from_slice(&answer.body).expect("JSON");
                let altered = alter(&question, answer);
                (!altered.is_null()).then(|| (200, altered.to_string()))
            })
        }))
        .await
    }

    async fn start(handler: Handler) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&handler), Arc::clone(&counter)));
            }
        });
        Self { url, asked }
    }
}

async fn serve(stream: TcpStream, handler: Handler, asked: Arc<AtomicUsize>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        asked.fetch_add(1, Relaxed);
        let Some((status, body)) = handler(String::from_utf8(body).ok()?).await else {
            return std::future::pending().await;
        };
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(body.as_bytes()).await.ok()?;
    }
}
