//! Sends callbacks (webhooks): signed, on time, at least once. A slow receiver delays no other vendor.
//!
//! An event is a committed row before anything is sent. [`sender`] takes those that are due and stores each
//! attempt before it is made; the result of an attempt is interpreted in `till_domain::delivery`.

mod ping;
mod sender;
pub mod signature_check;
mod traffic;
mod vendor_pauses;

pub use sender::{Sender, SenderOptions};
pub use traffic::{Traffic, TrafficLimits};
