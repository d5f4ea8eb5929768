//! The only source of ids, secrets and nonces: the system's random number generator.
//!
//! A demo for automated tests can be given a seed. Its ids and secrets are then the same in every run, although its
//! background workers run at once: each kind of value, and each owner within a kind, has a sequence of its own. Nonces,
//! salts and names of files are never the seed's.

use hkdf::Hkdf;
use sha2::Sha256;
use std::{
    cell::RefCell,
    collections::HashMap,
    iter,
    sync::{Mutex, OnceLock, PoisonError},
};
use till_domain::{
    id::{Entropy, Identifier},
    time::Timestamp,
};

/// The first of the twelve bits with which an id of a seed counts.
const FOLLOWING: u8 = 0x08;

/// The seed of this process, if it has one.
static SEED: OnceLock<Seed> = OnceLock::new();

/// Fresh random bytes of the system, for nonces, salts and names of files.
///
/// # Panics
///
/// If the system cannot supply randomness: nothing that needs it may continue without.
#[must_use]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes);
    bytes
}

fn fill(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system's random generator works");
}

/// The random bytes of a new secret or id of this kind.
#[must_use]
pub fn draw<const N: usize>(kind: &'static str) -> [u8; N] {
    draw_for(kind, &[])
}

/// The random bytes of a new secret or id of this kind that belongs to an owner, which is named in parts.
#[must_use]
pub fn draw_for<const N: usize>(kind: &'static str, owner: &[&[u8]]) -> [u8; N] {
    SEED.get().map_or_else(bytes, |seed| seed.next(kind, owner))
}

/// The random bytes of a new short id of this kind, which is no secret.
#[must_use]
pub fn short_id_for<const N: usize>(kind: &'static str, owner: &[&[u8]]) -> [u8; N] {
    SEED.get().map_or_else(supplied, |seed| seed.next(kind, owner))
}

/// A new id.
#[must_use]
pub fn id<I: Identifier>(now: Timestamp) -> I {
    id_for(now, &[])
}

/// A new id of something that belongs to an owner: with a seed it does not depend on what happens to other owners at the
/// same time.
#[must_use]
pub fn id_for<I: Identifier>(now: Timestamp, owner: &[&[u8]]) -> I {
    I::new(now, &entropy_for::<I>(owner))
}

/// As [`id_for`], for an event that can only follow others of its session, such as that of a refund: with a seed it is
/// greater than every id that [`id_for`] makes in the same millisecond.
#[must_use]
pub fn following_id_for<I: Identifier>(now: Timestamp, owner: &[&[u8]]) -> I {
    let mut entropy = entropy_for::<I>(owner);
    if SEED.get().is_some() {
        entropy[0] |= FOLLOWING;
    }
    I::new(now, &entropy)
}

/// The random part of a new id.
#[must_use]
pub fn entropy<I: Identifier>() -> Entropy {
    entropy_for::<I>(&[])
}

fn entropy_for<I: Identifier>(owner: &[&[u8]]) -> Entropy {
    SEED.get().map_or_else(supplied, |seed| seed.next_ordered(I::KIND, owner))
}

/// Makes all ids and secrets of this process predictable from now on. Only a demo that no other machine can
/// reach may do that.
pub fn seed(seed: u64) {
    SEED.get_or_init(|| Seed::new(seed));
}

thread_local! {
    static SUPPLY: RefCell<Supply> = const { RefCell::new(Supply { bytes: [0; SUPPLY_LEN], used: SUPPLY_LEN }) };
}

/// How many random bytes a thread asks the system for at once.
const SUPPLY_LEN: usize = 512;

/// Random bytes of the system for ids, which a thread has still to give out: asking for each would cost a request two system
/// calls. Nonces and secrets are not taken from it: a copy of a running virtual machine would have the same supply.
struct Supply {
    bytes: [u8; SUPPLY_LEN],
    /// How many were given out. They are overwritten then.
    used: usize,
}

impl Supply {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        const { assert!(N <= SUPPLY_LEN) };
        if SUPPLY_LEN - self.used < N {
            fill(&mut self.bytes);
            self.used = 0;
        }
        let mut taken = [0; N];
        taken.swap_with_slice(&mut self.bytes[self.used..self.used + N]);
        self.used += N;
        taken
    }
}

