//! Sends callbacks (webhooks): signed, on time, at least once. A slow receiver delays no other vendor.
//!
//! An event is a committed row before anything is sent. [`sender`] takes those that are due and stores each
//! attempt before it is made; the result of an attempt is interpreted in `till_domain::delivery`.

pub mod endpoint_check;
mod misdelivery;
mod ping;
mod sender;
pub mod signature_check;
mod traffic;
mod transmitter;
mod turns;
mod vendor_pauses;

pub use misdelivery::FaultPlayer;
pub use ping::Pinger;
pub use sender::{Sender, SenderOptions};
pub use traffic::{Traffic, TrafficLimits};
pub use transmitter::{PlainTransmitter, Transmitter};

/// The sender of live callbacks.
pub type LiveSender = Sender<PlainTransmitter>;

/// The sender of the sandbox's callbacks.
pub type SandboxSender = Sender<FaultPlayer>;
