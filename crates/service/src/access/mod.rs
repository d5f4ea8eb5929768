//! Authentication: passwords, second factors, and throttling of guesses.
//!
//! Nothing here reads a row, a setting or a clock: the caller passes in the stored hash, the time and the
//! address, and stores the result.

pub mod codes;
pub mod password;
pub mod queue;
pub mod throttle;
pub mod totp;
