//! The running service: the API, the checkout, the workers and the command line around `till-service` and `till-panel`.
//!
//! [`cli`] is the entry point of the binary, [`app`] builds the running service, [`api`] holds the JSON endpoints.

pub mod api;
pub mod app;
pub mod checkout;
pub mod cli;
pub mod docs;
pub mod workers;
