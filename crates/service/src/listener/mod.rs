//! Accepts connections and serves them, within limits: their number, the time they may take to send
//! something, and the time they have to end when the service stops.
//!
//! Built on hyper itself, because a client that sends slowly or nothing must be disconnected, and axum's own
//! loop sets no deadline. Certificates are in `tls.rs`, the particulars of HTTP/2 in `http2.rs`.

mod http2;
pub mod open_files;
mod progress;
pub mod tls;

use crate::{telemetry::Complaints, web::MAX_HEAD};
use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderValue, header},
    routing::future::RouteFuture,
};
use futures_util::future::maybe_done;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use ipnet::IpNet;
use progress::Progress;
use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::address::network;
use tls::{H2, Tls};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, sleep, sleep_until, timeout, timeout_at},
};
use tokio_rustls::server::TlsStream;
use tower_service::Service as _;

/// The time after the signal to stop in which all connections are still served as before: a load balancer
/// that polls readiness learns that this node is stopping before its connections are closed.
const LAST_CALL: Duration = Duration::from_millis(500);

/// The time after the signal by which everything has ended.
pub const DRAIN: Duration = Duration::from_secs(9);

/// The buffer for an incomplete head, and for an answer to a client that reads slowly. Heads that arrived at
/// once are checked against [`crate::web::MAX_HEAD`].
const MAX_BUFFER: usize = MAX_HEAD;

/// The pause when the system has no more file descriptors.
const AFTER_ACCEPT_ERROR: Duration = Duration::from_millis(100);

/// Limits the log: errors of accepting repeat with every try while descriptors are short.
static ACCEPT_ERRORS: Complaints = Complaints::new();

/// The answer to a connection beyond the limit.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The limits of connections.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// Connections from one address that is not a trusted proxy; for IPv6, from one /64.
    pub per_address: usize,
    /// The longest that a connection may be idle, take to send the head of a request, or not read its answer.
    pub client_timeout: Duration,
    /// Networks of proxies, which connect for many clients.
    pub trusted_proxies: Vec<IpNet>,
}

/// Serves until `stop` turns true, then lets requests in flight finish. With `tls`, nothing is sent in clear.
///
/// New connections are accepted until the requests that were in flight at `stop`, and `work`, are done: on a
/// single node no other process serves them, and the next process cannot start before this one has ended.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    router: Router,
    limits: ConnectionLimits,
    mut stop: watch::Receiver<bool>,
    work: impl Future<Output = ()>,
) {
    let host = Host::new(tls, router, limits);
    let stopped = async move {
        while !*stop.borrow() && stop.changed().await.is_ok() {}
        Instant::now()
    };
    let stopped_at = accept_while(&listener, &host, stopped).await;
    let mut work = std::pin::pin!(maybe_done(work));
    let first = async { tokio::join!(work.as_mut(), sleep_until(stopped_at + LAST_CALL)) };
    let _ = accept_while(&listener, &host, timeout_at(stopped_at + LAST_CALL, first)).await;
    let last_host = host.successor();
    let done = async { tokio::join!(host.close(), work) };
    let in_time = accept_while(&listener, &last_host, timeout_at(stopped_at + DRAIN - LAST_CALL, done)).await;
    drop(listener);
    let closed = timeout_at(stopped_at + DRAIN, last_host.close()).await;
    if in_time.is_err() || closed.is_err() {
        tracing::warn!("requests were still running after {DRAIN:?} and are aborted");
    }
}

/// Accepts connections until the future completes.
async fn accept_while<T>(listener: &TcpListener, host: &Host, until: impl Future<Output = T>) -> T {
    let mut until = std::pin::pin!(until);
    loop {
        tokio::select! {
            happened = &mut until => return happened,
            accepted = listener.accept() => host.open(accepted).await,
        }
    }
}

/// Serves connections as they come.
struct Host {
    connections: Arc<ConnectionCount>,
    router: Router,
    tls: Option<Arc<Tls>>,
    graceful: GracefulShutdown,
    // Ends what `graceful` cannot: a handshake, and HTTP/2, which may end for other reasons too.
    closing: watch::Sender<bool>,
}

