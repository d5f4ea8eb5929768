//! Throttling of password guesses, without ever locking the owner out.
//!
//! - After failures, each try for that account from that address has to wait longer, at most a minute
//!   (exponential backoff).
//! - An address that fails at many accounts is limited by a token bucket of its own.
//! - An account at which many addresses fail is under attack: a caller from an address that is new to it
//!   waits up to half a minute before the first try. Each caller's wait counts from its own first request, so
//!   attackers cannot delay it further, however many there are.
//! - A device that has logged in to the account before (the caller recognises it by its marker) waits only
//!   for its own failures: failures of others do not affect it, not even those from its own address.
//!
//! Memory is bounded whatever names attackers invent. Time is an argument, and must be monotonic.

use crate::limits::{Limiter, Rate};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::address::network;

/// Upper bounds of entries in memory: pairs of account and address, accounts, and networks.
const MAX_PAIRS: usize = 65_536;
const MAX_ACCOUNTS: usize = 16_384;
const MAX_NETWORKS: usize = 65_536;

/// The longest wait for an account, in milliseconds.
const MAX_WAIT: u64 = 60_000;

/// Failures for an account from an address that cost nothing; each further one doubles the wait.
const FREE: u32 = 5;

/// Upper bound of counted failures; more do not increase the wait.
const MOST: u32 = 16;

/// Time after which one failure of a pair is forgiven, in milliseconds.
const FORGIVEN: u64 = 300_000;

/// Failures at an account from which it counts as under attack.
const ATTACKED: u32 = 20;

/// Upper bound of counted failures at an account.
const MOST_AT_ACCOUNT: u32 = 120;

/// Time after which one failure at an account is forgiven, in milliseconds.
const FORGIVEN_AT_ACCOUNT: u64 = 30_000;

/// Upper bound of counted failures of a network, and the time after which one is forgiven.
const MOST_AT_NETWORK: u32 = 1_000;
const FORGIVEN_AT_NETWORK: u64 = 60_000;

/// The longest wait before a first try at an attacked account.
const MAX_FIRST_WAIT: u64 = 30_000;

/// How long a promised turn is kept for the caller, in milliseconds.
const TURN_FOR: u64 = 600_000;

/// The caller must wait this many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("wait {seconds} seconds")]
pub struct Wait {
    pub seconds: u64,
}

impl Wait {
    fn until(moment: u64, now: u64) -> Result<(), Self> {
        if moment <= now { Ok(()) } else { Err(Self { seconds: (moment - now).div_ceil(1000) }) }
    }
}

/// Counts failed log-ins, one per node.
#[derive(Debug)]
pub struct Throttle {
    on: bool,
    addresses: Limiter,
    counts: Mutex<Counts>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Counts {
    pairs: HashMap<u64, PairRecord>,
    accounts: HashMap<u64, Failures>,
    networks: HashMap<u64, Failures>,
}

/// A failure count from which one is forgiven after each period.
#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    count: u32,
    /// The time of the last failure, or at which one was last forgiven.
    since: u64,
}

impl Failures {
    fn forgive(&mut self, now: u64, each: u64) {
        let forgiven = now.saturating_sub(self.since) / each;
        self.count = self.count.saturating_sub(u32::try_from(forgiven).unwrap_or(u32::MAX));
        self.since += forgiven * each;
    }

    fn add(&mut self, now: u64, most: u32) {
        self.count = (self.count + 1).min(most);
        self.since = self.since.max(now);
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct PairRecord {
    failures: Failures,
    /// The time of the last try.
    tried: u64,
    /// The moment that was promised to the caller for its next try. Later failures of others do not move it.
    turn: Option<u64>,
}

impl PairRecord {
    /// The earliest next try, by the pair's own failures.
    fn ready(&self) -> u64 {
        match self.failures.count.checked_sub(FREE) {
            None => 0,
            Some(over) => self.tried + (1_000 << over.min(6)).min(MAX_WAIT),
        }
    }

    /// The moment from which the entry can be dropped without effect.
    fn relevant_until(&self) -> u64 {
        let forgiven = self.failures.since + u64::from(self.failures.count) * FORGIVEN;
        self.turn.map_or(forgiven, |turn| forgiven.max(turn + TURN_FOR))
    }
}

/// Permission to try once. It counts as failed from the beginning, so that parallel tries gain nothing, and
/// is taken back if it is dropped without a result.
#[derive(Debug)]
#[must_use = "say how the try ended"]
pub struct LoginTry<'a> {
    throttle: &'a Throttle,
    pair: u64,
    account: u64,
    network: IpAddr,
    known: bool,
    /// Recent failed log-ins from its network.
    pub failures: u32,
    /// The values to restore in the pair if the try is never made.
    turn: u64,
    tried_before: u64,
    /// True while the try is counted and its result is not known yet.
    open: bool,
}

impl Throttle {
    /// A throttle without history. If `on` is false, every try is allowed. `addresses` is the rate at which
    /// one address may fail.
    #[must_use]
    pub fn new(on: bool, addresses: Rate) -> Self {
        Self { on, addresses: Limiter::new(addresses), counts: Mutex::default(), hasher: RandomState::new() }
    }

