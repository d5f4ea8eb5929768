//! Counts the calls that wait for events (long polling). Each vendor may have a few; one more is answered at
//! once.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};
use till_domain::id::VendorId;

/// Most calls of one vendor that wait at once.
pub const MAX_WAITING: usize = 8;

/// The number of waiting calls by vendor.
#[derive(Debug, Default)]
pub struct Waiting(Mutex<HashMap<VendorId, usize>>);

/// A waiting call. Dropping it frees its place.
#[derive(Debug)]
pub struct WaitingCall<'a> {
    waiting: &'a Waiting,
    vendor: VendorId,
}

impl Waiting {
    /// Counts one more waiting call of a vendor, if it has fewer than [`MAX_WAITING`].
    #[must_use]
    pub fn enter(&self, vendor: VendorId) -> Option<WaitingCall<'_>> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(&vendor).copied().unwrap_or(0);
        if count >= MAX_WAITING {
            return None;
        }
        counts.insert(vendor, count + 1);
        Some(WaitingCall { waiting: self, vendor })
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        let mut counts = self.waiting.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.vendor) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.vendor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i27_a_vendor_has_a_few_and_leaves_nothing_behind() {
        let waiting = Waiting::default();
        let [one, other] = [1, 2].map(|number| VendorId::from_bytes([number; 16]));
        let mut calls: Vec<_> = (0..MAX_WAITING).map(|_| waiting.enter(one).expect("room")).collect();
        assert!(waiting.enter(one).is_none());
        assert!(waiting.enter(other).is_some());
        calls.pop();
        assert!(waiting.enter(one).is_some(), "one has gone");
        calls.clear();
        assert!(waiting.0.lock().expect("not poisoned").is_empty());
    }
}
