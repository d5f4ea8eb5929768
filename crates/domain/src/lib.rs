//! The decisions of Till as pure functions.
//!
//! Given the rows, the time and an event, a function here returns a list of [`change::Change`]s to commit, or
//! a [`rejection::Rejection`] that tells the caller what is wrong with the request. This crate never reads a
//! clock, draws a random number, opens a file or a socket: time, ids and rows are arguments. Start with
//! [`session`]; money is in [`money`], the differences between live and sandbox are in [`rules`].

pub mod activity;
pub mod address;
pub mod attempt;
pub mod audit;
pub mod callback;
pub mod catalog;
pub mod chain;
pub mod change;
pub mod credential;
pub mod decision;
pub mod defect;
pub mod delivery;
pub mod dispatch;
pub mod endpoint_check;
pub mod environment;
pub mod finding;
pub mod fiscal;
pub mod hash_chain;
pub mod id;
pub mod ledger;
pub mod metadata;
pub mod method;
pub mod misdelivery;
pub mod money;
pub mod payout;
pub mod receipt;
pub mod reconciliation;
pub mod refund;
pub mod rejection;
pub mod request;
pub mod rules;
pub mod session;
pub mod simulation;

pub mod text;
pub mod time;
pub mod transaction;
pub mod user;
pub mod vendor;
pub mod visit;
pub mod weburl;
mod words;
