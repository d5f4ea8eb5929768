//! Vendors whose events are left alone for a while, because nothing could be done about them. Nothing of it is
//! stored: their events stay due.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use till_domain::id::VendorId;

/// How long a vendor is left alone.
const REST: Duration = Duration::from_secs(5);

/// Who is left alone, and until when.
#[derive(Debug, Default)]
pub struct Resting(Mutex<HashMap<VendorId, Instant>>);

impl Resting {
    /// Leaves a vendor alone from now on.
    pub fn rest(&self, vendor: VendorId, now: Instant) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(vendor, now + REST);
    }

    /// Whether a vendor is left alone.
    #[must_use]
    pub fn rests(&self, vendor: VendorId, now: Instant) -> bool {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if until.get(&vendor).is_some_and(|until| *until <= now) {
            until.remove(&vendor);
        }
        until.contains_key(&vendor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vendor_rests_for_a_while_and_is_forgotten() {
        let (resting, start) = (Resting::default(), Instant::now());
        let [one, other] = [1, 2].map(|number| VendorId::from_bytes([number; 16]));
        resting.rest(one, start);
        assert!(resting.rests(one, start) && !resting.rests(other, start));
        assert!(!resting.rests(one, start + REST));
        assert!(resting.0.lock().expect("not poisoned").is_empty());
    }
}
