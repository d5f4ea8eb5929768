//! Finds the addresses of a host. They are judged elsewhere.

use super::{Failure, target::Target};
use std::{
    fmt, io,
    net::{IpAddr, ToSocketAddrs},
    sync::Arc,
    thread,
};
use tokio::sync::{Semaphore, oneshot};
use url::Host;

/// Look-ups at a time. Each holds a thread until the system gives up, which may be long after the deadline.
const MAX_LOOKUPS: usize = 64;

/// A look-up that a test makes up. It may block.
type Script = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// Who finds the addresses of a name.
#[derive(Clone)]
pub enum Resolver {
    /// The machine: `/etc/hosts`, then DNS, or whatever it is set up to ask.
    System,
    /// A test.
    Scripted(Arc<Script>),
}

impl Resolver {
    fn find(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        match self {
            Self::System => Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()),
            Self::Scripted(script) => script(name),
        }
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Scripted(_) => "Scripted",
        })
    }
}

/// Looks hosts up, afresh each time and not too many at once.
#[derive(Debug, Clone)]
pub struct Lookups {
    resolver: Resolver,
    room: Arc<Semaphore>,
}

impl Lookups {
    pub fn new(resolver: Resolver) -> Self {
        Self { resolver, room: Arc::new(Semaphore::new(MAX_LOOKUPS)) }
    }

    /// Every address of the host. A literal is its own.
    pub async fn find(&self, target: &Target) -> Result<Vec<IpAddr>, Failure> {
        let name = match &target.host {
            Host::Ipv4(ip) => return Ok(vec![IpAddr::V4(*ip)]),
            Host::Ipv6(ip) => return Ok(vec![IpAddr::V6(*ip)]),
            Host::Domain(name) => name.clone(),
        };
        let permit = Arc::clone(&self.room).acquire_owned().await.map_err(|_| Failure::Dns)?;
        let resolver = self.resolver.clone();
        let (tell, told) = oneshot::channel();
        let look = move || {
            let found = resolver.find(&name);
            drop(permit);
            // Nobody may be waiting any more.
            let _ = tell.send(found);
        };
        // A thread of its own, not one of the runtime's: those are waited for when the service stops.
        thread::Builder::new().name("look-up".to_owned()).spawn(look).map_err(|_| Failure::Dns)?;
        told.await.ok().and_then(Result::ok).ok_or(Failure::Dns)
    }
}
