//! Calls to addresses that others chose, such as a vendor's callback URL.
//!
//! A call is one POST within one deadline. Every address of the host is checked before any connection is
//! made, and the connection goes to a checked address (`guard.rs`, protection against SSRF). No redirect is
//! followed, and no proxy of the environment is used. Of a response only the status is kept, and with
//! [`OutboundOptions::keep_responses`] the start of one that reports a failure. The caller decides when and how
//! often to call.

mod guard;
mod paced_body;
mod pool;
mod resolve;
pub mod roots;
mod target;
mod wire;

pub use self::{resolve::Resolver, roots::RootsError};

use self::{guard::Guard, pool::Pool, resolve::Lookups, target::Target, wire::Wire};
use hyper::{
    Response, StatusCode,
    body::{Bytes, Incoming},
    header::{HeaderName, HeaderValue},
};
use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use till_domain::{delivery::ReceiverResponse, id::VendorId};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::TlsConnector;
use url::Host;

/// Addresses of one host that are tried, one after the other. All of them are checked.
const MAX_TRIED: usize = 8;

/// The options of calls.
#[derive(Debug, Clone)]
pub struct OutboundOptions {
    /// True if loopback, private and link-local addresses may be called, and the service itself.
    pub allow_private: bool,
    /// A PEM file with root certificates to trust beside those of the machine.
    pub roots: Option<PathBuf>,
    /// The addresses that this service listens on.
    pub own: Vec<IpAddr>,
    /// The hosts of its public URLs.
    pub own_hosts: Vec<Host>,
    /// The longest that a call may take, from the DNS lookup to the end of the answer.
    pub timeout: Duration,
    /// The resolver of host names.
    pub resolver: Resolver,
    /// True if the start of a response with a failure status is kept. What is kept is shown to the vendor that
    /// chose the address, so it must be false where an address may lead into the operator's network.
    pub keep_responses: bool,
}

/// Makes calls. Clones share their idle connections and their lookups.
#[derive(Clone)]
pub struct Outbound {
    guard: Arc<Guard>,
    lookups: Lookups,
    pool: Arc<Pool>,
    timeout: Duration,
    keep_responses: bool,
    tls: TlsConnector,
    #[cfg(feature = "simulation")]
    network: Option<Arc<dyn SimulatedNetwork>>,
}

/// Answers calls in the place of a network, in a simulation.
#[cfg(feature = "simulation")]
pub trait SimulatedNetwork: Send + Sync {
    fn post<'a>(
        &'a self,
        delivery: Delivery<'a>,
    ) -> futures_util::future::BoxFuture<'a, Result<u16, CallFailure>>;
}

/// The request to send, and its address.
#[derive(Debug, Clone, Copy)]
pub struct Delivery<'a> {
    /// The vendor of the address: lookups for one vendor do not delay those for others.
    pub vendor: VendorId,
    /// An absolute http or https URL.
    pub url: &'a str,
    /// Headers of the request; `Host` and `Content-Length` are added.
    pub headers: &'a [(HeaderName, HeaderValue)],
    pub body: &'a Bytes,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The status if it was 2xx, and otherwise the failure.
    pub result: Result<u16, CallFailure>,
    /// The time until the result was known.
    pub duration: Duration,
    /// The start of the response, if its status was a failure and it is to be kept.
    pub response: Option<ReceiverResponse>,
}

/// The reason why a call failed. Only the status comes from the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFailure {
    /// The URL leads, or could lead, to an address that may not be called. No connection was made.
    Blocked,
    /// The name has no address, or could not be resolved.
    Dns,
    /// No address accepted the connection.
    Connect,
    /// The TLS handshake failed: a wrong certificate, or no TLS at all.
    Tls,
    /// The deadline passed.
    Timeout,
    /// The connection was closed or reset before the answer.
    Closed,
    /// The answer was not HTTP/1.1, or its head was too large.
    Protocol,
    /// Any status but 2xx.
    Status(u16),
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocked => f.write_str("the URL points to an address that callbacks may not be sent to"),
            Self::Dns => f.write_str("the host name could not be resolved"),
            Self::Connect => f.write_str("the host did not accept the connection"),
            Self::Tls => f.write_str("could not establish a trusted TLS connection"),
            Self::Timeout => f.write_str("no response in time"),
            Self::Closed => f.write_str("the connection was closed before the response"),
            Self::Protocol => f.write_str("the response was not HTTP/1.1, or its header was too large"),
            Self::Status(status) => write!(f, "the response was {status}"),
        }
    }
}

impl Outbound {
    /// Loads the root certificates, once. It fails only if `options.roots` cannot be used.
    pub fn new(options: OutboundOptions) -> Result<Self, RootsError> {
        Ok(Self {
            tls: roots::connector(options.roots.as_deref())?,
            guard: Arc::new(Guard {
                allow_private: options.allow_private,
                own: options.own,
                own_hosts: options.own_hosts,
            }),
            lookups: Lookups::new(options.resolver),
            pool: Arc::default(),
            timeout: options.timeout,
            keep_responses: options.keep_responses,
            #[cfg(feature = "simulation")]
            network: None,
        })
    }

    /// The same with a network of a simulation.
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn over(self, network: Arc<dyn SimulatedNetwork>) -> Self {
        Self { network: Some(network), ..self }
    }

