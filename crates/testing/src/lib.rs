//! Helpers that the tests of several crates share.

#[cfg(feature = "stand-ins")]
pub mod anvil;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "stand-ins")]
mod command;
pub mod fuzz;
#[cfg(feature = "pages")]
pub mod hostile;
#[cfg(feature = "stand-ins")]
pub mod stripe;
#[cfg(feature = "stand-ins")]
pub mod tbank;
#[cfg(feature = "stand-ins")]
pub mod yookassa;

/// True if `./test long` runs the tests: they try more cases, and may take minutes.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("TILL_TEST_LONG").is_some()
}
