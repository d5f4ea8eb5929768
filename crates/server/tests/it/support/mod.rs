//! Test support: a service in this process with a clock that the test moves, a service in a process of its
//! own, several of those on one PostgreSQL, a vendor's client of the API, a receiver of callbacks, and
//! helpers for tests with many clients.

mod crowd;
mod customer;
mod mail_server;
mod nodes;
mod person;
mod process;
mod receiver;
mod server;
mod sink;
mod tls;
mod vendor;
mod vendor_commands;

pub use crowd::{alone, open_files};
pub use customer::{Customer, until};
pub use mail_server::MailServer;
pub use nodes::{Nodes, Shell};
pub use person::{PASSWORD, Person};
pub use process::{MASTER_KEY, OTHER_KEY, Process, Till, write_secret};
pub use receiver::{Received, Receiver, Reply, signature};
pub use server::{START_MS, Server, Vendor, entry};
pub use sink::{Sink, read_request};
pub use tls::{Authority, acceptor, write_identity};
pub use vendor::{Answer, Credentials, Shop};
pub use vendor_commands::VendorCommands;

use std::io::Write;

/// Prints a note that is not a failure to the output of the tests.
pub fn note(text: &str) {
    writeln!(std::io::stderr(), "{text}").expect("a reader");
}
