//! Tests of the whole service: a real listener, a real store, and the people who use it.
//!
//! Tests whose name starts with `needs_` need root or a program that `./test` installs; `./test quick` leaves
//! them out.

mod support;

#[path = "../../../../tests/evm/anvil.rs"]
mod anvil;
mod api_order;
mod callbacks;
mod card_testing;
mod catalog;
mod chain_faults;
mod chains;
mod cli;
mod clock;
#[allow(dead_code, reason = "the store's tests use the rest")]
#[path = "../../../store/tests/it/cluster.rs"]
mod cluster;
mod coins;
mod connections;
mod crash;
mod create;
mod demo;
mod disk;
mod doctor;
mod expiry;
mod fail_stop;
mod feed;
mod heads;
mod idempotency;
mod import;
mod late;
mod ledger;
mod limits;
mod log_ins;
mod logging;
mod mails;
mod matrix;
mod metrics;
mod money;
mod needs_stripe_fake;
mod needs_stripe_findings;
mod needs_yookassa_fake;
mod nodes;
mod openapi;
mod outbound;
mod outbound_guard;
mod overload;
mod panel;
mod payments;
mod receipts;
mod refunds;
mod reversals;
mod secrets;
mod serve;
mod setups;
mod shop;
mod simulate;
mod status;
mod strangers;
#[path = "../../../../tests/providers/stripe/fake.rs"]
mod stripe_fake;
mod swarm;
mod tidy;
mod tls;
mod tokens;
mod trouble;
mod unread;
mod verifiers;
