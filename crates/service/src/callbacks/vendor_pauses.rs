//! Vendors that are skipped for a while because no secret of theirs can sign. Nothing of this is stored:
//! their events stay due.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use till_domain::id::VendorId;
use tokio::time::Instant;

/// How long a vendor is skipped.
const REST: Duration = Duration::from_secs(5);

/// The skipped vendors, and the moment until which each is.
#[derive(Debug, Default)]
pub struct VendorPauses(Mutex<HashMap<VendorId, Instant>>);

impl VendorPauses {
    /// Skips a vendor from now on, for [`REST`].
    pub fn rest(&self, vendor: VendorId, now: Instant) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(vendor, now + REST);
    }

    /// True if a vendor is skipped now.
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
        let (resting, start) = (VendorPauses::default(), Instant::now());
        let [one, other] = [1, 2].map(|number| VendorId::from_bytes([number; 16]));
        resting.rest(one, start);
        assert!(resting.rests(one, start) && !resting.rests(other, start));
        assert!(!resting.rests(one, start + REST));
        assert!(resting.0.lock().expect("not poisoned").is_empty());
    }
}
