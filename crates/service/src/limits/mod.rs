//! Rate limits: a token bucket per caller and kind of call, on this node.
//!
//! A bucket is one number, the moment at which it would be full again, so an idle caller costs nothing. Time
//! is an argument. The rates come from the settings.

mod card_testing;

pub use card_testing::TooMany;

use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// A rate limit: a rate and a burst. A rate of 0 means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Calls per period.
    pub count: u32,
    pub per: Duration,
    /// Calls at once after a pause.
    pub burst: u32,
}

impl Rate {
    /// No limit.
    pub const OFF: Self = Self { count: 0, per: Duration::from_secs(1), burst: 0 };

    /// Parses `100/s burst 200`, `10/m burst 10` or `0`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.trim() == "0" {
            return Some(Self::OFF);
        }
        let (rate, burst) = text.split_once("burst")?;
        let (count, per) = rate.trim().split_once('/')?;
        let seconds = match per.trim() {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => return None,
        };
        let (count, burst) = (count.trim().parse().ok()?, burst.trim().parse().ok()?);
        let valid = (1..=1_000_000).contains(&count) && (1..=1_000_000).contains(&burst);
        valid.then_some(Self { count, per: Duration::from_secs(seconds), burst })
    }

    fn is_off(self) -> bool {
        self.count == 0
    }

    /// Microseconds between two calls at the steady rate.
    fn interval_us(self) -> u64 {
        (micros(self.per) / u64::from(self.count.max(1))).max(1)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_off() {
            return f.write_str("0");
        }
        let unit = match self.per.as_secs() {
            1 => "s",
            60 => "m",
            _ => "h",
        };
        write!(f, "{}/{unit} burst {}", self.count, self.burst)
    }
}

/// The state of a bucket after a call, for the `RateLimit-*` headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The capacity of the bucket.
    pub limit: u32,
    /// Tokens left.
    pub remaining: u32,
    /// The time until the bucket is full again.
    pub reset: Duration,
    /// The time to wait, if the call was refused.
    pub retry_after: Option<Duration>,
}

const SHARDS: usize = 16;

/// Buckets per shard; beyond this, full ones are dropped.
const MAX_BUCKETS: usize = 8192;

/// The buckets of one kind of call.
#[derive(Debug)]
pub struct Limiter {
    rate: Rate,
    hasher: RandomState,
    shards: [Mutex<HashMap<u64, u64>>; SHARDS],
}

impl Limiter {
    /// Full buckets of this rate.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, hasher: RandomState::new(), shards: Default::default() }
    }

    /// Takes a token from the caller's bucket, if there is one. `None` if there is no limit.
    pub fn take(&self, caller: &impl Hash, now: Duration) -> Option<Quota> {
        self.visit(caller, now, true)
    }

    /// Reads the caller's bucket without taking from it.
    pub fn peek(&self, caller: &impl Hash, now: Duration) -> Option<Quota> {
        self.visit(caller, now, false)
    }

    fn visit(&self, caller: &impl Hash, now: Duration, take: bool) -> Option<Quota> {
        if self.rate.is_off() {
            return None;
        }
        let now = micros(now);
        let interval = self.rate.interval_us();
        let capacity = interval * u64::from(self.rate.burst);
        let key = self.hasher.hash_one(caller);
        let shard = &self.shards[usize::try_from(key).unwrap_or(0) % SHARDS];
        let mut buckets = shard.lock().unwrap_or_else(PoisonError::into_inner);
        // The bucket is full again at this moment; until then tokens are missing.
        let full_at = buckets.get(&key).copied().unwrap_or(0).max(now);
        let after = full_at + interval;
        let fits = after - now <= capacity;
        let full_at = if take && fits { after } else { full_at };
        if take {
            make_room(&mut buckets, now);
            buckets.insert(key, full_at);
        }
        // Another thread that read the clock later may have changed the bucket before.
        let missing = (full_at - now).min(capacity);
        Some(Quota {
            limit: self.rate.burst,
            remaining: u32::try_from((capacity - missing) / interval).unwrap_or(u32::MAX),
            reset: Duration::from_micros(missing),
            retry_after: (!fits).then(|| Duration::from_micros(after - now - capacity)),
        })
    }
}

/// Keeps a shard bounded, however many callers there are.
fn make_room(buckets: &mut HashMap<u64, u64>, now: u64) {
    if buckets.len() >= MAX_BUCKETS {
        buckets.retain(|_, full_at| *full_at > now);
    }
    if buckets.len() >= MAX_BUCKETS {
        buckets.clear();
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX / 4)
}

