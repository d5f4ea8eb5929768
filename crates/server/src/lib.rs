//! The service: HTTP, pages, workers, settings and the command line around `till-domain`, `till-store` and
//! `till-providers`.
//!
//! [`cli`] is the entry point of the binary, [`app`] builds the running service, [`api`] holds the JSON
//! endpoints. A handler or worker holds one [`environment::Environment`] and cannot name the other.

pub mod access;
pub mod admin;
pub mod api;
pub mod app;
pub mod callbacks;
pub mod cashier;
pub mod checkout;
pub mod cli;
pub mod docs;
pub mod environment;
pub mod limits;
pub mod listener;
pub mod mail;
pub mod metrics;
pub mod outbound;
pub mod panel;
pub mod random;
pub mod reconcile;
pub mod registry;
pub mod settings;
pub mod telemetry;
pub mod vault;
pub mod web;
pub mod workers;