impl Host {
    fn new(tls: Option<Arc<Tls>>, router: Router, limits: ConnectionLimits) -> Self {
        let (graceful, closing) = (GracefulShutdown::new(), watch::Sender::new(false));
        Self { connections: ConnectionCount::new(limits), router, tls, graceful, closing }
    }

    /// Starts to serve a new connection, if there is room for it.
    async fn open(&self, accepted: io::Result<(TcpStream, SocketAddr)>) {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if let Some(suppressed) = ACCEPT_ERRORS.tell(&error.to_string(), std::time::Instant::now()) {
                    tracing::warn!(
                        %error, untold = suppressed,
                        "cannot accept connections; logged at most once a minute"
                    );
                }
                sleep(AFTER_ACCEPT_ERROR).await;
                return;
            }
        };
        let Some(entry) = self.connections.enter(peer.ip()) else {
            if self.tls.is_none() {
                // The answer fits the socket's buffer; it does not matter whether the client reads it.
                let _ = stream.try_write(TOO_MANY);
            }
            return;
        };
        // Small answers are sent at once instead of waiting for more data (Nagle's algorithm).
        let _ = stream.set_nodelay(true);
        let client_timeout = self.connections.limits.client_timeout;
        let guest = AcceptedConnection {
            peer,
            router: self.router.clone(),
            client_timeout,
            watcher: self.graceful.watcher(),
            _entry: entry,
        };
        let stream = Progress::new(stream, client_timeout);
        match &self.tls {
            None => tokio::spawn(guest.serve_http1(stream)),
            Some(tls) => tokio::spawn(guest.serve_tls(stream, Arc::clone(tls), self.closing.subscribe())),
        };
    }

    /// A host for connections that arrive while those of this one end. Both count towards the same limits.
    fn successor(&self) -> Self {
        let (graceful, closing) = (GracefulShutdown::new(), watch::Sender::new(false));
        let (connections, router, tls) =
            (Arc::clone(&self.connections), self.router.clone(), self.tls.clone());
        Self { connections, router, tls, graceful, closing }
    }

    /// Shuts down every connection, and waits until all have ended.
    async fn close(self) {
        self.closing.send_replace(true);
        self.graceful.shutdown().await;
    }
}

/// An accepted connection.
struct AcceptedConnection {
    peer: SocketAddr,
    router: Router,
    client_timeout: Duration,
    /// The shutdown waits for every connection that holds one.
    watcher: Watcher,
    _entry: ConnectionPermit,
}

impl AcceptedConnection {
    async fn serve_http1<I: AsyncRead + AsyncWrite + Unpin + 'static>(self, io: I) {
        let mut builder = http1::Builder::new();
        // The deadline runs from the start, and again after each answer, until the whole head is there.
        builder.timer(TokioTimer::new()).header_read_timeout(self.client_timeout).max_buf_size(MAX_BUFFER);
        let service = service_fn(|request| answer(&self.router, self.peer, request));
        let connection = self.watcher.watch(builder.serve_connection(TokioIo::new(io), service));
        note(connection.await);
    }

    async fn serve_tls(self, stream: Progress<TcpStream>, tls: Arc<Tls>, mut closing: watch::Receiver<bool>) {
        let stream = tokio::select! {
            done = shake_hands(stream, &tls, self.client_timeout) => done,
            _ = closing.wait_for(|closing| *closing) => None,
        };
        let Some(stream) = stream else { return };
        if stream.get_ref().1.alpn_protocol() != Some(H2) {
            return self.serve_http1(stream).await;
        }
        let answer = |request| answer(&self.router, self.peer, request);
        note(http2::serve(stream, answer, self.client_timeout, closing).await);
    }
}

/// The encrypted connection, if the handshake succeeds in time.
async fn shake_hands(
    stream: Progress<TcpStream>,
    tls: &Tls,
    deadline: Duration,
) -> Option<TlsStream<Progress<TcpStream>>> {
    match timeout(deadline, tls.acceptor().accept(stream)).await {
        Ok(Ok(stream)) => Some(stream),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a TLS handshake failed");
            None
        }
        Err(_) => {
            tracing::debug!("a TLS handshake took too long");
            None
        }
    }
}

