//! A TCP proxy to a server on a Unix socket, which a test can cut or make silent.

use std::time::Duration;
use till_testing::cluster::Cluster;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
};

/// The proxy's handling of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traffic {
    Open,
    /// Bytes are swallowed in both directions, and new connections get no answer: a machine without power.
    Silent,
    /// Connections are closed, and new ones get no answer.
    Cut,
    /// Connections are closed; new ones are accepted after this time, and fall silent when the client sends
    /// this text.
    SilentAfter(Duration, &'static str),
}

pub struct Way {
    pub port: u16,
    traffic: watch::Sender<Traffic>,
}

impl Way {
    pub async fn to(cluster: &Cluster) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (traffic, seen) = watch::channel(Traffic::Open);
        let socket = cluster.data().parent().expect("a folder").join(".s.PGSQL.5432");
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (socket, seen) = (socket.clone(), seen.clone());
                tokio::spawn(async move { forward(client, socket, seen).await });
            }
        });
        Self { port, traffic }
    }

    pub fn set(&self, traffic: Traffic) {
        self.traffic.send(traffic).expect("the way is there");
    }
}

async fn forward(client: TcpStream, socket: std::path::PathBuf, mut seen: watch::Receiver<Traffic>) {
    let began = *seen.borrow_and_update();
    let needle = match began {
        Traffic::Open => "",
        Traffic::SilentAfter(delay, needle) => {
            tokio::time::sleep(delay).await;
            needle
        }
        Traffic::Silent | Traffic::Cut => return stay_silent(client, seen).await,
    };
    let server = UnixStream::connect(&socket).await.expect("a server");
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let swallow = || async { seen.clone().wait_for(|traffic| *traffic == Traffic::Silent).await.map(drop) };
    let cut = seen.clone();
    let cut = async move {
        let mut cut = cut;
        let closes =
            |traffic: &Traffic| *traffic != began && !matches!(traffic, Traffic::Silent | Traffic::Open);
        let _ = cut.wait_for(closes).await;
    };
    tokio::select! {
        () = pass(&mut from_client, &mut to_server, needle, swallow()) => {}
        () = pass(&mut from_server, &mut to_client, "", swallow()) => {}
        () = cut => {}
    }
}

/// Holds a connection open without sending anything, until the proxy is open again.
async fn stay_silent(client: TcpStream, mut seen: watch::Receiver<Traffic>) {
    let _ = seen.wait_for(|traffic| *traffic == Traffic::Open).await;
    drop(client);
}

/// Passes bytes until an end closes. Once they are swallowed, nothing happens any more, not even a close.
async fn pass<E>(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    needle: &str,
    swallowed: impl Future<Output = Result<(), E>>,
) {
    let copy = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let count = from.read(&mut buffer).await.unwrap_or(0);
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return };
            let found =
                !needle.is_empty() && bytes.windows(needle.len()).any(|part| part == needle.as_bytes());
            if found {
                std::future::pending::<()>().await;
            }
            if to.write_all(bytes).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = copy => {}
        Ok(()) = swallowed => std::future::pending().await,
    }
}
