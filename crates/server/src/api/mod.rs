//! The JSON API of both environments.
//!
//! [`endpoints`] is the one table of what exists: the router and the OpenAPI document are both made from it.
//! Handlers are the same functions for live and sandbox; their state is one environment and its cashier.

mod call;
mod cursor;
mod endpoint_checks;
mod endpoints;
mod expire;
mod feed;
mod idempotency;
mod json;
pub mod openapi;
mod query;
mod receipts;
mod refunds;
mod session;
mod sessions;
mod signature_checks;
mod simulate;
mod token;
mod transactions;
mod wallet;
pub mod wire;

pub use call::{has_token, read_json};
pub use endpoints::{ENDPOINTS, Endpoint, Operation, router};
