//! How many callbacks are under way: in all, per vendor and per host. Who has enough waits; nobody else does.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};
use till_domain::id::VendorId;
use tokio::sync::Notify;

/// How many there may be at once.
#[derive(Debug, Clone, Copy)]
pub struct TrafficLimits {
    /// In all.
    pub all: usize,
    /// For one vendor.
    pub vendor: usize,
    /// To one host.
    pub host: usize,
}

/// Counts what is under way in one environment on this node.
#[derive(Debug)]
pub struct Traffic {
    limits: TrafficLimits,
    counts: Mutex<Counts>,
    /// Told whenever one ends.
    pub ended: Notify,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    vendors: HashMap<VendorId, usize>,
    hosts: HashMap<String, usize>,
}

impl Traffic {
    /// Nothing under way.
    #[must_use]
    pub fn new(limits: TrafficLimits) -> Arc<Self> {
        Arc::new(Self { limits, counts: Mutex::default(), ended: Notify::new() })
    }

    /// How many more there may be.
    #[must_use]
    pub fn room(&self) -> usize {
        self.limits.all.saturating_sub(self.under_way())
    }

    /// How many there are.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).all
    }

    /// The vendors and the hosts that have enough.
    #[must_use]
    pub fn busy(&self) -> (Vec<VendorId>, Vec<String>) {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        (full(&counts.vendors, self.limits.vendor), full(&counts.hosts, self.limits.host))
    }

    /// Lets one more on its way, if nobody it concerns has enough.
    #[must_use]
    pub fn enter(self: &Arc<Self>, vendor: VendorId, host: &str) -> Option<OnItsWay> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let of_vendor = counts.vendors.get(&vendor).copied().unwrap_or(0);
        let of_host = counts.hosts.get(host).copied().unwrap_or(0);
        if counts.all >= self.limits.all || of_vendor >= self.limits.vendor || of_host >= self.limits.host {
            return None;
        }
        counts.all += 1;
        counts.vendors.insert(vendor, of_vendor + 1);
        counts.hosts.insert(host.to_owned(), of_host + 1);
        Some(OnItsWay { traffic: Arc::clone(self), vendor, host: host.to_owned() })
    }
}

fn full<Key: Clone>(counts: &HashMap<Key, usize>, limit: usize) -> Vec<Key> {
    counts.iter().filter(|(_, count)| **count >= limit).map(|(key, _)| key.clone()).collect()
}

/// A callback under way. It makes room when it is dropped.
#[derive(Debug)]
pub struct OnItsWay {
    traffic: Arc<Traffic>,
    vendor: VendorId,
    host: String,
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        let mut counts = self.traffic.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all -= 1;
        leave(&mut counts.vendors, &self.vendor);
        leave(&mut counts.hosts, &self.host);
        drop(counts);
        self.traffic.ended.notify_one();
    }
}

fn leave<Key: Eq + Hash>(counts: &mut HashMap<Key, usize>, key: &Key) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vendor(number: u8) -> VendorId {
        VendorId::from_bytes([number; 16])
    }

    #[test]
    fn p11_who_has_enough_waits_and_nobody_else_does() {
        let traffic = Traffic::new(TrafficLimits { all: 5, vendor: 3, host: 2 });
        let first = traffic.enter(vendor(1), "a:443").expect("room");
        let _second = traffic.enter(vendor(1), "a:443").expect("room");
        assert!(traffic.enter(vendor(1), "a:443").is_none(), "the host has enough");
        let _third = traffic.enter(vendor(1), "b:443").expect("another host");
        assert!(traffic.enter(vendor(1), "c:443").is_none(), "the vendor has enough");
        assert_eq!(traffic.busy(), (vec![vendor(1)], vec!["a:443".to_owned()]));
        let _others = [
            traffic.enter(vendor(2), "b:443").expect("another vendor"),
            traffic.enter(vendor(2), "c:443").expect("another vendor"),
        ];
        assert!(traffic.room() == 0 && traffic.enter(vendor(3), "d:443").is_none(), "all is all");
        drop(first);
        assert_eq!((traffic.room(), traffic.busy()), (1, (vec![], vec!["b:443".to_owned()])));
        drop((_second, _third, _others));
        let counts = traffic.counts.lock().expect("not poisoned");
        assert!(counts.all == 0 && counts.vendors.is_empty() && counts.hosts.is_empty());
    }
}
