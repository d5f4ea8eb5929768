//! Tests of the whole service: a real listener, a real store, and the people who use it.
//!
//! Tests whose name starts with `needs_` need root or a program that `./test` installs; `./test quick` leaves
//! them out.

mod support;

mod api;
mod callbacks;
mod clock;
mod fail_points;
mod money;
mod nodes;
mod operations;
mod panel;
mod payments;
mod providers;
mod security;
mod tidy;
mod vendors;
