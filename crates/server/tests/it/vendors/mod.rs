//! Tests of a vendor's data: catalog, mails, the demo's shop, verifiers of callbacks.

mod catalog;
mod import;
mod listen;
mod mails;
mod shop;
mod verifiers;
