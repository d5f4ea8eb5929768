//! The service: HTTP, pages, workers, settings and the command line around `till-domain`, `till-store`
//! and `till-providers`.
//!
//! [`cli`] is where the binary starts, [`app`] puts the running service together, [`api`] holds the JSON
//! endpoints. A handler or worker holds one [`environment::Environment`] and cannot name the other.

pub mod access;
pub mod api;
pub mod app;
pub mod callbacks;
mod card_testing;
pub mod cashier;
pub mod checkout;
pub mod cli;
pub mod directory;
pub mod docs;
pub mod environment;
pub mod findings;
pub mod http2;
pub mod idempotency;
pub mod limits;
pub mod listener;
pub mod mail;
pub mod metrics;
pub mod office;
pub mod open_files;
pub mod outbound;
pub mod pages;
pub mod panel;
mod progress;
pub mod random;
pub mod reconcile;
pub mod registry;
pub mod settings;
pub mod telemetry;
pub mod tls;
pub mod vault;
pub mod waiting;
pub mod web;
pub mod workers;
