//! Tests of the whole service: a real listener, a real store, and the people who use it.
//!
//! Tests whose name starts with `needs_` need a program that `./test` installs; `./test quick` leaves them
//! out.

mod support;

mod api_order;
mod catalog;
mod cli;
mod connections;
mod crash;
mod create;
mod doctor;
mod expiry;
mod idempotency;
mod import;
mod limits;
mod matrix;
mod metrics;
mod openapi;
mod secrets;
mod serve;
mod simulate;
mod status;
mod tidy;
mod tls;
mod tokens;
mod trouble;
