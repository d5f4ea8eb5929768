//! Tests of the API, call by call.

mod api_order;
mod copy;
mod create;
mod details;
mod docs;
mod expire;
mod expiry;
mod feed;
mod fiscal;
mod idempotency;
mod limits;
mod openapi;
mod sessions;
mod simulate;
mod status;
mod tokens;
mod transactions;
