//! The service below its pages: environments and their stores, the cashier that talks to providers, callbacks, mails,
//! settings, access, and the parts that all answers share.
//!
//! A handler or worker holds one [`environment::Environment`] and cannot name the other.

pub mod access;
pub mod admin;
pub mod callbacks;
pub mod cashier;
pub mod environment;
pub mod heartbeat;
pub mod limits;
pub mod listener;
pub mod mail;
pub mod metrics;
pub mod outbound;
pub mod random;
pub mod reconcile;
pub mod registry;
pub mod search;
pub mod settings;
pub mod status;
pub mod telemetry;
pub mod traces;
pub mod vault;
pub mod web;
