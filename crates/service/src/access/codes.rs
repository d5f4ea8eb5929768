//! Limits wrong second-factor codes per user. Only a caller that knows the password gets this far, so a
//! stranger cannot lock a user out. Codes from a browser that the user logged in with before are not counted,
//! nor are recovery codes.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::id::UserId;

/// Wrong codes allowed within [`PERIOD`], out of a million possible codes.
const MOST: u32 = 20;

/// Counted codes are forgotten after this time.
const PERIOD: Duration = Duration::from_secs(60 * 60);

/// Upper bound of users in memory.
const MAX_ENTRIES: usize = 10_000;

/// Counter of wrong codes per user, one per node.
#[derive(Debug, Default)]
pub struct WrongCodes(Mutex<HashMap<UserId, (u32, Duration)>>);

impl WrongCodes {
    fn counts(&self) -> MutexGuard<'_, HashMap<UserId, (u32, Duration)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if another code of this user may be checked.
    pub fn may_try(&self, user: UserId, now: Duration) -> bool {
        let counts = self.counts();
        counts.get(&user).is_none_or(|(count, since)| *count < MOST || now.saturating_sub(*since) >= PERIOD)
    }

    /// Counts a wrong code.
    pub fn wrong(&self, user: UserId, now: Duration) {
        let mut counts = self.counts();
        if counts.len() >= MAX_ENTRIES {
            counts.retain(|_, (_, since)| now.saturating_sub(*since) < PERIOD);
        }
        let entry = counts.entry(user).or_insert((0, now));
        if now.saturating_sub(entry.1) >= PERIOD {
            *entry = (0, now);
        }
        entry.0 = entry.0.saturating_add(1);
    }

    /// Forgets the user's wrong codes after a right one.
    pub fn right(&self, user: UserId) {
        self.counts().remove(&user);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t16_codes_are_not_guessed_from_many_addresses() {
        let (codes, user, other) =
            (WrongCodes::default(), UserId::from_bytes([1; 16]), UserId::from_bytes([2; 16]));
        for _ in 0..MOST {
            assert!(codes.may_try(user, Duration::ZERO));
            codes.wrong(user, Duration::ZERO);
        }
        assert!(!codes.may_try(user, PERIOD - Duration::from_millis(1)));
        assert!(codes.may_try(other, Duration::ZERO), "each has their own");
        assert!(codes.may_try(user, PERIOD));
        codes.wrong(user, PERIOD);
        assert!(codes.may_try(user, PERIOD), "and begins anew");
        codes.right(user);
        assert!(codes.counts().is_empty());
    }
}
