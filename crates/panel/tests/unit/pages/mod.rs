//! Tests of the pages: their structure, their words, hostile texts.

mod account;
mod catalog;
mod console;
mod fiscal;
mod fixture;
mod gallery;
mod health;
mod hostile;
mod payments;
mod reconciliations;
mod refunds;
mod setups;
mod structure;
mod wallet;
mod watch;
mod words;
