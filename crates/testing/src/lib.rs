//! Helpers that the tests of several crates share.

pub mod fuzz;

/// True if `./test long` runs the tests: they try more cases, and may take minutes.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("TILL_TEST_LONG").is_some()
}
