//! Counts the callbacks in flight: in all, per vendor, and per vendor and host. A vendor at a limit waits; no
//! other vendor does, not even one whose receiver is on the same host, as with shared webhook services.
//!
//! A vendor may have at most as many in flight as are still free. So however many vendors have receivers that
//! hang, there is room for a vendor that has nothing in flight: one such vendor takes half of all, two take a
//! third each, sixteen a seventeenth each.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use till_domain::id::VendorId;
use till_store::PendingVendor;
use tokio::sync::Notify;

/// The most callbacks in flight at once.
#[derive(Debug, Clone, Copy)]
pub struct TrafficLimits {
    pub all: usize,
    pub vendor: usize,
    /// For one vendor to one host.
    pub host: usize,
}

/// The callbacks in flight in one environment on this node.
#[derive(Debug)]
pub struct Traffic {
    limits: TrafficLimits,
    counts: Mutex<Counts>,
    /// Notified whenever a callback ends.
    pub ended: Notify,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    vendors: HashMap<VendorId, usize>,
    hosts: HashMap<(VendorId, String), usize>,
}

impl Traffic {
    #[must_use]
    pub fn new(limits: TrafficLimits) -> Arc<Self> {
        Arc::new(Self { limits, counts: Mutex::default(), ended: Notify::new() })
    }

    /// The number of callbacks that may still start.
    #[must_use]
    pub fn room(&self) -> usize {
        self.limits.all.saturating_sub(self.under_way())
    }

    /// The number of callbacks in flight.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.lock().all
    }

    /// The hosts at which a vendor has reached its limit.
    #[must_use]
    pub fn busy_hosts(&self, vendor: VendorId) -> Vec<String> {
        let counts = self.lock();
        let of_vendor = counts.hosts.iter().filter(|((owner, _), _)| *owner == vendor);
        let full = of_vendor.filter(|(_, count)| **count >= self.limits.host);
        full.map(|((_, host), _)| host.clone()).collect()
    }

    /// The vendors that may have more in flight, in the order of their turn: fewest in flight first, then
    /// longest waiting first.
    #[must_use]
    pub fn turns(&self, mut vendors: Vec<PendingVendor>) -> Vec<VendorId> {
        let counts = self.lock();
        vendors.retain(|pending| self.may_have_more(&counts, pending.vendor));
        vendors.sort_by_key(|pending| (counts.of_vendor(pending.vendor), pending.due_at));
        vendors.into_iter().map(|pending| pending.vendor).collect()
    }

    /// Counts one more callback in flight, if no limit is reached.
    #[must_use]
    pub fn enter(self: &Arc<Self>, vendor: VendorId, host: &str) -> Option<OnItsWay> {
        let mut counts = self.lock();
        let target = (vendor, host.to_owned());
        let of_host = counts.hosts.get(&target).copied().unwrap_or(0);
        if !self.may_have_more(&counts, vendor) || of_host >= self.limits.host {
            return None;
        }
        let of_vendor = counts.of_vendor(vendor);
        counts.all += 1;
        counts.vendors.insert(vendor, of_vendor + 1);
        counts.hosts.insert(target.clone(), of_host + 1);
        Some(OnItsWay { traffic: Arc::clone(self), target })
    }

    fn may_have_more(&self, counts: &Counts, vendor: VendorId) -> bool {
        let free = self.limits.all.saturating_sub(counts.all);
        counts.of_vendor(vendor) < self.limits.vendor.min(free)
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn of_vendor(&self, vendor: VendorId) -> usize {
        self.vendors.get(&vendor).copied().unwrap_or(0)
    }
}

/// A callback in flight. Dropping it frees its place.
#[derive(Debug)]
pub struct OnItsWay {
    traffic: Arc<Traffic>,
    target: (VendorId, String),
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        let mut counts = self.traffic.lock();
        counts.all -= 1;
        leave(&mut counts.vendors, &self.target.0);
        leave(&mut counts.hosts, &self.target);
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
    use till_domain::time::Timestamp;

    fn vendor(number: u8) -> VendorId {
        VendorId::from_bytes([number; 16])
    }

    fn due(number: u8, at: i64) -> PendingVendor {
        PendingVendor { vendor: vendor(number), due_at: Timestamp::from_ms(at) }
    }

    #[test]
    fn p11_who_has_enough_waits_and_nobody_else_does() {
        let traffic = Traffic::new(TrafficLimits { all: 9, vendor: 3, host: 2 });
        let first = traffic.enter(vendor(1), "a").expect("room");
        let _second = traffic.enter(vendor(1), "a").expect("room");
        assert!(traffic.enter(vendor(1), "a").is_none(), "the vendor is at its limit for this host");
        assert_eq!(traffic.busy_hosts(vendor(1)), ["a"]);
        assert!(traffic.busy_hosts(vendor(2)).is_empty(), "which is no other vendor's concern");
        drop(traffic.enter(vendor(2), "a").expect("another vendor, the same host"));
        let _third = traffic.enter(vendor(1), "b").expect("another host");
        assert!(traffic.enter(vendor(1), "c").is_none(), "the vendor has enough");
        let _other = traffic.enter(vendor(2), "b").expect("another vendor");
        let pending = vec![due(1, 1), due(2, 2), due(4, 4), due(3, 3)];
        let turns = [3, 4, 2].map(vendor);
        assert_eq!(traffic.turns(pending), turns, "who has least first, then who waits longest");
        drop(first);
        assert_eq!((traffic.room(), traffic.busy_hosts(vendor(1))), (6, Vec::<String>::new()));
        drop((_second, _third, _other));
        let counts = traffic.lock();
        assert!(counts.all == 0 && counts.vendors.is_empty() && counts.hosts.is_empty());
    }

    #[test]
    fn p11_there_is_room_for_one_more_vendor_however_many_take_all_they_can() {
        for greedy in 1..=100 {
            let traffic = Traffic::new(TrafficLimits { all: 1024, vendor: 256, host: 1024 });
            let mut under_way = Vec::new();
            for _ in 0..256 {
                for number in 1..=greedy {
                    under_way.extend(traffic.enter(vendor(number), "dead"));
                }
            }
            assert!(under_way.len() >= 256, "{greedy} vendors use what there is");
            assert!(traffic.enter(vendor(0), "fine").is_some(), "beside {greedy}");
        }
    }
}
