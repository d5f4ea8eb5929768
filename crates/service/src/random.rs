//! The system's random number generator, the only source of ids, secrets and nonces.

use till_domain::id::Entropy;

/// Fresh random bytes.
///
/// # Panics
///
/// If the system cannot supply randomness: nothing that needs it may continue without.
#[must_use]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system's random generator works");
    bytes
}

/// The random part of a new id.
#[must_use]
pub fn entropy() -> Entropy {
    bytes()
}
