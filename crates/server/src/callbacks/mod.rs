//! Sending callbacks: signed, on time, at least once, and nobody waits for somebody else's receiver.
//!
//! An event is a committed row before anything is sent. [`sender`] takes those that are due and writes each
//! attempt down before it is made; what an attempt means is decided in `till_domain::delivery`.

mod ping;
mod resting;
mod sender;
mod traffic;

pub use sender::{Sender, SenderOptions};
pub use traffic::{Traffic, TrafficLimits};