/// The rates of an environment, from the settings.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Creating sessions, per vendor.
    pub create: Rate,
    /// Asking for a status, per vendor.
    pub status: Rate,
    /// Getting tokens, per client id.
    pub token: Rate,
    /// Wrong secrets, per client id and address.
    pub failed_tries: Rate,
    /// Wrong secrets, per address.
    pub failed_tries_address: Rate,
    /// Endpoint checks, per vendor.
    pub checks: Rate,
    /// Payments begun, per public address.
    pub attempts_address: Rate,
    /// Payments begun, per vendor.
    pub attempts_vendor: Rate,
    /// The most payments begun for one session.
    pub attempts_session: usize,
}

/// The buckets of an environment.
#[derive(Debug)]
pub struct Limits {
    /// Creating sessions, per vendor.
    pub create: Limiter,
    /// Asking for a status, per vendor.
    pub status: Limiter,
    /// Getting tokens, per client id.
    pub token: Limiter,
    /// Wrong secrets, per client id and address.
    pub failed_tries: Limiter,
    /// Wrong secrets, per address.
    pub failed_tries_address: Limiter,
    /// Endpoint checks, per vendor.
    pub checks: Limiter,
    /// Payments begun, per public address.
    pub attempts_address: Limiter,
    /// Payments begun, per vendor.
    pub attempts_vendor: Limiter,
    /// The most payments begun for one session.
    pub attempts_session: usize,
}

impl Limits {
    /// Full buckets of these rates.
    #[must_use]
    pub fn new(rates: &Rates) -> Self {
        Self {
            create: Limiter::new(rates.create),
            status: Limiter::new(rates.status),
            token: Limiter::new(rates.token),
            failed_tries: Limiter::new(rates.failed_tries),
            failed_tries_address: Limiter::new(rates.failed_tries_address),
            checks: Limiter::new(rates.checks),
            attempts_address: Limiter::new(rates.attempts_address),
            attempts_vendor: Limiter::new(rates.attempts_vendor),
            attempts_session: rates.attempts_session,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn rates_read_back_what_they_write() {
        for text in ["100/s burst 200", "10/m burst 10", "5/h burst 1", "0"] {
            assert_eq!(Rate::parse(text).map(|r| r.to_string()).as_deref(), Some(text));
        }
        for text in
            ["", "100", "100/s", "burst 5", "0/s burst 5", "1/d burst 1", "-1/s burst 1", "1/s burst 0"]
        {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let limiter = Limiter::new(Rate::parse("10/s burst 3").expect("a rate"));
        let take = |at| {
            let quota = limiter.take(&"a", ms(at)).expect("limited");
            (quota.retry_after.map(|d| d.as_millis()), quota.remaining)
        };
        assert_eq!(take(0), (None, 2));
        assert_eq!(take(0), (None, 1));
        assert_eq!(take(0), (None, 0));
        assert_eq!(take(0), (Some(100), 0));
        assert_eq!(take(60), (Some(40), 0));
        assert_eq!(take(100), (None, 0));
        assert_eq!(take(10_000), (None, 2));
        assert_eq!(limiter.take(&"b", ms(0)).map(|q| q.remaining), Some(2));
    }

    #[test]
    fn callers_whose_clocks_were_read_out_of_order_do_no_harm() {
        let limiter = Limiter::new(Rate::parse("10/s burst 2").expect("a rate"));
        for at in [105, 105, 100, 0, 105] {
            let quota = limiter.take(&"a", ms(at)).expect("limited");
            assert!(quota.remaining <= 1, "{quota:?} at {at}");
        }
    }

    #[test]
    fn looking_takes_nothing_and_off_limits_nothing() {
        let limiter = Limiter::new(Rate::parse("1/m burst 1").expect("a rate"));
        for _ in 0..5 {
            assert_eq!(limiter.peek(&"a", ms(0)).and_then(|q| q.retry_after), None);
        }
        limiter.take(&"a", ms(0));
        assert!(limiter.peek(&"a", ms(0)).and_then(|q| q.retry_after).is_some());
        assert_eq!(Limiter::new(Rate::OFF).take(&"a", ms(0)), None);
    }

    #[test]
    fn i27_made_up_callers_do_not_fill_the_memory() {
        let limiter = Limiter::new(Rate::parse("1/h burst 5").expect("a rate"));
        for caller in 0..(MAX_BUCKETS * SHARDS * 2) {
            limiter.take(&caller, ms(1));
        }
        for shard in &limiter.shards {
            assert!(shard.lock().expect("not poisoned").len() <= MAX_BUCKETS);
        }
    }
}
