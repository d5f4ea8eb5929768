//! Tests of the pages: their structure, their words, hostile texts.

mod account;
mod catalog;
mod console;
mod fixture;
mod gallery;
mod hostile;
mod payments;
mod setups;
mod structure;
mod watch;
mod words;