    /// Allows a log-in now, or says how long to wait. `known` is true if the device has logged in to this
    /// account before.
    pub fn check(
        &self,
        now: Duration,
        account: &str,
        address: IpAddr,
        known: bool,
    ) -> Result<LoginTry<'_>, Wait> {
        let network = network(address);
        let mut leave = LoginTry {
            throttle: self,
            pair: self.hasher.hash_one((account, network, known)),
            account: self.hasher.hash_one(account),
            network,
            known,
            failures: 0,
            turn: 0,
            tried_before: 0,
            open: false,
        };
        if !self.on {
            return Ok(leave);
        }
        let quota = self.addresses.peek(&network, now).filter(|_| !known);
        if let Some(wait) = quota.and_then(|quota| quota.retry_after) {
            return Err(Wait { seconds: wait.as_millis().div_ceil(1000).try_into().unwrap_or(1).max(1) });
        }
        let now = millis(now);
        let counts = &mut *self.counts();
        leave.failures = counts.network(self.hasher.hash_one(network), now).count;
        let first_wait = if known { 0 } else { counts.first_wait(leave.account, now) };
        make_room(&mut counts.pairs, MAX_PAIRS, now, PairRecord::relevant_until);
        let pair = counts.pairs.entry(leave.pair).or_default();
        pair.failures.forgive(now, FORGIVEN);
        let announced = pair.turn.filter(|turn| now < turn + TURN_FOR);
        let turn = announced.unwrap_or_else(|| pair.ready().max(now + first_wait));
        pair.turn = Some(turn);
        Wait::until(turn, now)?;
        pair.turn = None;
        (leave.turn, leave.tried_before) = (turn, pair.tried);
        pair.tried = pair.tried.max(now);
        pair.failures.add(now, MOST);
        leave.open = true;
        Ok(leave)
    }

    /// Notes that a log-in from a network found no place in the queue for password hashes, so that a network
    /// which floods the queue is served last.
    pub fn turned_away(&self, now: Duration, address: IpAddr) {
        if self.on {
            self.count_at_network(&mut self.counts(), network(address), millis(now));
        }
    }

    fn count_at_network(&self, counts: &mut Counts, network: IpAddr, now: u64) {
        let relevant_until = |f: &Failures| f.since + u64::from(f.count) * FORGIVEN_AT_NETWORK;
        make_room(&mut counts.networks, MAX_NETWORKS, now, relevant_until);
        let network = self.hasher.hash_one(network);
        let mut failures = counts.network(network, now);
        failures.add(now, MOST_AT_NETWORK);
        counts.networks.insert(network, failures);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Recent failed log-ins from a network.
    fn network(&self, network: u64, now: u64) -> Failures {
        let mut failures = self.networks.get(&network).copied().unwrap_or_default();
        failures.forgive(now, FORGIVEN_AT_NETWORK);
        failures
    }

    /// The wait before the first try at an account from a new address.
    fn first_wait(&mut self, account: u64, now: u64) -> u64 {
        let Some(failures) = self.accounts.get_mut(&account) else { return 0 };
        failures.forgive(now, FORGIVEN_AT_ACCOUNT);
        match failures.count.checked_sub(ATTACKED) {
            None => 0,
            Some(over) => (2_000 << (over / 20).min(4)).min(MAX_FIRST_WAIT),
        }
    }
}

impl LoginTry<'_> {
    /// Counts a wrong password or code.
    pub fn failed(mut self, now: Duration) {
        if !std::mem::take(&mut self.open) || self.known {
            return;
        }
        self.throttle.addresses.take(&self.network, now);
        let now = millis(now);
        let counts = &mut *self.throttle.counts();
        let relevant_until = |f: &Failures| f.since + u64::from(f.count) * FORGIVEN_AT_ACCOUNT;
        make_room(&mut counts.accounts, MAX_ACCOUNTS, now, relevant_until);
        let failures = counts.accounts.entry(self.account).or_default();
        failures.forgive(now, FORGIVEN_AT_ACCOUNT);
        failures.add(now, MOST_AT_ACCOUNT);
        self.throttle.count_at_network(counts, self.network, now);
    }