/// Random bytes for an id.
fn supplied<const N: usize>() -> [u8; N] {
    let taken = SUPPLY.try_with(|supply| supply.borrow_mut().take());
    // A thread that ends has no supply any more.
    taken.unwrap_or_else(|_| bytes())
}

/// Sequences of bytes that follow from a number.
struct Seed {
    key: Hkdf<Sha256>,
    /// How many values have been drawn of each sequence.
    drawn: Mutex<HashMap<Vec<u8>, u64>>,
}

impl Seed {
    fn new(seed: u64) -> Self {
        Self { key: Hkdf::new(None, &seed.to_be_bytes()), drawn: Mutex::default() }
    }

    /// The next value of the sequence of this kind and owner.
    fn next<const N: usize>(&self, kind: &str, owner: &[&[u8]]) -> [u8; N] {
        self.next_counted(kind, owner).1
    }

    /// The random part of an id that is greater than those before it in its sequence and millisecond: the first twelve bits
    /// that an id takes of it are a counter, as RFC 9562 allows. The first of them stays free for [`following_id_for`].
    fn next_ordered(&self, kind: &str, owner: &[&[u8]]) -> Entropy {
        let (count, mut entropy) = self.next_counted::<{ size_of::<Entropy>() }>(kind, owner);
        let [.., high, low] = count.min(0x07ff).to_be_bytes();
        (entropy[0], entropy[1]) = (high, low);
        entropy
    }

    /// The next value of a sequence, and how many there are with it.
    fn next_counted<const N: usize>(&self, kind: &str, owner: &[&[u8]]) -> (u64, [u8; N]) {
        // With their lengths, so that two sequences have two names.
        let parts = iter::once(kind.as_bytes()).chain(owner.iter().copied());
        let length = |part: &[u8]| u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes();
        let name: Vec<u8> = parts.flat_map(|part| [&length(part), part].concat()).collect();
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let count = drawn.entry(name.clone()).or_default();
        *count += 1;
        let (count, mut bytes) = (*count, [0; N]);
        let name = [&count.to_be_bytes(), name.as_slice()].concat();
        self.key.expand(&name, &mut bytes).unwrap_or_else(|_| unreachable!("a value is shorter than 8 KiB"));
        (count, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::id::EventId;

    #[test]
    fn a_supply_gives_bytes_out_once_and_keeps_none_of_them() {
        let mut supply = Supply { bytes: [0; SUPPLY_LEN], used: SUPPLY_LEN };
        let mut given = Vec::new();
        for _ in 0..100 {
            given.push(supply.take::<8>());
            let _: [u8; 21] = supply.take();
            assert!(supply.bytes[..supply.used].iter().all(|byte| *byte == 0), "an id stays behind");
        }
        let count = given.len();
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), count, "bytes were given out twice");
    }

    #[test]
    fn a_value_of_a_seed_depends_on_its_kind_its_owner_and_the_number_of_values_before_it() {
        let (one, same, other) = (Seed::new(7), Seed::new(7), Seed::new(8));
        let first: [u8; 16] = one.next("event", &[b"a"]);
        let second: [u8; 16] = one.next("event", &[b"a"]);
        let of_other_owner: [u8; 16] = one.next("event", &[b"b"]);
        let of_other_kind: [u8; 16] = one.next("attempt", &[b"a"]);
        let mut all = vec![first, second, of_other_owner, of_other_kind, other.next("event", &[b"a"])];
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
        // In another order.
        assert_eq!(same.next("attempt", &[b"a"]), of_other_kind);
        assert_eq!(same.next("event", &[b"b"]), of_other_owner);
        assert_eq!([same.next("event", &[b"a"]), same.next("event", &[b"a"])], [first, second]);
    }

    #[test]
    fn ids_of_one_owner_and_millisecond_have_the_order_in_which_they_were_drawn() {
        let (seed, now) = (Seed::new(7), Timestamp::from_ms(1_800_000_000_000));
        let ids: Vec<EventId> =
            (0..300).map(|_| EventId::new(now, &seed.next_ordered("event", &[b"a"]))).collect();
        assert!(ids.is_sorted());
        let other = EventId::new(now, &seed.next_ordered("event", &[b"b"]));
        assert!(!ids.contains(&other));
    }

    #[test]
    fn values_of_a_seed_stay_the_same_in_every_version() {
        let drawn: [u8; 8] = Seed::new(7).next("event", &[b"a"]);
        assert_eq!(hex::encode(drawn), "2d4e33436e229cbf");
    }
}
