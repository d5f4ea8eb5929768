//! Sending callbacks: signed, on time, at least once, and nobody waits for somebody else's receiver.
//!
//! An event is a committed row before anything is sent. [`sender`] takes those that are due and writes each
//! attempt down before it is made; what an attempt means is decided in `till_domain::delivery`.

mod keyring;
mod ping;
mod resting;
mod sender;
mod signing;
mod traffic;

pub use keyring::Keyring;
pub use sender::{Sender, SenderOptions};
pub use signing::{Secrets, Signed};
pub use traffic::{Traffic, TrafficLimits};
