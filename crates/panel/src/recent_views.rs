//! Remembers which pages with credentials a browser opened recently, so that a reload adds no second audit
//! line.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use till_domain::{
    id::{LoginId, VendorId},
    time::Timestamp,
};

/// The period in which further openings are not logged again.
const COUNTS_FOR: Duration = Duration::from_secs(10 * 60);

/// The most openings that are remembered. Beyond that, every opening is logged.
const MOST: usize = 10_000;

/// The openings of the last minutes.
#[derive(Debug, Default)]
pub struct RecentViews(Mutex<HashMap<(LoginId, VendorId), Timestamp>>);

impl RecentViews {
    /// Returns true when this opening has to be logged, as the first for a while.
    pub(super) fn is_new(&self, login: LoginId, vendor: VendorId, now: Timestamp) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.get(&(login, vendor)).is_some_and(|at| counts(*at, now)) {
            return false;
        }
        if seen.len() >= MOST {
            seen.retain(|_, at| counts(*at, now));
        }
        if seen.len() < MOST {
            seen.insert((login, vendor), now);
        }
        true
    }

    /// Removes an opening that could not be logged.
    pub(super) fn forget(&self, login: LoginId, vendor: VendorId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&(login, vendor));
    }
}

fn counts(at: Timestamp, now: Timestamp) -> bool {
    now.since(at) < COUNTS_FOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_counts_for_ten_minutes_per_browser_and_vendor() {
        let (recent_views, start) = (RecentViews::default(), Timestamp::from_ms(1_000_000));
        let (login, vendor) = (|n: u8| LoginId::from_bytes([n; 16]), |n: u8| VendorId::from_bytes([n; 16]));
        let after = |seconds| start.plus(Duration::from_secs(seconds));
        assert!(recent_views.is_new(login(1), vendor(1), start));
        assert!(!recent_views.is_new(login(1), vendor(1), after(599)));
        assert!(recent_views.is_new(login(1), vendor(2), after(1)));
        assert!(recent_views.is_new(login(2), vendor(1), after(1)));
        assert!(recent_views.is_new(login(1), vendor(1), after(600)));
        recent_views.forget(login(1), vendor(1));
        assert!(recent_views.is_new(login(1), vendor(1), after(601)));
    }

    #[test]
    fn a_full_memory_writes_too_much_and_never_too_little() {
        let (recent_views, now) = (RecentViews::default(), Timestamp::from_ms(1_000_000));
        let login = |n: usize| LoginId::from_bytes((n as u128).to_be_bytes());
        let vendor = VendorId::from_bytes([1; 16]);
        for number in 0..MOST {
            assert!(recent_views.is_new(login(number), vendor, now));
        }
        for _ in 0..2 {
            assert!(recent_views.is_new(login(MOST), vendor, now));
        }
        let later = now.plus(COUNTS_FOR);
        assert!(
            recent_views.is_new(login(MOST), vendor, later)
                && !recent_views.is_new(login(MOST), vendor, later)
        );
    }
}
