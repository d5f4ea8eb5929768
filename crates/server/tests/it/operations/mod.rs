//! Tests of the service as an operator runs it: commands, start and stop, disks, logs, metrics.

mod backup;
mod cli;
mod console_commands;
mod crash;
pub(crate) mod demo;
mod demo_history;
mod disk;
pub(crate) mod doctor;
mod fail_stop;
mod forget;
mod key_rotation;
mod logging;
mod metrics;
mod old_stores;
mod overload;
mod relocate;
mod repeatable_demo;
pub(crate) mod serve;
mod service_manager;
mod setups;
mod trouble;
