//! Tests of what Till decides, seen from outside the crate: one binary, one module per subject.
//!
//! Nothing here waits, reads a clock or talks to anybody. The shop that the tests share is in `fixture`.

mod attempt;
mod callback;
mod create;
mod finding;
mod fixture;
mod ledger;
mod lifecycle;
mod methods;
mod money;
mod refund;
mod repeat;
mod simulate;