    /// Clears the failures of this device after a log-in. Failures of others at the account are kept.
    pub fn succeeded(mut self) {
        if std::mem::take(&mut self.open) {
            self.throttle.counts().pairs.remove(&self.pair);
        }
    }
}

impl Drop for LoginTry<'_> {
    fn drop(&mut self) {
        if self.open
            && let Some(pair) = self.throttle.counts().pairs.get_mut(&self.pair)
        {
            pair.failures.count = pair.failures.count.saturating_sub(1);
            pair.tried = self.tried_before;
            pair.turn = Some(self.turn);
        }
    }
}

/// Keeps a map bounded: drops expired entries first, then the half that expires soonest.
fn make_room<T>(entries: &mut HashMap<u64, T>, most: usize, now: u64, relevant_until: impl Fn(&T) -> u64) {
    if entries.len() < most {
        return;
    }
    entries.retain(|_, entry| relevant_until(entry) > now);
    if entries.len() > most / 2 {
        let mut ends: Vec<u64> = entries.values().map(&relevant_until).collect();
        let middle = ends.len() - most / 2;
        let (_, end, _) = ends.select_nth_unstable(middle);
        let end = *end;
        entries.retain(|_, entry| relevant_until(entry) > end);
    }
}

fn millis(now: Duration) -> u64 {
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::Ipv4Addr;
    use std::net::Ipv6Addr;

    const OWNER: &str = "owner@shop.example";
    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));

    fn throttle() -> Throttle {
        Throttle::new(true, Rate::parse("60/m burst 100").expect("a rate"))
    }

    fn stranger(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number))
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Makes a failing log-in, or returns how long to wait.
    fn fail(throttle: &Throttle, at: u64, account: &str, address: IpAddr, known: bool) -> Result<(), Wait> {
        throttle.check(ms(at), account, address, known).map(|leave| leave.failed(ms(at)))
    }

    fn waits(throttle: &Throttle, at: u64, address: IpAddr, known: bool) -> u64 {
        throttle.check(ms(at), OWNER, address, known).map_or_else(|wait| wait.seconds, |_| 0)
    }

    #[test]
    fn t16_failures_from_one_address_wait_longer_and_longer() {
        let throttle = throttle();
        let (mut now, mut waited) = (0, Vec::new());
        for _ in 0..16 {
            while let Err(wait) = fail(&throttle, now, OWNER, HOME, false) {
                waited.push(wait.seconds);
                now += wait.seconds * 1000;
            }
        }
        assert_eq!(waited, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
        assert_eq!(waits(&throttle, now, HOME, false), 60);
        assert_eq!(waits(&throttle, now + 60_000, HOME, false), 0, "it is free then");
        throttle.check(ms(now + 60_000), OWNER, HOME, false).expect("free").succeeded();
        for _ in 0..FREE {
            assert_eq!(fail(&throttle, now + 60_000, OWNER, HOME, false), Ok(()), "it starts afresh");
        }
    }

    #[test]
    fn t16_failures_are_forgiven_in_time() {
        let throttle = throttle();
        for _ in 0..FREE {
            fail(&throttle, 0, OWNER, HOME, false).expect("free");
        }
        assert_eq!(waits(&throttle, 0, HOME, false), 1);
        let later = u64::from(FREE) * FORGIVEN;
        for _ in 0..FREE {
            assert_eq!(fail(&throttle, later, OWNER, HOME, false), Ok(()));
        }
    }

    #[test]
    fn t16_many_at_once_get_no_more_tries_than_one_after_the_other() {
        let throttle = throttle();
        let tries: Vec<_> = (0..500).filter_map(|_| throttle.check(ms(0), OWNER, HOME, false).ok()).collect();
        assert_eq!(tries.len(), 5);
        drop(tries);
        assert_eq!(waits(&throttle, 0, HOME, false), 0, "those that were never made do not count");
    }

    #[test]
    fn t16_10000_wrong_log_ins_do_not_keep_the_owner_out() {
        let throttle = throttle();
        let (mut now, mut tried, mut number) = (0, 0, 0);
        while tried < 10_000 {
            // Each stranger tries, and returns once when told to wait.
            number = (number + 1) % 2_000;
            now += 3;
            tried += u32::from(fail(&throttle, now, OWNER, stranger(number), false).is_ok());
        }
        assert_eq!(waits(&throttle, now, HOME, true), 0, "the owner's own device waits for nobody");
        let first = waits(&throttle, now, HOME, false);
        assert!((1..=60).contains(&first), "a new one waits {first} s");
        let mut until = now + first * 1000;
        while now < until {
            now += 3;
            number = (number + 1) % 2_000;
            let _ = fail(&throttle, now, OWNER, stranger(number), false);
        }
        until = until.max(now);
        throttle
            .check(ms(until), OWNER, HOME, false)
            .expect("the wait is over, whatever others did")
            .succeeded();
        assert_eq!(throttle.check(ms(until), "other@shop.example", HOME, false).map(drop), Ok(()));
    }

    #[test]
    fn t16_what_strangers_fail_from_the_owners_own_address_does_not_touch_the_owners_device() {
        let throttle = throttle();
        for round in 0..1_000 {
            let _ = fail(&throttle, round * 10, OWNER, HOME, false);
            let _ = fail(&throttle, round * 10, &format!("{round}@shop.example"), HOME, false);
        }
        assert!(waits(&throttle, 10_000, HOME, false) > 0);
        assert_eq!(waits(&throttle, 10_000, HOME, true), 0);
        for _ in 0..FREE {
            fail(&throttle, 10_000, OWNER, HOME, true).expect("free");
        }
        assert_eq!(waits(&throttle, 10_000, HOME, true), 1, "but what it fails itself does");
    }

    #[test]
    fn t16_an_address_that_fails_at_many_accounts_is_limited() {
        let throttle = throttle();
        let failed = (0..200).filter(|n| fail(&throttle, 0, &format!("{n}@x.example"), HOME, false).is_ok());
        assert_eq!(failed.count(), 100);
        assert_eq!(fail(&throttle, 1_000, "next@x.example", HOME, false), Ok(()));
        assert_eq!(fail(&throttle, 1_000, "more@x.example", HOME, false), Err(Wait { seconds: 1 }));
    }

    #[test]
    fn an_ipv6_network_is_one_address_and_a_mapped_address_is_the_plain_one() {
        let throttle = throttle();
        let in_network = |host: u128| IpAddr::V6(Ipv6Addr::from_bits(0x2001_0db8_0000_0001 << 64 | host));
        for host in 0..5 {
            fail(&throttle, 0, OWNER, in_network(host << 40), false).expect("free");
        }
        assert_eq!(waits(&throttle, 0, in_network(u128::from(u64::MAX)), false), 1);
        assert_eq!(
            waits(&throttle, 0, IpAddr::V6(Ipv6Addr::from_bits(0x2001_0db8_0000_0002 << 64)), false),
            0
        );
        assert_eq!(network("::ffff:203.0.113.7".parse().expect("an address")), HOME);
    }

    #[test]
    fn off_lets_everybody_try() {
        let throttle = Throttle::new(false, Rate::OFF);
        for _ in 0..1_000 {
            assert_eq!(fail(&throttle, 0, OWNER, HOME, false), Ok(()));
        }
        let counts = throttle.counts();
        assert_eq!(counts.pairs.len() + counts.accounts.len(), 0);
    }

    #[test]
    fn i27_made_up_accounts_and_addresses_do_not_fill_the_memory() {
        let throttle = Throttle::new(true, Rate::OFF);
        for _ in 0..100 {
            fail(&throttle, 0, OWNER, HOME, true).ok();
        }
        let attacked: Vec<_> =
            (0..200).filter(|n| fail(&throttle, 0, OWNER, stranger(*n), false).is_ok()).collect();
        assert!(attacked.len() >= 20);
        for number in 0..200_000 {
            fail(&throttle, 1, &format!("{number}@x.example"), stranger(number), false).expect("new");
        }
        let counts = throttle.counts();
        assert!(counts.pairs.len() <= MAX_PAIRS && counts.accounts.len() <= MAX_ACCOUNTS);
        drop(counts);
        assert!(waits(&throttle, 2, stranger(9_999_999), false) > 0, "the attack is not forgotten for that");
    }

    proptest! {
        #[test]
        fn t16_nobody_waits_longer_than_told_or_than_a_minute(
            steps in proptest::collection::vec((0_u64..20_000, 0_u32..40, any::<bool>()), 1..400),
            known: bool,
        ) {
            let throttle = throttle();
            let (mut now, mut until) = (0, None);
            for (pause, number, owner) in steps {
                now += pause;
                if !owner {
                    let _ = fail(&throttle, now, OWNER, stranger(number), false);
                    continue;
                }
                let answer = fail(&throttle, now, OWNER, HOME, known);
                if let Err(Wait { seconds }) = answer {
                    prop_assert!((1..=60).contains(&seconds));
                    prop_assert!(until.is_none_or(|until| now < until), "told to wait once more");
                    until = Some(until.unwrap_or(now + seconds * 1000));
                } else {
                    until = None;
                }
            }
        }
    }
}
