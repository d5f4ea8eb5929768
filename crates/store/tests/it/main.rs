//! Tests of the store through its public API: one binary, one module per subject.
//!
//! Everything runs on a real store; no test waits for a clock. Tests for both engines use `fixture::Backend`;
//! those of the embedded engine alone are in `sqlite` and `embedded`, and what the schema refuses to every
//! client is in `triggers`.

mod accounts;
mod actions;
mod attempts;
mod audit;
mod backup;
mod catalog;
mod chains;
mod clock;
#[allow(dead_code, reason = "the service's tests use the rest")]
mod credentials;
mod deliveries;
mod due;
mod embedded;
mod endpoint_checks;
mod erasure;
mod faults;
mod figures;
mod findings;
mod finish;
mod fiscal;
mod fixture;
mod isolation;
mod keys;
mod leases;
mod ledger;
mod lists;
mod mails;
mod misdelivery;
mod payments;
mod postgres;
mod postgres_hosts;
mod postgres_tls;
mod provider_activity;
mod providers;
mod queues;
mod receipts;
mod reconciliations;
mod refunds;
mod retention;
mod reversals;
mod sandbox_refunds;
mod schemas;
mod search;
mod shell;
mod sqlite;
mod team;
mod triggers;
mod users;
mod verify;
mod way;
