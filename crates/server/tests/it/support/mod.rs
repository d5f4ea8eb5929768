//! What the tests stand on: a service in this process with a clock that they move, a service in a process
//! of its own, and a vendor's server that calls either.

mod desk;
mod process;
mod server;
mod tls;
mod vendor;

pub use desk::Desk;
pub use process::{MASTER_KEY, Process, Till};
pub use server::Server;
pub use tls::{Authority, write_identity};
pub use vendor::{Answer, Credentials, Shop};
