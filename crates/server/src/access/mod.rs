//! Who may log in: passwords, second factors, and how fast somebody may guess.
//!
//! Nothing here reads a row, a setting or a clock: the caller brings the stored hash, the time and the
//! address, and writes down what comes of it.

pub mod codes;
pub mod password;
pub mod queue;
pub mod throttle;
pub mod totp;
