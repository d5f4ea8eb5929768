//! A pool of idle connections for the next call to the same place.
//!
//! Permissions are not cached here: a connection is handed out only to a target whose addresses were resolved
//! and checked again, and only if it leads to one of them.

use super::{target::Target, wire::Wire};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::time::{Instant, sleep};
use url::Host;

/// The lifetime of an idle connection. Shorter than servers keep theirs, so that they rarely close it first.
const IDLE_FOR: Duration = Duration::from_secs(2);

/// Most idle connections in all.
const MAX_IDLE: usize = 256;

/// The key of the pool: TLS or not, host and address.
type PoolKey = (bool, Host<String>, SocketAddr);

#[derive(Default)]
pub struct Pool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    places: HashMap<PoolKey, Vec<(Instant, Wire)>>,
    count: usize,
    /// True while a task closes the connections that are not used again.
    swept: bool,
}

impl Pool {
    /// The most recently used idle connection to one of these addresses. The server may have closed it.
    pub fn take(&self, target: &Target, addresses: &[SocketAddr]) -> Option<Wire> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        addresses.iter().find_map(|address| idle.take(&place(target, *address), Instant::now()))
    }

    /// Keeps a connection, if there is room.
    pub fn put(self: &Arc<Self>, target: &Target, wire: Wire) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.count >= MAX_IDLE {
            return;
        }
        idle.count += 1;
        idle.places.entry(place(target, wire.address)).or_default().push((Instant::now(), wire));
        if !std::mem::replace(&mut idle.swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }
}

impl Idle {
    fn take(&mut self, place: &PoolKey, now: Instant) -> Option<Wire> {
        let (since, wire) = self.places.get_mut(place)?.pop()?;
        self.count -= 1;
        (now - since < IDLE_FOR).then_some(wire)
    }

    /// Closes connections that were idle for too long.
    fn expire(&mut self, now: Instant) {
        self.places.retain(|_, wires| {
            wires.retain(|(since, _)| now - *since < IDLE_FOR);
            !wires.is_empty()
        });
        self.count = self.places.values().map(Vec::len).sum();
    }
}

fn place(target: &Target, address: SocketAddr) -> PoolKey {
    (target.https, target.host.clone(), address)
}

/// Closes idle connections until the pool is empty or dropped.
async fn sweep(pool: Weak<Pool>) {
    loop {
        sleep(IDLE_FOR / 2).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut idle = pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.expire(Instant::now());
        if idle.count == 0 {
            idle.swept = false;
            return;
        }
    }
}