    /// The longest that a call may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Another client with the same rules, but its own connections and lookups.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self { lookups: self.lookups.apart(), pool: Arc::default(), ..self.clone() }
    }

    /// Sends a delivery and waits for the answer, within the timeout and not beyond `latest`. A delivery may
    /// arrive twice: a pooled connection that breaks when it is reused is replaced by a new one, and it
    /// cannot be known whether the first request arrived.
    pub async fn post(&self, delivery: Delivery<'_>, latest: Instant) -> CallResult {
        self.post_slowly(delivery, Duration::ZERO, latest).await
    }

    /// As [`post`](Self::post), but the bytes of the body are spread over a time, by which the timeout is longer.
    pub async fn post_slowly(&self, delivery: Delivery<'_>, over: Duration, latest: Instant) -> CallResult {
        let began = Instant::now();
        let deadline = latest.min(began + self.timeout + over);
        #[cfg(feature = "simulation")]
        if let Some(network) = &self.network {
            let answered = timeout_at(deadline, network.post(delivery)).await;
            return simulated(answered.unwrap_or(Err(CallFailure::Timeout)), began, self.keep_responses);
        }
        let answered = timeout_at(deadline, self.attempt(delivery, over, deadline)).await;
        let duration = began.elapsed();
        let failed = |failure| CallResult { result: Err(failure), duration, response: None };
        let (target, mut wire, response) = match answered {
            Ok(Ok(answered)) => answered,
            Ok(Err(failure)) => return failed(failure),
            Err(_) => return failed(CallFailure::Timeout),
        };
        let status = response.status();
        if !status.is_success() {
            let kept = if self.keep_responses { Some(wire.keep(response, deadline).await) } else { None };
            return CallResult { response: kept, ..failed(CallFailure::Status(status.as_u16())) };
        }
        // The status is known. The rest is read only so that the connection can be reused.
        let rest = self.finish(&target, wire, response.into_body());
        let _ = timeout_at(deadline, rest).await;
        CallResult { result: Ok(status.as_u16()), duration, response: None }
    }

    async fn attempt(
        &self,
        delivery: Delivery<'_>,
        over: Duration,
        deadline: Instant,
    ) -> Result<(Target, Wire, Response<Incoming>), CallFailure> {
        let target = Target::parse(delivery.url, self.guard.allow_private)?;
        self.guard.judge_host(&target.host)?;
        let found = self.lookups.find(&target, delivery.vendor).await?;
        let addresses = self.guard.judge(&found, target.port)?;
        if let Some(mut wire) = self.pool.take(&target, &addresses) {
            match wire.send(target.request(delivery, over)?).await {
                // It was closed while it was idle.
                Err(CallFailure::Closed) => {}
                answer => return Ok((target, wire, judge(answer?)?)),
            }
        }
        let mut wire = self.connect(&target, &addresses, deadline).await?;
        let answer = wire.send(target.request(delivery, over)?).await?;
        Ok((target, wire, judge(answer)?))
    }

    /// Connects to the first address that accepts. Each gets its share of the remaining time, so that one
    /// that never answers does not block the next.
    async fn connect(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        deadline: Instant,
    ) -> Result<Wire, CallFailure> {
        let tried = addresses.len().min(MAX_TRIED);
        let mut failure = CallFailure::Connect;
        for (left, &address) in (1..=tried).rev().zip(addresses) {
            let now = Instant::now();
            let share = deadline.saturating_duration_since(now) / u32::try_from(left).unwrap_or(u32::MAX);
            match timeout_at(now + share, self.connect_to(address)).await {
                Ok(Ok(stream)) => return Wire::open(stream, address, target, &self.tls).await,
                Ok(Err(CallFailure::Connect)) => failure = CallFailure::Connect,
                Ok(Err(other)) => return Err(other),
                Err(_) => failure = CallFailure::Timeout,
            }
        }
        Err(failure)
    }

    async fn connect_to(&self, address: SocketAddr) -> Result<TcpStream, CallFailure> {
        let stream = TcpStream::connect(address).await.map_err(|_| CallFailure::Connect)?;
        let peer = stream.peer_addr().map_err(|_| CallFailure::Connect)?;
        self.guard.confirm(address, peer)?;
        // The request is sent at once instead of waiting for more data (Nagle's algorithm).
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    async fn finish(&self, target: &Target, wire: Wire, body: Incoming) {
        if let Some(wire) = wire.drain(body).await {
            self.pool.put(target, wire);
        }
    }
}

impl fmt::Debug for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbound").field("guard", &self.guard).finish_non_exhaustive()
    }
}

/// The result of a call over the network of a simulation, whose responses are empty.
#[cfg(feature = "simulation")]
fn simulated(result: Result<u16, CallFailure>, began: Instant, keep: bool) -> CallResult {
    let failed = matches!(result, Err(CallFailure::Status(_)));
    let response = (keep && failed).then(|| ReceiverResponse { content_type: None, body: Vec::new() });
    CallResult { result, duration: began.elapsed(), response }
}

/// Refuses an upgrade, since none was requested.
fn judge(answer: Response<Incoming>) -> Result<Response<Incoming>, CallFailure> {
    match answer.status() {
        StatusCode::SWITCHING_PROTOCOLS => Err(CallFailure::Protocol),
        _ => Ok(answer),
    }
}