fn answer(router: &Router, peer: SocketAddr, mut request: Request<Incoming>) -> RouteFuture<Infallible> {
    request.extensions_mut().insert(ConnectInfo(peer));
    // HTTP/2 names the host only in the request line (`:authority`).
    if !request.headers().contains_key(header::HOST)
        && let Some(host) =
            request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok())
    {
        request.headers_mut().insert(header::HOST, host);
    }
    router.clone().call(request.map(Body::new))
}

/// Logs at debug level: a client that breaks off or sends nonsense is no trouble of ours.
fn note(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection was interrupted");
    }
}

/// Counts the open connections.
#[derive(Debug)]
struct ConnectionCount {
    limits: ConnectionLimits,
    room: Arc<Semaphore>,
    addresses: Mutex<HashMap<IpAddr, usize>>,
}

impl ConnectionCount {
    fn new(limits: ConnectionLimits) -> Arc<Self> {
        let room = Arc::new(Semaphore::new(limits.connections));
        Arc::new(Self { limits, room, addresses: Mutex::default() })
    }

    /// Admits a connection, if there is room.
    fn enter(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let permit = Arc::clone(&self.room).try_acquire_owned().ok()?;
        let address = address.to_canonical();
        if self.limits.trusted_proxies.iter().any(|net| net.contains(&address)) {
            return Some(ConnectionPermit { connections: Arc::clone(self), counted: None, _permit: permit });
        }
        let address = network(address);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let count = addresses.entry(address).or_insert(0);
        if *count >= self.limits.per_address {
            return None;
        }
        *count += 1;
        Some(ConnectionPermit { connections: Arc::clone(self), counted: Some(address), _permit: permit })
    }
}

/// An admitted connection. Dropping it frees its place.
#[derive(Debug)]
struct ConnectionPermit {
    connections: Arc<ConnectionCount>,
    counted: Option<IpAddr>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some(address) = self.counted else { return };
        let mut addresses = self.connections.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = addresses.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                addresses.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection_count(connections: usize, per_address: usize) -> Arc<ConnectionCount> {
        let trusted_proxies = vec!["10.0.0.0/8".parse().expect("a network")];
        let client_timeout = Duration::from_secs(1);
        ConnectionCount::new(ConnectionLimits { connections, per_address, client_timeout, trusted_proxies })
    }

    #[test]
    fn i2_addresses_of_one_network_count_as_one() {
        let connections = connection_count(9, 2);
        let enter = |ip: &str| connections.enter(ip.parse().expect("an address"));
        let _both = [enter("2001:db8::1").expect("room"), enter("2001:db8::2:3").expect("room")];
        assert!(enter("2001:db8::4:5:6:7").is_none(), "the same /64");
        assert!(enter("2001:db8:0:1::1").is_some() && enter("198.51.100.1").is_some());
    }

    #[test]
    fn i27_connections_are_counted_in_all_and_per_address() {
        let connections = connection_count(5, 2);
        let [one, two, proxy]: [IpAddr; 3] =
            ["198.51.100.1", "198.51.100.2", "10.0.0.1"].map(|ip| ip.parse().expect("an address"));
        let first = connections.enter(one).expect("there is room");
        let _second = connections.enter(one).expect("there is room");
        assert!(connections.enter(one).is_none(), "two are enough for one address");
        let _other = connections.enter(two).expect("another address");
        let _proxies =
            [connections.enter(proxy).expect("a proxy"), connections.enter(proxy).expect("speaks for many")];
        assert!(connections.enter(two).is_none(), "five are enough in all");
        drop(first);
        let again = connections.enter(one).expect("room was made");
        drop(again);
        drop((_second, _other, _proxies));
        assert!(connections.addresses.lock().expect("not poisoned").is_empty(), "nothing is left behind");
        assert_eq!(connections.room.available_permits(), 5);
    }
}
