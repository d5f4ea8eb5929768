//! Tests of the domain's decisions through its public API: one binary, one module per subject.
//!
//! No test waits, reads a clock or uses the network. The vendor and catalog that the tests share are in
//! `fixture`.

mod attempt;
mod callback;
mod create;
mod decision;
mod finding;
mod fiscal;
mod fiscal_closing;
mod fiscal_follow;
mod fiscal_news;
mod fiscal_refund;
mod fixture;
mod ledger;
mod lifecycle;
mod methods;
mod money;
mod refund;
mod repeat;
mod simulate;
