//! What the tests of several crates share.

pub mod fuzz;

/// Whether `./test long` runs the tests: they try more, and may take minutes.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("TILL_TEST_LONG").is_some()
}
